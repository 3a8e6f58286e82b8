/** What archived orders add to the sums over pay-in addresses. */
import { expect, it } from 'vitest';
import type { ArchivedOrder } from '../../src/archive/record.ts';
import { foldedSums } from '../../src/treasury/archive/fold.ts';

const MOVED = { network: 'Ethereum', state: 'final', fee: '3', txId: '0xtx', settledTxId: null };
const FAILED = { ...MOVED, settledTxId: '0xtx' };

const sumsOf = (...sweeps: object[]) =>
	Object.fromEntries(
		foldedSums([], [{ deposits: [], sweeps } as unknown as ArchivedOrder]).map(({ what, amount }) => [what, amount]),
	);

it('a sweep counts with what it moved and its fee; one that failed on chain, with its fee', () => {
	const sweep = { kind: 'sweep', asset: 'ETH', amount: '100' };
	expect(sumsOf({ ...MOVED, ...sweep })).toEqual({ swept: '100', 'fee of coin sweeps': '3' });
	expect(sumsOf({ ...FAILED, ...sweep })).toEqual({ swept: '0', 'fee of coin sweeps': '3' });
});

it('gas counts with what arrived', () => {
	const gas = { kind: 'gas', asset: 'ETH', amount: '100' };
	expect(sumsOf({ ...MOVED, ...gas }, { ...FAILED, ...gas })).toEqual({ gas: '100' });
});
