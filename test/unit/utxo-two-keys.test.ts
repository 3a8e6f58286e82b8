/** The wallet that two judges share on a UTXO network: addresses, sizes and signatures of two keys. */
import { createHash } from 'node:crypto';
import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { p2ms, p2sh, p2wsh } from '@scure/btc-signer';
import { Transaction as Library } from '@scure/btc-signer/transaction.js';
import { describe, expect, test } from 'vitest';
import { type NetworkOf, networkNamed } from '../../src/catalog/networks.ts';
import type { Judges } from '../../src/chains/judge-keys.ts';
import { scriptOf } from '../../src/chains/utxo/address.ts';
import { MAX_INPUTS } from '../../src/chains/utxo/coins.ts';
import { feeFor, virtualSize } from '../../src/chains/utxo/fees.ts';
import { othersAddresses, type UtxoKeys, utxoJudgeKeys, utxoKeys } from '../../src/chains/utxo/keys.ts';
import { twoKeysScript, witnessScript } from '../../src/chains/utxo/output-script.ts';
import { ownAddress, ownAddressOf } from '../../src/chains/utxo/own-script.ts';
import { sharedParams, utxoParams } from '../../src/chains/utxo/params.ts';
import {
	draftOf,
	halfOf,
	joinedTransaction,
	type SigningCoin,
	unsignedTransaction,
} from '../../src/chains/utxo/transaction.ts';
import { readTransaction } from '../../src/chains/utxo/transaction-bytes.ts';
import { formOf } from '../../src/chains/utxo/watching.ts';

const NAMES = ['Bitcoin', 'Litecoin', 'Dash'] as const;
const seedOf = (name: string) => createHash('sha512').update(name).digest();
const [MINE, THEIRS, ATTACKERS] = [seedOf('signer'), seedOf('co-signer'), seedOf('attacker')];
const paramsOf = (name: (typeof NAMES)[number]) => utxoParams(networkNamed(name) as NetworkOf<'utxo'>, 'main');

function judgeOf(name: (typeof NAMES)[number], role: Judges['role'], seed = role === 'signer' ? MINE : THEIRS) {
	const params = paramsOf(name);
	const other = utxoJudgeKeys(role === 'signer' ? THEIRS : MINE, params, true);
	return utxoKeys(seed, params, { role, isCosigned: true, other });
}

describe('the script of two keys', () => {
	/** BIP67, vector 1. */
	const KEYS = [
		'02ff12471208c14bd580709cb2358d98975247d8765f92bc25eab3b2763ed605f8',
		'02fe6f0a5a297eb38c391581c4413e084773ea23954d93f7753db7dc0adc188b2f',
	].map((key) => hex.decode(key)) as [Uint8Array, Uint8Array];
	const SCRIPT =
		'522102fe6f0a5a297eb38c391581c4413e084773ea23954d93f7753db7dc0adc188b2f2102ff12471208c14bd580709cb2358d98975247d8765f92bc25eab3b2763ed605f852ae';

	test('has the keys in the order of their bytes, and the address of BIP16, by the vector of BIP67', () => {
		const script = twoKeysScript(...KEYS);
		expect(hex.encode(script)).toBe(SCRIPT);
		expect(twoKeysScript(KEYS[1], KEYS[0])).toEqual(script);
		const asP2sh = { ...paramsOf('Bitcoin'), ownScript: 'p2sh' as const };
		expect(ownAddress(script, asP2sh).address).toBe('39bgKC7RFbpoCRbtD5KEdkYKtNyhpsNa3Z');
	});

	test('has the address of BIP141 that the library gives it', () => {
		const byLibrary = p2wsh(p2ms(2, KEYS.toReversed()));
		expect(ownAddress(twoKeysScript(...KEYS), sharedParams(paramsOf('Bitcoin')))).toMatchObject({
			address: byLibrary.address,
			script: byLibrary.script,
		});
	});
});

