/**
 * What the books have and the chains do not, because a node or an outsider said so: deposits that are on record, are not on
 * their chain, and are known to be lies. Only their exact amounts are excused; any other difference is one.
 */
import type { Crowd } from '../people/crowd.ts';
import { rowsOf } from './rows.ts';

/** Base units by asset. An archived order has no rows any more: what its lies were is remembered. */
export function phantoms(crowd: Crowd): ReadonlyMap<string, bigint> {
	const { service, phantoms: known } = crowd;
	const rows = rowsOf(crowd, 'SELECT network, tx_id, asset, amount, state FROM deposits');
	for (const { network, tx_id, asset, amount, state } of rows) {
		const txId = String(tx_id);
		if (!service.lies.has(txId)) continue;
		const onChain = state === 'gone' ? BigInt(String(amount)) : amountOnChain(crowd, String(network), txId);
		known.set(txId, { asset: String(asset), amount: BigInt(String(amount)) - onChain });
	}
	const sums = new Map<string, bigint>();
	for (const { asset, amount } of known.values()) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
	return sums;
}

function amountOnChain({ service }: Crowd, network: string, txId: string): bigint {
	const { disk } = service.object('SANDBOX_LEDGER', network);
	const row = disk.prepared('SELECT amount FROM deposits WHERE tx_id = ?').get(txId);
	return BigInt(String(row?.['amount'] ?? '0'));
}
