import { sha256 } from '@noble/hashes/sha2.js';
import { base58check, bech32, bech32m, hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { p2wpkh } from '@scure/btc-signer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { isUtxoAddress, scriptOf } from '../../src/chains/utxo/address.ts';
import { utxoKeys } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';

const BITCOIN = utxoParams(NETWORKS.Bitcoin, 'main');
const LITECOIN = utxoParams(NETWORKS.Litecoin, 'main');
const DASH = utxoParams(NETWORKS.Dash, 'main');
/** The BIPs' vectors are partly Bitcoin testnet's. */
const TESTNET = { ...BITCOIN, hrp: 'tb', p2pkh: 0x6f, p2sh: [0xc4] };

const seed = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
/** HASH160 of the public key of private key 1. */
const HASH = hex.decode('751e76e8199196d454941c45d1b3a323f1433bd6');
/** The x of the generator of secp256k1. */
const GENERATOR_X = hex.decode('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
const base58 = (version: number) => base58check(sha256).encode(Uint8Array.of(version, ...HASH));
const segwit = (hrp: string, version: number, program: Uint8Array, codec = version === 0 ? bech32 : bech32m) =>
	codec.encode(hrp, [version, ...codec.toWords(program)], false);
const script = (text: string, params = BITCOIN) => {
	const found = scriptOf(text, params);
	return found && hex.encode(found);
};

describe('segwit addresses, by the vectors of BIP173 and BIP350', () => {
	test.each([
		['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', BITCOIN, '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
		[
			'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
			TESTNET,
			'00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
		],
		[
			'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy',
			TESTNET,
			'0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
		],
		[
			'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c',
			TESTNET,
			'5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
		],
		[
			'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
			BITCOIN,
			'512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
		],
	])('%s is accepted, and stands for its script', (text, params, expected) => {
		expect(script(text, params)).toBe(expected);
	});

	test.each([
		'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
		'BC1SW50QGDZ25J',
		'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
	])('%s is well-formed, but nobody can say who may spend it: refused', (text) => {
		expect(script(text)).toBeNull();
	});

	test('pay-to-anchor, a version 1 program of two bytes, is refused', () => {
		expect(script('bc1pfeessrawgf')).toBeNull();
	});

	test.each([
		'tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut',
		'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
		'tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf',
		'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL',
		'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh',
		'tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47',
		'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4',
		'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R',
		'bc1pw5dgrnzv',
		'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav',
		'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P',
		'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq',
		'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf',
		'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j',
		'bc1gmk9yu',
		'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
		'bc1rw5uspcuh',
		'bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90',
		'bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du',
	])('%s is refused', (text) => {
		expect(script(text)).toBeNull();
		expect(script(text, TESTNET)).toBeNull();
	});

	test('a taproot key that does not lift to the curve is refused (BIP340, vector 5)', () => {
		const x = hex.decode('eefdea4cdb677750a420fee807eacf21eb9898ae79b9768766e4faa04a2d4a34');
		expect(script(segwit('bc', 1, x))).toBeNull();
		expect(script(segwit('bc', 1, new Uint8Array(32).fill(0xff)))).toBeNull();
	});

	test('mixed case is refused', () => {
		expect(script('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')).not.toBeNull();
		expect(script('Bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')).toBeNull();
		expect(script('BC1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')).toBeNull();
	});

	test('any single changed character is refused', () => {
		const text = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
		const place = fc.integer({ min: 0, max: text.length - 1 });
		fc.assert(
			fc.property(place, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), (at, character) => {
				fc.pre(character !== text[at]);
				expect(isUtxoAddress(text.slice(0, at) + character + text.slice(at + 1), BITCOIN)).toBe(false);
			}),
		);
	});
});

describe('each network accepts its own addresses', () => {
	const toKey = `76a914${hex.encode(HASH)}88ac`;
	const toScript = `a914${hex.encode(HASH)}87`;
	test.each([
		['Bitcoin P2PKH', BITCOIN, '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH', toKey],
		['Bitcoin P2SH', BITCOIN, base58(0x05), toScript],
		['Litecoin L', LITECOIN, base58(0x30), toKey],
		['Litecoin M', LITECOIN, base58(0x32), toScript],
		['Litecoin ltc1 v0', LITECOIN, 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', `0014${hex.encode(HASH)}`],
		['Litecoin ltc1 v1', LITECOIN, segwit('ltc', 1, GENERATOR_X), `5120${hex.encode(GENERATOR_X)}`],
		['Dash X', DASH, base58(0x4c), toKey],
		['Dash 7', DASH, base58(0x10), toScript],
	])('%s', (_name, params, text, expected) => {
		expect(script(text, params)).toBe(expected);
	});
});

describe('no network accepts what is not its own', () => {
	test.each([
		['Bitcoin on Litecoin', LITECOIN, '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH'],
		['the older 3 form, which is Bitcoin’s too, on Litecoin', LITECOIN, base58(0x05)],
		['Bitcoin on Litecoin', LITECOIN, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
		['Litecoin on Bitcoin', BITCOIN, base58(0x30)],
		['Litecoin on Bitcoin', BITCOIN, base58(0x32)],
		['Litecoin on Bitcoin', BITCOIN, 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
		['Bitcoin on Dash', DASH, '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH'],
		['segwit on Dash', DASH, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
		['Dash on Bitcoin', BITCOIN, base58(0x4c)],
		['testnet on Bitcoin', BITCOIN, base58(0x6f)],
		['regtest on Litecoin', LITECOIN, segwit('rltc', 0, HASH)],
		['MWEB', LITECOIN, segwit('ltcmweb', 0, new Uint8Array(66).fill(2))],
		['an MWEB witness program', LITECOIN, segwit('ltc', 9, new Uint8Array(32).fill(2))],
		['a wrong checksum', BITCOIN, '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMJ'],
		['a short payload', BITCOIN, base58check(sha256).encode(Uint8Array.of(0, ...HASH.slice(1)))],
		['surrounding space', BITCOIN, ' 1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH'],
		['nothing', BITCOIN, ''],
		['a very long text', BITCOIN, '1'.repeat(1_000_000)],
	])('%s is refused', (_name, params, text) => {
		expect(isUtxoAddress(text, params)).toBe(false);
	});

	test('whatever the text is, the answer is yes or no', () => {
		const texts = fc.oneof(
			fc.string({ unit: 'binary' }),
			fc.string().map((tail) => `bc1${tail}`),
		);
		fc.assert(
			fc.property(texts, (text) => {
				expect(isUtxoAddress(text, BITCOIN)).toBe(false);
			}),
		);
	});
});

describe('our own addresses', () => {
	test('Bitcoin follows BIP84, by its vectors', () => {
		expect(utxoKeys(seed, BITCOIN).payIn(0).address).toBe('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
		expect(utxoKeys(seed, BITCOIN).payIn(1).address).toBe('bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g');
	});

	test('Litecoin follows BIP84, Dash BIP44', () => {
		expect(utxoKeys(seed, LITECOIN).payIn(0).address).toBe('ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh');
		expect(utxoKeys(seed, DASH).payIn(0).address).toBe('XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5');
	});

	test('the hot wallet is another account than the deposits', () => {
		const { publicKey } = HDKey.fromMasterSeed(seed).derive("m/84'/0'/1'/0/0");
		expect(publicKey && utxoKeys(seed, BITCOIN).hot.address).toBe(publicKey && p2wpkh(publicKey).address);
		expect(utxoKeys(seed, BITCOIN).hot.address).not.toBe(utxoKeys(seed, BITCOIN).payIn(0).address);
	});

	test('every address that we show is one that we accept', () => {
		for (const params of [BITCOIN, LITECOIN, DASH]) {
			expect(isUtxoAddress(utxoKeys(seed, params).payIn(7).address, params)).toBe(true);
			expect(isUtxoAddress(utxoKeys(seed, params).hot.address, params)).toBe(true);
		}
	});

	test.each([-1, 1.5, 2 ** 31, Number.NaN])('index %s is refused', (index) => {
		expect(() => utxoKeys(seed, BITCOIN).payIn(index).address).toThrow(RangeError);
	});
});
