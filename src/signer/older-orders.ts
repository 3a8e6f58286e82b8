/**
 * Orders that are older than a restore, or than the loss of the journal, as the chains show them: payments to their
 * recipient and to their refund address, by the signer's own nodes, in any amount, because a payout that is planned again
 * has another one. While there may be such a payment, nothing is given up, sent back or confirmed (`restored.ts`): the
 * answer names what was found and the command that books it. What a network cannot tell, only a person can.
 */
import { sql } from 'drizzle-orm';
import { type AssetId, assetOf } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { Look } from '../chains/port.ts';
import type { SentPayment } from '../chains/sent-payment.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import { orderSealHolds } from '../orders/seal.ts';
import { type OrderRow, orders } from '../orders/table.ts';
import type { Db } from '../platform/d1/database.ts';
import { inJson, isIn } from '../platform/d1/lists.ts';
import { logError } from '../platform/log.ts';
import type { OlderOrder, OlderPayment, Said } from '../ports/copy.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';
import { transactions, transactionVersions } from '../treasury/table.ts';
import type { Journal } from './journal/journal.ts';
import type { Restored } from './restored.ts';
import type { ConfiguredAddresses } from './withdrawals/addresses.ts';

export interface Looking {
	readonly db: Db;
	readonly restored: Restored;
	readonly journal: Journal;
	readonly sealKeys: KeyRing;
	/** A network by the signer's own node; null where the signer does not run it. */
	readonly chainOn: (network: NetworkName) => Look | null;
	/** Where withdrawals go; null where the signer does not run the network. */
	readonly withdrawalAddresses: (network: NetworkName) => ConfiguredAddresses | null;
}

interface Looked extends OlderOrder {
	/** Nobody has confirmed it. */
	readonly waits: boolean;
	/** The transactions that are planned for it, or were signed and are not final. */
	readonly open: { readonly id: string; readonly kind: string; readonly amount: string } | null;
}

/** `waits` of an order whose time is not known any more. */
const NEVER = Number.POSITIVE_INFINITY;

/** Leaves out orders that are newer than the restore, that D1 does not have, or whose seal is broken. */
export async function lookFor(looking: Looking, orderIds: readonly string[]): Promise<Looked[]> {
	const { db, restored, sealKeys } = looking;
	if (!restored.state() || orderIds.length === 0) return [];
	const { id: transactionId, kind, amount, orderId: ofOrder } = transactions;
	const isOpen = sql`${ofOrder} in ${inJson(orderIds)} and ${transactions.state} <> 'final'`;
	const [orderRows, open] = await db.batch([
		db.select().from(orders).where(isIn(orders.id, orderIds)),
		db.select({ id: transactionId, kind, amount, orderId: ofOrder }).from(transactions).where(isOpen),
	]);
	const isSealed = await Promise.all(orderRows.map((order) => orderSealHolds(sealKeys, order, order.seal)));
	const older = orderRows.filter((order, i) => isSealed[i] && restored.isOlder(order));
	const search = searches(looking, Math.min(NEVER, ...older.map(({ createdAt }) => createdAt)));
	const looked: Looked[] = [];
	for (const order of older) {
		const found = await search(order);
		const waits = restored.orderRefusal(order) !== null;
		looked.push({ ...found, waits, open: open.find(({ orderId }) => orderId === order.id) ?? null });
	}
	return looked;
}

export type Read = { readonly payments: readonly SentPayment[] } | { readonly detail: string };

/** Reads what chains show as sent since then: one view of each network, which keeps what it read. */
export function chainReader(chainOn: Looking['chainOn'], since: number) {
	const chains = new Map<NetworkName, Look | null>();
	return async (asset: AssetId, to: readonly string[]): Promise<Read> => {
		const { network } = assetOf(asset);
		if (!chains.has(network)) chains.set(network, chainOn(network));
		const on = chains.get(network);
		if (!on?.paymentsTo) return { detail: on ? 'it shows nobody whom we have paid' : 'the signer does not run it' };
		try {
			return { payments: await on.paymentsTo(asset, to, since) };
		} catch (error) {
			logError('network_not_read', error, { network });
			return { detail: error instanceof Error ? error.message : String(error) };
		}
	};
}

