/**
 * `treasury book-unattributed`: coins that came to addresses of ours and belong to no order become reserve. Atomic: one
 * batch takes them out of that sum, books them and notes why, or does nothing. A call that is repeated books once more only
 * what is left.
 */
import { sql } from 'drizzle-orm';
import { writeAuditIf } from '../../audit/log.ts';
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { bookableOf, isBookedStill, markBooked, ofNoOrder } from '../../treasury/deposits/of-no-order.ts';
import { reserveEntries } from '../../treasury/ledger/table.ts';
import { UNATTRIBUTED } from '../../treasury/ledger/wallet-store.ts';
import { fail, isFailure, type RunOf } from '../command.ts';
import { unitsOf } from '../orders/record.ts';
import { unconfirmed } from '../persons.ts';
import type { treasury as topic } from '../topics/treasury.ts';

export const bookUnattributed: RunOf<typeof topic, 'book-unattributed'> = async (context, input) => {
	const { db, now } = context;
	const { code, network, decimals } = assetOf(input.asset);
	const amount = unitsOf(input.amount, { code, decimals });
	if (isFailure(amount)) return amount;
	const row = await ofNoOrder(db, code);
	const left = row ? bookableOf(row) : 0n;
	const coins = (units: bigint) => fromBaseUnits(units, decimals);
	if (!row || amount > left) return fail(409, `only ${coins(left)} ${code} belong to no order and can be booked`);
	const problem = await unconfirmed(context, [['unattributed', 'up', code, coins(amount), input.reason]]);
	if (problem) return problem;
	const isUnchanged = isBookedStill(row);
	const id = crypto.randomUUID();
	const changes = { amount: amount.toString(), reason: input.reason };
	const entry = sql`select ${network}, ${id}, ${UNATTRIBUTED}, ${code}, ${amount.toString()}, ${now}, null where ${isUnchanged}`;
	const [, , marked] = await db.batch([
		writeAuditIf(context, { command: 'treasury book-unattributed', subject: code, changes }, isUnchanged),
		db.insert(reserveEntries).select(entry),
		markBooked(db, row, amount),
	]);
	if (marked.length === 0) return fail(409, 'somebody has booked some of it meanwhile; run it again');
	return { asset: code, booked: coins(amount), left: coins(left - amount), next: 'treasury show counts it as reserve' };
};
