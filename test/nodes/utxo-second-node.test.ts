/** A UTXO network with two nodes, one of which is down, behind, or on another branch (book: networks, "Nodes"). */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { utxoChain } from '../../src/chains/utxo/family.ts';
import { utxoKeys } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { keepingOf } from '../support/keeping.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { startLyingNode } from '../support/lying-node.ts';
import { isInstalled } from '../support/nodes.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const PARAMS = utxoParams(NETWORKS.Litecoin, 'regtest');
const HOT = utxoKeys(SEED, PARAMS).hot.address;
const PAY_IN = utxoKeys(SEED, PARAMS).payIn(0).address;
const CLOSED = 'http://test:test@127.0.0.1:9/';
const COIN = 100_000_000n;
const own = [
	{ index: 0, address: PAY_IN },
	{ index: -1, address: HOT },
];

describe.skipIf(!isInstalled('litecoind'))('with two nodes', () => {
	let litecoind: Litecoind;

	beforeAll(async () => {
		litecoind = await startLitecoind();
	});
	afterAll(() => litecoind?.stop());

	const chainAt = (...urls: string[]) => utxoChain(NETWORKS.Litecoin, { urls, chain: 'regtest' }, HOT, keepingOf());

	it('one of which is down, it starts on the other one, and sees deposits and holdings', async () => {
		for (const urls of [
			[litecoind.url, CLOSED],
			[CLOSED, litecoind.url],
		]) {
			const chain = chainAt(...urls);
			await chain.register(own);
			const txId = await litecoind.rpc('sendtoaddress', PAY_IN, '1');
			const paid = expect.objectContaining({ txId, address: PAY_IN, amount: COIN });
			expect((await chain.scan(null, async () => [])).deposits).toContainEqual(paid);
			await litecoind.mine(1);
			expect(await chain.holdings('LTC', [])).toBe(COIN);
		}
	});

	it('that are both down, no address counts as watched', async () => {
		const chain = chainAt(CLOSED, CLOSED);
		await expect(chain.register(own)).rejects.toThrow(ChainUnavailable);
		await expect(chain.scan(null, async () => [])).rejects.toThrow(ChainUnavailable);
	});

	it('the first of which falls behind, nothing that was read is taken back', async () => {
		const behind = { blocks: 0, hash: '' };
		const node = await startLyingNode(({ method, params }, told) => {
			if (behind.blocks === 0) return told;
			if (method === 'getblockchaininfo')
				return { ...(told as object), blocks: behind.blocks, bestblockhash: behind.hash };
			if (method === 'getblockhash' && Number(params[0]) > behind.blocks)
				return { error: { code: -8, message: 'Block height out of range' } };
			return told;
		}, litecoind.url);
		try {
			const chain = chainAt(node.url, litecoind.url);
			await chain.register(own);
			const { height } = await chain.scan(null, async () => []);
			await litecoind.rpc('sendtoaddress', PAY_IN, '1');
			await litecoind.mine(3);
			expect((await chain.scan(null, async () => [])).deposits).toMatchObject([{ confirmations: 3 }]);
			Object.assign(behind, { blocks: height, hash: await litecoind.rpc('getblockhash', height) });
			const { deposits, ...seen } = await chain.scan(null, async () => []);
			expect(deposits).toMatchObject([{ confirmations: 3 }]);
			expect(seen.height).toBe(height + 3);
		} finally {
			await node.stop();
		}
	});
});
