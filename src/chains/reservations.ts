/**
 * The reservations of a signed transaction, so that no later transaction spends it again. The signer's journal stores
 * each reservation as one line of text, for ever: so an encoding never changes. Pure.
 */
import { type AssetId, isAssetId } from '../catalog/assets.ts';

/** UTXO: an output that is spent. */
interface CoinReservation {
	readonly kind: 'coin';
	readonly txId: string;
	readonly vout: number;
}

/**
 * UTXO: a transaction that is one of several versions of a payment. Its outputs may never exist, so nothing spends
 * them.
 */
interface VersionReservation {
	readonly kind: 'version';
	readonly txId: string;
}

/** EVM: a nonce of an account. `account`: a pay-in address; null for the hot wallet. */
interface NonceReservation {
	readonly kind: 'nonce';
	readonly account: string | null;
	readonly nonce: number;
}

/** EVM: base units of one asset that leave the hot wallet, until the chain counts a transaction with the nonce. */
export interface OutgoingReservation {
	readonly kind: 'until nonce';
	readonly nonce: number;
	readonly asset: AssetId;
	readonly amount: bigint;
	/** The highest fee that the first version may pay, or what a fee bump adds to it, wei. */
	readonly fee: bigint;
}

/** Monero: an output that is spent, by its key image. */
interface KeyImageReservation {
	readonly kind: 'key image';
	readonly keyImage: string;
}

/** Solana: base units of one asset that leave the hot wallet, until the transaction's last valid block height. */
export interface BlockhashReservation {
	readonly kind: 'until height';
	readonly txId: string;
	/** The last block height at which the transaction can be included. */
	readonly lastValidHeight: number;
	readonly asset: AssetId;
	readonly amount: bigint;
}

/** Tron: base units of one asset that leave the hot wallet, until the transaction expires. */
export interface TimedReservation {
	readonly kind: 'until time';
	readonly txId: string;
	readonly asset: AssetId;
	readonly amount: bigint;
	/** The highest fee that it may pay, sun. */
	readonly fee: bigint;
	/** Unix milliseconds. */
	readonly expiration: number;
}

/** Sandbox: the payment itself. */
interface PaymentReservation {
	readonly kind: 'payment';
	readonly id: string;
}

export type Reservation =
	| CoinReservation
	| VersionReservation
	| NonceReservation
	| OutgoingReservation
	| KeyImageReservation
	| BlockhashReservation
	| TimedReservation
	| PaymentReservation;

export function encodeReservation(reservation: Reservation): string {
	switch (reservation.kind) {
		case 'coin':
			return `${reservation.txId}:${reservation.vout}`;
		case 'version':
			return `version:${reservation.txId}`;
		case 'nonce':
			return `${reservation.account === null ? '' : `${reservation.account}:`}nonce:${reservation.nonce}`;
		case 'until nonce': {
			const { nonce, asset, amount, fee } = reservation;
			return `until:nonce:${nonce}:${asset}:${amount}:${fee}`;
		}
		case 'key image':
			return reservation.keyImage;
		case 'until height': {
			const { lastValidHeight, txId, asset, amount } = reservation;
			return `${lastValidHeight}:${txId}:${asset}:${amount}`;
		}
		case 'until time': {
			const { txId, asset, amount, fee, expiration } = reservation;
			return `taking:${txId}:${asset}:${amount}:${fee}:${expiration}`;
		}
		case 'payment':
			return `payment:${reservation.id}`;
	}
}

type Fields = readonly (string | undefined)[];

/** At most one pattern matches a text. */
const DECODERS: readonly (readonly [RegExp, (fields: Fields) => Reservation])[] = [
	[/^([0-9a-f]{64}):(\d{1,10})$/, ([, txId = '', vout]) => ({ kind: 'coin', txId, vout: Number(vout) })],
	[/^version:([0-9a-f]{64})$/, ([, txId = '']) => ({ kind: 'version', txId })],
	[
		/^(?:(0x[0-9a-f]{40}):)?nonce:(\d{1,13})$/i,
		([, account = null, nonce]) => ({ kind: 'nonce', account, nonce: Number(nonce) }),
	],
	[
		/^until:nonce:(\d{1,13}):(\w{1,20}):(\d{1,78}):(\d{1,78})$/,
		([, nonce, asset, amount = '', fee = '']) => ({
			kind: 'until nonce',
			nonce: Number(nonce),
			asset: assetIn(asset),
			amount: BigInt(amount),
			fee: BigInt(fee),
		}),
	],
	[/^([0-9a-f]{64})$/, ([, keyImage = '']) => ({ kind: 'key image', keyImage })],
	[
		/^(\d{1,13}):([1-9A-HJ-NP-Za-km-z]{64,88}):(\w{1,20}):(\d{1,20})$/,
		([, height, txId = '', asset, amount = '']) => ({
			kind: 'until height',
			txId,
			lastValidHeight: Number(height),
			asset: assetIn(asset),
			amount: BigInt(amount),
		}),
	],
	[
		/^taking:([0-9a-f]{64}):(\w{1,20}):(\d{1,30}):(\d{1,30}):(\d{1,16})$/,
		([, txId = '', asset, amount = '', fee = '', expiration]) => ({
			kind: 'until time',
			txId,
			asset: assetIn(asset),
			amount: BigInt(amount),
			fee: BigInt(fee),
			expiration: Number(expiration),
		}),
	],
	[/^payment:(.+)$/s, ([, id = '']) => ({ kind: 'payment', id })],
];

/**
 * The inverse of `encodeReservation`. @throws TypeError on any other text: with an unreadable journal nothing may be
 * signed
 */
export function decodeReservation(text: string): Reservation {
	for (const [pattern, decode] of DECODERS) {
		const fields = pattern.exec(text);
		if (fields) return decode(fields);
	}
	throw new TypeError(`not a reservation: ${text}`);
}

function assetIn(text: string | undefined): AssetId {
	if (text === undefined || !isAssetId(text)) throw new TypeError(`not an asset: ${text}`);
	return text;
}

/** Each reservation once, in the order of their first appearance. */
export const distinctReservations = (reservations: readonly Reservation[]): Reservation[] => [
	...new Map(reservations.map((each) => [encodeReservation(each), each])).values(),
];
