/** What a poll and an order ask of nodes: the book's tables of providers follow from these counts. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { accountOf } from '../../src/chains/solana/assets.ts';
import { solanaChain } from '../../src/chains/solana/family.ts';
import { type Relay, startRelay } from '../support/anvil.ts';
import { NODE_FIGURES } from '../support/costs/node-figures.ts';
import { COIN, type Ethereum, startEthereum } from '../support/ethereum.ts';
import { Counter, nobody } from '../support/node-counter.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';
import { HOT as SOLANA_HOT, addressOf as solanaAddress } from '../support/solana.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import { type SolanaWallet, SYSTEM_PROGRAM, solanaWallet } from '../support/solana-wallet.ts';
import { installTokens } from '../support/tokens.ts';
import { startTron, type Tron, addressOf as tronAddressOf } from '../support/tron.ts';
import { startTronStandIn, type TronStandIn } from '../support/tron-stand-in.ts';

const PATIENCE = 180_000;
/** As it is written in calls. */
const USDC = (assetOf('USDCERC20').contract ?? '').slice(2).toLowerCase();
const LAMPORTS = 1_000_000_000n;
const TRX = 1_000_000n;

const EVM = Object.values(NETWORKS).flatMap(({ name, family }) => (family === 'evm' ? [name] : []));

describe('a poll asks as many calls as the book says', () => {
	it.skipIf(!isInstalled('anvil')).each(EVM)('of %s', async (name) => {
		const ethereum = await startEthereum(name, 'regtest');
		try {
			await installTokens(ethereum.anvil, name);
			const { chain, relay } = ethereum;
			const counter = new Counter(chain, () => relay.calls.length);
			const address = ethereum.newAddress();
			const { order: _, idle: __, seldom, ...expected } = NODE_FIGURES[name];
			expect(await counter.figure(name, address, () => ethereum.pay(address, COIN))).toEqual(expected);
			// The first upkeep has asked for the gas of each asset.
			expect(relay.calls.filter(({ method }) => method === 'eth_estimateGas')).toHaveLength(seldom);
		} finally {
			await ethereum.stop();
		}
	});

	it('of Solana', async () => {
		const node = await startSolanaNode({ finalizedAfter: 32 });
		const relay = await startRelay(node.url);
		try {
			node.place(SOLANA_HOT, { owner: SYSTEM_PROGRAM, lamports: LAMPORTS });
			const chain = solanaChain(NETWORKS.Solana, { urls: [relay.url], chain: 'regtest' }, SOLANA_HOT);
			const counter = new Counter(chain, () => relay.calls.length);
			const customer = await solanaWallet(node, 10n * LAMPORTS);
			const { order: _, idle: __, seldom: ___, ...expected } = NODE_FIGURES.Solana;
			const pay = () => customer.pay(solanaAddress(1), LAMPORTS);
			expect(await counter.figure('Solana', solanaAddress(1), pay)).toEqual(expected);
		} finally {
			await relay.stop();
			await node.stop();
		}
	});

	it.skipIf(!isInstalled('anvil'))('of Tron, ten blocks at once and no receipts with nothing open', async () => {
		const { node, chain, mined, stop }: Tron = await startTron();
		try {
			const counter = new Counter(chain, () => node.calls.length);
			const expected = NODE_FIGURES.Tron;
			const { cursor } = await chain.scan(null, nobody, true);
			const stranger = tronAddressOf(2);
			for (let block = 0; block < 20; block++) await mined(() => node.payToken(stranger, 1n));
			// A minute of the chain: two times ten blocks and the logs of all, and no receipts.
			expect(await counter.poll(cursor, nobody, true)).toBe(expected.idle);
			const first = await chain.scan(null, nobody);
			await mined(() => node.payToken(stranger, 1n));
			expect(await counter.poll(first.cursor)).toBe(expected.poll);
			// The account says what its payments cost; from the second upkeep on the last balance has told it.
			await chain.balance('TRX');
			expect(await counter.upkeep('Tron')).toBe(expected.upkeep);
			const address = tronAddressOf(1);
			const found = await counter.figure('Tron', address, () => mined(() => node.pay(address, TRX)));
			expect(found).toMatchObject({ open: expected.open, deposit: expected.deposit });
		} finally {
			await stop();
		}
	});
});

interface Made {
	readonly method: string;
	/** The parameters, as JSON. */
	readonly text: string;
}

/** What only the search for deposits asks, once in each poll; and only an upkeep. */
interface Marks {
	readonly poll: (call: Made) => boolean;
	readonly upkeep: (call: Made) => boolean;
}

type Counted = 'Ethereum' | 'Solana' | 'Tron';
const COUNTED: readonly Counted[] = ['Ethereum', 'Solana', 'Tron'];

