/**
 * Payments after a backup to partners, to the operator's own address, and as a later version of what was sent before
 * it, as the signer's own nodes show it. The journal and D1 do not know it, so earnings that were paid then would be
 * paid again, a planned withdrawal be made again, and the books miss one that was made since. Nothing that belongs to
 * no order is confirmed while there may be such a payment.
 */
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { ASSET_IDS, type AssetId, assetOf } from '../catalog/assets.ts';
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { orders } from '../orders/table.ts';
import { partners } from '../partners/table.ts';
import { inJson } from '../platform/d1/lists.ts';
import type { Said } from '../ports/copy.ts';
import { partnerPayouts } from '../treasury/earnings/table.ts';
import {
	type OwnPayment,
	paidPartnerText,
	paidRowText,
	paidWithdrawalText,
	type Unread,
	unreadPartnerText,
	unreadRowText,
} from '../treasury/refusal-texts.ts';
import { transactions, transactionVersions } from '../treasury/table.ts';
import { chainReader, type Looking, type Read } from './older-orders.ts';

/** Where a partner is paid, or was when earnings were planned; where a row goes; or an address of the operator. */
interface Payee {
	readonly partnerId: string | null;
	/** A withdrawal that is planned, or what was signed before the backup and stopped; another version of it pays the same. */
	readonly row: { readonly id: string; readonly amount: bigint } | null;
	/** The operator's name for an address of their own; empty of all others. */
	readonly name: string;
	readonly asset: AssetId;
	readonly address: string;
}

/** Why it must not be confirmed that nobody got anything; null where the chains show nothing, or a person has looked. */
export async function ownPaymentsProblem(looking: Looking, { looked, not }: Said): Promise<string | null> {
	const payees = await payeesOf(looking);
	const read = await readChains(looking, payees);
	const known = await knownOf(looking, payees, read);
	for (const payee of payees) {
		const { network } = assetOf(payee.asset);
		const found = read.get(payee.asset) ?? { detail: 'it was not asked' };
		if ('detail' in found) {
			const unread = looked ? null : unreadText(payee, { network, ...found });
			if (unread) return unread;
			continue;
		}
		const payment = found.payments.find(
			({ to, txId, amount }) =>
				to === payee.address &&
				(payee.row === null || payee.row.amount === amount) &&
				!not.includes(txId) &&
				!known(payee, txId),
		);
		if (payment) return paidText(payee, { ...payment, network, asset: payee.asset });
	}
	return null;
}

/** Where the journal was lost, nobody knows since when: earnings come after an order. */
async function sinceOf({ db, restored }: Looking): Promise<number> {
	const backupAt = restored.state()?.backupAt ?? null;
	if (backupAt !== null) return backupAt;
	const [row] = await db.select({ at: sql<number | null>`min(${orders.createdAt})` }).from(orders);
	return row?.at ?? Date.now();
}

async function payeesOf({ db, withdrawalAddresses }: Looking): Promise<Payee[]> {
	const { id, asset, toAddress: address, amount, state, kind } = transactions;
	const isStopped = sql`(${transactions.blockedKind} is not null or ${transactions.waitsKind} is not null)`;
	const isDoubted = sql`${state} <> 'final' and (${kind} = 'withdrawal' and ${state} = 'planned'
		or ${state} in ('signed', 'sent') and ${kind} in ('earnings', 'withdrawal', 'stray') and ${isStopped})`;
	const paidAt = { partnerId: partners.id, asset: partners.payoutAsset, address: partners.payoutAddress };
	const isPaidThere = and(isNotNull(paidAt.asset), isNotNull(paidAt.address));
	const [rows, now, planned] = await db.batch([
		db.select({ id, asset, address, amount }).from(transactions).where(isDoubted),
		db.select(paidAt).from(partners).where(isPaidThere),
		db
			.select({ partnerId: partnerPayouts.partnerId, asset, address })
			.from(transactions)
			.innerJoin(partnerPayouts, eq(partnerPayouts.id, transactions.id))
			.where(eq(state, 'planned')),
	]);
	const own = ASSET_IDS.flatMap((code) => {
		const to = withdrawalAddresses(assetOf(code).network);
		return to && 'addresses' in to ? to.addresses.map(({ name, address }) => ({ asset: code, name, address })) : [];
	});
	// The first text that fits is what a person reads, so the most exact comes first.
	const exact = rows.map((row) => ({ ...row, row: { id: row.id, amount: BigInt(row.amount) } }));
	const all = [...exact, ...now, ...planned, ...own].map(
		(each) => ({ partnerId: null, row: null, name: '', ...each }) as Payee,
	);
	const keyOf = ({ partnerId, row, asset: code, address: to }: Payee) => `${row?.id ?? partnerId} ${code} ${to}`;
	return [...new Map(all.map((payee) => [keyOf(payee), payee])).values()];
}

