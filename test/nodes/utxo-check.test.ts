/** `network check` of a UTXO network, against a real node: it names what is wrong and what to do. */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NETWORKS, type NetworkOf, networkNamed } from '../../src/catalog/networks.ts';
import type { NodeConfig } from '../../src/chains/configuration.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { utxoChain } from '../../src/chains/utxo/family.ts';
import { hotAddress } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { utxoSigner } from '../../src/chains/utxo/signing.ts';
import { feeOf } from '../support/chain-costs.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { startLyingNode } from '../support/lying-node.ts';
import { isInstalled } from '../support/nodes.ts';
import { ReservationSet } from '../support/reservations.ts';

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

	describe('a node that is not there', () => {
		it('makes every call fail as unavailable, and never otherwise', async () => {
			const down: NodeConfig = { urls: ['http://test:test@127.0.0.1:9/wallet/exchange'], chain: 'regtest' };
			const chain = utxoChain(NETWORKS.Litecoin, down, HOT);
			const signer = utxoSigner(NETWORKS.Litecoin, down, new Uint8Array(64));
			const [deposit] = [{ txId: 'a'.repeat(64), position: '0', address: '', asset: 'LTC' as const, amount: 1n }];
			const payment = { id: 'payment', asset: 'LTC' as const, to: HOT, amount: 100_000_000n };
			const questions = [
				() => chain.register([{ index: 0, address: HOT }]),
				() => chain.scan(null, async () => []),
				() => chain.depths([deposit]),
				() => feeOf(chain, 'LTC'),
				() => chain.broadcast('00'),
				() => chain.transactionDepth('a'.repeat(64)),
				() => chain.balance('LTC'),
				() => signer.finalAmount([deposit], () => true, []),
				() => signer.sign(payment, { spent: new ReservationSet(), indexesOf: () => new Map() }),
			];
			for (const question of questions) await expect(question()).rejects.toThrow(ChainUnavailable);
		});

		it('costs nothing when another node answers', async () => {
			const urls = ['http://127.0.0.1:9/', litecoind.walletUrl('exchange')];
			const chain = utxoChain(NETWORKS.Litecoin, { urls, chain: 'regtest' }, HOT);
			await chainAt(litecoind.walletUrl('exchange')).register([{ index: -1, address: HOT }]);
			expect((await chain.scan(null, async () => [])).height).toBeGreaterThan(100);
			await expect(chain.register([{ index: 0, address: HOT }])).rejects.toThrow(ChainUnavailable);
		});

		it('or has no such wallet, is unavailable', async () => {
			const chain = utxoChain(NETWORKS.Litecoin, { urls: [litecoind.walletUrl('nobody')], chain: 'regtest' }, HOT);
			await expect(chain.scan(null, async () => [])).rejects.toThrow(ChainUnavailable);
		});
	});
});
