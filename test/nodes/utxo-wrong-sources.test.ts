/**
 * Providers of a real chain that throttle, cut, reorder, lie, go back in time or are on another chain. The next one
 * answers, or the caller hears of a transient error; nothing that bytes can disprove is believed.
 */
import { hex } from '@scure/base';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { jsonRpc } from '../../src/chains/rpc/json-rpc.ts';
import { provenChain } from '../../src/chains/utxo/proving.ts';
import { utxoSources } from '../../src/chains/utxo/sources.ts';
import { startEsplora } from '../support/esplora-front.ts';
import type { Asked, Front, Said } from '../support/front.ts';
import { keptHeaders } from '../support/kept-headers.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { isInstalled } from '../support/nodes.ts';

const SETUP_MILLISECONDS = 120_000;

describe.skipIf(!isInstalled('litecoind'))('a provider', () => {
	let node: Litecoind;
	let front: Front;
	let other: Litecoind;
	let otherFront: Front;

	const sourcesOf = (...urls: readonly string[]) => utxoSources(NETWORKS.Litecoin, { urls, chain: 'regtest' });
	const esplora = () => `esplora+${front.url}`;
	const height = async () => Number(await node.rpc('getblockcount'));
	const hashAt = async (at: number) => String(await node.rpc('getblockhash', at));
	const bytesOf = async (hash: string) => hex.decode(String(await node.rpc('getblock', hash, 0)));
	/** Its answers to what is asked at these paths, and to nothing else. */
	const lieAt = (path: RegExp, lie: (asked: Asked) => Promise<Said> | Said) => {
		front.lie = (asked) => (path.test(asked.path) ? lie(asked) : null);
	};

	beforeAll(async () => {
		node = await startLitecoind();
		other = await startLitecoind();
		front = await startEsplora(jsonRpc([node.url]));
		otherFront = await startEsplora(jsonRpc([other.url]));
	}, SETUP_MILLISECONDS);
	afterEach(() => {
		front.lie = () => null;
	});
	afterAll(async () => {
		await Promise.all([front?.stop(), otherFront?.stop(), node?.stop(), other?.stop()]);
	});

	// As Blockstream's: JSON where text is expected.
	const LIMIT: Said = { status: 429, json: { error: 'Rate limit exceeded' } };

	test.each<[string, Said, string]>([
		['limits us', LIMIT, 'HTTP 429 {"error":"Rate limit exceeded"}'],
		['answers for a gateway', { status: 502, text: '<html>Bad Gateway</html>' }, 'HTTP 502'],
		['sends us elsewhere', { status: 302, text: '' }, 'HTTP 302'],
		['answers with a web page', { text: '<!doctype html>' }, 'no JSON'],
		['answers with another shape', { json: { error: 'Rate limit exceeded' } }, 'expected'],
		['knows of no block', { json: [] }, 'no blocks'],
	])('that %s is a transient error, and the next one answers', async (_, said, why) => {
		const [alone, both] = [sourcesOf(esplora()), sourcesOf(esplora(), node.url)];
		await alone.use((source) => source.hashAt(1));
		front.lie = () => said;
		await expect(alone.use((source) => source.tip())).rejects.toThrow(ChainUnavailable);
		await expect(alone.use((source) => source.tip())).rejects.toThrow(why);
		expect(await both.use((source) => source.tip())).toMatchObject({ height: await height() });
	});

	test('with a key in its URL is asked with it each time, and no message shows it', async () => {
		const sources = sourcesOf(`esplora+${front.url}/v1/HIDDEN/?key=SECRET`);
		front.lie = () => ({ status: 403, text: `${front.url}/v1/HIDDEN is not allowed` });
		const asked = front.asked.length;
		const error = await sources.use((source) => source.tip()).catch(String);
		expect(error).toContain('HTTP 403');
		expect(error).not.toMatch(/HIDDEN|SECRET/);
		expect(front.asked.slice(asked).map(({ path }) => path)).toEqual(['/v1/HIDDEN/block-height/0?key=SECRET']);
	});

	test('that limits us where a hash is expected has told none', async () => {
		const sources = sourcesOf(esplora());
		await sources.use((source) => source.hashAt(1));
		lieAt(/block-height/, () => LIMIT);
		await expect(sources.use((source) => source.hashAt(5))).rejects.toThrow('HTTP 429');
		lieAt(/block-height/, () => ({ json: { error: 'Rate limit exceeded' } }));
		await expect(sources.use((source) => source.hashAt(5))).rejects.toThrow('no block hash');
	});

	test('that limits us while we send a transaction has not refused it', async () => {
		const sources = sourcesOf(esplora());
		await sources.use((source) => source.hashAt(1));
		lieAt(/^\/tx$/, () => LIMIT);
		await expect(sources.use((source) => source.broadcast('00'))).rejects.toThrow(ChainUnavailable);
	});

	test.each<[string, (bytes: Uint8Array) => Promise<Uint8Array> | Uint8Array]>([
		['cut', (bytes) => bytes.subarray(0, -1)],
		['with more behind it', (bytes) => Uint8Array.of(...bytes, 1)],
		['with another amount', (bytes) => bytes.with(bytes.length - 60, (bytes[bytes.length - 60] ?? 0) ^ 1)],
		['empty', () => new Uint8Array()],
		['another one', async () => bytesOf(await hashAt(3))],
	])('whose block is %s is not believed, and the next one is asked', async (_, change) => {
		const hash = await hashAt(50);
		lieAt(/raw$/, async () => ({ bytes: await change(await bytesOf(hash)) }));
		await expect(sourcesOf(esplora()).use((source) => source.block(hash))).rejects.toThrow(ChainUnavailable);
		expect(await sourcesOf(esplora(), node.url).use((source) => source.block(hash))).toMatchObject({ height: 50 });
	});

	test('whose transaction is another one has not got it', async () => {
		const txId = String(await node.rpc('sendtoaddress', await node.rpc('getnewaddress'), '1'));
		const [hash = ''] = await node.mine(1);
		const sources = sourcesOf(esplora());
		expect(await sources.use((source) => source.transaction(txId, hash))).toMatchObject({ id: txId });
		const [coinbase] = (await sources.use((source) => source.block(hash))).transactions;
		lieAt(/raw$/, () => ({ bytes: coinbase?.bytes ?? new Uint8Array() }));
		expect(await sources.use((source) => source.transaction(txId, hash))).toBeNull();
	});

	test('of another chain is asked nothing more', async () => {
		const main = { urls: [node.url, esplora()], chain: 'main' } as const;
		await expect(utxoSources(NETWORKS.Litecoin, main).use((source) => source.tip())).rejects.toThrow(
			'not that of the chain "main"',
		);
		lieAt(/block-height\/0$/, () => ({ text: NETWORKS.Litecoin.params.genesis }));
		await expect(sourcesOf(esplora()).use((source) => source.tip())).rejects.toThrow('not that of the chain "regtest"');
	});

	describe('of the signer', () => {
		const chainOf = (...urls: readonly string[]) => {
			const store = keptHeaders();
			return { store, chain: provenChain(NETWORKS.Litecoin, 'regtest', sourcesOf(...urls), store) };
		};

		test('that goes back in time, or is behind, takes nothing from what was proven', async () => {
			const { chain } = chainOf(esplora());
			const top = await height();
			expect(await chain.tip()).toBe(top);
			front.lie = async ({ path }, said) => {
				if (path !== '/blocks' && !/block-height/.test(path)) return null;
				if (path === '/blocks') return { json: ((await said()) as { json: unknown[] }).json.slice(4) };
				return Number(path.split('/')[2]) > top - 4 ? { status: 404, text: 'Block not found' } : null;
			};
			expect(await chain.tip()).toBe(top);
			expect(await chain.hashAt(top)).toBe(await hashAt(top));
		});

		test('cannot show a block that its headers do not lead to', async () => {
			const { chain } = chainOf(esplora());
			const top = await chain.tip();
			// Another branch has blocks of its own at these heights, each of them whole.
			const falseHash = String(await other.rpc('getblockhash', top - 1));
			const bytes = hex.decode(String(await other.rpc('getblock', falseHash, 0)));
			lieAt(new RegExp(`/block-height/${top - 1}$|raw$`), ({ path }) =>
				path.endsWith('raw') ? { bytes } : { text: falseHash },
			);
			expect(await chain.hashAt(top - 1)).toBe(await hashAt(top - 1));
			await expect(chain.block(top - 1)).rejects.toThrow('are another');
		});

		test('whose headers do not follow each other is not followed', async () => {
			const { chain, store } = chainOf(esplora());
			front.lie = async ({ path }, said) => {
				if (!/^\/blocks\/\d+$/.test(path)) return null;
				const { json } = (await said()) as { json: { nonce: number; height: number }[] };
				return { json: json.map((block) => (block.height === 60 ? { ...block, nonce: block.nonce + 1 } : block)) };
			};
			await expect(chain.tip()).rejects.toThrow('the header at height 61 does not follow');
			expect(store.lastHeight()).toBeNull();
		});

		test('that turns to another chain is not followed there, however long that is', async () => {
			await other.mine(200);
			const { chain } = chainOf(esplora(), `esplora+${otherFront.url}`);
			const top = await chain.tip();
			front.lie = () => LIMIT;
			await expect(chain.tip()).rejects.toThrow('another chain');
			expect(await chain.hashAt(top)).toBe(await hashAt(top));
		});

		test('follows a reorganisation to more work, and finds each block by its height', async () => {
			const { chain } = chainOf(node.url);
			const [left = ''] = await node.mine(2);
			expect(await chain.tip()).toBe(await height());
			const at = (await height()) - 1;
			expect(await chain.hashAt(at)).toBe(left);
			await node.rpc('invalidateblock', left);
			await node.mine(1);
			// As long as there is less work, the branch that was proven stays.
			expect(await chain.hashAt(at)).toBe(left);
			expect(await chain.tip()).toBe(at + 1);
			expect(await chain.hashAt(at)).toBe(left);
			await node.mine(2);
			expect(await chain.tip()).toBe(at + 2);
			expect(await chain.hashAt(at)).toBe(await hashAt(at));
			expect(await chain.block(at)).toMatchObject({ hash: await hashAt(at), height: at });
			await expect(chain.hashAt(at + 3)).rejects.toThrow('no header at height');
		});

		test('of Dash has to agree with another one, also about a ChainLock', async () => {
			const dash = (...urls: readonly string[]) =>
				provenChain(NETWORKS.Dash, 'regtest', utxoSources(NETWORKS.Dash, { urls, chain: 'regtest' }), keptHeaders());
			const top = await height();
			const both = dash(node.url, esplora());
			expect(await both.tip()).toBe(top);
			expect(await both.block(top)).toMatchObject({ hash: await hashAt(top) });
			expect(await both.isLocked(top)).toBe(false);
			lieAt(/block-height/, ({ path }) => ({ text: path.endsWith('/0') ? 'ab'.repeat(32) : 'cd'.repeat(32) }));
			await expect(both.block(top)).rejects.toThrow('the nodes disagree');
			front.lie = () => LIMIT;
			await expect(both.tip()).rejects.toThrow('too few nodes answer');
			expect(await dash(node.url).tip()).toBe(top);
		});
	});
});