/** `firstAt`: of the oldest order. Where the journal was lost, nobody knows since when. */
function searches({ db, restored, journal, chainOn }: Looking, firstAt: number) {
	const backupAt = restored.state()?.backupAt ?? null;
	const since = backupAt ?? firstAt;
	const readChain = chainReader(chainOn, since);

	/** Where the journal was lost, D1 is all that knows what was signed before. */
	async function accounted(orderId: string, network: NetworkName, found: readonly SentPayment[]) {
		const txIds = found.map(({ txId }) => txId);
		const known = new Set(txIds.filter((txId) => journal.isSigned(txId)));
		if (backupAt !== null || txIds.length === 0) return known;
		const { txId, orderId: ofOrder, kind } = transactions;
		const isHere = sql`${transactions.network} = ${network} and ${txId} in ${inJson(txIds)}`;
		const isVersion = isIn(transactionVersions.txId, txIds);
		const [newest, versions] = await db.batch([
			db.select({ txId, orderId: ofOrder, kind }).from(transactions).where(isHere),
			db.select({ txId: transactionVersions.txId }).from(transactionVersions).where(isVersion),
		]);
		// An order has one payout: another one of its own is what is looked for.
		const others = newest.filter((row) => row.orderId !== orderId || row.kind !== 'payout');
		return new Set([...known, ...[...others, ...versions].flatMap((row) => row.txId ?? [])]);
	}

	async function paymentsTo(orderId: string, kind: OlderPayment['kind'], asset: AssetId, address: string) {
		const { network } = assetOf(asset);
		const read = await readChain(asset, [address]);
		if ('detail' in read) return { payments: [], unread: [{ network, address, ...read }] };
		// A failure of D1 is none of the network, and nobody can look in its place.
		const known = await accounted(orderId, network, read.payments);
		const unknown = read.payments.filter(({ txId }) => !known.has(txId));
		const payments = unknown.map(({ txId, amount }): OlderPayment => {
			return { kind, network, asset, txId, amount: amount.toString() };
		});
		return { payments, unread: [] };
	}

	return async ({ id, fromAsset, toAsset, toAddress, refundAddress }: OrderRow): Promise<OlderOrder> => {
		const payout = await paymentsTo(id, 'payout', toAsset, toAddress);
		const refund = await paymentsTo(id, 'refund', fromAsset, refundAddress);
		const payments = [...payout.payments, ...refund.payments];
		return { orderId: id, payments, unread: [...payout.unread, ...refund.unread] };
	};
}

/** Why what is planned must not be given up: the chain may hold it. A payment of the other kind is none of it. */
export async function giveUpRefusal(
	looking: Looking,
	payoutId: string,
	orderId: string | null,
): Promise<SignerRefusal | null> {
	if (!looking.restored.state()) return null;
	const [row] = await looking.db.select().from(transactions).where(sql`${transactions.id} = ${payoutId}`);
	const [looked] = await lookFor(looking, [row?.orderId ?? orderId ?? '']);
	const kind = row?.kind === 'refund' ? 'refund' : 'payout';
	if (!looked?.waits) return null;
	const network = row?.network;
	return refusalOf(looked, {
		payments: looked.payments.filter((payment) => payment.kind === kind),
		unread: looked.unread.filter((unread) => network === undefined || unread.network === network),
	});
}

export async function refundRefusal(looking: Looking, orderId: string): Promise<SignerRefusal | null> {
	const [looked] = await lookFor(looking, [orderId]);
	return looked?.waits ? refusalOf(looked, looked) : null;
}

export async function confirmOrders(
	looking: Looking,
	orderIds: readonly string[],
	{ looked: hasLooked, not }: Said,
): Promise<(SignerRefusal | null)[]> {
	const { db, restored } = looking;
	const found = await lookFor(looking, orderIds);
	const known = await db.select({ id: orders.id }).from(orders).where(isIn(orders.id, orderIds));
	return orderIds.map((orderId) => {
		if (!known.some(({ id }) => id === orderId)) return { kind: 'no-such-order' };
		const older = found.find((each) => each.orderId === orderId);
		const payments = older?.payments.filter(({ txId }) => !not.includes(txId)) ?? [];
		const refusal = older?.waits ? refusalOf(older, { payments, unread: hasLooked ? [] : older.unread }) : null;
		if (!refusal) restored.clearOrders([orderId], Date.now());
		return refusal;
	});
}

function refusalOf(
	{ orderId, open }: Looked,
	{ payments, unread }: Pick<OlderOrder, 'payments' | 'unread'>,
): SignerRefusal | null {
	const exact = payments.find(({ kind, amount }) => kind === open?.kind && amount === open.amount);
	const payment = exact ?? payments[0];
	if (payment) {
		const { network, asset, amount, txId } = payment;
		return { kind: 'paid-before', network, asset, amount, txId, book: (exact && open?.id) ?? null };
	}
	const [cannotTell] = unread;
	return cannotTell ? { kind: 'payments-unread', ...cannotTell, orderId, book: open?.id ?? orderId } : null;
}
