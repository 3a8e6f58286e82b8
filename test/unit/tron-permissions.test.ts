/** What two judges sign on Tron, byte for byte: against tronweb, Tron's own library, which also checks both signatures. */
import { hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { TronWeb, utils } from 'tronweb';
import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../src/chains/account-message.ts';
import { publicChild } from '../../src/chains/bip32.ts';
import { addressesOf, hotKey, judgeKeys, payInAddress } from '../../src/chains/tron/keys.ts';
import { rawPermissionUpdate } from '../../src/chains/tron/permission-update.ts';
import { isSignedBy, OPERATIONS } from '../../src/chains/tron/permissions.ts';
import {
	chosenIn,
	type Frame,
	partsOfSigned,
	rawTokenTransfer,
	rawTransfer,
	signedTransaction,
	transactionId,
} from '../../src/chains/tron/transaction.ts';
import { USDT } from '../support/tron-stand-in.ts';

const SEEDS = [11, 23].map((words) =>
	mnemonicToSeedSync(`${'abandon '.repeat(words)}${words === 11 ? 'about' : 'art'}`),
);
const [SIGNER = new Uint8Array(), COSIGNER = new Uint8Array()] = SEEDS;
const KEYS = SEEDS.map((seed) => hotKey(seed).address);
const [HOT = ''] = KEYS;
const TO = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const FRAME: Frame = {
	block: { height: 77_777, id: `${'0'.repeat(16)}0123456789abcdef${'0'.repeat(32)}` },
	expiration: 1_770_000_060_000,
	timestamp: 1_770_000_000_123,
	permission: 2,
};
const inHex = (address: string): string => TronWeb.address.toHex(address);

/** The same transaction in the nodes' JSON form, encoded by tronweb. */
function byTronweb(type: string, value: Record<string, unknown>, Permission_id?: number): string {
	const contract = { type, parameter: { value, type_url: `type.googleapis.com/protocol.${type}` } };
	const json = {
		visible: false,
		raw_data: {
			contract: [Permission_id === undefined ? contract : { ...contract, Permission_id }],
			ref_block_bytes: (77_777 & 0xffff).toString(16).padStart(4, '0'),
			ref_block_hash: '0123456789abcdef',
			expiration: FRAME.expiration,
			timestamp: FRAME.timestamp,
		},
	};
	return utils.transaction.txPbToRawDataHex(utils.transaction.txJsonToPb(json)).toLowerCase();
}

describe('a payment of two judges', () => {
	const raw = rawTransfer({ from: HOT, to: TO, amount: 5n }, FRAME);
	const digest = hex.decode(transactionId(raw));
	const signatures = SEEDS.map((seed) => signatureOf(digest, hotKey(seed).privateKey));

	it('names its permission as tronweb does', () => {
		const value = { owner_address: inHex(HOT), to_address: inHex(TO), amount: 5 };
		expect(hex.encode(raw)).toBe(byTronweb('TransferContract', value, 2));
	});

	it('has two signatures, of which tronweb says whose they are', () => {
		const by = signatures.map((signature) => utils.crypto.ecRecover(transactionId(raw), hex.encode(signature)));
		expect(by.map((address) => TronWeb.address.fromHex(address))).toEqual(KEYS);
		const text = signedTransaction(raw, ...signatures);
		expect(partsOfSigned(text)).toEqual({ raw, signatures });
		const other = publicChild(judgeKeys(COSIGNER).hot, 0);
		expect(signatures.map((signature) => isSignedBy(digest, signature, other))).toEqual([false, true]);
		expect(isSignedBy(digest, undefined, other)).toBe(false);
	});

	it.each([
		['no transaction', 'ff'],
		['bytes behind its signatures', `${signedTransaction(raw, ...signatures)}00`],
		['a signature that is cut off', signedTransaction(raw, ...signatures).slice(0, -2)],
	])('is read whole or not at all: %s', (_, text) => {
		expect(partsOfSigned(text)).toBeNull();
	});

	it('is made again from what its maker chose', () => {
		expect(chosenIn(signedTransaction(raw))).toEqual({
			frame: { ...FRAME, block: { ...FRAME.block, height: 77_777 & 0xffff }, permission: undefined },
			feeLimit: 0n,
		});
		const token = rawTokenTransfer(
			{ from: HOT, to: TO, amount: 2n ** 255n, contract: USDT, feeLimit: 15_600_000n },
			FRAME,
		);
		const chosen = chosenIn(signedTransaction(token));
		expect(chosen?.feeLimit).toBe(15_600_000n);
		const again = rawTokenTransfer(
			{ from: HOT, to: TO, amount: 2n ** 255n, contract: USDT, feeLimit: 15_600_000n },
			{ ...(chosen?.frame ?? FRAME), permission: 2 },
		);
		expect(hex.encode(again)).toBe(hex.encode(token));
	});
});

describe('the update of the permissions', () => {
	it('is what tronweb encodes: both permissions need both keys, and the active one allows payments alone', () => {
		const keys = KEYS.map((key) => ({ address: inHex(key), weight: 1 }));
		const value = {
			owner_address: inHex(HOT),
			owner: { type: 0, permission_name: 'owner', threshold: 2, keys },
			actives: [{ type: 2, id: 2, permission_name: 'payments', threshold: 2, operations: OPERATIONS, keys }],
		};
		const raw = rawPermissionUpdate(HOT, KEYS, { ...FRAME, permission: 0 });
		expect(hex.encode(raw)).toBe(byTronweb('AccountPermissionUpdateContract', value));
	});
});

describe('the public keys of a judge', () => {
	it('give its addresses, and no private key', () => {
		const keys = judgeKeys(SIGNER);
		const addresses = addressesOf(keys);
		expect(addresses.hotAddress()).toBe(HOT);
		expect([0, 1, 4_711].map((index) => addresses.payInAddress(index))).toEqual(
			[0, 1, 4_711].map((index) => payInAddress(SIGNER, index)),
		);
		expect(keys.hot).toMatch(/^xpub/);
		expect(() => addresses.payInAddress(2 ** 31)).toThrow('no such index');
	});
});
