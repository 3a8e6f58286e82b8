/**
 * `treasury book-unattributed`: coins that came to addresses of ours and belong to no order become reserve. Atomic: one
 * batch takes them out of that sum, books them and notes why, or does nothing. A call that is repeated books once more only
 * what is left.
 */
import { sql } from 'drizzle-orm';
import { writeAuditIf } from '../../audit/log.ts';
import { assetOf } from '../../catalog/assets.ts';
import { parseAmount } from '../../money/amount.ts';
import { plain } from '../../money/decimal.ts';
import { fromBaseUnits, toBaseUnits } from '../../money/units.ts';
import { bookableOf, markBooked, unattributedOf } from '../../treasury/deposits/unattributed.ts';
import { reserveEntries, unattributed } from '../../treasury/ledger/table.ts';
import { fail, type RunOf } from '../command.ts';
import type { treasury as topic } from '../topics/treasury.ts';

export const bookUnattributed: RunOf<typeof topic, 'book-unattributed'> = async (context, input) => {
	const { db, now } = context;
	const { code, network, decimals } = assetOf(input.asset);
	const parsed = parseAmount(input.amount, decimals);
	if (!parsed) return fail(400, `${input.amount} is not an amount of ${code}: at most ${decimals} decimals`);
	const amount = toBaseUnits(plain(parsed.value), decimals);
	const row = await unattributedOf(db, code);
	const left = row ? bookableOf(row) : 0n;
	const coins = (units: bigint) => fromBaseUnits(units, decimals);
	if (!row || amount > left) return fail(409, `only ${coins(left)} ${code} belong to no order and can be booked`);
	const isUnchanged = sql`exists (select 1 from ${unattributed} where ${unattributed.asset} = ${code} and ${unattributed.booked} = ${row.booked})`;
	const id = crypto.randomUUID();
	const changes = { amount: amount.toString(), reason: input.reason };
	const [, , marked] = await db.batch([
		writeAuditIf(context, { command: 'treasury book-unattributed', subject: code, changes }, isUnchanged),
		db
			.insert(reserveEntries)
			.select(
				sql`select ${network}, ${id}, 'unattributed', ${code}, ${amount.toString()}, ${now} where ${isUnchanged}`,
			),
		markBooked(db, code, row.booked, BigInt(row.booked) + amount),
	]);
	if (marked.length === 0) return fail(409, 'somebody has booked some of it meanwhile; run it again');
	return { asset: code, booked: coins(amount), left: coins(left - amount), next: 'treasury show counts it as reserve' };
};
