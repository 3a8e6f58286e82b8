/** `network check` of a UTXO network, against a real node: it names what is wrong and what to do. */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NetworkOf, networkNamed } from '../../src/catalog/networks.ts';
import { utxoChain } from '../../src/chains/utxo/family.ts';
import { hotAddress } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { startLyingNode } from '../support/lying-node.ts';
import { isInstalled } from '../support/nodes.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const HOT = hotAddress(SEED, utxoParams(networkNamed('Litecoin'), 'regtest'));

describe.skipIf(!isInstalled('litecoind'))('network check', () => {
	let litecoind: Litecoind;

	beforeAll(async () => {
		litecoind = await startLitecoind();
	});
	afterAll(() => litecoind?.stop());

	const chainAt = (url: string, chain: 'main' | 'regtest' = 'regtest', name: NetworkOf<'utxo'>['name'] = 'Litecoin') =>
		utxoChain(networkNamed(name), { urls: [url], chain }, HOT);
	const verdicts = async (...asked: Parameters<typeof chainAt>) =>
		(await chainAt(...asked).check()).map(({ what, ok, detail }) => [what.split(' of ')[0], ok, detail]);

	it('asks for a hot wallet that is watched, and is content once it is', async () => {
		const url = await litecoind.createWatchOnlyWallet('late');
		expect(await verdicts(url)).toEqual([
			['chain', true, 'regtest, height 101'],
			['wallet', true, 'late, legacy, watch-only'],
			['hot wallet', false, expect.stringContaining(`${HOT} is not watched`)],
		]);
		await chainAt(url).register([{ index: -1, address: HOT }]);
		expect((await verdicts(url)).map(([, ok]) => ok)).toEqual([true, true, true]);
	});

	it('refuses a wallet that may hold keys, and one that is not loaded', async () => {
		expect(await verdicts(litecoind.walletUrl('miner'))).toContainEqual([
			'wallet',
			false,
			expect.stringContaining('may hold keys'),
		]);
		expect(await verdicts(litecoind.walletUrl('nobody'))).toContainEqual([
			'wallet',
			false,
			expect.stringContaining('-18'),
		]);
	});

	it('asks a node of another chain nothing more, and registers nothing with it', async () => {
		const url = litecoind.walletUrl('exchange');
		const [[what, ok, detail] = []] = await verdicts(url, 'main');
		expect([what, ok]).toEqual(['chain', false]);
		expect(detail).toContain('should be on main');
		await expect(chainAt(url, 'main').register([{ index: -1, address: HOT }])).rejects.toThrow('not on main');
	});

	it('asks a node of Dash for ChainLocks', async () => {
		// Of Litecoin's node, which knows none.
		const node = await startLyingNode(
			({ method }, told) => (method === 'getblockchaininfo' ? { ...(told as object), chain: 'main' } : told),
			litecoind.walletUrl('exchange'),
		);
		const found = await verdicts(node.url, 'main', 'Dash').finally(() => node.stop());
		expect(found.at(-1)).toEqual(['ChainLocks', false, expect.stringContaining('Method not found')]);
	});

	it('says that a node does not answer, and nothing of its password', async () => {
		const { host } = new URL(litecoind.url);
		const checks = await chainAt(`http://test:wrong@${host}/wallet/exchange`).check();
		expect(checks).toEqual([{ what: `chain of ${host}`, ok: false, detail: expect.stringContaining('HTTP 401') }]);
		expect(JSON.stringify(checks)).not.toContain('wrong@');
	});
});
