/** Reservations as text in the signer's journal. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { allAssets } from '../../src/catalog/assets.ts';
import { decodeReservation, distinctReservations, encodeReservation } from '../../src/chains/reservations.ts';

const textFrom = (alphabet: string, minLength: number, maxLength = minLength) =>
	fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });

const txId = textFrom('0123456789abcdef', 64);
const asset = fc.constantFrom(...allAssets().map(({ code }) => code));
const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const count = fc.nat();

const RESERVATION = fc.oneof(
	fc.record({ kind: fc.constant('coin' as const), txId, vout: count }),
	fc.record({ kind: fc.constant('version' as const), txId }),
	fc.record({
		kind: fc.constant('nonce' as const),
		account: fc.option(textFrom('0123456789abcdefABCDEF', 40).map((digits) => `0x${digits}`)),
		nonce: count,
	}),
	fc.record({ kind: fc.constant('until nonce' as const), nonce: count, asset, amount, fee: amount }),
	fc.record({ kind: fc.constant('key image' as const), keyImage: txId }),
	fc.record({
		kind: fc.constant('until height' as const),
		txId: textFrom('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 64, 88),
		lastValidHeight: count,
		asset,
		amount,
	}),
	fc.record({ kind: fc.constant('until time' as const), txId, asset, amount, fee: amount, expiration: count }),
	fc.record({ kind: fc.constant('payment' as const), id: fc.uuid() }),
);

it('are the same after writing and reading', () => {
	fc.assert(
		fc.property(RESERVATION, (reservation) => {
			expect(decodeReservation(encodeReservation(reservation))).toEqual(reservation);
		}),
	);
});

it('have different texts when they differ', () => {
	fc.assert(
		fc.property(fc.uniqueArray(RESERVATION, { selector: (each) => JSON.stringify(each, textOfBigint) }), (all) => {
			expect(distinctReservations([...all, ...all])).toEqual(all);
		}),
	);
});

const textOfBigint = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);

const ID = 'ab'.repeat(32);
const SIGNATURE = '5'.repeat(88);
const ACCOUNT = `0x${'Ab'.repeat(20)}`;

it.each([
	[`${ID}:1`, { kind: 'coin', txId: ID, vout: 1 }],
	[`version:${ID}`, { kind: 'version', txId: ID }],
	['nonce:7', { kind: 'nonce', account: null, nonce: 7 }],
	[`${ACCOUNT}:nonce:0`, { kind: 'nonce', account: ACCOUNT, nonce: 0 }],
	['until:nonce:7:DAIERC20:80:3', { kind: 'until nonce', nonce: 7, asset: 'DAIERC20', amount: 80n, fee: 3n }],
	[ID, { kind: 'key image', keyImage: ID }],
	[
		`1150:${SIGNATURE}:USDTSOL:25`,
		{ kind: 'until height', txId: SIGNATURE, lastValidHeight: 1150, asset: 'USDTSOL', amount: 25n },
	],
	[
		`taking:${ID}:TRX:5:1:1800000000000`,
		{ kind: 'until time', txId: ID, asset: 'TRX', amount: 5n, fee: 1n, expiration: 1_800_000_000_000 },
	],
	['payment:p-1', { kind: 'payment', id: 'p-1' }],
] as const)('are read from the journal as they were written: %s', (text, reservation) => {
	expect(decodeReservation(text)).toEqual(reservation);
	expect(encodeReservation(reservation)).toBe(text);
});

it.each(['', 'nonce:', 'nonce:-1', `${ID}:x`, `1150:${SIGNATURE}:NOCOIN:25`, `taking:${ID}:TRX:5`])(
	'are not read from any other text: "%s"',
	(text) => {
		expect(() => decodeReservation(text)).toThrow(TypeError);
	},
);
