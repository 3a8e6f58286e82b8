/**
 * Moves of the reserve outside of orders, and words that let the signer pay more than it would: a person is asked for each, and
 * signs it with a passkey (`ports/persons.ts`). The signer makes the same text of what it is to do, so nothing else than
 * what was signed is done. All are texts, in one order, so that there is one way to write a move. Pure.
 */
import { assetOf, isAssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { fromBaseUnits } from '../money/units.ts';
import type { TransactionRow } from './table.ts';

/** Amounts are coins, as a person reads them. A move of coins has its asset and its amount in the third and fourth place. */
export type Move =
	| readonly ['withdrawal', id: string, asset: string, amount: string, to: string]
	| readonly ['adjustment', direction: 'up' | 'down', asset: string, amount: string, reason: string]
	| readonly ['unattributed', direction: 'up', asset: string, amount: string, reason: string]
	| readonly ['give up', transaction: string, order: string]
	| readonly ['return', order: string, network: string, asset: string, to: string]
	| readonly ['another payment', order: string, asset: string, txId: string]
	| readonly ['confirm restored', orders: string, own: string, looked: string, not: string];

export type MoveKind = Move[0];

/** The asset and the coins of a move whose worth can be told; null of one that names no amount. */
export function sumOf(move: Move): { readonly asset: string; readonly amount: string } | null {
	const [kind, , asset, amount] = move;
	const hasSum = kind === 'withdrawal' || kind === 'adjustment' || kind === 'unattributed';
	return hasSum ? { asset, amount: String(amount) } : null;
}

const UNITS = /^\d{1,78}$/;

type Withdrawn = Pick<TransactionRow, 'id' | 'asset' | 'amount' | 'toAddress'>;

/** A row of the database that has no amount or asset is refused where it is judged: here it is a move as it is. */
export function withdrawalMove({ id, asset, amount, toAddress }: Withdrawn): Move {
	const isWhole = isAssetId(asset) && UNITS.test(amount);
	return [
		'withdrawal',
		id,
		asset,
		isWhole ? fromBaseUnits(BigInt(amount), assetOf(asset).decimals) : amount,
		toAddress,
	];
}

/** `orderId`: of an order's payout; null of everything else. */
export const giveUpMove = (payoutId: string, orderId: string | null): Move => ['give up', payoutId, orderId ?? ''];

/** `asset`: of a token that is not listed its contract. */
export const returnMove = (orderId: string, network: NetworkName, asset: string, to: string): Move => [
	'return',
	orderId,
	network,
	asset,
	to,
];

interface Restored {
	readonly orders: readonly string[];
	readonly own: boolean;
	readonly looked: boolean;
	readonly not: readonly string[];
}

export const restoredMove = ({ orders, own, looked, not }: Restored): Move => [
	'confirm restored',
	orders.join(' '),
	own ? 'own' : '',
	looked ? 'looked' : '',
	not.join(' '),
];

export const moveText = (move: Move): string => JSON.stringify(move);

/** The content of a person's signature: the SHA-256 of `askedText` is the challenge. */
export interface Asked {
	readonly deployment: string;
	/** Counts once. */
	readonly nonce: string;
	readonly expiresAt: number;
	readonly moves: readonly Move[];
}

const DOMAIN = 'partner-exchange: a person confirms';

/** The text whose SHA-256 is the challenge: nothing else of this service or another one begins like it. */
export const askedText = ({ deployment, nonce, expiresAt, moves }: Asked): string =>
	JSON.stringify([DOMAIN, deployment, nonce, expiresAt, moves]);
