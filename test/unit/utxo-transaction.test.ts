/** Signed transactions of the UTXO networks, byte for byte as @scure/btc-signer makes them. */
import { hex } from '@scure/base';
import { RawOldTx, RawTx } from '@scure/btc-signer/script.js';
import { Transaction as Library } from '@scure/btc-signer/transaction.js';
import { describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { utxoKeys } from '../../src/chains/utxo/keys.ts';
import { keyHashScript, scriptHashScript, witnessScript } from '../../src/chains/utxo/output-script.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { type SigningCoin, signedTransaction } from '../../src/chains/utxo/transaction.ts';
import { readTransaction } from '../../src/chains/utxo/transaction-bytes.ts';
import { formOf } from '../../src/chains/utxo/watching.ts';

const seed = new Uint8Array(64).fill(7);
const BITCOIN = utxoParams(NETWORKS.Bitcoin, 'main');
const DASH = utxoParams(NETWORKS.Dash, 'main');
const idOf = (number: number): string => (number * 0x9e3779b1).toString(16).padStart(64, 'c0ffee');

interface Paid {
	readonly script: Uint8Array;
	readonly amount: bigint;
}

function byLibrary(coins: readonly SigningCoin[], outputs: readonly Paid[], replaceable: boolean) {
	const made = new Library({ allowLegacyWitnessUtxo: true });
	const sequence = replaceable ? 0xfffffffd : 0xfffffffe;
	for (const { txId, vout, amount, key } of coins)
		made.addInput({ txid: txId, index: vout, sequence, witnessUtxo: { script: key.script, amount } });
	for (const output of outputs) made.addOutput(output);
	for (const [at, { key }] of coins.entries()) made.signIdx(key.privateKey, at);
	made.finalize();
	return { raw: made.hex, txId: made.id };
}

const coinsOf = (params: typeof BITCOIN, count: number): SigningCoin[] =>
	Array.from({ length: count }, (_, at) => ({
		txId: idOf(at + count),
		vout: at * 257,
		amount: BigInt(at + 1) * 123_456_789n,
		key: at % 3 === 2 ? utxoKeys(seed, params).hot : utxoKeys(seed, params).payIn(at % 7),
	}));

const ONE: readonly Paid[] = [{ script: witnessScript(new Uint8Array(20).fill(1)), amount: 1n }];
const MIXED: readonly Paid[] = [
	{ script: keyHashScript(new Uint8Array(20).fill(2)), amount: 546n },
	{ script: scriptHashScript(new Uint8Array(20).fill(3)), amount: 0n },
	{ script: witnessScript(new Uint8Array(32).fill(4)), amount: 100_000_000n },
];
/** Outputs that one byte cannot count. */
const MANY = 253;

describe.each([
	['p2wpkh', BITCOIN],
	['p2pkh', DASH],
])('a transaction that spends %s', (_kind, params) => {
	const expectSame = (coins: readonly SigningCoin[], outputs: readonly Paid[], replaceable: boolean) =>
		expect(signedTransaction(coins, outputs, replaceable)).toEqual(byLibrary(coins, outputs, replaceable));

	test.each([1, 2, 5, 12])('of %i coins has the bytes and the id that the library gives it', (count) => {
		for (const outputs of [ONE, MIXED]) expectSame(coinsOf(params, count), outputs, true);
		expectSame(coinsOf(params, count), MIXED, false);
	});

	test('of more outputs than one byte can count has them too', () => {
		const outputs = Array.from({ length: MANY }, (_, at) => ({
			script: witnessScript(new Uint8Array(20).fill(at)),
			amount: BigInt(at),
		}));
		expectSame(coinsOf(params, 1), outputs, true);
	});

	test('is as long without its witnesses as the library says', () => {
		const { raw } = signedTransaction(coinsOf(params, 3), MIXED, true);
		const stripped = RawOldTx.encode(RawTx.decode(hex.decode(raw))).length;
		expect(readTransaction(hex.decode(raw), formOf(params)).strippedBytes).toBe(stripped);
	});

	test.each<[string, Partial<SigningCoin>, Partial<Paid>]>([
		['more than its coins have', { amount: 99n }, {}],
		['less than nothing', {}, { amount: -1n }],
		['more than can be written', { amount: 2n ** 65n }, { amount: 2n ** 64n }],
		['from an id that is too short', { txId: 'ab' }, {}],
		['from an output with a negative number', { vout: -1 }, {}],
		['from an output with a number that is not whole', { vout: 0.5 }, {}],
	])('is never made to pay %s', (_wrong, coin, output) => {
		const [first] = coinsOf(params, 1);
		const [paid] = ONE;
		const make = () =>
			signedTransaction(
				[{ ...(first as SigningCoin), ...coin }],
				[{ ...(paid as Paid), amount: 100n, ...output }],
				true,
			);
		expect(make).toThrow();
	});
});
