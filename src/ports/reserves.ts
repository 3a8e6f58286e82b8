/** Reserves as the wallets sign them, and the verdict on one (book: solvency). */
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';

/** The facts that the messages of all wallets have in common. */
export interface ReserveClaim {
	readonly number: number;
	/** SHA-256 of the debts, hexadecimal. */
	readonly debts: string;
	/** ISO, UTC, whole seconds. */
	readonly at: string;
}

/** One address of ours, what it held, and its wallet's signature of the message. */
export interface ReserveRow {
	readonly network: NetworkName;
	readonly address: string;
	readonly holdings: readonly { readonly asset: AssetId; readonly amount: string }[];
	readonly proof: 'bip322' | 'dash' | 'eip191' | 'tip191' | 'ed25519' | 'monero';
	readonly message: string;
	readonly signature: string;
}

/** Not proven: the network whose wallet does not sign, or the addresses beyond the most that are signed. */
export interface UnsignedReserve {
	readonly network: NetworkName;
	readonly why: string;
}

export interface SignedReserves {
	readonly rows: readonly ReserveRow[];
	readonly unsigned: readonly UnsignedReserve[];
}

/** The verdict on one row. Amounts are base units. */
export type ReserveVerdict =
	| { readonly is: 'holds' }
	| { readonly is: 'signed'; readonly why: string }
	| { readonly is: 'signature-wrong' }
	| {
			readonly is: 'says-other';
			readonly what: 'form' | 'deployment' | 'debts' | 'at' | 'network' | 'address';
			readonly said: string;
			readonly expected: string;
	  }
	| { readonly is: 'other-block'; readonly why: string }
	| { readonly is: 'short'; readonly asset: AssetId; readonly claimed: bigint; readonly found: bigint }
	| { readonly is: 'unchecked'; readonly why: string };
