/** Proofs of solvency as they are published: who checks one needs nothing of ours (book: solvency). Amounts are base units in text. */
import type { AssetId } from '../catalog/assets.ts';
import type { SignedStatement } from './promises.ts';
import type { ReserveRow, UnshownReserve } from './reserves.ts';

/** The debts in one asset: the root of their tree. */
export interface DebtRoot {
	readonly asset: AssetId;
	/** SHA-256, hexadecimal. */
	readonly hash: string;
	readonly sum: string;
}

/** The text whose SHA-256 the signer signs, after `JSON.parse`: its names are in the order of RFC 8785. */
export interface SolvencyStatement {
	/** The time of the debts: ISO, UTC, whole seconds. */
	readonly at: string;
	/** By asset. Assets in which nothing is owed are not there. */
	readonly debts: readonly DebtRoot[];
	/** The deployment's name, as its signer has it. */
	readonly deployment: string;
	/** Hours since 1970, which the signed head has as its position. */
	readonly number: number;
	/** SHA-256 of `JSON.stringify` of the reserves, hexadecimal. */
	readonly reserves: string;
	readonly type: 'partner-exchange/solvency/1';
	/** The holdings that are in no row of the reserves. */
	readonly unshown: readonly UnshownReserve[];
}

/** The file of an hour. */
export interface SolvencyFile {
	readonly type: 'partner-exchange/solvency-file/1';
	/** The text of `SolvencyStatement`. */
	readonly statement: string;
	/** The signed heads, the oldest first; the last one is of this statement. */
	readonly heads: readonly SignedStatement[];
	readonly reserves: readonly ReserveRow[];
}

/** A node of a tree: what is below it, and the lowest and highest blinded id there. */
export interface DebtNode {
	readonly hash: string;
	readonly sum: string;
	readonly first: string;
	readonly last: string;
}

export interface DebtStep {
	/** On which side of the way up this node is. */
	readonly side: 'left' | 'right';
	readonly node: DebtNode;
}

/** One debt, and the way from its leaf to the root, the lowest step first. */
export interface OwnDebt {
	readonly asset: AssetId;
	readonly amount: string;
	readonly path: readonly DebtStep[];
}

/** `nobody`: it came to us, and we do not know from whom. */
export type Creditor = 'order' | 'partner' | 'nobody';

/** The file of a payer or a partner: what is owed to them in that hour. */
export interface OwnFile {
	readonly type: 'partner-exchange/own-debts/1';
	readonly number: number;
	readonly creditor: Creditor;
	/** The order's or the partner's. */
	readonly id: string;
	/** It blinds the ids. Of an order: the SHA-256 of its token, hexadecimal. */
	readonly secret: string;
	readonly debts: readonly OwnDebt[];
}

/** How the proof of an hour ended. */
export type SolvencyOutcome =
	| { readonly is: 'proven'; readonly number: number }
	/** Debts and books differ in this asset: nothing is published. */
	| { readonly is: 'books-differ'; readonly asset: string }
	/** More debts than one report holds. */
	| { readonly is: 'too-many'; readonly most: number }
	/** The signer has signed another head meanwhile, or its clock is behind. */
	| { readonly is: 'head-refused' };
