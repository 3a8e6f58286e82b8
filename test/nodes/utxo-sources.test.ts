/**
 * Three providers of one real litecoind: itself, and a front of it in Esplora's and in Blockbook's dialect. Through the
 * seam all three say the same; and what a provider can do wrong is a transient error, or is answered by the next one.
 */
import { hex } from '@scure/base';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { BroadcastRejected, ChainUnavailable } from '../../src/chains/errors.ts';
import { jsonRpc } from '../../src/chains/rpc/json-rpc.ts';
import type { Source, Sources } from '../../src/chains/utxo/source.ts';
import { utxoSources } from '../../src/chains/utxo/sources.ts';
import { startBlockbook } from '../support/blockbook-front.ts';
import { startEsplora } from '../support/esplora-front.ts';
import type { Front } from '../support/front.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { isInstalled } from '../support/nodes.ts';

const SETUP_MILLISECONDS = 120_000;
const COIN = 100_000_000n;
const DIALECTS = ['core', 'esplora', 'blockbook'] as const;
const UNKNOWN = 'ab'.repeat(32);

describe.skipIf(!isInstalled('litecoind'))('providers of a UTXO network', () => {
	let node: Litecoind;
	let urls: Record<(typeof DIALECTS)[number], string>;
	let fronts: { readonly esplora: Front; readonly blockbook: Front };
	let all: Record<(typeof DIALECTS)[number], Sources>;

	const sourcesOf = (...of: readonly string[]) => utxoSources(NETWORKS.Litecoin, { urls: of, chain: 'regtest' });
	const address = async () => String(await node.rpc('getnewaddress'));
	const send = async (to: string, coins = '1') => String(await node.rpc('sendtoaddress', to, coins));
	const height = async () => Number(await node.rpc('getblockcount'));
	const keyOf = async (at: string) => hex.decode(((await node.rpc('getaddressinfo', at)) as { pubkey: string }).pubkey);
	/** The position of the output that pays this address. */
	const paidAt = async (txId: string, to: string): Promise<number> => {
		const { hex: raw } = (await node.rpc('gettransaction', txId)) as { hex: string };
		const { vout } = (await node.rpc('decoderawtransaction', raw)) as {
			vout: { n: number; scriptPubKey: { addresses: string[] } }[];
		};
		return vout.find(({ scriptPubKey }) => scriptPubKey.addresses.includes(to))?.n ?? -1;
	};

	beforeAll(async () => {
		node = await startLitecoind();
		const plain = jsonRpc([node.url]);
		fronts = { esplora: await startEsplora(plain), blockbook: await startBlockbook(plain) };
		urls = { core: node.url, esplora: `esplora+${fronts.esplora.url}`, blockbook: `blockbook+${fronts.blockbook.url}` };
		all = { core: sourcesOf(urls.core), esplora: sourcesOf(urls.esplora), blockbook: sourcesOf(urls.blockbook) };
	}, SETUP_MILLISECONDS);
	afterEach(() => {
		for (const front of Object.values(fronts)) front.lie = () => null;
	});
	afterAll(async () => {
		await Promise.all(Object.values(fronts ?? {}).map((front) => front.stop()));
		await node?.stop();
	});

	describe.each(DIALECTS)('in the dialect of %s', (dialect) => {
		const ask = <T>(task: (source: Source) => Promise<T>): Promise<T> => all[dialect].use(task);

		test('tell the tip, each hash and header, and nothing above the tip', async () => {
			const top = await height();
			const hash = String(await node.rpc('getblockhash', top));
			expect(await ask((source) => source.tip())).toEqual({ height: top, hash });
			expect(await ask((source) => source.hashAt(top))).toBe(hash);
			expect(await ask((source) => source.hashAt(top + 1))).toBeNull();
			const headers = await ask((source) => source.headers(top - 24, 100));
			const said = [];
			for (let at = top - 24; at <= top; at++)
				said.push(String(await node.rpc('getblockheader', await node.rpc('getblockhash', at), false)));
			expect(headers.map((header) => hex.encode(header))).toEqual(said);
			expect(await ask((source) => source.headers(top + 1, 5))).toEqual([]);
		});

		test('give blocks and transactions, each proven by its bytes', async () => {
			const txId = await send(await address());
			const [hash = ''] = await node.mine(1);
			const block = await ask((source) => source.block(hash));
			expect(block.height).toBe(await height());
			expect(block.transactions.map(({ id }) => id)).toContain(txId);
			expect(await ask((source) => source.transaction(txId, hash))).toMatchObject({ id: txId });
			expect(await ask((source) => source.transaction(UNKNOWN, null))).toBeNull();
			await expect(ask((source) => source.block(UNKNOWN))).rejects.toThrow(ChainUnavailable);
		});

		test('tell which outputs are unspent, with what the mempool does to them and without', async () => {
			const [from, to] = [await address(), await address()];
			const first = await send(from);
			await node.mine(2);
			const coin = { txId: first, vout: await paidAt(first, from) };
			const unspent = { amount: COIN, confirmations: 2 };
			const unknown = { txId: UNKNOWN, vout: 0 };
			expect(await ask((source) => source.outputs([coin, unknown], 'with pool'))).toMatchObject([unspent, null]);

			const inputs = [{ txid: coin.txId, vout: coin.vout }];
			const made = await node.rpc('createrawtransaction', inputs, [{ [to]: '0.999' }]);
			const { hex: raw } = (await node.rpc('signrawtransactionwithwallet', made)) as { hex: string };
			const second = String(await node.rpc('sendrawtransaction', raw));
			const next = { txId: second, vout: 0 };
			expect(await ask((source) => source.outputs([coin, next], 'with pool'))).toMatchObject([
				null,
				{ amount: 99_900_000n, confirmations: 0 },
			]);
			expect(await ask((source) => source.outputs([coin, next], 'without pool'))).toMatchObject([unspent, null]);
			await node.mine(1);
			expect(await ask((source) => source.outputs([coin], 'without pool'))).toEqual([null]);
		});

		test('tell what the mempool holds with its ancestors, and each first sign once', async () => {
			const [one, other, to] = [await address(), await address(), await address()];
			await ask((source) => source.pool([one, to]));
			const first = await send(one, '2');
			const inputs = [{ txid: first, vout: await paidAt(first, one) }];
			const made = await node.rpc('createrawtransaction', inputs, [{ [to]: '1.99' }]);
			const { hex: raw } = (await node.rpc('signrawtransactionwithwallet', made)) as { hex: string };
			const second = String(await node.rpc('sendrawtransaction', raw));

			const [alone, both, none] = await ask((source) => source.pooled([first, second, UNKNOWN]));
			expect([alone?.ancestors, both?.ancestors, none]).toEqual([1, 2, null]);
			expect(both?.fee).toBe((alone?.fee ?? 0n) + COIN / 100n);
			expect(both?.virtualBytes).toBeGreaterThan(alone?.virtualBytes ?? 0);

			const signs = await ask((source) => source.pool([one, other, to]));
			expect(signs.map(({ id }) => id)).toEqual(expect.arrayContaining([first, second]));
			expect(signs.find(({ id }) => id === second)).toMatchObject({
				spends: [{ txId: first, vout: inputs[0]?.vout, lock: await keyOf(one) }],
				outputs: [{ amount: 199_000_000n }],
			});
			expect(await ask((source) => source.pool([one, other, to]))).toEqual([]);
			await node.mine(1);
			expect(await ask((source) => source.pooled([first, second]))).toEqual([null, null]);
		});

		test('send a transaction, again too, and say why one is not taken', async () => {
			const from = await address();
			const first = await send(from);
			await node.mine(1);
			const spending = async (coins: string) => {
				const inputs = [{ txid: first, vout: await paidAt(first, from) }];
				const made = await node.rpc('createrawtransaction', inputs, [{ [await address()]: coins }]);
				return ((await node.rpc('signrawtransactionwithwallet', made)) as { hex: string }).hex;
			};
			const [good, poor, other] = [await spending('0.999'), await spending('0.9999999'), await spending('0.9989')];
			const broadcast = (raw: string) => ask((source) => source.broadcast(raw));
			await expect(broadcast(poor)).rejects.toMatchObject({ underpriced: true });
			expect(await broadcast(good)).toBe('sent');
			expect(await broadcast(good)).toBe('sent');
			await node.mine(1);
			expect(await broadcast(good)).toBe('sent');
			expect(await broadcast(other)).toMatchObject({ missingInputs: expect.stringContaining('missingorspent') });
			await expect(broadcast('00')).rejects.toThrow(BroadcastRejected);
		});

		test('tell what a transaction has to pay', async () => {
			const rates = { core: 0n, esplora: 87_882n, blockbook: 12_345n };
			expect(await ask((source) => source.feeRate(3))).toBe(rates[dialect]);
			expect(await ask((source) => source.floorRate())).toBe(dialect === 'core' ? 1_000n : 0n);
		});

		test('show a branch that a reorganisation left only by its hash', async () => {
			const [left = ''] = await node.mine(1);
			await node.rpc('invalidateblock', left);
			await node.mine(2);
			expect(await ask((source) => source.block(left))).toMatchObject({ hash: left });
			const top = await height();
			expect(await ask((source) => source.hashAt(top - 1))).not.toBe(left);
		});
	});

	test('of mempool.space tell in a way of their own what a transaction has to pay; a fraction is rounded up', async () => {
		const recommended = { fastestFee: 9, halfHourFee: 2.0004, hourFee: 2, economyFee: 1, minimumFee: 1 };
		fronts.esplora.lie = ({ path }) => {
			if (path === '/fee-estimates') return { status: 404, text: 'Not found' };
			return path === '/v1/fees/recommended' ? { json: recommended } : null;
		};
		expect(await all.esplora.use((source) => source.feeRate(3))).toBe(2_001n);
		expect(await all.esplora.use((source) => source.floorRate())).toBe(1_000n);
	});

	test('without an estimate name no rate', async () => {
		fronts.esplora.lie = ({ path }) => (path === '/fee-estimates' ? { json: {} } : null);
		expect(await all.esplora.use((source) => source.feeRate(3))).toBe(0n);
		for (const result of ['-1', '0']) {
			fronts.blockbook.lie = ({ path }) => (path.includes('estimatefee') ? { json: { result } } : null);
			expect(await all.blockbook.use((source) => source.feeRate(3))).toBe(0n);
		}
	});
});
