/**
 * `ledger adjust`: books to the reserve what differs for good between a wallet and the books. Atomic: one batch books it and
 * notes why, or does nothing where another adjustment came first. A call that is repeated books at most what still differs.
 */
import { sql } from 'drizzle-orm';
import { writeAuditIf } from '../../audit/log.ts';
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits, toBaseUnits } from '../../money/units.ts';
import { ADJUSTMENT } from '../../treasury/ledger/reserve-store.ts';
import { reserveEntries } from '../../treasury/ledger/table.ts';
import type { Move } from '../../treasury/moves.ts';
import { fail, isFailure, type RunOf } from '../command.ts';
import { unitsOf } from '../orders/record.ts';
import { unconfirmed } from '../persons.ts';
import type { ledger as topic } from '../topics/ledger.ts';
import { checkWallets } from './compare-wallets.ts';

export const adjust: RunOf<typeof topic, 'adjust'> = async (context, input) => {
	const { db, now } = context;
	const asset = assetOf(input.asset);
	const { code, network, decimals } = asset;
	const amount = unitsOf(input.amount, asset);
	if (isFailure(amount)) return amount;
	const adjustments = sql`(select count(*) from ${reserveEntries} where ${reserveEntries.asset} = ${code} and ${reserveEntries.position} = ${ADJUSTMENT})`;
	// Before the comparison: what is booked after it makes the difference smaller.
	const [before] = await db.all<{ count: number }>(sql`select ${adjustments} as count`);
	const [wallet] = await checkWallets(context, [asset]);
	const result = wallet?.result ?? 'unchecked';
	if (wallet?.result !== 'differs' || wallet.difference === null)
		return fail(409, `\`ledger check\` shows no difference of ${code} that stays: it is ${result}`);
	const isMissing = wallet.difference.startsWith('-');
	const size = toBaseUnits(wallet.difference.replace('-', ''), decimals);
	if (amount > size) return fail(409, `only ${fromBaseUnits(size, decimals)} ${code} differ`);
	const booked = isMissing ? -amount : amount;
	const direction = isMissing ? 'down' : 'up';
	const move: Move = ['adjustment', direction, code, fromBaseUnits(amount, decimals), input.reason];
	const problem = await unconfirmed(context, [move]);
	if (problem) return problem;
	const isUnchanged = sql`${adjustments} = ${before?.count ?? 0}`;
	const changes = { amount: booked.toString(), difference: wallet.difference, reason: input.reason };
	const id = crypto.randomUUID();
	const entry = sql`select ${network}, ${id}, ${ADJUSTMENT}, ${code}, ${booked.toString()}, ${now}, null where ${isUnchanged}`;
	const [, written] = await db.batch([
		writeAuditIf(context, { command: 'ledger adjust', subject: code, changes }, isUnchanged),
		db.insert(reserveEntries).select(entry).returning({ amount: reserveEntries.amount }),
	]);
	if (written.length === 0) return fail(409, 'somebody has adjusted it meanwhile; run `ledger check` again');
	return {
		asset: code,
		booked: fromBaseUnits(booked, decimals),
		left: fromBaseUnits(size - amount, decimals),
		next: '`ledger check` compares again',
	};
};
