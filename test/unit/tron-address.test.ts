/** Tron addresses and keys against published vectors. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { createBase58check, hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { describe, expect, it } from 'vitest';
import { isTronAddress, tronAddress } from '../../src/chains/tron/address.ts';
import { hotAddress, hotKey, payInAddress, payInKey } from '../../src/chains/tron/keys.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const WALLET = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const base58check = createBase58check(sha256);

describe('keys of Tron', () => {
	it("follow BIP44 with Tron's coin type, as its wallets do", () => {
		expect([0, 1, 2].map((index) => payInAddress(SEED, index))).toEqual([
			WALLET,
			'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
			'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx',
		]);
	});

	it('are keys of their addresses', () => {
		for (const key of [payInKey(SEED, 0), payInKey(SEED, 2_147_483_647), hotKey(SEED)]) {
			const point = secp256k1.getPublicKey(key.privateKey, false).subarray(1);
			expect(tronAddress(keccak_256(point).subarray(12))).toBe(key.address);
		}
	});

	it('differ between deposits and the hot wallet, and between indexes', () => {
		const addresses = [hotAddress(SEED), ...Array.from({ length: 50 }, (_, index) => payInAddress(SEED, index))];
		expect(new Set(addresses).size).toBe(51);
		expect(addresses.every(isTronAddress)).toBe(true);
	});

	it.each([-1, 0.5, 2_147_483_648, Number.NaN])('are refused at index %d', (index) => {
		expect(() => payInAddress(SEED, index)).toThrow(RangeError);
	});
});

describe('addresses of Tron', () => {
	it('are base58check of 0x41 and 20 bytes: the contract of USDT, in both of its published forms', () => {
		const address = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
		expect(tronAddress(hex.decode('a614f803b6fd780986a42c78ec9c7f77e6ded13c'))).toBe(address);
		expect(isTronAddress(address)).toBe(true);
	});

	it('are refused when one character is changed', () => {
		for (let at = 1; at < WALLET.length; at++) {
			const other = WALLET.charAt(at) === '2' ? '3' : '2';
			expect(isTronAddress(WALLET.slice(0, at) + other + WALLET.slice(at + 1))).toBe(false);
		}
	});

	it.each([
		['the hex form', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'],
		['the hex form of an EVM address', '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c'],
		["the address of zeros, where Tron's users burn coins", 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
		["a test network's version", base58check.encode(Uint8Array.of(0xa0, ...base58check.decode(WALLET).subarray(1)))],
		[
			'a version beside the right one',
			base58check.encode(Uint8Array.of(0x42, ...base58check.decode(WALLET).subarray(1))),
		],
		['19 bytes', base58check.encode(base58check.decode(WALLET).subarray(0, 20))],
		['21 bytes', base58check.encode(Uint8Array.of(...base58check.decode(WALLET), 1))],
		['a space at the end', `${WALLET} `],
		['a line break at the end', `${WALLET}\n`],
		['lower case', WALLET.toLowerCase()],
		['nothing', ''],
		['an address of Bitcoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
	])('are refused: %s', (_why, text) => {
		expect(isTronAddress(text)).toBe(false);
	});
});
