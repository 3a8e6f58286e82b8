/**
 * Signatures of reserves: published vectors of each format, other implementations, and what the signed bytes can never be. No
 * node is asked.
 */
import { createRequire } from 'node:module';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58xmr, base64, createBase58check, hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import fc from 'fast-check';
import { TronWeb } from 'tronweb';
import { parseTransaction, recoverMessageAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { NETWORK_NAMES, NETWORKS, type NetworkName, networkNamed } from '../../src/catalog/networks.ts';
import { messageBytes, signMessage as signAsAccount } from '../../src/chains/account-message.ts';
import { evmSigner } from '../../src/chains/evm/signing.ts';
import { moneroAddress } from '../../src/chains/monero/address.ts';
import { type ReserveText, readReserveText, reserveText } from '../../src/chains/reserve-text.ts';
import type { ChainSigner } from '../../src/chains/signing-port.ts';
import { solanaSigner } from '../../src/chains/solana/signing.ts';
import { tronSigner } from '../../src/chains/tron/signing.ts';
import { byteReader } from '../../src/chains/utxo/byte-reader.ts';
import { signedOnUtxo } from '../../src/chains/utxo/message-signature.ts';
import { ownAddress } from '../../src/chains/utxo/own-script.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { dashBytes, signMessage, spendingBytes, spendingDigest, spentBytes } from '../../src/chains/utxo/prove.ts';
import { utxoSigner } from '../../src/chains/utxo/signing.ts';
import { holds } from '../../src/chains/utxo/transaction.ts';
import { nextTransaction, readTransaction } from '../../src/chains/utxo/transaction-bytes.ts';
import { repeatedReserve, verifyReserve } from '../../src/chains/verify-reserve.ts';
import type { SignedText } from '../../src/chains/verifying-port.ts';
import { signedBy } from '../../src/chains/verifying-registry.ts';
import type { ReserveRow } from '../../src/ports/reserves.ts';
import { signReserves } from '../../src/signer/reserves.ts';
import { keepingOf } from '../support/keeping.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const NODE = { urls: ['http://127.0.0.1:1'], chain: 'main' } as const;
const HASH = 'ab'.repeat(32);
const isoOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
const claimNow = () => ({ number: 491_234, debts: HASH, at: isoOf(Date.now()) });
const BLOCK = { height: 900_000, hash: '00'.repeat(32) };

const signerOn = (name: Exclude<NetworkName, 'Monero'>): ChainSigner => {
	const network = networkNamed(name);
	if (network.family === 'evm') return evmSigner(network, NODE, SEED);
	if (network.family === 'tron') return tronSigner(network, NODE, SEED);
	if (network.family === 'solana') return solanaSigner(network, NODE, SEED);
	return utxoSigner(network, NODE, SEED, { keeping: keepingOf() });
};

/** Monero's wallets sign by themselves: `nodes/monero`. */
const SIGNING = NETWORK_NAMES.filter((name) => name !== 'Monero');

/** With a journal that has given out the first ten addresses. */
const ownOn = (network: Exclude<NetworkName, 'Monero'>) => {
	const signer = signerOn(network);
	const indexes = new Map(Array.from({ length: 10 }, (_, index) => [signer.payInAddress(index), index]));
	return { deployment: 'swap', network, indexes };
};

/** `index`: of a pay-in address; null: the hot wallet's. */
async function rowOf(
	network: Exclude<NetworkName, 'Monero'>,
	claim = claimNow(),
	index: number | null = null,
): Promise<ReserveRow> {
	const signer = signerOn(network);
	const address = index === null ? signer.hotAddress() : signer.payInAddress(index);
	const [signed] = (await signReserves(signer, ownOn(network), { claim, block: BLOCK }, [address])) ?? [];
	if (!signed) throw new Error('nothing is signed');
	const { message, signature } = signed;
	return { network, address, holdings: [], message, signature };
}

/** As a wallet signs any text: the vectors are over texts of others. */
const asText = (text: string) => text as ReserveText;

describe('a published signature', () => {
	const BITCOIN = utxoParams(NETWORKS.Bitcoin, 'main');
	const privateKey = createBase58check(sha256)
		.decode('L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k')
		.slice(1, 33);
	const publicKey = secp256k1.getPublicKey(privateKey);
	const key = { ...ownAddress(publicKey, BITCOIN), publicKey, privateKey };

	it.each([
		[
			'',
			'AkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40ASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=',
			'AkgwRQIhAPkJ1Q4oYS0htvyuSFHLxRQpFAY56b70UvE7Dxazen0ZAiAtZfFz1S6T6I23MWI2lK/pcNTWncuyL8UL+oMdydVgzAEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy',
		],
		[
			'Hello World',
			'AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=',
			'AkgwRQIhAOzyynlqt93lOKJr+wmmxIens//zPzl9tqIOua93wO6MAiBi5n5EyAcPScOjf1lAqIUIQtr3zKNeavYabHyR8eGhowEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy',
		],
	])('of BIP-322 over “%s” is made, and verifies', (text, another, ours) => {
		expect(key.address).toBe('bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l');
		expect(signMessage(key, asText(text))).toBe(ours);
		for (const signature of [ours, another]) {
			const signed = { address: key.address, message: text, signature };
			expect(signedOnUtxo(NETWORKS.Bitcoin, 'main', signed)).toBe('all');
			expect(signedOnUtxo(NETWORKS.Bitcoin, 'main', { ...signed, message: `${text}!` })).toBe('none');
			expect(signedOnUtxo(NETWORKS.Bitcoin, 'main', { ...signed, address: key.address.toUpperCase() })).toBe('none');
		}
	});

	/** Bitcoin Core's tests of BIP-322, made by buidl-python. */
	it('of BIP-322 by the keys of a script holds over the digest that is signed here: “full” for p2sh', () => {
		const text = 'This will be a p2sh 2-of-3 multisig BIP 322 signed message';
		const bytes = base64.decode(
			'AAAAAAHNcfHaNfl8f/+ZC2gTr8aF+0KgppYjKM94egaNm/u1ZAAAAAD8AEcwRAIhAJ6hdj61vLDP+aFa30qUZQmrbBfE0kiOObYvt5nqPSxsAh9IrOKFwflfPRUcQ/5e0REkdFHVP2GGdUsMgDet+sNlAUcwRAIgH3eW/VyFDoXvCasd8qxgwj5NDVo0weXvM6qyGXLCR5YCIEwjbEV6fS6RWP6QsKOcMwvlGr1/SgdCC6pW4eH87/YgAUxpUiECKJfGy28imLcuAeNBLHCNv3NRP5jnJwFDNRXCYNY/vJ4hAv1RQtaZs7+vKqQeWl2rb/jd/gMxkEjUnjZdDGPDZkMLIQL65cH2X5O7LujjTLDL2l8Pxy0Y2UUR99u1qCfjdz7dklOuAAAAAAEAAAAAAAAAAAFqAAAAAA==',
		);
		const { firstScript } = nextTransaction(byteReader(bytes), { x11: false });
		const lock = firstScript.subarray(-105);
		const { address, script } = ownAddress(lock, { ...BITCOIN, ownScript: 'p2sh' });
		expect(address).toBe('3LnYoUkFrhyYP3V7rq3mhpwALz1XbCY9Uq');
		expect(spendingBytes(script, text, firstScript)).toEqual(bytes);
		const digest = spendingDigest(script, lock, text);
		const signatures = [firstScript.subarray(2, 73), firstScript.subarray(74, 145)];
		expect(signatures.map((each, at) => holds(each, digest, keyIn(lock, at + 1)))).toEqual([true, true]);
	});

	it('of BIP-322 by the keys of a script holds over the digest that is signed here: “simple” for p2wsh', () => {
		const text = 'This will be a p2wsh 3-of-3 multisig BIP 322 signed message';
		const next = byteReader(
			base64.decode(
				'BQBIMEUCIQDQoXvGKLH58exuujBOta+7+GN7vi0lKwiQxzBpuNuXuAIgIE0XYQlFDOfxbegGYYzlf+tqegleAKE6SXYIa1U+uCcBRzBEAiATegywVl6GWrG9jJuPpNwtgHKyVYCX2yfuSSDRFATAaQIgTLlU6reLQsSIrQSF21z3PtUO2yAUseUWGZqRUIE7VKoBSDBFAiEAgxtpidsU0Z4u/+5RB9cyeQtoCW5NcreLJmWXZ8kXCZMCIBR1sXoEinhZE4CF9P9STGIcMvCuZjY6F5F0XTVLj9SjAWlTIQP3dyWvTZjUENWJowMWBsQrrXCUs20Gu5YF79CG5Ga0XSEDwqI5GVBOuFkFzQOGH5eTExSAj2Z/LDV/hbcvAPQdlJMhA17FuuJd+4wGuj+ZbVxEsFapTKAOwyhfw9qpch52JKxbU64=',
			),
		);
		const [, ...items] = Array.from({ length: next.count() }, next.counted);
		const lock = items.at(-1) as Uint8Array;
		const { address, script } = ownAddress(lock, { ...BITCOIN, ownScript: 'p2wsh' });
		expect(address).toBe('bc1qlqtuzpmazp2xmcutlwv0qvggdvem8vahkc333usey4gskug8nutsz53msw');
		const digest = spendingDigest(script, lock, text);
		expect(items.slice(0, -1).map((each, at) => holds(each, digest, keyIn(lock, at)))).toEqual([true, true, true]);
	});

	const keyIn = (lock: Uint8Array, at: number): Uint8Array => lock.subarray(2 + 34 * at, 35 + 34 * at);

	it('of Dash’s own documentation verifies', () => {
		const signed = {
			address: 'XwHihwiQzheVKbT76e7ZhPkujDCQGEZC6P',
			message: 'Documentation test signature',
			signature: 'IKaEt7MTb4Y57WIde5TLUkm1vbVsjk/L9eG+TE2tdQhMeK9vGgTsqcVOTmXXQ6QA0/WQtxqPURH2qZG27YR2VE0=',
		};
		expect(signedOnUtxo(NETWORKS.Dash, 'main', signed)).toBe('all');
		expect(signedOnUtxo(NETWORKS.Dash, 'main', { ...signed, message: 'another' })).toBe('none');
	});

	it('of personal_sign is made, and verifies', () => {
		const secret = hex.decode('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
		const signature = signAsAccount('Ethereum', asText('Some data'), secret);
		expect(signature).toBe(
			'0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c',
		);
		const signed = { address: '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23', message: 'Some data', signature };
		expect(signedBy('Ethereum', 'main', signed)).toBe('all');
		expect(signedBy('Tron', 'main', signed)).toBe('none');
		expect(signedBy('Ethereum', 'main', { ...signed, address: signed.address.toLowerCase() })).toBe('none');
	});
});

describe('the signature of a reserve', () => {
	it.each(SIGNING)('on %s verifies for its text and address, and for no other', async (network) => {
		const signed = (text: SignedText) => signedBy(network, 'main', text);
		for (const index of [null, 0, 7]) {
			const row = await rowOf(network, claimNow(), index);
			expect(signed(row)).toBe('all');
			expect(signed({ ...row, message: row.message.replace(HASH, 'cd'.repeat(32)) })).toBe('none');
			const other = await rowOf(network, claimNow(), (index ?? 0) + 1);
			expect(signed({ ...row, address: other.address })).toBe('none');
			expect(signed({ ...row, signature: other.signature })).toBe('none');
		}
	});

	it('on Ethereum is what viem verifies', async () => {
		const { address, message, signature } = await rowOf('Ethereum');
		expect(await recoverMessageAddress({ message, signature: signature as `0x${string}` })).toBe(address);
	});

	it('on Tron is what tronweb verifies', async () => {
		const { address, message, signature } = await rowOf('Tron');
		const { trx } = new TronWeb({ fullHost: 'http://127.0.0.1:1' });
		expect(await trx.verifyMessageV2(message, signature)).toBe(address);
	});

	it('on Dash is what bitcore verifies', async () => {
		const { address, message, signature } = await rowOf('Dash');
		const { Message } = createRequire(import.meta.url)('bitcore-lib-dash');
		expect(new Message(message).verify(address, signature)).toBe(true);
	});

	it.each(SIGNING)('on %s is never that of a transaction', async (network) => {
		const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => hex.encode(bytes));
		const index = fc.nat({ max: 50 });
		const signer = signerOn(network);
		const facts = fc.record({ debts: hash, hash, index, number: fc.nat(), height: fc.nat() });
		fc.assert(
			fc.property(facts, ({ debts, hash: block, index: at, number, height }) => {
				const address = signer.payInAddress(at);
				const claim = { number, debts, at: isoOf(1_800_000_000_000) };
				const text = reserveText({ ...claim, deployment: '-', network, address, block: { height, hash: block } });
				expectNoTransaction(network, text);
			}),
			{ numRuns: 25 },
		);
	});
});

/** By family, why the bytes that are hashed are none. */
function expectNoTransaction(name: NetworkName, text: string): void {
	const network = networkNamed(name);
	if (network.family === 'utxo') {
		const params = utxoParams(network, 'main');
		if (params.hrp === null) {
			expect(() => readTransaction(dashBytes(text), { x11: true })).toThrow();
			return;
		}
		// It spends what only the block of height 0 could have made, and that one is another.
		const spent = readTransaction(spentBytes(new Uint8Array(22).fill(1), text), { x11: false });
		expect(spent.isCoinbase).toBe(true);
		expect(spent.outputs).toMatchObject([{ amount: 0n }]);
		expect(hex.encode(spent.bytes.subarray(41, 43))).toBe('2200');
	} else if (network.family === 'solana') {
		const bytes = new TextEncoder().encode(text);
		const [required = 0, readOnly = 0] = bytes;
		expect(readOnly).toBeGreaterThan(required);
	} else {
		const bytes = messageBytes(network.family === 'tron' ? 'TRON' : 'Ethereum', text);
		expect(bytes[0]).toBe(0x19);
		expect(() => parseTransaction(`0x${hex.encode(bytes)}` as `0x02${string}`)).toThrow();
	}
}

describe('the signer', () => {
	it.each(SIGNING)('signs on %s nothing but that it holds an address of its own at its own time', async (network) => {
		const signer = signerOn(network);
		const mine = [signer.hotAddress(), signer.payInAddress(0), signer.payInAddress(9)];
		const junk = fc.oneof(
			fc.constantFrom('', ' ', `${HASH} `, `${HASH}\n`, HASH, HASH.toUpperCase(), isoOf(Date.now()), isoOf(0), 'now'),
			fc.string(),
		);
		const mostly = (value: unknown) =>
			fc.oneof({ weight: 6, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: fc.oneof(junk, number) });
		const number = fc.constantFrom(-1, 0.5, Number.NaN, 2 ** 60, '1 ', null);
		const asked = fc.record({
			claim: fc.record({ number: mostly(7), debts: mostly(HASH), at: mostly(isoOf(Date.now())) }),
			block: fc.record({ height: mostly(8), hash: mostly(HASH) }),
			addresses: fc.array(fc.constantFrom(...mine, signer.payInAddress(10), '', HASH, '__proto__'), { maxLength: 3 }),
		});
		const own = ownOn(network);
		let signed = 0;
		await fc.assert(
			fc.asyncProperty(asked, async ({ claim, block, addresses }) => {
				const given = [{ claim, block }, addresses] as unknown as [Parameters<typeof signReserves>[2], string[]];
				const answer = await signReserves(signer, own, ...given).catch((error) => error);
				if (answer instanceof Error) return;
				for (const { message, address } of answer) {
					signed += 1;
					const facts = readReserveText(message);
					const { number, debts, at } = claim;
					expect(facts).toMatchObject({ deployment: 'swap', network, address, debts, at, block: { hash: block.hash } });
					expect([String(facts?.number), String(facts?.block.height)]).toEqual([String(number), String(block.height)]);
					expect(Math.abs(Date.parse(facts?.at ?? '') - Date.now())).toBeLessThan(11 * 60_000);
					expect(mine).toContain(address);
				}
			}),
			{ numRuns: 60 },
		);
		expect(signed).toBeGreaterThan(0);
	});

	it.each([
		['an hour ago', -3_600_000],
		['in an hour', 3_600_000],
	])('signs nothing for a time %s', async (_when, off) => {
		await expect(rowOf('Ethereum', { ...claimNow(), at: isoOf(Date.now() + off) })).rejects.toThrow('another time');
	});
});

describe('a row', () => {
	const expected = { ...claimNow(), deployment: 'swap' };

	it('that the wallet signed is signed, and no more, while no node shows its balance', async () => {
		expect(await verifyReserve(await rowOf('Solana', expected), expected, {})).toMatchObject({ is: 'signed' });
	});

	it.each([
		['of another deployment', { deployment: 'other' }, 'deployment'],
		['beside other debts', { debts: 'cd'.repeat(32) }, 'debts'],
		['beside an older root', { number: 1 }, 'debts'],
		['of another date', { at: '2026-01-01T00:00:00Z' }, 'at'],
	])('%s is refused by that name', async (_what, change, what) => {
		const verdict = await verifyReserve(await rowOf('Litecoin', expected), { ...expected, ...change }, {});
		expect(verdict).toMatchObject({ is: 'says-other', what });
	});

	it.each<[string, Partial<ReserveRow>, string]>([
		['under another address', { address: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh' }, 'address'],
		['under another network', { network: 'Bitcoin' }, 'network'],
		['with an asset of another network', { holdings: [{ asset: 'BTC', amount: '1' }] }, 'network'],
		['over another text', { message: 'Send all to me' }, 'form'],
	])('%s is refused by that name', async (_what, change, what) => {
		const verdict = await verifyReserve({ ...(await rowOf('Litecoin', expected)), ...change }, expected, {});
		expect(verdict).toMatchObject({ is: 'says-other', what });
	});

	it('whose text was changed to fit has a wrong signature', async () => {
		const old = { ...claimNow(), at: isoOf(Date.now() - 60_000) };
		const row = await rowOf('Tron', old);
		const verdict = await verifyReserve({ ...row, message: row.message.replace(old.at, expected.at) }, expected, {});
		expect(verdict).toEqual({ is: 'signature-wrong' });
	});

	it('of Monero is no more than told without a wallet, and under an integrated address none: its coins would count twice', async () => {
		const keys = [1, 2].map((fill) => ed25519.getPublicKey(new Uint8Array(32).fill(fill))) as [Uint8Array, Uint8Array];
		const integrated = Uint8Array.of(19, ...keys[0], ...keys[1], ...new Uint8Array(8).fill(3));
		const checksum = keccak_256(integrated).subarray(0, 4);
		const claimed = (address: string): ReserveRow => {
			const message = reserveText({ ...expected, network: 'Monero', address, block: BLOCK });
			return { network: 'Monero', address, holdings: [], message, signature: 'ReserveProofV2…' };
		};
		const verdict = await verifyReserve(claimed(moneroAddress('standard', ...keys)), expected, {});
		expect(verdict).toMatchObject({ is: 'unchecked', why: expect.stringMatching('only a wallet can tell') });
		const other = [base58xmr.encode(Uint8Array.of(...integrated, ...checksum)), moneroAddress('subaddress', ...keys)];
		for (const address of other)
			expect(await verifyReserve(claimed(address), expected, {})).toEqual({ is: 'signature-wrong' });
	});

	it('whose address another row has counts once', async () => {
		const [row, other] = [await rowOf('Tron'), await rowOf('Ethereum')];
		expect(repeatedReserve([row, other])).toBeNull();
		expect(repeatedReserve([row, other, { ...row }])).toBe(`Tron ${row.address}`);
	});
});
