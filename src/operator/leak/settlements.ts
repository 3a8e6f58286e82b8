/** Planned payouts and refunds whose settlement a leaked key has sealed. What is signed no longer needs its seal. */
import { and, asc, gt, inArray, sql } from 'drizzle-orm';
import { type AskedKeys, sealHolds } from '../../crypto/seals.ts';
import { type SettlementTerms, settlementClaim } from '../../orders/seal.ts';
import { type DepositRow, deposits } from '../../orders/table.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { isoTime } from '../../platform/time.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import type { Context } from '../command.ts';
import { transactionLine } from '../orders/record.ts';
import { type LeakedPage, type LeakedRow, type Reader, resealOne, SEAL_BROKEN, writeSeals } from './row.ts';

const PAGE = 200;

/** The condition is literal, because SQLite uses a partial index only for its own words. */
async function page({ env, db }: Context, after: string): Promise<LeakedPage> {
	const keys = env.askedKeys();
	const leaked = keys.leaked.map(({ number }) => `${number}.`);
	const isLeaked = and(
		sql`${transactions.state} <> 'final' and ${transactions.state} = 'planned' and ${transactions.settlementSeal} is not null`,
		inArray(sql`substr(${transactions.settlementSeal}, 1, instr(${transactions.settlementSeal}, '.'))`, leaked),
		gt(transactions.id, after),
	);
	const found = await db.select().from(transactions).where(isLeaked).orderBy(asc(transactions.id)).limit(PAGE);
	const ofOrders = inJson(found.flatMap(({ orderId }) => orderId ?? []));
	const claimed = await db.select().from(deposits).where(sql`${deposits.orderId} in ${ofOrders}`);
	const ofPayout = Map.groupBy(claimed, ({ payoutId }) => payoutId);
	const rows = await Promise.all(found.map((row) => rowOf(keys, row, ofPayout.get(row.id) ?? [])));
	return { rows, next: found.length === PAGE ? (found.at(-1)?.id ?? null) : null };
}

async function rowOf(keys: AskedKeys, row: TransactionRow, claimed: readonly DepositRow[]): Promise<LeakedRow> {
	const { id: payoutId, orderId, kind, asset, amount, plannedAt, toAddress } = row;
	const before = row.settlementSeal ?? '';
	const terms: SettlementTerms = {
		payoutId,
		orderId: orderId ?? '',
		kind: kind === 'refund' ? 'refund' : 'payout',
		asset,
		amount,
		plannedAt,
		deposits: claimed,
	};
	const claim = { ...settlementClaim(terms, before), leaked: true } as const;
	const paidFor = claimed.map((each) =>
		JSON.stringify([each.txId, each.position, each.address, each.asset, each.amount]),
	);
	const { amount: coins } = transactionLine(row);
	return {
		id: payoutId,
		of: '',
		terms: [payoutId, orderId, kind, asset, amount, toAddress, ...paidFor.toSorted()],
		shown: {
			partner: null,
			createdAt: isoTime(plannedAt),
			status: kind,
			asked: coins,
			to: asset,
			recipient: toAddress,
			refund: null,
		},
		isOpen: true,
		atStake: [{ asset, amount: BigInt(amount) }],
		doubt: (await sealHolds(keys, claim)) ? null : SEAL_BROKEN,
		reseal: () => resealOne(keys, payoutId, claim),
	};
}

export const leakedSettlements: Reader = {
	page,
	write: ({ db }, changes) => writeSeals(db, { table: 'transactions', key: 'id', seal: 'settlement_seal' }, changes),
};
