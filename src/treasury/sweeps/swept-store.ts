/**
 * Which pay-in addresses are swept, and the sums of deposits, gas and sweeps there. Partial indexes' conditions are
 * literal.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { loadSums } from '../../archive/sums.ts';
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { exactSum } from '../../d1/exact-sum.ts';
import { deposits } from '../../orders/table.ts';
import { transactions } from '../table.ts';
import { archivedAddresses } from './archived.ts';

/** `unswept`: addresses with something that no final sweep has taken. The others are sums per asset, base units. */
export async function addressSums(db: DrizzleD1Database, network: NetworkName, native: AssetId) {
	const here = eq(deposits.network, network);
	const ofSweeps = sql`${transactions.kind} in ('gas', 'sweep') and ${transactions.network} = ${network} and ${transactions.state} = 'final'`;
	const isUnswept = sql`${deposits.state} in ('seen', 'final') and not (${deposits.state} = 'final' and exists (
		select 1 from ${transactions} where ${ofSweeps} and ${transactions.kind} = 'sweep'
			and ${transactions.payInAddress} = ${deposits.address} and ${transactions.plannedAt} > ${deposits.lastSeenAt}))`;
	const open = sql`(select ${deposits.address} from ${deposits} where ${here} and ${isUnswept})`;
	const isSwept = (address: SQL) => sql`${address} not in ${open}`;
	const sweptSums = (kind: 'gas' | 'sweep', where?: SQL) =>
		db
			.select({
				...{ asset: transactions.asset, amount: exactSum(transactions.amount) },
				fees: exactSum(sql`coalesce(${transactions.fee}, '0')`),
			})
			.from(transactions)
			.where(and(ofSweeps, sql`${transactions.kind} = ${kind}`, where))
			.groupBy(transactions.asset);
	const [unswept, received, taken, gas, sweeps, sums] = await db.batch([
		db.selectDistinct({ asset: deposits.asset, address: deposits.address }).from(deposits).where(and(here, isUnswept)),
		db
			.select({ asset: deposits.asset, amount: exactSum(deposits.amount) })
			.from(deposits)
			.where(and(here, sql`${deposits.state} = 'final'`, isSwept(sql`${deposits.address}`)))
			.groupBy(deposits.asset),
		sweptSums('sweep', isSwept(sql`${transactions.payInAddress}`)),
		sweptSums('gas'),
		sweptSums('sweep', sql`${transactions.asset} <> ${native}`),
		loadSums(db),
	]);
	return { unswept, received, taken, gas, sweeps, archived: archivedAddresses(sums, network, native) };
}