describe.skipIf(!isInstalled('anvil'))('an order, beside the polls', () => {
	let ethereum: Ethereum;
	let solanaNode: SolanaNode;
	let solanaRelay: Relay;
	let tron: TronStandIn;
	let customer: SolanaWallet;
	let service: TestService;
	let partner: Credentials;
	const TRON_REFUND = 'TNTaxKbS6KAfbWnZobDhBThTxnvq34yxZo';
	const ETH_REFUND = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';

	beforeAll(async () => {
		ethereum = await startEthereum('Ethereum', 'regtest');
		await installTokens(ethereum.anvil, 'Ethereum');
		solanaNode = await startSolanaNode({ slotMilliseconds: 200, finalizedAfter: 8 });
		solanaRelay = await startRelay(solanaNode.url);
		tron = await startTronStandIn();
		await tron.mine(1);
		service = await startTestService({
			NODE_URL_ETHEREUM: ethereum.relay.url,
			NODE_POLL_SECONDS_ETHEREUM: '1',
			NODE_URL_SOLANA: solanaRelay.url,
			NODE_POLL_SECONDS_SOLANA: '1',
			NODE_URL_TRON: tron.url,
			NODE_POLL_SECONDS_TRON: '1',
		});
		customer = await solanaWallet(solanaNode, 1_000n * LAMPORTS);
		await ethereum.anvil.rpc(
			'anvil_setBalance',
			await service.hotAddress('Ethereum'),
			`0x${(100n * COIN).toString(16)}`,
		);
		solanaNode.place(await service.hotAddress('Solana'), { owner: SYSTEM_PROGRAM, lamports: 1_000n * LAMPORTS });
		await tron.setBalance(await service.hotAddress('Tron'), 500_000n * TRX);
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		await takeBeyondReserve(service, 'ETH', 'SOL', 'TRX');
	}, 2 * PATIENCE);
	afterAll(async () => {
		await service?.local.stop();
		await Promise.all([ethereum?.stop(), solanaRelay?.stop(), tron?.stop()]);
		await solanaNode?.stop();
		if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	const calls: Record<Counted, () => Made[]> = {
		Ethereum: () => ethereum.relay.calls.map(({ method, params }) => ({ method, text: JSON.stringify(params) })),
		Solana: () => solanaRelay.calls.map(({ method, params }) => ({ method, text: JSON.stringify(params) })),
		Tron: () => tron.calls.map(({ path, body }) => ({ method: path, text: JSON.stringify(body) })),
	};

	const newOrder = (asked: {
		fromCcy: string;
		toCcy: string;
		amount: string;
		toAddress: string;
		refundAddress: string;
	}) =>
		eventually(
			`an order of ${asked.fromCcy} to be taken`,
			async (): Promise<CreatedOrder | false> => {
				const answer = await create(service, partner, asked);
				return answer.code === 0 && answer.data;
			},
			PATIENCE,
		);

	it(
		'asks at most as many calls as the book says, of the nodes of both its networks',
		async () => {
			const orders = [
				await newOrder({
					fromCcy: 'ETH',
					toCcy: 'TRX',
					amount: '0.1',
					toAddress: TRON_REFUND,
					refundAddress: ETH_REFUND,
				}),
				await newOrder({
					fromCcy: 'TRX',
					toCcy: 'SOL',
					amount: '1000',
					toAddress: customer.address,
					refundAddress: TRON_REFUND,
				}),
				await newOrder({
					fromCcy: 'SOL',
					toCcy: 'ETH',
					amount: '2',
					toAddress: ETH_REFUND,
					refundAddress: customer.address,
				}),
			] as const;
			const before = Object.fromEntries(COUNTED.map((name) => [name, calls[name]().length]));
			await ethereum.pay(orders[0].from.address, COIN / 10n);
			await tron.pay(orders[1].from.address, 1_000n * TRX);
			await customer.pay(orders[2].from.address, 2n * LAMPORTS);
			await eventually(
				'three payouts and three sweeps to be final',
				async () => {
					await Promise.all([ethereum.anvil.mine(20), tron.mine(20)]);
					const [row] = await service.sql<{ n: number }>(
						"SELECT count(*) AS n FROM transactions WHERE state = 'final' AND kind IN ('payout', 'sweep')",
					);
					return row?.n === 6;
				},
				PATIENCE,
			);
			const hot = await service.hotAddress('Solana');
			const marks: Record<Counted, Marks> = {
				Ethereum: {
					poll: ({ method, text }) => method === 'eth_call' && /"0x[0-9a-f]+"\]$/.test(text),
					upkeep: ({ method, text }) => method === 'eth_call' && text.includes(USDC) && text.endsWith('"pending"]'),
				},
				Solana: {
					poll: ({ method, text }) => method === 'getMultipleAccounts' && text.includes(orders[2].from.address),
					upkeep: ({ method, text }) => method === 'getMultipleAccounts' && text.includes(accountOf(hot, 'USDCSOL')),
				},
				Tron: {
					poll: ({ method }) => method === '/wallet/getblockbylimitnext',
					upkeep: ({ text }) => text.includes('balanceOf(address)'),
				},
			};
			for (const name of COUNTED) {
				// Where no block has come since the last poll, Tron is asked for its head.
				const made = calls[name]()
					.slice(before[name])
					.filter(({ method }) => method !== '/wallet/getblock');
				const [polls, upkeeps] = [made.filter(marks[name].poll).length, made.filter(marks[name].upkeep).length];
				const { poll, open, upkeep, order } = NODE_FIGURES[name];
				// Tron's blocks may be empty here, without receipts.
				const receipts = name === 'Tron' ? 1 : 0;
				const beyond = made.length - polls * (poll - receipts + open) - upkeeps * upkeep;
				console.log(
					`${name}: ${made.length} calls in ${polls} polls, ${upkeeps} of them with upkeep: ${beyond} beyond`,
				);
				expect(beyond).toBeLessThanOrEqual(order);
			}
		},
		2 * PATIENCE,
	);
});
