/**
 * An order as the operator sees it: a line of the list, and the whole of it. Secrets, hashes and seals stay out. Pure.
 */
import { type Asset, type AssetId, assetOf, nativeAsset } from '../../catalog/assets.ts';
import { parseAmount } from '../../money/amount.ts';
import { plain } from '../../money/decimal.ts';
import { fromBaseUnits, toBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import type { DepositRow, OrderRow, orderChanges } from '../../orders/table.ts';
import { isoTimesOf, pick } from '../../platform/pick.ts';
import { isoTime, isoTimeOrNull } from '../../platform/time.ts';
import type { ledgerEntries } from '../../treasury/ledger/table.ts';
import type { ScreeningRow } from '../../treasury/screening/table.ts';
import type { TransactionRow, transactionVersions } from '../../treasury/table.ts';
import { blockedText, type Switches, waitReason } from '../../treasury/transactions/wait-reason.ts';
import type { WebhookDeliveryRow, webhookEvents } from '../../webhooks/table.ts';
import { type Failure, fail } from '../command.ts';

export const coins = (asset: AssetId, baseUnits: string): string =>
	fromBaseUnits(BigInt(baseUnits), assetOf(asset).decimals);

/** Base units of what an operator typed. */
export function unitsOf(text: string, { code, decimals }: Pick<Asset, 'code' | 'decimals'>): bigint | Failure {
	const parsed = parseAmount(text, decimals);
	if (parsed) return toBaseUnits(plain(parsed.value), decimals);
	return fail(400, `${text} is not an amount of ${code}: at most ${decimals} decimals`);
}

export const orderLine = (order: OrderRow) => ({
	...pick(order, 'id', 'partnerId', 'status'),
	from: order.fromAsset,
	fromAmount: order.fromAmount,
	to: order.toAsset,
	toAmount: order.toAmount,
	usd: usdOfCents(order.usdCents),
	...pick(order, 'emergencyReasons', 'externalId'),
	...isoTimesOf(order, 'createdAt', 'updatedAt', 'deletedAt'),
});

/** The fields that the partner's view leaves out. */
export const internalState = (order: OrderRow) => ({
	...pick(order, 'partnerId', 'referenceCode', 'sequence', 'direction'),
	usd: usdOfCents(order.usdCents),
	...pick(order, 'baseFeeBps', 'leanBps', 'emergencyReasons', 'payInIndex', 'idempotencyKey'),
	...pick(order, 'externalId', 'externalIdUnique', 'capDay', 'holdsCap'),
	unpaidUsd: usdOfCents(order.usdCents - order.paidCents),
	...pick(order, 'refundAskedBy'),
	...isoTimesOf(order, 'refundAskedAt', 'watchUntil', 'deletedAt'),
});

export const changeRecord = (change: typeof orderChanges.$inferSelect) => ({
	sequence: change.sequence,
	at: isoTime(change.at),
	...pick(change, 'previousStatus', 'status', 'cause'),
});

export const depositRecord = (deposit: DepositRow) => ({
	...pick(deposit, 'network', 'txId', 'position', 'asset'),
	amount: coins(deposit.asset, deposit.amount),
	...pick(deposit, 'state', 'dust', 'setAside', 'payoutId'),
	...isoTimesOf(deposit, 'firstSeenAt', 'lastSeenAt'),
});

export const transactionLine = (transaction: TransactionRow) => ({
	...pick(transaction, 'id', 'orderId', 'kind', 'state', 'network', 'asset'),
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
	...pick(transaction, 'id', 'kind', 'state', 'network', 'asset'),
	amount: coins(transaction.asset, transaction.amount),
	...pick(transaction, 'toAddress', 'txId'),
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
	...isoTimesOf(transaction, 'plannedAt', 'signedAt', 'sentAt', 'finalAt', 'nextAttemptAt'),
});

export const entryRecord = (entry: typeof ledgerEntries.$inferSelect) => ({
	at: isoTime(entry.at),
	...pick(entry, 'cause', 'account', 'asset'),
	amount: coins(entry.asset, entry.amount),
});

export const eventRecord = (event: typeof webhookEvents.$inferSelect, deliveries: readonly WebhookDeliveryRow[]) => ({
	id: event.eventId,
	...pick(event, 'endpointId', 'type', 'sequence', 'state', 'attempts'),
	createdAt: isoTime(event.createdAt),
	nextAttemptAt: event.state === 'due' ? isoTime(event.nextAttemptAt) : null,
	deliveries: deliveries.map((delivery) => ({
		attempt: delivery.attempt,
		at: isoTime(delivery.at),
		...pick(delivery, 'status', 'durationMilliseconds', 'error'),
	})),
});

export const screeningRecord = (row: ScreeningRow) => ({
	subject: row.subject,
	txId: row.txId || null,
	...pick(row, 'address', 'verdict', 'decidedBy', 'note', 'attempts'),
	...isoTimesOf(row, 'at', 'nextAskAt'),
});
