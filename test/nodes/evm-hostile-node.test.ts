/**
 * Nodes that answer nonsense, in front of a real one. Whatever one method answers, the family reports that the chain is
 * unavailable, or the truth. It never throws anything else, and never credits money.
 */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { networkNamed } from '../../src/catalog/networks.ts';
import { BroadcastRejected, ChainUnavailable } from '../../src/chains/errors.ts';
import { evmChain } from '../../src/chains/evm/family.ts';
import { hotAddress, payInAddress } from '../../src/chains/evm/keys.ts';
import { evmSigner } from '../../src/chains/evm/signing.ts';
import type { Chain, DepositRef } from '../../src/chains/port.ts';
import { type Anvil, questionsThatCall, type Relay, startAnvil, startRelay } from '../support/anvil.ts';
import { feeOf } from '../support/chain-costs.ts';
import { ReservationSet, textsOf } from '../support/reservations.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const HOT = hotAddress(SEED);
const ADDRESS = payInAddress(SEED, 7);
/** Its balance grows without a transaction that names it. */
const SILENT = payInAddress(SEED, 8);
const CUSTOMER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const AMOUNT = 10n ** 18n;
const ETHEREUM = networkNamed('Ethereum');
const STATE = { spent: new ReservationSet(), indexesOf: () => new Map<string, number>() };

const NONSENSE: readonly unknown[] = [
	null,
	true,
	0,
	-1,
	1.5,
	'',
	'0x',
	'0xzz',
	'latest',
	'-0x1',
	`0x${'f'.repeat(65)}`,
	1e300,
	[],
	[[]],
	[null],
	{},
	{ number: null },
	{ result: '0x1' },
	{ __proto__: null, number: '0x1' },
	{ number: '0x1', hash: '0x1', transactions: [] },
	{ number: `0x${'f'.repeat(64)}`, hash: `0x${'1'.repeat(64)}`, transactions: [] },
	{ number: '0x2', hash: `0x${'1'.repeat(64)}`, transactions: [null] },
	{ number: '0x2', hash: `0x${'1'.repeat(64)}`, transactions: [{ hash: 1, to: ADDRESS, value: -5 }] },
	{ transactionHash: `0x${'1'.repeat(64)}`, blockHash: `0x${'1'.repeat(64)}`, blockNumber: '0x1', status: '0x1' },
];

const METHODS = [
	'eth_chainId',
	'eth_getBlockByNumber',
	'eth_getBlockByHash',
	'eth_call',
	'eth_getBalance',
	'eth_getTransactionReceipt',
	'eth_getTransactionByHash',
	'eth_getTransactionCount',
	'eth_estimateGas',
	'eth_sendRawTransaction',
	'eth_maxPriorityFeePerGas',
	'debug_traceBlockByNumber',
];

let anvil: Anvil;
let relay: Relay;
let deposit: DepositRef;
/** The same amount, seen as growth of a balance: the evidence names a block. */
let growth: DepositRef;
let growthHeight: number;
let raw: string;

beforeAll(async () => {
	anvil = await startAnvil({ chainId: 1, automine: false, slotsInAnEpoch: 1 });
	relay = await startRelay(anvil.url);
	await anvil.rpc('anvil_setBalance', HOT, `0x${(10n * AMOUNT).toString(16)}`);
	await anvil.mine(5);
	const value = `0x${AMOUNT.toString(16)}`;
	const txId = (await anvil.rpc('eth_sendTransaction', { from: CUSTOMER, to: ADDRESS, value })) as string;
	await anvil.rpc('anvil_setBalance', SILENT, value);
	await anvil.mine(15);
	deposit = { txId, position: 'native', address: ADDRESS, asset: 'ETH', amount: AMOUNT };
	const chain = evmChain(ETHEREUM, { urls: [anvil.url], chain: 'main' }, HOT);
	const seen = await chain.scan('2', watched(SILENT));
	growth = { ...deposit, ...seen.deposits[0], address: SILENT };
	expect(growth.position).toBe('balance');
	const [depth] = await chain.depths([growth]);
	growthHeight = (typeof depth === 'object' && depth?.height) || 0;
	expect(growthHeight).toBeGreaterThan(0);
	const signer = evmSigner(ETHEREUM, { urls: [anvil.url], chain: 'main' }, SEED);
	raw = (await signer.sign({ id: '1', asset: 'ETH', to: CUSTOMER, amount: 1n }, STATE)).raw;
});

afterEach(() => relay.intercept(() => undefined));

afterAll(async () => {
	await relay?.stop();
	await anvil?.stop();
});

const watched = (address: string) => async () => [{ address, asset: 'ETH' as const, known: [], swept: 0n }];

/** Every call of the family, each with a check of its answer. */
function questions(): Record<string, () => Promise<void>> {
	const chain = evmChain(ETHEREUM, { urls: [relay.url], chain: 'main' }, HOT);
	const signer = evmSigner(ETHEREUM, { urls: [relay.url], chain: 'main' }, SEED);
	return {
		register: () => chain.register([]),
		scan: () => expectAmount(chain, ADDRESS),
		scanOfGrowth: () => expectAmount(chain, SILENT),
		async depths() {
			const [depth] = await chain.depths([deposit]);
			expect(depth).toBeOneOf([null, expect.objectContaining({ height: 6 })]);
		},
		async depthsOfGrowth() {
			const [depth] = await chain.depths([growth]);
			expect(depth).toBeOneOf([null, expect.objectContaining({ height: growthHeight })]);
		},
		async transactionDepth() {
			const depth = await chain.transactionDepth(deposit.txId);
			expect(depth).toBeOneOf([null, expect.objectContaining({ height: 6 })]);
		},
		async costsNow() {
			const { amount: fee } = await feeOf(chain, 'ETH');
			expect(fee > 0n && fee < AMOUNT).toBe(true);
		},
		async balance() {
			expect(await chain.balance('ETH')).toBe(10n * AMOUNT);
		},
		broadcast: () => chain.broadcast(raw).finally(() => anvil.rpc('anvil_dropAllTransactions')),
		async finalAmount() {
			expect(await signer.finalAmount([deposit], ({ confirmations }) => confirmations >= 12, [])).toBeOneOf([
				0n,
				AMOUNT,
			]);
		},
		async sign() {
			const signed = await signer.sign({ id: '2', asset: 'ETH', to: CUSTOMER, amount: 1n }, STATE);
			expect(textsOf(signed.spends)[0]).toBe('nonce:0');
			expect(signed.fee < AMOUNT).toBe(true);
		},
	};
}

