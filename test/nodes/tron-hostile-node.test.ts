/**
 * Tron nodes that answer nonsense, in front of the stand-in. Whatever one path answers, the family reports that the
 * chain is unavailable, or the truth. It never throws anything else, never credits money, and never signs for too much.
 */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { networkNamed } from '../../src/catalog/networks.ts';
import { BroadcastRejected, ChainUnavailable, InsufficientReserve } from '../../src/chains/errors.ts';
import type { DepositRef } from '../../src/chains/port.ts';
import { tronChain } from '../../src/chains/tron/family.ts';
import { hotAddress, payInAddress } from '../../src/chains/tron/keys.ts';
import { tronSigner } from '../../src/chains/tron/signing.ts';
import { feeOf } from '../support/chain-costs.ts';
import { ReservationSet } from '../support/reservations.ts';
import { startTronStandIn, type TronStandIn } from '../support/tron-stand-in.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const HOT = hotAddress(SEED);
const [COINS, TOKENS, RECIPIENT] = [7, 8, 9].map((index) => payInAddress(SEED, index)) as [string, string, string];
const TRX = 1_000_000n;
const AMOUNT = 50n * TRX;
const RESERVE = 1_000n * TRX;
const TRON = networkNamed('Tron');
const STATE = { spent: new ReservationSet(), indexesOf: () => new Map<string, number>() };
/** A limit of 100 TRX for energy, and some bandwidth: no transaction costs more. */
const MAX_FEE = 101n * TRX;

/** On a busy machine, milliseconds. */
const PATIENCE = 180_000;

const ID = '1'.repeat(64);
const HEAD = {
	blockID: `${'0'.repeat(15)}2${'1'.repeat(48)}`,
	block_header: { raw_data: { number: 2, timestamp: 5 } },
};
const NONSENSE: readonly unknown[] = [
	true,
	'""',
	'no JSON',
	[],
	[null],
	{},
	{ Error: 'class java.lang' },
	{ blockID: ID, block_header: { raw_data: { number: 5 } } },
	HEAD,
	{ block: [{ ...HEAD, transactions: [{ txID: ID }] }] },
	{ block: Array(50).fill(HEAD) },
	`{"balance":99999999999999999999999,"address":"${HOT}"}`,
	{ id: ID, blockNumber: 2 ** 60 },
	[{ id: ID, log: [{ topics: 5 }] }],
	{ result: { result: true }, constant_result: ['f'.repeat(64)], energy_used: 2 ** 41 },
	{ chainParameter: ['getEnergyFee', 'getTransactionFee'].map((key) => ({ key, value: 9_007_199_254_740_991 })) },
	{ result: true, txid: ID },
	{ code: 'UNHEARD_OF', message: 'zz' },
];

const PATHS = [
	'getblock',
	'getblockbynum',
	'getblockbylimitnext',
	'gettransactioninfobyblocknum',
	'gettransactioninfobyid',
	'gettransactionbyid',
	'gettransactionfrompending',
	'getaccount',
	'getchainparameters',
	'triggerconstantcontract',
	'broadcasthex',
];

let tron: TronStandIn;
let coins: DepositRef;
let tokens: DepositRef;
let cursor: string;
let raw: string;
let txId: string;
let paymentId: string;

beforeAll(async () => {
	tron = await startTronStandIn();
	await tron.setBalance(HOT, RESERVE);
	await tron.setBalance(RECIPIENT, TRX);
	await tron.issue(HOT, RESERVE);
	await tron.mine(5);
	const honest = tronChain(TRON, { urls: [tron.url], chain: 'regtest' }, HOT);
	({ cursor } = await honest.scan(null, async () => []));
	const paid = [await tron.pay(COINS, AMOUNT), await tron.payToken(TOKENS, AMOUNT)] as const;
	await tron.mine(25);
	coins = { txId: paid[0], position: 'native', address: COINS, asset: 'TRX', amount: AMOUNT };
	tokens = { txId: paid[1], position: 'log:0', address: TOKENS, asset: 'USDTTRC20', amount: AMOUNT };
	const signer = tronSigner(TRON, { urls: [tron.url], chain: 'regtest' }, SEED);
	const sent = await signer.sign({ id: '0', asset: 'TRX', to: RECIPIENT, amount: 2n }, STATE);
	await honest.broadcast(sent.raw);
	await tron.mine(1);
	paymentId = sent.txId;
	({ raw, txId } = await signer.sign({ id: '1', asset: 'TRX', to: RECIPIENT, amount: 1n }, STATE));
});

