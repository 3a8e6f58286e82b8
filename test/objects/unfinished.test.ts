/** Whether a pay-in address may get another sweep, by the signer's journal and its node. */
import { expect, it } from 'vitest';
import { BroadcastRejected } from '../../src/chains/errors.ts';
import type { Chain, Overtaker, TransactionDepth } from '../../src/chains/port.ts';
import type { OwnAddresses } from '../../src/chains/signing-port.ts';
import { Journal } from '../../src/signer/journal/journal.ts';
import { unfinished } from '../../src/signer/sweeps/unfinished.ts';
import { bareObject } from './bindings.ts';

const ADDRESS = '0x1111111111111111111111111111111111111111';
const LAST = { raw: '0xraw', txId: '0xlast', amount: 5n };

/** The answer to a request for another sweep, where the node says this of the last one and of who took its nonce. */
const asked = (
	name: string,
	depth: TransactionDepth | null,
	rejection: Partial<BroadcastRejected> | null,
	overtaker: Overtaker | null = null,
) =>
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
			overtaker: async () => overtaker,
			broadcast: async () => {
				if (rejection) throw new BroadcastRejected('nonce too low', rejection);
			},
		} as unknown as Chain;
		const signer = { hotAddress: () => '0xhot' } as unknown as OwnAddresses;
		return unfinished({ chain, signer, journal }, journal.sweeps.newest('BSC', ADDRESS, 'BNB', 'sweep'));
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

it('none is signed until the transaction that took the last one’s nonce is final', async () => {
	const by: Overtaker = { txId: '0xother', confirmations: 1, irreversible: false, height: 1 };
	const refusal = { kind: 'last-one-overtaken', txId: '0xother' };
	expect(await asked('overtaken', null, { taken: true }, by)).toEqual(refusal);
	const final = { ...by, confirmations: 1_000, irreversible: true };
	expect(await asked('overtaken for good', null, { taken: true }, final)).toBeNull();
});