async function expectAmount(chain: Chain, address: string): Promise<void> {
	const { deposits } = await chain.scan('2', watched(address));
	expect(deposits.reduce((sum, { amount }) => sum + amount, 0n)).toBeOneOf([0n, AMOUNT]);
}

const isAllowed = (error: unknown): boolean => error instanceof ChainUnavailable || error instanceof BroadcastRejected;

describe('a node that speaks nonsense', () => {
	it.each(METHODS)('in answer to %s makes the chain unavailable, and no money', async (method) => {
		const all = questions();
		const asked = await questionsThatCall(relay, method, all);
		const asking = Object.entries(all).filter(([question]) => asked.has(question));
		for (const [at, result] of NONSENSE.entries()) {
			relay.intercept((call) => (call.method === method ? { result } : undefined));
			for (const [question, ask] of asking) {
				const error = await ask().catch((reason: unknown) => reason);
				expect(error === undefined || isAllowed(error), `${question}, nonsense ${at}: ${error}`).toBe(true);
			}
		}
	});

	it.each(METHODS)('or refuses %s makes the chain unavailable, and no money', async (method) => {
		const all = questions();
		const asked = await questionsThatCall(relay, method, all);
		const asking = Object.entries(all).filter(([question]) => asked.has(question));
		for (const message of ['the method does not exist', 'rate limit exceeded', 'missing trie node', '']) {
			relay.intercept((call) => (call.method === method ? { error: { code: -32000, message } } : undefined));
			for (const [question, ask] of asking) {
				const error = await ask().catch((reason: unknown) => reason);
				expect(error === undefined || isAllowed(error), `${question}, ${message}: ${error}`).toBe(true);
			}
		}
	});

	it('without end in its traces is still believed about its balances', async () => {
		let frame: Record<string, unknown> = { type: 'CALL', to: ADDRESS, value: '0x1' };
		for (let depth = 0; depth < 3_000; depth += 1) frame = { type: 'CALL', to: ADDRESS, value: '0x1', calls: [frame] };
		relay.intercept(({ method, params }) => {
			if (method === 'debug_traceBlockByNumber') return { result: [{ result: frame }] };
			// Hides the transaction that paid.
			if (method === 'eth_getBlockByNumber' && params[1] === true)
				return { result: { number: params[0], hash: `0x${'1'.repeat(64)}`, transactions: [] } };
			return undefined;
		});
		const chain = evmChain(ETHEREUM, { urls: [relay.url], chain: 'main' }, HOT);
		const { deposits } = await chain.scan('2', watched(ADDRESS));
		expect(deposits.map(({ position, amount }) => [position, amount])).toEqual([['balance', AMOUNT]]);
	});
});

describe('what a node says of a transaction that it does not take', () => {
	const thrown = async (message: string, code = -32000): Promise<unknown> => {
		relay.intercept(({ method }) => (method === 'eth_sendRawTransaction' ? { error: { code, message } } : undefined));
		const chain = evmChain(ETHEREUM, { urls: [relay.url], chain: 'main' }, HOT);
		return chain.broadcast(raw).catch((error: unknown) => error);
	};
	const said = async (message: string): Promise<unknown> => ((await thrown(message)) as Error | undefined)?.name;

	it.each([
		'already known',
		'AlreadyKnown',
		'known transaction: 5f',
		'transaction already imported',
		'ALREADY_EXISTS: already known',
	])('“%s” is success', async (message) => {
		expect(await said(message)).toBeUndefined();
	});

	it.each([
		'nonce too low: next nonce 5, tx nonce 4',
		'OldNonce, Current nonce: 5, nonce of rejected tx: 4',
		'insufficient funds for gas * price + value: balance 0, tx cost 5, overshot 5',
		'InsufficientFunds, Balance is 0 less than sending value + gas 5',
		'intrinsic gas too low: gas 5, minimum needed 21000',
		'invalid sender',
		'invalid chain id for signer: have 5 want 1',
		'exceeds block gas limit',
		'transaction type not supported',
		'rlp: expected List',
	])('“%s” is rejected, for the operator', async (message) => {
		expect(await said(message)).toBe('BroadcastRejected');
	});

	it.each([
		'transaction underpriced: tip needed 5, tip permitted 1',
		'replacement transaction underpriced',
		'max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: 2',
		'fee cap less than block base fee',
		'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 2',
	])('“%s” needs a version with a higher fee', async (message) => {
		expect(await thrown(message)).toMatchObject({ name: 'BroadcastRejected', underpriced: true });
	});

	it.each([
		'txpool is full',
		'nonce too high',
		'rate limit exceeded',
		'the method eth_sendRawTransaction is not supported',
		'internal error',
	])('“%s” is a transient error', async (message) => {
		expect(await said(message)).toBe('ChainUnavailable');
	});
});
