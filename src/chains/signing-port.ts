/**
 * The port that a chain's signer fulfils. Only the signer Worker makes a `ChainSigner`; it holds keys and stores nothing.
 * Amounts are base units. Every method that asks a node may throw `ChainUnavailable`.
 */
import type { AssetId } from '../catalog/assets.ts';
import type { DepositRef, Depth, NetworkCheck } from './port.ts';

export interface Payment {
	/** Ours; where a network has neither coins nor a nonce, it tells two equal payments apart. */
	readonly id: string;
	readonly asset: AssetId;
	readonly to: string;
	readonly amount: bigint;
}

/** What the signer remembers and a family needs to choose coins or a nonce. */
/**
 * What stored transactions of a network take already: UTXO `txid:vout`; EVM `nonce:<n>` of the payout wallet,
 * `<address>:nonce:<n>` of a pay-in address. `has` knows all of it. To go through it gives what still matters to whoever
 * signs: the highest nonces, or what has not expired; of coins nothing.
 */
export type Spent = Pick<ReadonlySet<string>, 'has'> & Iterable<string>;

export interface SigningState {
	/** Never spend one again. */
	readonly spent: Spent;
	/** Derivation index of each pay-in address of ours among `addresses`; strangers are absent. */
	indexesOf(addresses: readonly string[]): ReadonlyMap<string, number>;
}

export interface SignedTransaction {
	/** What `Chain.broadcast` takes. */
	readonly raw: string;
	readonly txId: string;
	/** What this transaction takes from `SigningState.spent`'s space. */
	readonly spends: readonly string[];
	/** Network fee that it pays at most, in the native coin's base units. */
	readonly fee: bigint;
}

export interface Sweep {
	/** Ours. */
	readonly id: string;
	readonly asset: AssetId;
	/** Derivation index of the pay-in address. */
	readonly index: number;
}

/** What our own sweeps took from a pay-in address; believed only as far as the best chain holds them. */
export interface SweepRef {
	readonly txId: string;
	readonly address: string;
	readonly asset: AssetId;
	/** Base units that arrived at the payout wallet. */
	readonly amount: bigint;
}

export interface ChainSigner {
	/** The pay-in address at a derivation index. */
	payInAddress(index: number): string;
	/** The address of the payout wallet (also takes change). */
	hotAddress(): string;
	/**
	 * The sum of those deposits that this node, asked anew, holds at `address` deep enough; a deposit that differs in
	 * address, asset or amount from what the chain says counts nothing. `sweeps`: all that were ever signed for these
	 * addresses, for families whose proof is a balance.
	 */
	finalAmount(
		refs: readonly DepositRef[],
		isFinal: (depth: Depth) => boolean,
		sweeps: readonly SweepRef[],
	): Promise<bigint>;
	/** @throws InsufficientReserve, PaymentImpossible, SigningBlocked */
	sign(payment: Payment, state: SigningState): Promise<SignedTransaction>;
	/**
	 * The same payment from the same coins or nonce at a higher fee, so that at most one of the two is ever on the chain.
	 * Absent where the network knows no replacing. @throws PaymentImpossible where no higher fee is allowed or possible
	 */
	replace?(previous: SignedTransaction, payment: Payment, state: SigningState): Promise<SignedTransaction>;
	/** What this very version takes; absent where all versions of a payment take the same. @throws Error on unreadable bytes */
	takenBy?(version: SignedTransaction): readonly string[];
	/**
	 * Moves all of an asset from a pay-in address to the payout wallet, and nowhere else; `amount`: what arrives there.
	 * Present exactly where `Chain.sweeping` is. @throws InsufficientReserve where the address cannot pay for it yet
	 */
	sweep?(sweep: Sweep, state: SigningState): Promise<SignedTransaction & { readonly amount: bigint }>;
	/**
	 * Joins the wallet's smallest outputs into one at the payout wallet, and nowhere else; `amount`: what arrives there. Null
	 * where it is not worth it, by the signer's own node. Present exactly where `Chain.consolidation` is.
	 */
	consolidate?(state: SigningState): Promise<(SignedTransaction & { readonly amount: bigint }) | null>;
	/** What signing needs beside the chain's nodes, for `network check`; absent where that is nothing. */
	check?(): Promise<NetworkCheck[]>;
}
