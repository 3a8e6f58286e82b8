/**
 * The reservations of a signed transaction, so that no later transaction spends it again. The signer's journal stores
 * each reservation as one line of text, for ever: so an encoding never changes. Pure.
 */
import { type AssetId, isAssetId } from '../catalog/assets.ts';

/** A field of a reservation, as the journal has it. */
interface Field<T> {
	readonly pattern: string;
	readonly read: (text: string) => T;
	/** Absent where the value's own text is written. */
	write?(value: unknown): string;
}

const HEX: Field<string> = { pattern: '[0-9a-f]{64}', read: String };
const SIGNATURE: Field<string> = { pattern: '[1-9A-HJ-NP-Za-km-z]{64,88}', read: String };
const COUNT: Field<number> = { pattern: String.raw`\d{1,16}`, read: Number };
const UNITS: Field<bigint> = { pattern: String.raw`\d{1,78}`, read: BigInt };
const ASSET: Field<AssetId> = { pattern: String.raw`\w{1,20}`, read: assetIn };
const TEXT: Field<string> = { pattern: String.raw`[\s\S]+`, read: String };
const NONCE = 'nonce';
const ACCOUNT: Field<string | null> = {
	pattern: `(?:0x[0-9a-fA-F]{40}:)?${NONCE}`,
	read: (text) => (text === NONCE ? null : text.slice(0, -NONCE.length - 1)),
	write: (account) => (account === null ? NONCE : `${account}:${NONCE}`),
};

/**
 * By kind, the word that its text begins with, and the fields that follow, with colons between them. Each text is of
 * one kind. Amounts are base units that leave the hot wallet, fees the highest that the transaction may pay.
 */
const FORMS = {
	/** UTXO: an output that is spent. */
	coin: ['', { txId: HEX, vout: COUNT }],
	/** UTXO: one of several versions of a payment. Its outputs may never exist, so nothing spends them. */
	version: ['version:', { txId: HEX }],
	/** EVM: a nonce of an account, which is a pay-in address, or null for the hot wallet. */
	nonce: ['', { account: ACCOUNT, nonce: COUNT }],
	/** EVM, until the chain counts the nonce. `fee`: of the first version, or what a fee bump adds, wei. */
	'until nonce': ['until:nonce:', { nonce: COUNT, asset: ASSET, amount: UNITS, fee: UNITS }],
	/** Monero: an output that is spent. */
	'key image': ['', { keyImage: HEX }],
	/** Solana, until the last block height at which the transaction can be included. */
	'until height': ['', { lastValidHeight: COUNT, txId: SIGNATURE, asset: ASSET, amount: UNITS }],
	/** Tron, until the transaction expires. `fee`: sun. `expiration`: Unix milliseconds. */
	'until time': ['taking:', { txId: HEX, asset: ASSET, amount: UNITS, fee: UNITS, expiration: COUNT }],
	/** Sandbox: the payment itself. */
	payment: ['payment:', { id: TEXT }],
} as const;

type Forms = typeof FORMS;
type ValuesOf<Fields> = { readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never };

export type ReservationOf<Kind extends keyof Forms> = { readonly kind: Kind } & ValuesOf<Forms[Kind][1]>;
export type Reservation = { [Kind in keyof Forms]: ReservationOf<Kind> }[keyof Forms];

const FIELDS: Readonly<Record<keyof Forms, readonly [word: string, Readonly<Record<string, Field<unknown>>>]>> = FORMS;

const DECODERS = Object.entries(FIELDS).map(([kind, [word, fields]]) => {
	const patterns = Object.values(fields).map(({ pattern }) => `(${pattern})`);
	return { kind, fields: Object.entries(fields), pattern: new RegExp(`^${word}${patterns.join(':')}$`) };
});

export function encodeReservation(reservation: Reservation): string {
	const [word, fields] = FIELDS[reservation.kind];
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
