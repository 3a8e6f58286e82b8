/** Blocks and transactions split by their bytes: published ones, and what a provider could make of them. */
import { createRequire } from 'node:module';
import { hex } from '@scure/base';
import { RawTx } from '@scure/btc-signer/script.js';
import { Transaction as Library } from '@scure/btc-signer/transaction.js';
import { describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { splitBlock } from '../../src/chains/utxo/split.ts';
import { readTransaction } from '../../src/chains/utxo/transaction-bytes.ts';

const require = createRequire(import.meta.url);
process.env.NODE_BACKEND = 'js';

const PLAIN = { x11: false };
const DASH = { x11: true };
/** Block 106 of a Dash regtest (DashSync's `testFullBlock`): a coinbase of type 5, a quorum commitment of type 6 without inputs, a payment. */
const DASH_BLOCK = {
	hash: '4f8ddb3f70e9e2ff6b792a37e7391f05901f246ef4f073dc12e2836dba88c9cf',
	bytes: hex.decode(
		`00000020384621d0c5b5e0f84fe336d37e4cce7d9c2d56493102cf88234254721dd3f35c3da65260508ff789b65b19047cded17bf161fc64916f91365a3edab0a675099de699275fffff7f20010000000303000500010000000000000000000000000000000000000000000000000000000000000000ffffffff04016a0101ffffffff01e288526a740000001976a91473483d35610ce83e45bae64ea88714dec7d41e9588ac000000002601006a000000000000000000000000000000000000000000000000000000000000000000000003000600000000000000fd490101006a000000010001f2efb75bd621e59c7115e5c4bdadae772d178f587687c715f88f7f414d34c66b32000000000000003200${'00'.repeat(278)}0200000001d555f3ff0a86bbe2cd9d8a2c7725935dbbfb2c747f910402e5d050a3f919cec1000000006a4730440220437f15af30180be323ca1a1e0c47de2a597abba2a57d4f76e2584ce7d3e8d40802202705342f334991c9eaa2757ea63c5bb305abf14a66a1ce727ef2689a92bcee55012103a65caff6ca4c0415a3ac182dfc2a6d3a4dceb98e8b831e71501df38aa156f2c1feffffff0200e40b54020000001976a91473483d35610ce83e45bae64ea88714dec7d41e9588ac1ea34616720000001976a914965ef0941e79834ca79b291b940cc18cf516448788ac14000000`,
	),
};
/** The signed example of BIP143: its second input is p2wpkh. */
const BIP143 = hex.decode(
	'01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000',
);

describe('a block', () => {
	test('of Bitcoin is the one with its name: the first', () => {
		const bytes: Uint8Array = Uint8Array.from(Buffer.from(require('bcoin').Network.get('main').genesisBlock, 'hex'));
		const block = splitBlock(bytes, NETWORKS.Bitcoin.params.genesis, PLAIN);
		expect(block.transactions).toMatchObject([
			{
				id: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
				isCoinbase: true,
				spends: [],
				outputs: [{ amount: 5_000_000_000n }],
			},
		]);
		expect(() => splitBlock(bytes, 'ab'.repeat(32), PLAIN)).toThrow('are another');
		for (const [at, byte] of bytes.entries()) {
			const changed = bytes.with(at, byte ^ 1);
			expect(() => splitBlock(changed, NETWORKS.Bitcoin.params.genesis, PLAIN), `byte ${at}`).toThrow(ChainUnavailable);
		}
	});

	test('of Dash is split with its special transactions, which look like segwit', () => {
		const block = splitBlock(DASH_BLOCK.bytes, DASH_BLOCK.hash, DASH);
		expect(block.height).toBe(106);
		expect(
			block.transactions.map(({ isCoinbase, spends, outputs }) => [isCoinbase, spends.length, outputs.length]),
		).toEqual([
			[true, 0, 1],
			[false, 0, 0],
			[false, 1, 2],
		]);
		expect(block.transactions[2]?.spends).toMatchObject([
			{
				txId: 'c1ce19f9a350d0e50204917f742cfbbb5d9325772c8a9dcde2bb860afff355d5',
				lock: hex.decode('03a65caff6ca4c0415a3ac182dfc2a6d3a4dceb98e8b831e71501df38aa156f2c1'),
			},
		]);
		expect(() => splitBlock(DASH_BLOCK.bytes, DASH_BLOCK.hash, PLAIN)).toThrow(ChainUnavailable);
	});

	const { bytes, hash } = DASH_BLOCK;
	const split = (changed: Uint8Array) => () => splitBlock(changed, hash, DASH);

	test('that is cut anywhere, or changed in any byte of a transaction, is refused', () => {
		for (let length = 0; length < bytes.length; length++)
			expect(split(bytes.subarray(0, length))).toThrow(ChainUnavailable);
		for (let at = 80; at < bytes.length; at++)
			expect(split(bytes.with(at, (bytes[at] ?? 0) ^ 4)), `byte ${at}`).toThrow(ChainUnavailable);
	});

	test('is refused with bytes behind it, without its coinbase, or with its last transaction twice', () => {
		expect(split(Uint8Array.of(...bytes, 0))).toThrow('bytes behind');
		const { transactions, header } = splitBlock(bytes, hash, DASH);
		const of = (...which: readonly number[]) =>
			Uint8Array.of(...header, which.length, ...which.flatMap((at) => [...(transactions[at]?.bytes ?? [])]));
		expect(split(of(0, 1, 2))()).toMatchObject({ transactions: { length: 3 } });
		expect(split(of(1, 0, 2))).toThrow('begin with its coinbase');
		expect(split(of(0, 1))).toThrow('do not hash');
		expect(split(of())).toThrow(ChainUnavailable);
		// Both lists have the same merkle root (CVE-2012-2459).
		expect(split(of(0, 1, 2, 2))).toThrow('repeats');
	});
});

describe('a transaction', () => {
	test('of BIP143 is read as the library reads it, and shows the key that signs its p2wpkh input', () => {
		const read = readTransaction(BIP143, PLAIN);
		const expected = RawTx.decode(BIP143);
		expect(read.id).toBe(Library.fromRaw(BIP143, { allowUnknownInputs: true, allowUnknownOutputs: true }).id);
		expect(read.outputs).toEqual(expected.outputs);
		expect(read.spends.map(({ vout }) => vout)).toEqual(expected.inputs.map(({ index }) => index));
		expect(read.spends.map(({ lock }) => lock && hex.encode(lock))).toEqual([
			null,
			'025476c2e83188368da1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee6357',
		]);
	});

	test('with flags that nobody knows, or with anything behind it, is refused', () => {
		for (const flags of [0, 2, 3, 4, 16, 128, 255])
			expect(() => readTransaction(BIP143.with(5, flags), PLAIN)).toThrow('flags that are not known');
		expect(() => readTransaction(Uint8Array.of(...BIP143, 0), PLAIN)).toThrow('bytes behind');
		for (let length = 0; length < BIP143.length; length++)
			expect(() => readTransaction(BIP143.subarray(0, length), PLAIN)).toThrow(ChainUnavailable);
	});
});