describe.each(NAMES)('the shared wallet of %s', (name) => {
	const params = sharedParams(paramsOf(name));
	const [signer, cosigner] = [judgeOf(name, 'signer'), judgeOf(name, 'cosigner')];

	test('has the same addresses by either seed, which are those of BIP48 by both', () => {
		const keyAt = (seed: Uint8Array, path: string) => HDKey.fromMasterSeed(seed).derive(path).publicKey as Uint8Array;
		const account = `m/48'/${params.coinType}'/0'/${params.hrp === null ? 0 : 2}'`;
		const shared = (path: string) => {
			const script = p2ms(2, [MINE, THEIRS].map((seed) => keyAt(seed, path)).toSorted(Buffer.compare));
			return (params.hrp === null ? p2sh(script) : p2wsh(script)).script;
		};
		for (const index of [0, 1, 2_147_483_647]) {
			expect(signer.payIn(index).address).toBe(cosigner.payIn(index).address);
			expect(signer.payIn(index).script).toEqual(shared(`${account}/0/${index}`));
		}
		expect(signer.hot.address).toBe(cosigner.hot.address);
		expect(signer.hot.script).toEqual(shared(`${account}/1/0`));
		expect(scriptOf(signer.hot.address, params)).toEqual(signer.hot.script);
		expect(ownAddressOf(signer.hot.script, params)).toBe(signer.hot.address);
	});

	test('has other addresses than either seed alone, and than with another second seed', () => {
		const alone = [MINE, THEIRS].map((seed) => utxoKeys(seed, paramsOf(name)).payIn(0).address);
		const otherPair = judgeOf(name, 'cosigner', ATTACKERS).payIn(0).address;
		expect(new Set([...alone, otherPair, signer.payIn(0).address]).size).toBe(4);
	});

	test('is not made of one seed in both places', () => {
		const other = utxoJudgeKeys(MINE, paramsOf(name), true);
		expect(() => utxoKeys(MINE, paramsOf(name), { role: 'signer', isCosigned: true, other })).toThrow(
			'the keys of the other judge are this one’s own: each needs a seed of its own',
		);
	});

	test('is not that of the signer alone, whose addresses the other judge derives from its public keys', () => {
		const own = utxoKeys(MINE, paramsOf(name));
		const others = othersAddresses(paramsOf(name), utxoJudgeKeys(MINE, paramsOf(name), false));
		expect([others.payInAddress(7), others.hotAddress()]).toEqual([own.payIn(7).address, own.hot.address]);
	});
});

function coinsOf(keys: UtxoKeys, count: number): SigningCoin[] {
	return Array.from({ length: count }, (_, at) => ({
		txId: String(at % 10).repeat(64),
		vout: at,
		amount: 100_000n,
		key: at % 3 === 2 ? keys.hot : keys.payIn(at % 7),
	}));
}