afterEach(() => tron.intercept(() => undefined));

afterAll(() => tron?.stop());

/** Every call of the family, each with a check of its answer. */
function questions(): Record<string, () => Promise<void>> {
	const nodes = { urls: [tron.url], chain: 'regtest' as const };
	const chain = tronChain(TRON, nodes, HOT);
	const signer = tronSigner(TRON, nodes, SEED);
	const watched = async () => [coins, tokens].map(({ address, asset }) => ({ address, asset, known: [], swept: 0n }));
	return {
		register: () => chain.register([]),
		async scan() {
			const { deposits } = await chain.scan(cursor, watched);
			expect(deposits.every(({ amount }) => amount === AMOUNT) && deposits.length <= 2).toBe(true);
		},
		async depths() {
			for (const depth of await chain.depths([coins, tokens]))
				expect(depth === null || (depth !== 'unknown' && depth.confirmations < 60)).toBe(true);
		},
		async transactionDepth() {
			expect(await chain.transactionDepth(txId)).toBeOneOf([null, expect.objectContaining({ height: null })]);
		},
		async paymentsTo() {
			const paid = await signer.look?.paymentsTo?.('TRX', [RECIPIENT], 0);
			expect(paid?.map(({ txId: id }) => id)).toEqual([paymentId]);
		},
		async costsNow() {
			for (const asset of ['TRX', 'USDTTRC20'] as const) {
				const { amount } = await feeOf(chain, asset);
				expect(amount < MAX_FEE).toBe(true);
			}
		},
		broadcast: () => chain.broadcast(raw),
		async finalAmount() {
			const final = await signer.finalAmount([coins, tokens], ({ irreversible }) => irreversible, []);
			expect(final).toBeOneOf([0n, AMOUNT, 2n * AMOUNT]);
		},
		async sign() {
			for (const asset of ['TRX', 'USDTTRC20'] as const) {
				const signed = await signer.sign({ id: '2', asset, to: RECIPIENT, amount: 1n }, STATE);
				expect(signed.fee < MAX_FEE).toBe(true);
			}
		},
		async sweep() {
			await chain.sweeping?.quote([coins, tokens]);
			const signed = await signer.sweep?.({ id: '3', asset: 'TRX', index: 7 }, STATE);
			expect(signed && signed.fee < MAX_FEE).toBe(true);
		},
	};
}

const isAllowed = (error: unknown): boolean =>
	error === undefined ||
	[ChainUnavailable, BroadcastRejected, InsufficientReserve].some((kind) => error instanceof kind);

/** Which questions ask which path, of a node that tells the truth. */
const askedBy = new Map<string, Set<string>>();

describe('a node that speaks nonsense', () => {
	beforeAll(async () => {
		for (const [question, ask] of Object.entries(questions())) {
			const before = tron.calls.length;
			tron.intercept((path) => (path === '/wallet/broadcasthex' ? { code: 'SERVER_BUSY' } : undefined));
			await ask().catch(() => undefined);
			askedBy.set(question, new Set(tron.calls.slice(before).map(({ path }) => path.replace(/.*\//, ''))));
		}
	});

	it.each(PATHS)('in answer to %s makes the chain unavailable, and no money', { timeout: PATIENCE }, async (path) => {
		expect([...askedBy.values()].some((paths) => paths.has(path))).toBe(true);
		for (const [at, answer] of NONSENSE.entries()) {
			tron.intercept((asked) => {
				if (asked === '/wallet/broadcasthex' && path !== 'broadcasthex') return { code: 'SERVER_BUSY' };
				return asked.endsWith(`/${path}`) ? answer : undefined;
			});
			for (const [question, ask] of Object.entries(questions())) {
				if (!askedBy.get(question)?.has(path)) continue;
				const error = await ask().catch((reason: unknown) => reason);
				expect(isAllowed(error), `${question}, nonsense ${at}: ${error}`).toBe(true);
			}
		}
	});

	it('and names a deposit that the chain does not hold is not believed by the signer', async () => {
		const forged = { ...coins, txId: ID, amount: 10n ** 12n };
		tron.intercept((path) => {
			if (path === '/wallet/gettransactioninfobyid') return { id: ID, blockNumber: 3 };
			return undefined;
		});
		const signer = tronSigner(TRON, { urls: [tron.url], chain: 'regtest' }, SEED);
		expect(await signer.finalAmount([forged], ({ irreversible }) => irreversible, [])).toBe(0n);
	});
});
