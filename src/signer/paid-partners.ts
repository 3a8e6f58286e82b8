/**
 * What went to partners after a backup, as the signer's own nodes show it. The journal and D1 do not know it, so earnings
 * that were paid then would be paid again. Nothing that belongs to no order is confirmed while there may be such a payment.
 */
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { type AssetId, assetOf } from '../catalog/assets.ts';
import type { SentPayment } from '../chains/sent-payment.ts';
import { logError } from '../log.ts';
import { orders } from '../orders/table.ts';
import { partners } from '../partners/table.ts';
import type { Said } from '../treasury/copy-port.ts';
import { partnerPayouts } from '../treasury/earnings/table.ts';
import { paidPartnerText, unreadPartnerText } from '../treasury/refusal-texts.ts';
import { transactions } from '../treasury/table.ts';
import type { Looking } from './older-orders.ts';

/** Where a partner is paid, or was when earnings were planned. */
interface Payee {
	readonly partnerId: string;
	readonly asset: AssetId;
	readonly address: string;
}

/** Why it must not be confirmed that partners got nothing; null where the chains show nothing, or a person has looked. */
export async function paidPartnersProblem(looking: Looking, { looked, not }: Said): Promise<string | null> {
	const since = await sinceOf(looking);
	for (const payee of await payeesOf(looking)) {
		const found = await unknownPayments(looking, payee, since);
		if ('detail' in found) {
			if (!looked) return unreadPartnerText({ ...payee, network: assetOf(payee.asset).network, ...found });
			continue;
		}
		const payment = found.payments.find(({ txId }) => !not.includes(txId));
		if (payment) return paidPartnerText({ ...payee, ...payment, network: assetOf(payee.asset).network });
	}
	return null;
}

/** Unix milliseconds. Where the journal was lost, nobody knows since when: earnings come after an order. */
async function sinceOf({ db, restored }: Looking): Promise<number> {
	const backupAt = restored.state()?.backupAt ?? null;
	if (backupAt !== null) return backupAt;
	const [row] = await db.select({ at: sql<number | null>`min(${orders.createdAt})` }).from(orders);
	return row?.at ?? Date.now();
}

async function payeesOf({ db }: Looking): Promise<Payee[]> {
	const [now, planned] = await db.batch([
		db
			.select({ partnerId: partners.id, asset: partners.payoutAsset, address: partners.payoutAddress })
			.from(partners)
			.where(and(isNotNull(partners.payoutAsset), isNotNull(partners.payoutAddress))),
		db
			.select({ partnerId: partnerPayouts.partnerId, asset: transactions.asset, address: transactions.toAddress })
			.from(transactions)
			.innerJoin(partnerPayouts, eq(partnerPayouts.id, transactions.id))
			.where(eq(transactions.state, 'planned')),
	]);
	const all = [...now, ...planned].map((each) => each as Payee);
	return [...new Map(all.map((payee) => [`${payee.partnerId} ${payee.asset} ${payee.address}`, payee])).values()];
}

type Found = { readonly payments: readonly SentPayment[] } | { readonly detail: string };

async function unknownPayments(
	{ db, journal, chainOn }: Looking,
	{ partnerId, asset, address }: Payee,
	since: number,
): Promise<Found> {
	const { network } = assetOf(asset);
	const on = chainOn(network);
	if (!on?.paymentsTo) return { detail: on ? 'it shows nobody whom we have paid' : 'the signer does not run it' };
	try {
		const sent = await on.paymentsTo(asset, address, since);
		const unsigned = sent.filter(({ txId }) => !journal.isSigned(txId));
		// What D1 has was signed before the backup, or booked by a person since.
		const among = sql`(select value from json_each(${JSON.stringify(unsigned.map(({ txId }) => txId))}))`;
		const rows = await db.batch([
			db
				.select({ txId: transactions.txId })
				.from(transactions)
				.where(sql`${transactions.network} = ${network} and ${transactions.txId} in ${among}`),
			db
				.select({ txId: partnerPayouts.txId })
				.from(partnerPayouts)
				.where(sql`${partnerPayouts.partnerId} = ${partnerId} and ${partnerPayouts.txId} in ${among}`),
		]);
		const booked = new Set(rows.flat().map(({ txId }) => txId));
		return { payments: unsigned.filter(({ txId }) => !booked.has(txId)) };
	} catch (error) {
		logError('network_not_read', error, { network });
		return { detail: error instanceof Error ? error.message : String(error) };
	}
}
