/**
 * Monero addresses and keys against the vectors of Monero's own tests (unit_tests/base58.cpp;
 * functional_tests/wallet.py, integrated_address.py, validate_address.py) and of Ledger's seed converter.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58xmr, hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { describe, expect, it } from 'vitest';
import { isMoneroAddress, moneroAddress, withoutPaymentId } from '../../src/chains/monero/address.ts';
import { hotAddress, moneroKeys, payInAddress, primaryAddress, subaddress } from '../../src/chains/monero/keys.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);

const BASE58 = [
	['', ''],
	['00', '11'],
	['39', '1z'],
	['ff', '5Q'],
	['0000', '111'],
	['0100', '15R'],
	['ffff', 'LUv'],
	['010000', '11LUw'],
	['ffffff', '2UzHL'],
	['00000039', '11111z'],
	['ffffffff', '7YXq9G'],
	['ffffffffff', 'VtB5VXc'],
	['ffffffffffff', '3CUsUpv9t'],
	['ffffffffffffff', 'Ahg1opVcGW'],
	['0000000000000000', '11111111111'],
	['0000000000000008', '11111111119'],
	['000000000000003a', '11111111121'],
	['00ffffffffffffff', '1Ahg1opVcGW'],
	['06156013762879f7', '22222222222'],
	['05e022ba374b2a00', '1z111111111'],
	['ffffffffffffffff', 'jpXCZedGfVQ'],
	['ffffffffffffffffff', 'jpXCZedGfVQ5Q'],
	['06156013762879f7ffffffffff', '22222222222VtB5VXc'],
] as const;

const NOT_BASE58 = [
	'1',
	'z',
	'1111',
	'zzzz',
	'11111111',
	'zzzzzzzz',
	'123456789AB1',
	'123456789ABzzzz',
	'123456789ABzzzzzzzz',
	'5R',
	'zz',
	'LUw',
	'zzz',
	'2UzHM',
	'7YXq9H',
	'VtB5VXd',
	'3CUsUpv9u',
	'Ahg1opVcGX',
	'jpXCZedGfVR',
	'zzzzzzzzzzz',
	'123456789AB5R',
	'123456789ABjpXCZedGfVR',
	'zzzzzzzzzzz11',
	'10',
	'11I',
	'11O11',
	'11l111',
	'11_11111111',
];

describe("Monero's base58", () => {
	it.each(BASE58)('%s is %s', (bytes, text) => {
		expect(base58xmr.encode(hex.decode(bytes))).toBe(text);
		expect(hex.encode(base58xmr.decode(text))).toBe(bytes);
	});

	it.each(NOT_BASE58)('%s is not base58', (text) => {
		expect(() => base58xmr.decode(text)).toThrow();
		expect(isMoneroAddress(text)).toBe(false);
		expect(withoutPaymentId(text)).toBe(text);
	});
});

/** From wallet.py: what Monero's own wallet derives from these keys. */
const WALLET = {
	secretSpendKey: littleEndian('148d78d2aba7dbca5cd8f6abcfb0b3c009ffbdbea1ff373d50ed94d78286640e'),
	secretViewKey: littleEndian('49774391fa5e8d249fc2c5b45dadef13534bf2483dede880dac88f061e809100'),
};
const PRIMARY = '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';
const INTEGRATED =
	'4CMe2PUhs4J4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfSbLRB61BQVATzerHGj';
const SUBADDRESSES = [
	[0, 1, '84QRUYawRNrU3NN1VpFRndSukeyEb3Xpv8qZjjsoJZnTYpDYceuUTpog13D7qPxpviS7J29bSgSkR11hFFoXWk2yNdsR9WF'],
	[1, 0, '82pP87g1Vkd3LUMssBCumk3MfyEsFqLAaGDf6oxddu61EgSFzt8gCwUD4tr3kp9TUfdPs2CnpD7xLZzyC1Ei9UsW3oyCWDf'],
	[2, 0, '8Bdb75y2MhvbkvaBnG7vYP6DCNneLWcXqNmfPmyyDkavAUUgrHQEAhTNK3jEq69kGPDrd3i5inPivCwTvvA12eQ4SJk9iyy'],
	[1, 1, '87qyoPVaEcWikVBmG1TaP1KumZ3hB3Q5f4wZRjuppNdwYjWzs2RgbLYQgtpdu2YdoTT3EZhiUGaPJQt2FsykeFZbCtaGXU4'],
	[1, 2, '87KfgTZ8ER5D3Frefqnrqif11TjVsTPaTcp37kqqKMrdDRUhpJRczeR7KiBmSHF32UJLP3HHhKUDmEQyJrv2mV8yFDCq8eB'],
] as const;

