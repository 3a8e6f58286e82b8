/** A UTXO network with two nodes, one of which is down or lacks the hot wallet (book: networks, "Nodes"). */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { utxoChain } from '../../src/chains/utxo/family.ts';
import { hotAddress } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { utxoSigner } from '../../src/chains/utxo/signing.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { isInstalled } from '../support/nodes.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const HOT = hotAddress(SEED, utxoParams(NETWORKS.Litecoin, 'regtest'));
const PAY_IN = utxoSigner(NETWORKS.Litecoin, { urls: [], chain: 'regtest' }, SEED).payInAddress(0);
const CLOSED = 'http://test:test@127.0.0.1:9/wallet/exchange';
const COIN = 100_000_000n;
const hot = [{ index: -1, address: HOT }];
const payIn = [{ index: 0, address: PAY_IN }];

describe.skipIf(!isInstalled('litecoind'))('with one of two nodes down, a fresh chain', () => {
	let litecoind: Litecoind;

	beforeAll(async () => {
		litecoind = await startLitecoind();
	});
	afterAll(() => litecoind?.stop());

	const chainAt = (...urls: string[]) => utxoChain(NETWORKS.Litecoin, { urls, chain: 'regtest' }, HOT);

	async function pay(address: string): Promise<void> {
		await litecoind.rpc('sendtoaddress', address, '1');
		await litecoind.rpc('syncwithvalidationinterfacequeue');
	}

	it('starts on the other one, and sees deposits and holdings', async () => {
		const url = await litecoind.createWatchOnlyWallet('up');
		await chainAt(url).register([...payIn, ...hot]);
		for (const urls of [
			[url, CLOSED],
			[CLOSED, url],
		]) {
			const chain = chainAt(...urls);
			await chain.register(hot);
			await pay(PAY_IN);
			expect((await chain.scan(null, async () => [])).deposits).toContainEqual(
				expect.objectContaining({ address: PAY_IN, amount: COIN }),
			);
			expect(await chain.holdings?.('LTC', [])).toBeGreaterThan(0n);
			await expect(chain.register([{ index: 1, address: PAY_IN }])).rejects.toThrow(ChainUnavailable);
		}
	});

	it('does not start where the hot wallet is watched nowhere yet, and imports it nowhere', async () => {
		const url = await litecoind.createWatchOnlyWallet('new');
		await expect(chainAt(url, CLOSED).register(hot)).rejects.toThrow(ChainUnavailable);
		await expect(chainAt(url).scan(null, async () => [])).rejects.toThrow('does not watch the hot wallet');
	});

	it('never asks a node that does not watch the hot wallet what it holds', async () => {
		const [full, lacking] = [
			await litecoind.createWatchOnlyWallet('full'),
			await litecoind.createWatchOnlyWallet('lacking'),
		];
		await chainAt(full).register(hot);
		await pay(HOT);
		await litecoind.mine(6);
		expect(await chainAt(lacking, full).balance('LTC')).toBe(COIN);
		await expect(chainAt(lacking, CLOSED).balance('LTC')).rejects.toThrow(ChainUnavailable);
	});
});
