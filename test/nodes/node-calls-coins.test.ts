/**
 * What a poll and an order ask of the nodes of Bitcoin, Litecoin, Dash and Monero: the book's tables of providers follow
 * from these counts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NETWORKS, type NetworkName } from '../../src/catalog/networks.ts';
import { moneroChain } from '../../src/chains/monero/family.ts';
import { hotAddress } from '../../src/chains/monero/keys.ts';
import { moneroSigner } from '../../src/chains/monero/signing.ts';
import type { Chain } from '../../src/chains/port.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { localSecrets } from '../../src/local/secrets.ts';
import { startRelay } from '../support/anvil.ts';
import { NODE_FIGURES } from '../support/costs/node-figures.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { watchingOf, XMR } from '../support/monero-wallets.ts';
import { type Monero, startMonero, startTamperer, type Wallet } from '../support/monerod.ts';
import { Counter, nobody } from '../support/node-counter.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';
import { newWorld } from '../support/utxo-world.ts';

const SETUP_MILLISECONDS = 400_000;
const PATIENCE = 180_000;
const ADDRESSES = 20;
/** Calls of the signer to its own provider for each block, at most: it keeps a book of coins, where it needs no wallet. */
const SIGNER_BLOCK = { Litecoin: 8, Monero: 0 };
const isReady = ['litecoind', 'monerod', 'monero-wallet-rpc'].every(isInstalled);

interface Paid {
	readonly network: NetworkName;
	readonly address: string;
	/** Pays the address; a block. */
	readonly pay: () => Promise<unknown>;
	readonly mine: () => Promise<unknown>;
}

/** Between a Worker and the node, each by itself. */
interface Front {
	readonly url: string;
	readonly methods: () => string[];
	readonly stop: () => Promise<void>;
}

async function frontOf(url: string): Promise<Front> {
	const { calls, ...relay } = await startRelay(url);
	return { ...relay, methods: () => calls.map(({ method }) => method) };
}

async function moneroFrontOf(url: string): Promise<Front> {
	const { calls, ...tamperer } = await startTamperer(url);
	return { ...tamperer, methods: () => [...calls] };
}

