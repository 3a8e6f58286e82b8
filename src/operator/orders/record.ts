/** An order as the operator sees it: a line of the list, and the whole of it. Secrets, hashes and seals stay out. Pure. */
import { type AssetId, assetOf, nativeAsset } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import type { DepositRow, OrderRow, orderChanges } from '../../orders/table.ts';
import type { ledgerEntries } from '../../treasury/ledger/table.ts';
import type { TransactionRow, transactionVersions } from '../../treasury/table.ts';
import type { Switches } from '../../treasury/transactions/switches.ts';
import { blockedText, waitReason } from '../../treasury/transactions/wait-reason.ts';
import type { WebhookDeliveryRow, webhookEvents } from '../../webhooks/table.ts';
import { isoTime, isoTimeOrNull, usdOfCents } from '../shown.ts';

export const coins = (asset: AssetId, baseUnits: string): string =>
	fromBaseUnits(BigInt(baseUnits), assetOf(asset).decimals);

export const orderLine = (order: OrderRow) => ({
	id: order.id,
	partnerId: order.partnerId,
	status: order.status,
	from: order.fromAsset,
	fromAmount: order.fromAmount,
	to: order.toAsset,
	toAmount: order.toAmount,
	usd: usdOfCents(order.usdCents),
	emergencyReasons: order.emergencyReasons,
	createdAt: isoTime(order.createdAt),
	updatedAt: isoTime(order.updatedAt),
	deletedAt: isoTimeOrNull(order.deletedAt),
});

/** What the partner's view leaves out. */
export const internalState = (order: OrderRow) => ({
	partnerId: order.partnerId,
	referenceCode: order.referenceCode,
	sequence: order.sequence,
	direction: order.direction,
	usd: usdOfCents(order.usdCents),
	baseFeeBps: order.baseFeeBps,
	emergencyReasons: order.emergencyReasons,
	payInIndex: order.payInIndex,
	idempotencyKey: order.idempotencyKey,
	capDay: order.capDay,
	holdsCap: order.holdsCap,
	watchUntil: isoTime(order.watchUntil),
	deletedAt: isoTimeOrNull(order.deletedAt),
});

export const changeRecord = (change: typeof orderChanges.$inferSelect) => ({
	sequence: change.sequence,
	at: isoTime(change.at),
	previousStatus: change.previousStatus,
	status: change.status,
	cause: change.cause,
});

export const depositRecord = (deposit: DepositRow) => ({
	network: deposit.network,
	txId: deposit.txId,
	position: deposit.position,
	asset: deposit.asset,
	amount: coins(deposit.asset, deposit.amount),
	state: deposit.state,
	dust: deposit.dust,
	setAside: deposit.setAside,
	payoutId: deposit.payoutId,
	firstSeenAt: isoTime(deposit.firstSeenAt),
	lastSeenAt: isoTime(deposit.lastSeenAt),
});

/** Any transaction of our own in one line. */
export const payoutLine = (payout: TransactionRow) => ({
	id: payout.id,
	orderId: payout.orderId,
	kind: payout.kind,
	state: payout.state,
	network: payout.network,
	asset: payout.asset,
	amount: coins(payout.asset, payout.amount),
	txId: payout.txId,
});

/** Why it does not go on, and since when; null while it does. */
export const waitsOf = (payout: TransactionRow, switches: Switches) => {
	const why = waitReason(payout, switches);
	return { waitsBecause: why?.because ?? null, waitsSince: isoTimeOrNull(why?.since ?? null) };
};

export const payoutRecord = (
	payout: TransactionRow,
	replaced: readonly (typeof transactionVersions.$inferSelect)[],
	switches: Switches,
) => ({
	id: payout.id,
	kind: payout.kind,
	state: payout.state,
	network: payout.network,
	asset: payout.asset,
	amount: coins(payout.asset, payout.amount),
	toAddress: payout.toAddress,
	txId: payout.txId,
	// What it cost beyond what it moved, in the network's coin; known once it is final.
	fee: payout.fee === null ? null : coins(nativeAsset(payout.network), payout.fee),
	raw: payout.raw,
	/** Versions that this one, with a higher fee, stands in for. At most one of all is ever on the chain. */
	replaced: replaced.map(({ txId, raw, replacedAt }) => ({ txId, raw, replacedAt: isoTime(replacedAt) })),
	/** By which the operator paid by hand what this never brought. */
	settledTxId: payout.settledTxId,
	held: blockedText(payout),
	...waitsOf(payout, switches),
	attempts: payout.attempts,
	plannedAt: isoTime(payout.plannedAt),
	signedAt: isoTimeOrNull(payout.signedAt),
	sentAt: isoTimeOrNull(payout.sentAt),
	finalAt: isoTimeOrNull(payout.finalAt),
	nextAttemptAt: isoTime(payout.nextAttemptAt),
});

export const entryRecord = (entry: typeof ledgerEntries.$inferSelect) => ({
	at: isoTime(entry.at),
	cause: entry.cause,
	account: entry.account,
	asset: entry.asset,
	amount: coins(entry.asset, entry.amount),
});

export const eventRecord = (event: typeof webhookEvents.$inferSelect, deliveries: readonly WebhookDeliveryRow[]) => ({
	id: event.id,
	type: event.type,
	sequence: event.sequence,
	state: event.state,
	attempts: event.attempts,
	createdAt: isoTime(event.createdAt),
	nextAttemptAt: event.state === 'due' ? isoTime(event.nextAttemptAt) : null,
	deliveries: deliveries.map(({ attempt, at, status, durationMilliseconds, error }) => ({
		attempt,
		at: isoTime(at),
		status,
		durationMilliseconds,
		error,
	})),
});
