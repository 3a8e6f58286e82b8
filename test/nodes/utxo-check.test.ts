/** `network check` of a UTXO network, against a real node: it names what is wrong and what to do. */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NETWORKS, type NetworkOf, networkNamed } from '../../src/catalog/networks.ts';
import type { NodeConfig } from '../../src/chains/configuration.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { utxoChain } from '../../src/chains/utxo/family.ts';
import { utxoKeys } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { utxoSigner } from '../../src/chains/utxo/signing.ts';
import { feeOf } from '../support/chain-costs.ts';
import { keepingOf } from '../support/keeping.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { startLyingNode } from '../support/lying-node.ts';
import { isInstalled } from '../support/nodes.ts';
import { ReservationSet } from '../support/reservations.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const HOT = utxoKeys(SEED, utxoParams(networkNamed('Litecoin'), 'regtest')).hot.address;
const HOT_MAIN = utxoKeys(SEED, utxoParams(networkNamed('Litecoin'), 'main')).hot.address;

describe.skipIf(!isInstalled('litecoind'))('network check', () => {
	let litecoind: Litecoind;

	beforeAll(async () => {
		litecoind = await startLitecoind();
	});
	afterAll(() => litecoind?.stop());

	const chainAt = (url: string, chain: 'main' | 'regtest' = 'regtest', name: NetworkOf<'utxo'>['name'] = 'Litecoin') =>
		utxoChain(networkNamed(name), { urls: [url], chain }, HOT, keepingOf());
	const verdicts = async (...asked: Parameters<typeof chainAt>) =>
		(await chainAt(...asked).check()).map(({ what, ok, detail }) => [what.split(' of ')[0], ok, detail]);

	it('is content with a node that has no wallet, and serves blocks and unspent outputs', async () => {
		expect(await verdicts(litecoind.url)).toEqual([
			['chain', true, 'regtest, height 101'],
			['blocks', true, 'block 101 has 1 transactions, which hash to it'],
			['unspent outputs', true, 'answered, with and without the mempool'],
		]);
	});

	it('names a provider that serves no raw blocks', async () => {
		const node = await startLyingNode(
			({ method }, told) => (method === 'getblock' ? { hash: 'a'.repeat(64) } : told),
			litecoind.url,
		);
		const found = await verdicts(node.url).finally(() => node.stop());
		expect(found).toContainEqual(['blocks', false, expect.stringContaining('getblock')]);
	});

	it('asks a node of another chain nothing more, and reads nothing from it', async () => {
		const [[what, ok, detail] = []] = await verdicts(litecoind.url, 'main');
		expect([what, ok]).toEqual(['chain', false]);
		expect(detail).toContain('not that of the chain "main"');
		await expect(chainAt(litecoind.url, 'main').register([{ index: -1, address: HOT_MAIN }])).rejects.toThrow(
			'not that of the chain "main"',
		);
	});

	it('asks a node of Dash for ChainLocks', async () => {
		// Of Litecoin's node, which knows none.
		const node = await startLyingNode(
			({ method, params }, told) =>
				method === 'getblockhash' && params[0] === 0 ? networkNamed('Dash').params.genesis : told,
			litecoind.url,
		);
		const found = await verdicts(node.url, 'main', 'Dash').finally(() => node.stop());
		expect(found.at(-1)).toEqual(['ChainLocks', false, 'block 96 is not locked']);
	});

	it('says that a node does not answer, and nothing of its password', async () => {
		const { host } = new URL(litecoind.url);
		const checks = await chainAt(`http://test:wrong@${host}/`).check();
		expect(checks).toEqual([{ what: `chain of ${host}`, ok: false, detail: expect.stringContaining('HTTP 401') }]);
		expect(JSON.stringify(checks)).not.toContain('wrong@');
	});

	describe('a node that is not there', () => {
		it('makes every call fail as unavailable, and never otherwise', async () => {
			const down: NodeConfig = { urls: ['http://test:test@127.0.0.1:9/'], chain: 'regtest' };
			const chain = utxoChain(NETWORKS.Litecoin, down, HOT, keepingOf());
			const signer = utxoSigner(NETWORKS.Litecoin, down, new Uint8Array(64), { keeping: keepingOf() });
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
			const urls = ['http://127.0.0.1:9/', litecoind.url];
			const chain = utxoChain(NETWORKS.Litecoin, { urls, chain: 'regtest' }, HOT, keepingOf());
			await chain.register([{ index: -1, address: HOT }]);
			expect((await chain.scan(null, async () => [])).height).toBeGreaterThan(100);
		});
	});
});