function littleEndian(text: string): bigint {
	return BigInt(`0x${hex.encode(hex.decode(text).reverse())}`);
}

describe('keys of Monero', () => {
	it("are those that a Ledger with the same mnemonic has at m/44'/128'/0'/0/0", () => {
		expect(moneroKeys(SEED)).toEqual({
			secretSpendKey: littleEndian('3b094ca7218f175e91fa2402b4ae239a2fe8262792a3e718533a1a357a1e4109'),
			secretViewKey: littleEndian('0f3fe25d0c6d4c94dde0c0bcc214b233e9c72927f813728b0f01f28f9d5e1201'),
		});
	});

	it("have the primary address that Monero's wallet shows", () => {
		expect(primaryAddress(WALLET)).toBe(PRIMARY);
	});

	it.each(SUBADDRESSES)("have the subaddress %d, %d that Monero's wallet shows", (account, minor, address) => {
		expect(subaddress(WALLET, account, minor)).toBe(address);
	});

	it('pay out from the primary address, and take deposits on the subaddresses of account 0, from index 1', () => {
		const keys = moneroKeys(SEED);
		expect(hotAddress(SEED)).toBe(primaryAddress(keys));
		expect(payInAddress(SEED, 0)).toBe(subaddress(keys, 0, 1));
		expect(payInAddress(SEED, 599)).toBe(subaddress(keys, 0, 600));
		const addresses = [hotAddress(SEED), ...Array.from({ length: 50 }, (_, index) => payInAddress(SEED, index))];
		expect(new Set(addresses).size).toBe(51);
		expect(addresses.every(isMoneroAddress)).toBe(true);
	});

	it.each([-1, 0.5, 2_147_483_648, Number.NaN])('are refused at index %d', (index) => {
		expect(() => payInAddress(SEED, index)).toThrow(RangeError);
	});
});

/** The keys of base58.cpp's `test_serialized_keys`. */
const SPEND_KEY = hex.decode('f724bc5c6cfbb9d97602c300423a2f28641874513a035778a0c1778d833201e9');
const VIEW_KEY = hex.decode('220939689edf1abd5bc1d031f73ecd6c993add66d6808870456afeb8e7eeb68d');

const changed = (key: Uint8Array, at: number, byte: number): Uint8Array => key.with(at, byte);

