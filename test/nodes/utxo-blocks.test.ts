/**
 * Blocks of a real litecoind, read through the seam: what it says of each transaction is what the bytes prove. From block
 * 432 on no block of the regtest can be mined without a peg-in, so one is made first.
 */
import { hex } from '@scure/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { jsonRpc } from '../../src/chains/rpc/json-rpc.ts';
import type { Source } from '../../src/chains/utxo/source.ts';
import { utxoSources } from '../../src/chains/utxo/sources.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { isInstalled } from '../support/nodes.ts';

const SETUP_MILLISECONDS = 300_000;
const ACTIVE = 432;
const COIN = 100_000_000n;

interface Said {
	readonly tx: readonly { txid: string; vout: readonly { value: string; scriptPubKey: { hex: string } }[] }[];
}

describe.skipIf(!isInstalled('litecoind'))('blocks of a litecoind', () => {
	let node: Litecoind;
	let ours: <T>(task: (source: Source) => Promise<T>) => Promise<T>;
	let hidden: ReturnType<typeof jsonRpc>;
	const height = async () => Number(await node.rpc('getblockcount'));

	beforeAll(async () => {
		node = await startLitecoind();
		ours = utxoSources(NETWORKS.Litecoin, { urls: [node.url], chain: 'regtest' }).use;
		await jsonRpc([node.url]).call('createwallet', 'mweb');
		hidden = jsonRpc([node.walletUrl('mweb')]);
		await node.rpc('sendtoaddress', await node.rpc('getnewaddress', '', 'legacy'), '3');
		await node.rpc('sendtoaddress', await node.rpc('getnewaddress', '', 'p2sh-segwit'), '4');
		await node.mine(ACTIVE - 1 - (await height()));
		await node.rpc('sendtoaddress', await hidden.call('getnewaddress', '', 'mweb'), '100');
		await node.mine(2);
		await hidden.call('sendtoaddress', await node.rpc('getnewaddress'), '7');
		await node.mine(2);
	}, SETUP_MILLISECONDS);
	afterAll(() => node?.stop());

	/** As the node decodes them, without what is in MWEB alone. */
	async function said(hash: string) {
		const { tx } = (await node.rpc('getblock', hash, 2)) as Said;
		return tx.map(({ txid, vout }) => [
			txid,
			vout.flatMap(({ scriptPubKey, value }) => [[scriptPubKey?.hex, Number(value)]]),
		]);
	}

	/** Of every block that says more than the one before it. */
	async function requireAlike() {
		for (let at = 0; at <= (await height()); at = at === 1 ? 100 : at + 1) {
			const hash = String(await node.rpc('getblockhash', at));
			const block = await ours((source) => source.block(hash));
			if (at > 0) expect(block).toMatchObject({ hash, height: at });
			const read = block.transactions.map(({ id, outputs }) => [
				id,
				outputs.map(({ script, amount }) => [hex.encode(script), Number(amount) / Number(COIN)]),
			]);
			expect(read).toEqual(await said(hash));
			// The node marks the HogEx by what its first output is; from then on each block has one.
			expect(block.transactions.map(({ isHogEx }) => isHogEx).lastIndexOf(true)).toBe(
				at >= ACTIVE ? block.transactions.length - 1 : -1,
			);
		}
	}

	test('hold the transactions that the node decodes, with peg-ins, peg-outs and every kind of script', requireAlike);

	test('of a mempool with peg-ins and with transactions inside MWEB are read as far as they pay scripts', async () => {
		const to = String(await node.rpc('getnewaddress'));
		// The miner's wallet has coins in MWEB by now, and would pay with those.
		await jsonRpc([node.url]).call('createwallet', 'outside');
		const outside = jsonRpc([node.walletUrl('outside')]);
		await node.rpc('sendtoaddress', await outside.call('getnewaddress'), '5');
		await node.mine(1);
		await ours((source) => source.pool([]));
		const plain = String(await node.rpc('sendtoaddress', to, '1'));
		const pegIn = String(await outside.call('sendtoaddress', await hidden.call('getnewaddress', '', 'mweb'), '2'));
		const inside = String(await hidden.call('sendtoaddress', to, '3'));
		const signs = (await ours((source) => source.pool([]))).map(({ id }) => id);
		expect(signs).toEqual(expect.arrayContaining([plain, pegIn]));
		expect(signs).not.toContain(inside);
		expect(await ours((source) => source.transaction(pegIn, null))).toMatchObject({ id: pegIn });
		expect(await ours((source) => source.transaction(inside, null))).toBeNull();
		await node.mine(1);
		await requireAlike();
	});

	test('are the same from a node that leaves MWEB out of its bytes', async () => {
		await node.restart(['-rpcserialversion=1']);
		await requireAlike();
	});

	test(
		'are asked of the next node where one has no more than the header',
		async () => {
			const behind = await startLitecoind();
			try {
				for (let at = 1; at <= 3; at++) {
					// Its own chain is as long, so the header alone moves nothing.
					const header = await node.rpc('getblockheader', await node.rpc('getblockhash', at), false);
					await behind.rpc('submitheader', header);
				}
				const hash = String(await node.rpc('getblockhash', 3));
				const sources = (...urls: string[]) => utxoSources(NETWORKS.Litecoin, { urls, chain: 'regtest' });
				await expect(sources(behind.url).use((source) => source.block(hash))).rejects.toThrow(ChainUnavailable);
				expect(await sources(behind.url, node.url).use((source) => source.block(hash))).toMatchObject({ hash });
			} finally {
				await behind.stop();
			}
		},
		SETUP_MILLISECONDS,
	);
});
