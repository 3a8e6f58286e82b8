/** Solana addresses and keys against published vectors (SLIP-0010, Solana's own tests of program addresses). */
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { HARDENED_OFFSET, HDKey } from 'micro-key-producer/slip10.js';
import { describe, expect, it } from 'vitest';
import { isSolanaAddress } from '../../src/chains/solana/address.ts';
import { hotAddress, hotKey, payInAddress, payInKey } from '../../src/chains/solana/keys.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const WALLET = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk';

/** SLIP-0010, "Test vector 1 for ed25519" and "Test vector 2 for ed25519": chain code, private key, public key. */
const SLIP10 = [
	{
		seed: '000102030405060708090a0b0c0d0e0f',
		steps: [
			[
				[],
				'90046a93de5380a72b5e45010748567d5ea02bbf6522f979e05c0d8d8ca9fffb',
				'2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7',
				'a4b2856bfec510abab89753fac1ac0e1112364e7d250545963f135f2a33188ed',
			],
			[
				[0],
				'8b59aa11380b624e81507a27fedda59fea6d0b779a778918a2fd3590e16e9c69',
				'68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3',
				'8c8a13df77a28f3445213a0f432fde644acaa215fc72dcdf300d5efaa85d350c',
			],
			[
				[0, 1, 2, 2, 1_000_000_000],
				'68789923a0cac2cd5a29172a475fe9e0fb14cd6adb5ad98a3fa70333e7afa230',
				'8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793',
				'3c24da049451555d51a7014a37337aa4e12d41e485abccfa46b47dfb2af54b7a',
			],
		],
	},
	{
		seed: 'fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542',
		steps: [
			[
				[],
				'ef70a74db9c3a5af931b5fe73ed8e1a53464133654fd55e7a66f8570b8e33c3b',
				'171cb88b1b3c1db25add599712e36245d75bc65a1a5c9e18d76f9f2b1eab4012',
				'8fe9693f8fa62a4305a140b9764c5ee01e455963744fe18204b4fb948249308a',
			],
			[
				[0, 2_147_483_647],
				'138f0b2551bcafeca6ff2aa88ba8ed0ed8de070841f0c4ef0165df8181eaad7f',
				'ea4f5bfe8694d8bb74b7b59404632fd5968b774ed545e810de9c32a4fb4192f4',
				'5ba3b9ac6e90e83effcd25ac4e58a1365a9e35a3d3ae5eb07b9e4d90bcf7506d',
			],
			[
				[0, 2_147_483_647, 1, 2_147_483_646, 2],
				'5d70af781f3a37b829f0d060924d5e960bdc02e85423494afc0b1a41bbe196d4',
				'551d333177df541ad876a60ea71f00447931c0a9da16f227c11ea080d7391b8d',
				'47150c75db263559a70d5778bf36abbab30fb061ad69f69ece61a72b0cfa4fc0',
			],
		],
	},
] as const;

const STEPS = SLIP10.flatMap(({ seed, steps }) => steps.map((step) => [seed, ...step] as const));

describe('SLIP-0010', () => {
	it.each(STEPS)('seed %s, path %j', (seed, path, chainCode, privateKey, publicKey) => {
		const master = HDKey.fromMasterSeed(hex.decode(seed));
		const node = path.reduce<HDKey>((parent, index) => parent.deriveChild(HARDENED_OFFSET + index), master);
		expect(hex.encode(node.chainCode)).toBe(chainCode);
		expect(hex.encode(node.privateKey)).toBe(privateKey);
		expect(hex.encode(ed25519.getPublicKey(node.privateKey))).toBe(publicKey);
	});
});

describe('keys of Solana', () => {
	it("are what Solana's wallets derive at m/44'/501'/index'/0'", () => {
		expect(payInAddress(SEED, 0)).toBe(WALLET);
		expect(payInAddress(SEED, 1)).toBe('Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb');
	});

	it('are keys of their addresses', () => {
		for (const key of [payInKey(SEED, 0), payInKey(SEED, 2_147_483_647), hotKey(SEED)])
			expect(base58.encode(ed25519.getPublicKey(key.privateKey))).toBe(key.address);
	});

	it('differ between deposits and the hot wallet, and between indexes', () => {
		const addresses = [hotAddress(SEED), ...Array.from({ length: 50 }, (_, index) => payInAddress(SEED, index))];
		expect(new Set(addresses).size).toBe(51);
		expect(addresses.every(isSolanaAddress)).toBe(true);
	});

	it.each([-1, 0.5, 2_147_483_648, Number.NaN])('are refused at index %d', (index) => {
		expect(() => payInAddress(SEED, index)).toThrow(RangeError);
	});
});

const ONES = new Uint8Array(30).fill(0xff);

describe('addresses of Solana', () => {
	it('have one canonical form: y of 3 is accepted, y of 3 plus the prime is not', () => {
		expect(isSolanaAddress(base58.encode(Uint8Array.of(3, ...new Uint8Array(31))))).toBe(true);
		expect(isSolanaAddress(base58.encode(Uint8Array.of(0xf0, ...ONES, 0x7f)))).toBe(false);
	});

	it.each([WALLET, 'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb'])('%s is accepted', (address) => {
		expect(isSolanaAddress(address)).toBe(true);
	});

	it.each([
		['a program address, off the curve', 'BwqrghZA2htAcqq8dzP1WDAhTXYTYWj7CHxF5j7TDBAe'],
		['another program address', '13yWmRpaTR4r5nAktwLqMpRNr28tnVUZw26rTvPSSB19'],
		['a third one', '2fnQrngrQT4SeLcdToJAD96phoEjNL2man2kfRLCASVk'],
		['the System Program, a point of small order', '1'.repeat(32)],
		['the neutral point', base58.encode(Uint8Array.of(1, ...new Uint8Array(31)))],
		['31 bytes', base58.encode(base58.decode(WALLET).subarray(1))],
		['33 bytes', base58.encode(Uint8Array.of(1, ...base58.decode(WALLET)))],
		['64 bytes, a transaction', base58.encode(new Uint8Array(64).fill(7))],
		['a character that base58 has not', WALLET.replace('H', '0')],
		['a space at the end', `${WALLET} `],
		['a line break at the end', `${WALLET}\n`],
		['hex', hex.encode(base58.decode(WALLET))],
		['nothing', ''],
		['an address of Tron', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH'],
	])('are refused: %s', (_why, text) => {
		expect(isSolanaAddress(text)).toBe(false);
	});
});