describe('addresses of Monero', () => {
	it('are prefix, spend key, view key and checksum', () => {
		expect(moneroAddress('standard', SPEND_KEY, VIEW_KEY)).toBe(
			'4AzKEX4gXdJdNeM6dfiBFL7kqund3HYGvMBF3ttsNd9SfzgYB6L7ep1Yg1osYJzLdaKAYSLVh6e6jKnAuzj3bw1oGy9kXCb',
		);
	});

	it.each([
		PRIMARY,
		'44Kbx4sJ7JDRDV5aAhLJzQCjDz2ViLRduE3ijDZu3osWKBjMGkV1XPk4pfDUMqt1Aiezvephdqm6YD19GKFD9ZcXVUTp6BW',
		INTEGRATED,
		'4BxSHvcgTwu25WooY4BVmgdcKwZu5EksVZSZkDd6ooxSVVqQ4ubxXkhLF6hEqtw96i9cf3cVfLw8UWe95bdDKfRQeYtPwLm1Jiw7AKt2LY',
		'8AsN91rznfkBGTY8psSNkJBg9SZgxxGGRUhGwRptBhgr5XSQ1XzmA9m8QAnoxydecSh5aLJXdrgXwTDMMZ1AuXsN1EX5Mtm',
		'86kKnBKFqzCLxtK1Jmx2BkNBDBSMDEVaRYMMyVbeURYDWs8uNGDZURKCA5yRcyMxHzPcmCf1q2fSdhQVcaKsFrtGRsdGfNk',
	])('%s is accepted', (address) => {
		expect(isMoneroAddress(address)).toBe(true);
	});

	it('an integrated one names the wallet of its standard form', () => {
		expect(withoutPaymentId(INTEGRATED)).toBe(PRIMARY);
		expect(withoutPaymentId(PRIMARY)).toBe(PRIMARY);
	});

	it.each([
		['testnet', '9ujeXrjzf7bfeK3KZdCqnYaMwZVFuXemPU8Ubw335rj2FN1CdMiWNyFV3ksEfMFvRp9L9qum5UxkP5rN9aLcPxbH1au4WAB'],
		['stagenet', '53teqCAESLxeJ1REzGMAat1ZeHvuajvDiXqboEocPaDRRmqWoVPzy46GLo866qRFjbNhfkNckyhST3WEvBviDwpUDd7DSzB'],
		[
			'testnet, integrated',
			'AApMA1VuhiCaHzr5X2KXi2Zc9oJ3VaGjkfChxxpRpxkyKf1NetvbRbQTbFMrGkr85DjnEH7JsBaoUFsgKwZnmtnVWnoB8MDotCsLb7eWwz',
		],
		[
			'testnet, subaddress',
			'BdKg9udkvckC5T58a8Nmtb6BNsgRAxs7uA2D49sWNNX5HPW5Us6Wxu8QMXrnSx3xPBQQ2iu9kwEcRGAoiz6EPmcZKbF62GS',
		],
		[
			'stagenet, integrated',
			'5K8mwfjumVseCcQEjNbf59Um6R9NfVUNkHTLhhPCmNvgDLVS88YW5tScnm83rw9mfgYtchtDDTW5jEfMhygi27j1QYphX38hg6m4VMtN29',
		],
		[
			'stagenet, subaddress',
			'73LhUiix4DVFMcKhsPRG51QmCsv8dYYbL6GcQoLwEEFvPvkVvc7BhebfA4pnEFF9Lq66hwvLqBvpHjTcqvpJMHmmNjPPBqa',
		],
		['a wrong checksum', `${PRIMARY.slice(0, -1)}9`],
		['a spend key off the curve', moneroAddress('standard', changed(SPEND_KEY, 0, 0), VIEW_KEY)],
		['a view key off the curve', moneroAddress('standard', SPEND_KEY, changed(VIEW_KEY, 31, 1))],
		['a spend key of small order', moneroAddress('standard', ed25519.Point.ZERO.toBytes(), VIEW_KEY)],
		['a view key too short', moneroAddress('standard', SPEND_KEY, VIEW_KEY.subarray(1))],
		['the integrated form cut to the length of a standard one', INTEGRATED.slice(0, PRIMARY.length)],
		[
			'an integrated form without its payment id',
			base58xmr.encode(Uint8Array.of(19, ...base58xmr.decode(PRIMARY).slice(1))),
		],
		['a space at the end', `${PRIMARY} `],
		['a line break at the end', `${PRIMARY}\n`],
		['a name of OpenAlias', 'donate@getmonero.org'],
		['very much', '4'.repeat(16_000)],
		['nothing', ''],
		['a beginning', '42ey'],
		['an address of Solana', 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
	])('are refused: %s', (_why, text) => {
		expect(isMoneroAddress(text)).toBe(false);
	});

	it('are refused when one character is changed', () => {
		for (let at = 0; at < PRIMARY.length; at++) {
			const other = PRIMARY.charAt(at) === '2' ? '3' : '2';
			expect(isMoneroAddress(PRIMARY.slice(0, at) + other + PRIMARY.slice(at + 1))).toBe(false);
		}
	});
});
