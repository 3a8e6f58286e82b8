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

/** A field of a reservation, as the journal has it. */
interface Field {
	readonly pattern: string;
	readonly read: (text: string) => unknown;
	/** Absent where the value's own text is written. */
	readonly write?: (value: unknown) => string;
}

const HEX: Field = { pattern: '[0-9a-f]{64}', read: String };
const SIGNATURE: Field = { pattern: '[1-9A-HJ-NP-Za-km-z]{64,88}', read: String };
const COUNT: Field = { pattern: String.raw`\d{1,16}`, read: Number };
const UNITS: Field = { pattern: String.raw`\d{1,78}`, read: BigInt };
const ASSET: Field = { pattern: String.raw`\w{1,20}`, read: assetIn };
const NONCE = 'nonce';
const ACCOUNT: Field = {
	pattern: `(?:0x[0-9a-fA-F]{40}:)?${NONCE}`,
	read: (text) => (text === NONCE ? null : text.slice(0, -NONCE.length - 1)),
	write: (account) => (account === null ? NONCE : `${account}:${NONCE}`),
};

type Kind = Reservation['kind'];

/** By kind, the word that its text begins with, and the fields that follow, with colons between them. Each text is of one kind. */
const FORMS: Readonly<Record<Kind, readonly [word: string, Readonly<Record<string, Field>>]>> = {
	coin: ['', { txId: HEX, vout: COUNT }],
	version: ['version:', { txId: HEX }],
	nonce: ['', { account: ACCOUNT, nonce: COUNT }],
	'until nonce': ['until:nonce:', { nonce: COUNT, asset: ASSET, amount: UNITS, fee: UNITS }],
	'key image': ['', { keyImage: HEX }],
	'until height': ['', { lastValidHeight: COUNT, txId: SIGNATURE, asset: ASSET, amount: UNITS }],
	'until time': ['taking:', { txId: HEX, asset: ASSET, amount: UNITS, fee: UNITS, expiration: COUNT }],
	payment: ['payment:', { id: { pattern: String.raw`[\s\S]+`, read: String } }],
};

const DECODERS = Object.entries(FORMS).map(([kind, [word, fields]]) => {
	const patterns = Object.values(fields).map(({ pattern }) => `(${pattern})`);
	return { kind, fields: Object.entries(fields), pattern: new RegExp(`^${word}${patterns.join(':')}$`) };
});

export function encodeReservation(reservation: Reservation): string {
	const [word, fields] = FORMS[reservation.kind];
	const values = new Map<string, unknown>(Object.entries(reservation));
	return (
		word +
		Object.entries(fields)
			.map(([name, { write = String }]) => write(values.get(name)))
			.join(':')
	);
}

/**
 * The inverse of `encodeReservation`. @throws TypeError on any other text: with an unreadable journal nothing may be
 * signed
 */
export function decodeReservation(text: string): Reservation {
	for (const { kind, fields, pattern } of DECODERS) {
		const [, ...texts] = pattern.exec(text) ?? [];
		if (texts.length === 0) continue;
		const read = fields.map(([name, field], at) => [name, field.read(texts[at] ?? '')]);
		return { kind, ...Object.fromEntries(read) } as Reservation;
	}
	throw new TypeError(`not a reservation: ${text}`);
}

function assetIn(text: string): AssetId {
	if (!isAssetId(text)) throw new TypeError(`not an asset: ${text}`);
	return text;
}

/** The amount of an asset that open reservations may still take, base units; of the native coin, the fees too. */
export const reservedOf = (
	open: readonly { readonly asset: AssetId; readonly amount: bigint; readonly fee: bigint }[],
	asset: AssetId,
	isNative: boolean,
): bigint =>
	open.reduce((sum, each) => sum + (each.asset === asset ? each.amount : 0n) + (isNative ? each.fee : 0n), 0n);

/** Each reservation once, in the order of their first appearance. */
export const distinctReservations = (reservations: readonly Reservation[]): Reservation[] => [
	...new Map(reservations.map((each) => [encodeReservation(each), each])).values(),
];
