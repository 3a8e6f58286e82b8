/** Tron transactions, byte for byte: against tronweb, Tron's own library, and against transactions of the main network. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { TronWeb, utils } from 'tronweb';
import { describe, expect, it } from 'vitest';
import { payInKey } from '../../src/chains/tron/keys.ts';
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

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const TO = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const FROM = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';

const frame = (height: number): Frame => ({
	block: { height, id: `${height.toString(16).padStart(16, '0')}0123456789abcdef${'7'.repeat(32)}` },
	expiration: 1_770_000_060_000,
	timestamp: 1_770_000_000_123,
});

/** The same transaction in the form that nodes speak, encoded by tronweb. */
function byTronweb(height: number, type: string, value: Record<string, unknown>, feeLimit?: number): string {
	const json = {
		visible: false,
		raw_data: {
			contract: [{ type, parameter: { value, type_url: `type.googleapis.com/protocol.${type}` } }],
			ref_block_bytes: (height & 0xffff).toString(16).padStart(4, '0'),
			ref_block_hash: '0123456789abcdef',
			...{ expiration: 1_770_000_060_000, timestamp: 1_770_000_000_123 },
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
		const value = {
			...{ owner_address: inHex(FROM), contract_address: inHex(USDT) },
			data: `a9059cbb${words.join('')}`,
		};
		expect(hex.encode(raw)).toBe(byTronweb(88_888, 'TriggerSmartContract', value, 15_600_000));
	});
});
