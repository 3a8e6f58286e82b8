import { hex } from '@scure/base';
import { sha256x2 } from '@scure/btc-signer/utils.js';
import { describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { byAmount, chooseCoins, MAX_INPUTS } from '../../src/chains/utxo/coins.ts';
import { feeFor, typicalFee, virtualSize } from '../../src/chains/utxo/fees.ts';
import { utxoKeys } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { provenTransaction } from '../../src/chains/utxo/proof.ts';
import { signedTransaction } from '../../src/chains/utxo/transaction.ts';

const FORM = { x11: false };

const BITCOIN = utxoParams(NETWORKS.Bitcoin, 'main');
const DASH = utxoParams(NETWORKS.Dash, 'main');
const seed = new Uint8Array(64).fill(7);
const P2WPKH = new Uint8Array(22);
/** 1 sat/vB: a payment of one input with change costs 11 + 68 + 31 + 31. */
const RATE = 1_000n;
const ONE_INPUT_AND_CHANGE = 141n;
const ONE_INPUT_ALONE = 110n;

const coinsOf = (...amounts: bigint[]) => amounts.map((amount) => ({ amount }));
const choose = (amount: bigint, ...amounts: bigint[]) =>
	chooseCoins(coinsOf(...amounts), { amount, rate: RATE, recipientScript: P2WPKH, changeScript: P2WPKH }, BITCOIN);

describe('coins for a payment', () => {
	test('the change is what amount and fee leave', () => {
		expect(choose(100_000n, 500_000n)).toEqual({
			coins: [{ amount: 500_000n }],
			fee: ONE_INPUT_AND_CHANGE,
			change: 400_000n - ONE_INPUT_AND_CHANGE,
		});
	});

	test('change at the dust limit is an output; one unit less goes to the fee', () => {
		const smallest = 100_000n + ONE_INPUT_AND_CHANGE + BITCOIN.dust;
		expect(choose(100_000n, smallest)).toMatchObject({ fee: ONE_INPUT_AND_CHANGE, change: BITCOIN.dust });
		expect(choose(100_000n, smallest - 1n)).toMatchObject({
			fee: ONE_INPUT_AND_CHANGE + BITCOIN.dust - 1n,
			change: 0n,
		});
	});

	test('a coin that covers amount and fee exactly is enough, one unit less is not', () => {
		expect(choose(100_000n, 100_000n + ONE_INPUT_ALONE)).toMatchObject({ fee: ONE_INPUT_ALONE, change: 0n });
		expect(choose(100_000n, 100_000n + ONE_INPUT_ALONE - 1n)).toBeNull();
	});

	test('as few coins as the order allows are taken, and nothing is lost', () => {
		const chosen = choose(100_000n, 60_000n, 50_000n, 40_000n);
		expect(chosen?.coins).toHaveLength(2);
		expect(chosen && chosen.change + chosen.fee + 100_000n).toBe(110_000n);
	});

	test('coins that cost more to spend than they bring are not used', () => {
		expect(choose(1_000n, 900n, 68n, 68n)).toBeNull();
	});

	test('a payment that needs too many coins waits', () => {
		const many = Array.from({ length: MAX_INPUTS + 1 }, () => 1_000n);
		expect(choose(80_000n, ...many)).not.toBeNull();
		expect(choose(100_000n, ...many)).toBeNull();
	});

	test('the largest coins come first, and the order is deterministic', () => {
		const coins = [
			{ amount: 1n, outpoint: 'a' },
			{ amount: 2n, outpoint: 'c' },
			{ amount: 2n, outpoint: 'b' },
		];
		expect(coins.toSorted(byAmount).map(({ outpoint }) => outpoint)).toEqual(['b', 'c', 'a']);
	});
});

describe('fees', () => {
	test('a fraction of a unit is rounded up, so that the rate is reached', () => {
		expect(feeFor(BITCOIN, 1_001n, 1)).toBe(2n);
	});

	test('no transaction pays more than the cap', () => {
		expect(feeFor(BITCOIN, 10n ** 12n, 100_000)).toBe(BITCOIN.maxFee);
	});

	test('the cap leaves the largest transaction above the floor rate', () => {
		for (const params of [BITCOIN, DASH]) {
			const size = virtualSize(params, MAX_INPUTS, [34, 34]);
			expect(feeFor({ ...params, maxFee: 10n ** 18n }, params.minFeeRate, size)).toBeLessThan(params.maxFee);
		}
	});

	test('a payout is estimated with two inputs and two outputs', () => {
		expect(typicalFee(BITCOIN, RATE)).toBe(233n);
	});
});

describe.each([
	['p2wpkh', BITCOIN],
	['p2pkh', DASH],
])('a signed %s transaction', (_kind, params) => {
	const coins = Array.from({ length: 5 }, (_, index) => ({
		txId: String(index).repeat(64),
		vout: index,
		amount: 100_000n,
		key: utxoKeys(seed, params).payIn(index),
	}));
	const outputs = [{ script: utxoKeys(seed, params).hot.script, amount: 400_000n }];

	test('is no larger than the size its fee was computed for', () => {
		const { raw } = signedTransaction(coins, outputs, true);
		const witnesses = params.ownScript === 'p2wpkh';
		const size = virtualSize(params, coins.length, [outputs[0]?.script.length ?? 0]);
		// Witness bytes weigh a quarter (BIP141); at least 105 of the 108 of each input are always used.
		const weight = witnesses ? raw.length / 2 + 3 * (raw.length / 2 - 2 - coins.length * 108) : 2 * raw.length;
		expect(weight / 4).toBeLessThanOrEqual(size);
		expect(weight / 4).toBeGreaterThan(size * 0.9);
	});

	test('is the same each time, and its id is that of its bytes', () => {
		const { raw, txId } = signedTransaction(coins, outputs, true);
		expect(signedTransaction(coins, outputs, true)).toEqual({ raw, txId });
		expect(provenTransaction(raw, txId, FORM)?.spends).toMatchObject(coins.map(({ txId, vout }) => ({ txId, vout })));
	});

	test('proves nothing about another id', () => {
		expect(provenTransaction(signedTransaction(coins, outputs, true).raw, 'f'.repeat(64), FORM)).toBeNull();
	});
});

describe('transactions of the node', () => {
	test('a Dash transaction with a payload and no inputs is read', () => {
		// Version 3, type 9; no input; one output of 5 000 to the script 51; no lock time; a payload of two bytes.
		const raw = `0300090000018813000000000000015100000000${'02aabb'}`;
		expect(provenTransaction(raw, idOf(raw), { x11: true })).toMatchObject({
			spends: [],
			outputs: [{ amount: 5_000n }],
		});
	});

	test.each(['', 'zz', '00', '02000000000100'])('%j is no transaction, and no error either', (raw) => {
		expect(provenTransaction(raw, '0'.repeat(64), FORM)).toBeNull();
	});
});

function idOf(raw: string): string {
	return hex.encode(sha256x2(hex.decode(raw)).reverse());
}
