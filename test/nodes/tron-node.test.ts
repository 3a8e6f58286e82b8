/** Tron nodes: which are believed, what they are asked with, and what the operator's check says. */
import { describe, expect, it } from 'vitest';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { tronChain } from '../../src/chains/tron/family.ts';
import { tronSigner } from '../../src/chains/tron/signing.ts';
import { chain, HOT, node, SEED, signing, TRON, tron, useTron, watching } from '../support/tron.ts';

useTron();

describe('a node', () => {
	it('of another chain is unavailable, and the next one is asked', async () => {
		const wrong = tronChain(TRON, { urls: [node.url], chain: 'main' }, HOT);
		await expect(wrong.register([])).rejects.toThrow(/genesis/);
		await expect(
			tronSigner(TRON, { urls: [node.url], chain: 'main' }, SEED).sign(tron.payment(HOT, 1n), signing()),
		).rejects.toThrow(ChainUnavailable);
		const both = tronChain(TRON, { urls: ['http://127.0.0.1:1', node.url], chain: 'regtest' }, HOT);
		expect((await both.scan(null, watching('TRX'))).height).toBe(await node.height());
	});

	it('of the main chain is known by its genesis block', async () => {
		node.intercept((path) =>
			path === '/wallet/getblockbynum'
				? {
						blockID: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc',
						block_header: { raw_data: { parentHash: '9'.repeat(64), txTrieRoot: 'a' } },
					}
				: undefined,
		);
		await tronChain(TRON, { urls: [node.url], chain: 'main' }, HOT).register([]);
		const test = tronChain(TRON, { urls: [node.url], chain: 'regtest' }, HOT);
		await expect(test.register([])).rejects.toThrow(ChainUnavailable);
	});

	it('gets the key of its URL as TRON-PRO-API-KEY, and user and password as Basic', async () => {
		const { host } = new URL(node.url);
		const headers = async (credentials: string) => {
			const own = tronChain(TRON, { urls: [`http://${credentials}@${host}/`], chain: 'regtest' }, HOT);
			await own.register([]);
			return node.calls.at(-1)?.headers ?? {};
		};
		expect((await headers(':k-1'))['tron-pro-api-key']).toBe('k-1');
		expect((await headers('u:p'))['authorization']).toBe(`Basic ${btoa('u:p')}`);
	});

	it('is checked for chain, height, token and wallet', async () => {
		const checks = await chain.check();
		expect(checks.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
		expect(checks.map(({ detail }) => detail)).toEqual([
			expect.stringMatching(/height \d+, solidified \d+/),
			expect.stringMatching(/./),
			'USDT',
			'6',
			expect.stringContaining(`${HOT} holds 1000000000 sun`),
		]);
		node.intercept(async (path, body, honest) =>
			path === '/wallet/triggerconstantcontract' && body['function_selector'] === 'decimals()'
				? { ...((await honest()) as object), constant_result: ['12'.padStart(64, '0')] }
				: undefined,
		);
		expect((await chain.check()).map(({ ok }) => ok)).toEqual([true, true, true, false, true]);
		const run = { id: '1'.repeat(64), blockNumber: 5, receipt: { result: 'SUCCESS' } };
		node.intercept((path) => (path.endsWith('infobyblocknum') ? Array(60).fill(run) : undefined));
		expect((await chain.check())[1]).toMatchObject({ ok: false, detail: expect.stringContaining('saveInternalTx') });
		node.intercept(() => undefined);
		const wrong = await tronChain(TRON, { urls: [node.url], chain: 'main' }, HOT).check();
		expect(wrong.every(({ ok }) => !ok)).toBe(true);
	});
});
