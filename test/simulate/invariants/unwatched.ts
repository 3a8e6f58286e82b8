/**
 * What the chains have and the books do not: coins that came when nobody watched their order's address any more. Only
 * payments are excused that are known by their id, and that no row of D1 and no archived record has.
 */
import { ordersIn } from '../../../src/archive/record.ts';
import type { Crowd } from '../people/crowd.ts';
import { rowsOf } from './rows.ts';

/** Base units of one asset. */
export function unwatched(crowd: Crowd, asset: string): bigint {
	const excused = crowd.late.filter((payment) => payment.asset === asset && !payment.isWatched);
	if (excused.length === 0) return 0n;
	const recorded = recordedDeposits(crowd);
	return excused.reduce((sum, { txId, amount }) => (recorded.has(txId) ? sum : sum + amount), 0n);
}

function recordedDeposits(crowd: Crowd): ReadonlySet<string> {
	const inD1 = rowsOf(crowd, 'SELECT tx_id FROM deposits').map(({ tx_id }) => String(tx_id));
	const { objects } = crowd.service.archive;
	const archived = rowsOf(crowd, 'SELECT object FROM archived_batches').flatMap(({ object }) => {
		const text = new TextDecoder().decode(objects.get(String(object)));
		return ordersIn(text).flatMap(({ deposits }) => deposits.map(({ txId }) => txId));
	});
	return new Set([...inD1, ...archived]);
}
