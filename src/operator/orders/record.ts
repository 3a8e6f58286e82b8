/**
 * An order as the operator sees it: a line of the list, and the whole of it. Secrets, hashes and seals stay out. Pure.
 */
import { type AssetId, assetOf, nativeAsset } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import type { DepositRow, OrderRow, orderChanges } from '../../orders/table.ts';
import { isoTime, isoTimeOrNull } from '../../platform/time.ts';
import type { ledgerEntries } from '../../treasury/ledger/table.ts';
import type { TransactionRow, transactionVersions } from '../../treasury/table.ts';
import type { Switches } from '../../treasury/transactions/switches.ts';
import { blockedText, waitReason } from '../../treasury/transactions/wait-reason.ts';
import type { WebhookDeliveryRow, webhookEvents } from '../../webhooks/table.ts';

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
	externalId: order.externalId ?? null,
	createdAt: isoTime(order.createdAt),
	updatedAt: isoTime(order.updatedAt),
	deletedAt: isoTimeOrNull(order.deletedAt),
});

/** The fields that the partner's view leaves out. */
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
	externalId: order.externalId ?? null,
	externalIdUnique: order.externalIdUnique ?? false,
	capDay: order.capDay,
	holdsCap: order.holdsCap,
	unpaidUsd: usdOfCents(order.usdCents - order.paidCents),
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

/** A transaction in one line. */
export const transactionLine = (transaction: TransactionRow) => ({
	id: transaction.id,
	orderId: transaction.orderId,
	kind: transaction.kind,
	state: transaction.state,
	network: transaction.network,
	asset: transaction.asset,
	amount: coins(transaction.asset, transaction.amount),
	txId: transaction.txId,
});

/** Why it does not go on, and since when; null while it does. */
export const waitsOf = (transaction: TransactionRow, switches: Switches) => {
	const why = waitReason(transaction, switches);
	return { waitsBecause: why?.because ?? null, waitsSince: isoTimeOrNull(why?.since ?? null) };
};

export const transactionRecord = (
	transaction: TransactionRow,
	replaced: readonly (typeof transactionVersions.$inferSelect)[],
	switches: Switches,
) => ({
	id: transaction.id,
	kind: transaction.kind,
	state: transaction.state,
	network: transaction.network,
	asset: transaction.asset,
	amount: coins(transaction.asset, transaction.amount),
	toAddress: transaction.toAddress,
	txId: transaction.txId,
	// Its cost beyond what it moved, in the network's coin; known once it is final.
	fee: transaction.fee === null ? null : coins(nativeAsset(transaction.network), transaction.fee),
	raw: transaction.raw,
	/** Older versions, with a lower fee. At most one of all versions is ever on the chain. */
	replaced: replaced.map(({ txId, raw, replacedAt }) => ({ txId, raw, replacedAt: isoTime(replacedAt) })),
	/** The transaction by which the operator paid instead of this one. */
	settledTxId: transaction.settledTxId,
	held: blockedText(transaction),
	...waitsOf(transaction, switches),
	attempts: transaction.attempts,
	plannedAt: isoTime(transaction.plannedAt),
	signedAt: isoTimeOrNull(transaction.signedAt),
	sentAt: isoTimeOrNull(transaction.sentAt),
	finalAt: isoTimeOrNull(transaction.finalAt),
	nextAttemptAt: isoTime(transaction.nextAttemptAt),
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
