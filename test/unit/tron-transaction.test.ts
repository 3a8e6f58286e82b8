/**
 * Tron transactions, byte for byte: against tronweb, Tron's own library, and against transactions of the main network.
 */
import { hex } from '@scure/base';
import { TronWeb, utils } from 'tronweb';
import { describe, expect, it } from 'vitest';
import { tronAddress } from '../../src/chains/tron/address.ts';
import {
	bandwidthOf,
	type Frame,
	frameOn,
	idOfSigned,
	rawTokenTransfer,
	rawTransfer,
	signedTransaction,
	transactionId,
} from '../../src/chains/tron/transaction.ts';

const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const TO = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const FROM = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';

const frame = (height: number): Frame => ({
	block: { height, id: `${height.toString(16).padStart(16, '0')}0123456789abcdef${'7'.repeat(32)}` },
	expiration: 1_770_000_060_000,
	timestamp: 1_770_000_000_123,
});

/** The same transaction in the nodes' JSON form, encoded by tronweb. */
function byTronweb(height: number, type: string, value: Record<string, unknown>, feeLimit?: number): string {
	const json = {
		visible: false,
		raw_data: {
			contract: [{ type, parameter: { value, type_url: `type.googleapis.com/protocol.${type}` } }],
			ref_block_bytes: (height & 0xffff).toString(16).padStart(4, '0'),
			ref_block_hash: '0123456789abcdef',
			expiration: 1_770_000_060_000,
			timestamp: 1_770_000_000_123,
			...(feeLimit === undefined ? {} : { fee_limit: feeLimit }),
		},
	};
	return utils.transaction.txPbToRawDataHex(utils.transaction.txJsonToPb(json)).toLowerCase();
}

const inHex = (address: string): string => TronWeb.address.toHex(address);

describe('raw_data', () => {
	it.each([1n, 127n, 128n, 300n, 1_000_000n, 99_000_000_000_000_000n])(
		'of a transfer of %d sun is what tronweb encodes',
		(amount) => {
			for (const height of [1, 255, 256, 65_535, 65_536, 77_777_777]) {
				const raw = rawTransfer({ from: FROM, to: TO, amount }, frame(height));
				const value = { owner_address: inHex(FROM), to_address: inHex(TO), amount: Number(amount) };
				expect(hex.encode(raw)).toBe(byTronweb(height, 'TransferContract', value));
			}
		},
	);

	it.each([1n, 1_000_000n, 2n ** 255n + 1n])('of a transfer of %d units of USDT is what tronweb encodes', (amount) => {
		const raw = rawTokenTransfer({ from: FROM, to: TO, amount, contract: USDT, feeLimit: 15_600_000n }, frame(88_888));
		const words = [inHex(TO).slice(2), amount.toString(16)].map((word) => word.padStart(64, '0'));
		const value = { owner_address: inHex(FROM), contract_address: inHex(USDT), data: `a9059cbb${words.join('')}` };
		expect(hex.encode(raw)).toBe(byTronweb(88_888, 'TriggerSmartContract', value, 15_600_000));
	});
});

/** Transactions of the main network, with the bandwidth that explorers show. */
describe('transactions of the main network', () => {
	const address = (hash: string): string => tronAddress(hex.decode(hash));
	const on = (refBytes: string, refHash: string, expiration: number, timestamp: number): Frame => ({
		block: { height: Number.parseInt(refBytes, 16), id: `${'0'.repeat(16)}${refHash}${'0'.repeat(32)}` },
		expiration,
		timestamp,
	});

	it('have these ids and used this bandwidth: 5 sun', () => {
		const transfer = {
			from: address('9b3281a60ab7a44f351ef2896c653f134972ad22'),
			to: address('05cc125604448afeb6867eb688efb7e80411d57a'),
			amount: 5n,
		};
		const raw = rawTransfer(transfer, on('fdf6', '4cd898aed8ce5d14', 1_717_419_846_000, 1_717_419_788_444));
		expect(transactionId(raw)).toBe('47086db397eac45d2fe7dacedcb6f77267d6895dce645210e495e64f8a2a7910');
		expect(bandwidthOf(raw)).toBe(265);
	});

	it('have these ids and used this bandwidth: 100 TRX', () => {
		const transfer = {
			from: address('05cc125604448afeb6867eb688efb7e80411d57a'),
			to: address('f03c5fb459d4f746ff01692b940c5a8a01480db1'),
			amount: 100_000_000n,
		};
		const raw = rawTransfer(transfer, on('fddc', '3b99310ce713c98f', 1_717_420_368_000, 1_717_419_710_270));
		expect(transactionId(raw)).toBe('b0b68ea41e7b46f06196ea0ff47837afe821f985eb966a4915eb3809ac893461');
	});

	it('have these ids and used this bandwidth: 211.86 USDT', () => {
		const transfer = {
			from: 'TNTaxKbS6KAfbWnZobDhBThTxnvq34yxZo',
			to: 'TV2WNCetEM7AKm8u4VoM4hkXpPxWmTMtjQ',
			amount: 211_860_000n,
			contract: USDT,
			feeLimit: 100_000_000n,
		};
		const raw = rawTokenTransfer(transfer, on('6ded', '7fc1b07eab3ba5c0', 1_728_127_473_000, 1_728_127_415_001));
		expect(transactionId(raw)).toBe('6999cfb83a9e7a058a4682865765c2e84317b33a75882470190ec5f688ded631');
		expect(bandwidthOf(raw)).toBe(345);
	});
});

describe('a signed transaction', () => {
	it('has the id of what was signed', () => {
		const raw = rawTransfer({ from: FROM, to: TO, amount: 1n }, frame(1));
		const signed = signedTransaction(raw, new Uint8Array(65).fill(7));
		expect(idOfSigned(signed)).toBe(transactionId(raw));
		expect(signed.length / 2 + 64).toBe(bandwidthOf(raw));
	});

	it.each(['', '0a', '0a00', '0a05ff', '1203aabbcc', 'zz', '0affffffffff'])('is not “%s”', (text) => {
		expect(idOfSigned(text)).toBeNull();
	});
});

describe('the reference block and expiration', () => {
	const HOUR = 3_600_000;
	const NOW = 1_770_000_000_000;
	const solid = { id: '1'.repeat(64), parentId: undefined, height: 1, timestamp: NOW - 57_000 };

	it('differs between any two payments, and is the same for one', () => {
		const frames = Array.from({ length: 5_000 }, (_, at) => frameOn(solid, NOW, `payment ${at}`));
		expect(new Set(frames.map(({ expiration, timestamp }) => `${expiration} ${timestamp}`)).size).toBe(5_000);
		expect(frameOn(solid, NOW, 'payment 7')).toEqual(frames[7]);
	});

	it('ends 22 to 23 hours after the head, whatever the solidified block', () => {
		for (let at = 0; at < 1_000; at += 1) {
			const { expiration, timestamp } = frameOn(solid, NOW, `payment ${at}`);
			expect(expiration > NOW + 22 * HOUR && expiration <= NOW + 23 * HOUR).toBe(true);
			expect(timestamp > NOW - HOUR && timestamp <= NOW).toBe(true);
		}
	});
});