describe.each(NAMES)('a transaction of two keys on %s', (name) => {
	const params = sharedParams(paramsOf(name));
	const [signer, cosigner] = [judgeOf(name, 'signer'), judgeOf(name, 'cosigner')];
	const outputs = [
		{ script: witnessScript(new Uint8Array(32).fill(1)), amount: 90_000n },
		{ script: signer.hot.script, amount: 5_000n },
	];
	const unsignedBy = (keys: UtxoKeys, count: number) => unsignedTransaction(coinsOf(keys, count), outputs, true);

	test.each([1, 3])('of %i coins has the bytes that the library gives it with both keys', (count) => {
		const joined = joinedTransaction(unsignedBy(signer, count), halfOf(unsignedBy(cosigner, count)));
		const library = new Library({ allowLegacyWitnessUtxo: true });
		const coins = coinsOf(signer, count);
		for (const { txId, vout, amount, key } of coins) {
			const [sequence, lock] = [0xfffffffd, key.shared?.script ?? new Uint8Array()];
			const input = { txid: txId, index: vout, sequence, witnessUtxo: { script: key.script, amount } };
			library.addInput({ ...input, ...(params.hrp === null ? { redeemScript: lock } : { witnessScript: lock }) });
		}
		for (const output of outputs) library.addOutput(output);
		for (const [at, { key }] of coins.entries()) {
			library.signIdx(key.privateKey, at);
			library.signIdx(coinsOf(cosigner, count)[at]?.key.privateKey ?? key.privateKey, at);
		}
		library.finalize();
		expect(joined).toEqual({ raw: library.hex, txId: library.id });
	});

	test('is the same whichever judge joins the halves, and never larger than the size of its fee', () => {
		for (const count of [1, 5]) {
			const joined = joinedTransaction(unsignedBy(signer, count), halfOf(unsignedBy(cosigner, count)));
			expect(joinedTransaction(unsignedBy(cosigner, count), halfOf(unsignedBy(signer, count)))).toEqual(joined);
			const { strippedBytes, bytes } = readTransaction(hex.decode(joined.raw), formOf(params));
			const size = (strippedBytes * 3 + bytes.length) / 4;
			const bound = virtualSize(
				params,
				count,
				outputs.map(({ script }) => script.length),
			);
			expect(size).toBeLessThanOrEqual(bound);
			// Signatures have 71 or 72 bytes, seldom less.
			expect(size).toBeGreaterThan(bound - 2 - count * (params.hrp === null ? 4 : 1));
		}
	});

	test('shows the lock of each coin, as does its draft, whose id segwit keeps', () => {
		const unsigned = unsignedBy(signer, 2);
		const [draft, joined] = [draftOf(unsigned), joinedTransaction(unsigned, halfOf(unsignedBy(cosigner, 2)))];
		for (const { raw, txId } of [draft, joined]) {
			const read = readTransaction(hex.decode(raw), formOf(params));
			expect(read.id).toBe(txId);
			expect(read.spends.map(({ lock }) => lock)).toEqual([0, 1].map((at) => signer.payIn(at).shared?.script));
		}
		expect(draft.txId === joined.txId).toBe(params.hrp !== null);
	});

	test('is not joined with a half that another key, or other bytes, were signed with', () => {
		const unsigned = unsignedBy(signer, 2);
		const [good = new Uint8Array(), second = new Uint8Array()] = halfOf(unsignedBy(cosigner, 2));
		const flipped = good.with(20, (good[20] ?? 0) ^ 1);
		const anyoneCanPay = good.with(-1, 0x81);
		const attackers = halfOf(unsignedBy(judgeOf(name, 'cosigner', ATTACKERS), 2));
		const otherOutputs = halfOf(unsignedTransaction(coinsOf(cosigner, 2), outputs.slice(0, 1), true));
		const halves = [
			[],
			[good],
			[second, good],
			[flipped, second],
			[anyoneCanPay, second],
			attackers,
			otherOutputs,
			halfOf(unsigned),
		];
		for (const half of halves)
			expect(() => joinedTransaction(unsigned, half)).toThrow('the signature of the co-signer does not hold');
	});

	test('of 253 coins has two bytes more for their number, and so has the size of its fee', () => {
		const sizesOf = (count: number) => [
			readTransaction(hex.decode(draftOf(unsignedBy(signer, count)).raw), formOf(params)).strippedBytes,
			virtualSize(params, count, []),
		];
		const [before, at, after] = [252, 253, 254].map(sizesOf);
		const moreFor = (size: 0 | 1) =>
			(at?.[size] ?? 0) - (before?.[size] ?? 0) - ((after?.[size] ?? 0) - (at?.[size] ?? 0));
		expect([moreFor(0), moreFor(1)]).toEqual([2, 2]);
	});

	test('of as many coins as there may be pays no more than the cap at the lowest rate', () => {
		const size = virtualSize(params, MAX_INPUTS, [34, 34]);
		expect(feeFor({ ...params, maxFee: 10n ** 18n }, params.minFeeRate, size)).toBeLessThan(params.maxFee);
	});
});
