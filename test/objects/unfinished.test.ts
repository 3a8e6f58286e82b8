/** Whether a pay-in address may get another sweep, by the signer's journal and its node. */
import { expect, it } from 'vitest';
import { BroadcastRejected } from '../../src/chains/errors.ts';
import type { Chain, TransactionDepth } from '../../src/chains/port.ts';
import { Journal } from '../../src/signer/journal/journal.ts';
import { unfinished } from '../../src/signer/sweeps/unfinished.ts';
import { bareObject } from './bindings.ts';

const ADDRESS = '0x1111111111111111111111111111111111111111';
const LAST = { raw: '0xraw', txId: '0xlast', amount: 5n };

/** The answer to a request for another sweep, where the node says this of the last one. */
const asked = (name: string, depth: TransactionDepth | null, rejection: Partial<BroadcastRejected> | null) =>
	bareObject(name).run(async ({ storage }) => {
		const journal = new Journal(storage);
		const movement = {
			id: name,
			kind: 'sweep',
			network: 'BSC',
			address: ADDRESS,
			asset: 'BNB',
			at: 1,
			...LAST,
		} as const;
		journal.sweeps.record(movement, []);
		const chain = {
			transactionDepth: async () => depth,
			broadcast: async () => {
				if (rejection) throw new BroadcastRejected('nonce too low', rejection);
			},
		} as unknown as Chain;
		return unfinished({ chain, journal }, journal.sweeps.newest('BSC', ADDRESS, 'BNB', 'sweep'));
	});

it('the last sweep is the answer while the network still takes it', async () => {
	expect(await asked('waiting', null, null)).toEqual(LAST);
	expect(await asked('refused', null, {})).toEqual(LAST);
});

it('another one is signed once the last one is in a block', async () => {
	const depth = { confirmations: 1, irreversible: false, height: 1, reverted: false, fee: 1n };
	expect(await asked('mined', depth, null)).toBeNull();
});

it('another one is signed where the last one can never confirm', async () => {
	expect(await asked('expired', null, { expired: true })).toBeNull();
});

it('another one is signed where a node forgot the last one, and counts its nonce', async () => {
	expect(await asked('forgotten', null, { taken: true })).toBeNull();
});