describe.skipIf(!isReady)('as many calls as the book says', () => {
	let node: Litecoind;
	let monero: Monero;
	let variables: Readonly<Record<string, string>>;
	let folder: string;
	let seed: Uint8Array;
	let view: Wallet;
	let cold: Wallet;
	let fronts: Record<'Litecoin' | 'Monero', { readonly api: Front; readonly signer: Front }>;

	beforeAll(async () => {
		folder = mkdtempSync(join(tmpdir(), 'partner-exchange-counted-'));
		seed = mnemonicToSeedSync(localSecrets(folder).SEED);
		[node, monero] = await Promise.all([startLitecoind(), startMonero()]);
		fronts = {
			Litecoin: { api: await frontOf(node.url), signer: await frontOf(node.url) },
			Monero: { api: await moneroFrontOf(monero.daemonUrl), signer: await moneroFrontOf(monero.daemonUrl) },
		};
		[view, cold] = await Promise.all([monero.viewOnlyWallet(seed), monero.coldWallet(seed)]);
		variables = {
			NODE_CHAIN_LITECOIN: 'regtest',
			NODE_POLL_SECONDS_LITECOIN: '1',
			NODE_CHAIN_MONERO: 'regtest',
			NODE_POLL_SECONDS_MONERO: '1',
			MONERO_WALLET_URL: view.url,
			MONERO_COLD_WALLET_URL: cold.url,
		};
		await monero.pay(hotAddress(seed), 5n * XMR);
		await monero.mine(12);
	}, SETUP_MILLISECONDS);
	afterAll(async () => {
		await Promise.all(Object.values(fronts ?? {}).flatMap(({ api, signer }) => [api.stop(), signer.stop()]));
		await Promise.all([node?.stop(), monero?.stop()]);
	});

	/** All but what an order asks: first the cost of a poll at the slow pace, and of a block that it reads. */
	async function figureOf(chain: Chain, { methods }: Front, { network, address, pay, mine }: Paid) {
		const counter = new Counter(chain, () => methods().length);
		const { cursor } = await chain.scan(null, nobody);
		const idle = await counter.poll(cursor, nobody, true);
		await mine();
		const block = (await counter.poll(cursor, nobody, true)) - idle;
		const figure = await counter.figure(network, address, pay);
		// A payment that a scan lists is not asked about by itself.
		return { ...figure, idle, block, deposit: (await counter.poll(cursor)) - figure.poll };
	}

	it.each(['Bitcoin', 'Litecoin', 'Dash'] as const)('are asked by a poll of %s', async (network) => {
		const front = fronts.Litecoin.api;
		const [own, litecoin] = [utxoParams(NETWORKS[network], 'regtest'), utxoParams(NETWORKS.Litecoin, 'regtest')];
		const { hrp, p2pkh, p2sh } = litecoin;
		const params = { ...own, p2pkh, p2sh, ...('hrp' in own && { hrp }) };
		const { chain, address: addressOf } = await newWorld({ ...node, url: front.url }, NETWORKS[network], params);
		const address = addressOf(0);
		const mine = () => node.mine(1);
		const pay = () => node.rpc('sendtoaddress', address, '1');
		const { order: _, seldom: __, ...expected } = NODE_FIGURES[network];
		expect(await figureOf(chain, front, { network, address, pay, mine })).toEqual(expected);
		const askedSize = () => front.methods().filter((method) => method === 'getmempoolinfo').length;
		const [sizes, { cursor }] = [askedSize(), await chain.scan(null, nobody)];
		expect(askedSize()).toBe(sizes);
		// Where nobody waits, nobody asks what the mempool holds.
		expect((await chain.scan(null, nobody, true)).deposits).toEqual([]);
		await mine();
		await chain.scan(cursor, nobody);
		// A deposit that is in a block is asked about no more.
		const counter = new Counter(chain, () => front.methods().length);
		if (network !== 'Dash') expect(await counter.poll(cursor)).toBe(expected.poll);
		expect((await chain.scan(null, nobody, true)).deposits).toMatchObject([{ address, confirmations: 1 }]);
	});

	it(
		'are asked by a poll of Monero',
		async () => {
			const front = fronts.Monero.api;
			const at = { urls: [front.url], chain: 'regtest' } as const;
			const wallets = { walletUrl: view.url, coldWalletUrl: cold.url, restoreHeight: 0, chain: 'regtest' } as const;
			const signer = moneroSigner(
				NETWORKS.Monero,
				{ ...wallets, urls: [fronts.Monero.signer.url] },
				seed,
				() => ADDRESSES,
			);
			const chain = moneroChain(NETWORKS.Monero, at, signer.hotAddress(), watchingOf(signer));
			const pool = Array.from({ length: ADDRESSES }, (_, index) => ({ index, address: signer.payInAddress(index) }));
			for (const look of [chain, signer.look])
				await look?.register?.([...pool, { index: -1, address: signer.hotAddress() }]);
			const address = signer.payInAddress(0);
			const paid = {
				network: 'Monero',
				address,
				pay: () => monero.pay(address, XMR),
				mine: () => monero.mine(1),
			} as const;
			const { order: _, seldom: __, ...expected } = NODE_FIGURES.Monero;
			expect(await figureOf(chain, front, paid)).toEqual(expected);
		},
		PATIENCE,
	);

	describe('beside the polls and the blocks', () => {
		let service: TestService;
		let partner: Credentials;

		beforeAll(async () => {
			const urls = (worker: 'api' | 'signer') => ({
				NODE_URL_LITECOIN: fronts.Litecoin[worker].url,
				NODE_URL_MONERO: fronts.Monero[worker].url,
			});
			service = await startTestService({ ...variables, ...urls('api') }, folder, urls('signer'));
			partner = await createPartner(service, { weightPerMinute: 1_000_000 });
			await takeBeyondReserve(service, 'LTC', 'XMR');
			await node.rpc('sendtoaddress', await service.hotAddress('Litecoin'), '50');
			await node.mine(6);
		}, SETUP_MILLISECONDS);
		afterAll(async () => {
			await service?.local.stop();
			if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
		});

		const newOrder = (asked: Parameters<typeof create>[2]) =>
			eventually(
				'an order to be taken',
				async (): Promise<CreatedOrder | false> => {
					const answer = await create(service, partner, asked);
					return answer.code === 0 && answer.data;
				},
				PATIENCE,
			);
		const heights = async () => ({
			Litecoin: Number(await node.rpc('getblockcount')),
			Monero: Number((await monero.daemon('get_info')).height),
		});

		it(
			'are asked at most for a deposit and a payout, of the nodes of both its networks',
			async () => {
				const [xmr, ltc] = [await monero.recipient(), String(await node.rpc('getnewaddress'))];
				const there = { fromCcy: 'LTC', toCcy: 'XMR', amount: '1', toAddress: xmr, refundAddress: ltc };
				const back = { fromCcy: 'XMR', toCcy: 'LTC', amount: '1', toAddress: ltc, refundAddress: xmr };
				const [first, second] = [await newOrder(there), await newOrder(back)];
				const before = await heights();
				const asked = () =>
					Object.values(fronts).flatMap(({ api, signer }) => [api.methods().length, signer.methods().length]);
				const [ltcApi = 0, ltcSigner = 0, xmrApi = 0, xmrSigner = 0] = asked();
				await node.rpc('sendtoaddress', first.from.address, '1');
				await monero.pay(second.from.address, XMR);
				await eventually(
					'both payouts to be final',
					async () => {
						await Promise.all([node.mine(1), monero.mine(1)]);
						const [row] = await service.sql<{ n: number }>(
							"SELECT count(*) AS n FROM transactions WHERE state = 'final' AND kind = 'payout'",
						);
						return row?.n === 2;
					},
					PATIENCE,
				);
				const after = await heights();
				const counted = [
					{ name: 'Litecoin', from: [ltcApi, ltcSigner], poll: 'getrawmempool', upkeep: 'estimatesmartfee' },
					{
						name: 'Monero',
						from: [xmrApi, xmrSigner],
						poll: '/get_transaction_pool_hashes',
						upkeep: 'get_fee_estimate',
					},
				] as const;
				for (const { name, from, poll: pollMark, upkeep: upkeepMark } of counted) {
					const { poll, upkeep, block, order } = NODE_FIGURES[name];
					const api = fronts[name].api.methods().slice(from[0]);
					const signer = fronts[name].signer.methods().slice(from[1]);
					const timesOf = (mark: string) => api.filter((method) => method === mark).length;
					const [polls, upkeeps, blocks] = [timesOf(pollMark), timesOf(upkeepMark), after[name] - before[name]];
					const own = signer.length - blocks * SIGNER_BLOCK[name];
					const beyond = api.length - polls * poll - upkeeps * upkeep - blocks * block;
					console.log(
						`${name}: ${api.length} calls in ${polls} polls, ${upkeeps} of them with upkeep, and ${blocks} blocks; ${beyond} beyond; ${signer.length} of the signer, ${own} beyond`,
					);
					expect(beyond).toBeLessThanOrEqual(order);
					expect(own).toBeLessThanOrEqual(order);
				}
			},
			2 * PATIENCE,
		);
	});
});
