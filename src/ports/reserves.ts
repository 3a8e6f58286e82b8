/** Reserves as the wallets sign them, and what a verifier says of them. */
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';

/** The part that the messages of all wallets have in common at one time. */
export interface ReserveClaim {
	/** The number of the debts' root. */
	readonly number: number;
	/** The debts' digest: SHA-256, hexadecimal. */
	readonly debts: string;
	/** ISO, UTC, whole seconds. */
	readonly at: string;
}

export interface ReserveBlock {
	readonly height: number;
	/** As the network's nodes write it. */
	readonly hash: string;
}

export interface SignedReserve {
	readonly address: string;
	/** Exactly the text that is signed. */
	readonly message: string;
	readonly signature: string;
}

/** One address of ours, what it held in the block that its message names, and its wallet's signature. */
export interface ReserveRow {
	readonly network: NetworkName;
	readonly address: string;
	/** Base units as decimal text, never negative. Each asset once; what is left out is nothing. */
	readonly holdings: readonly { readonly asset: AssetId; readonly amount: string }[];
	readonly message: string;
	readonly signature: string;
}

/** Not proven, and so counted as nothing. */
export interface UnshownReserve {
	readonly network: NetworkName;
	/** So many addresses that hold coins; null: the whole network. */
	readonly addresses: number | null;
}

/** `why`: one sentence, which is not published: it may name a node. */
export interface UnsignedReserve extends UnshownReserve {
	readonly why: string;
}

export interface SignedReserves {
	readonly rows: readonly ReserveRow[];
	readonly unsigned: readonly UnsignedReserve[];
}

/** The facts of a message in which it can differ from what it should say. */
export type ReserveFact = 'form' | 'deployment' | 'debts' | 'at' | 'network' | 'address';

/** The verifier's word on one row. Amounts are base units. */
export type ReserveVerdict =
	/** The wallet signed the message, and the chain shows what is claimed. */
	| { readonly is: 'holds' }
	/** The wallet signed it, and no node was given to look the balance up. */
	| { readonly is: 'signed'; readonly why: string }
	| { readonly is: 'signature-wrong' }
	/** A key has signed it, and the address needs more than that one. */
	| { readonly is: 'signed-in-part' }
	/** It is signed, and is about something else. */
	| { readonly is: 'says-other'; readonly what: ReserveFact; readonly said: string; readonly expected: string }
	/** The block is not of that chain, or not of that time. */
	| { readonly is: 'other-block'; readonly why: string }
	/** A balance that is not there. */
	| { readonly is: 'short'; readonly asset: AssetId; readonly claimed: bigint; readonly found: bigint }
	/** The node does not answer, or answers for another chain, or cannot tell any more. */
	| { readonly is: 'unchecked'; readonly why: string };

/** The call to the signer. */
export interface ReservesSigner {
	/**
	 * Signs for those of these addresses that are its own, at most `MOST_SIGNED`, that it holds them: the text is its own, of
	 * these facts. On the sandbox for none. @throws TypeError on facts that are malformed, or of another time than its own
	 * clock's
	 */
	signReserves(
		network: NetworkName,
		claim: ReserveClaim,
		block: ReserveBlock,
		addresses: readonly string[],
	): Promise<SignedReserve[]>;
}

export const MOST_SIGNED = 50;