function paidText({ row, partnerId, name }: Payee, paid: OwnPayment): string {
	if (row) return paidRowText({ ...paid, id: row.id });
	return partnerId === null ? paidWithdrawalText({ ...paid, name }) : paidPartnerText({ ...paid, partnerId });
}

/** Null for the operator's own address: who overlooks such a withdrawal pays nobody twice, and the books say what they miss. */
function unreadText({ row, partnerId, address }: Payee, unread: Omit<Unread, 'address'>): string | null {
	if (row) return unreadRowText({ ...unread, address, id: row.id });
	return partnerId === null ? null : unreadPartnerText({ ...unread, address, partnerId });
}

/** One search for each asset, whatever the number of partners. */
async function readChains(looking: Looking, payees: readonly Payee[]): Promise<Map<AssetId, Read>> {
	const readChain = chainReader(looking.chainOn, await sinceOf(looking));
	const read = new Map<AssetId, Read>();
	for (const [asset, paid] of Map.groupBy(payees, (payee) => payee.asset))
		read.set(asset, await readChain(asset, [...new Set(paid.map(({ address }) => address))]));
	return read;
}

/**
 * A payment that the journal or D1 has was signed before the backup, or booked by a person since. A failure of D1 is
 * none of a network: nobody can look in its place.
 */
async function knownOf({ db, journal }: Looking, payees: readonly Payee[], read: ReadonlyMap<AssetId, Read>) {
	const unsigned = [...read.values()]
		.flatMap((each) => ('payments' in each ? each.payments : []))
		.filter(({ txId }) => !journal.isSigned(txId));
	const among = listOf(unsigned.map(({ txId }) => txId));
	const paid = new Set(unsigned.map(({ to }) => to));
	const partnerIds = listOf(payees.flatMap(({ address, partnerId }) => (paid.has(address) ? (partnerId ?? []) : [])));
	const sent = { network: transactions.network, txId: transactions.txId };
	const booking = { partnerId: partnerPayouts.partnerId, txId: partnerPayouts.txId };
	const isSent = sql`${sent.network} in ${listOf(NETWORK_NAMES)} and ${sent.txId} in ${among}`;
	const isVersion = sql`${transactionVersions.txId} in ${among}`;
	const isBooked = sql`${booking.partnerId} in ${partnerIds} and ${booking.txId} in ${among}`;
	const [rows, versions, booked] = await db.batch([
		db.select(sent).from(transactions).where(isSent),
		db.select({ txId: transactionVersions.txId }).from(transactionVersions).where(isVersion),
		db.select(booking).from(partnerPayouts).where(isBooked),
	]);
	const onRecord = new Set(rows.map(({ network, txId }) => `${network} ${txId}`));
	const older = new Set(versions.map(({ txId }) => txId));
	const byPerson = new Set(booked.map(({ partnerId, txId }) => `${partnerId} ${txId}`));
	return ({ partnerId, asset }: Payee, txId: string): boolean =>
		journal.isSigned(txId) ||
		older.has(txId) ||
		onRecord.has(`${assetOf(asset).network} ${txId}`) ||
		byPerson.has(`${partnerId} ${txId}`);
}

const listOf = (values: readonly string[]) => inJson([...new Set(values)]);
