/**
 * The port that a chain fulfils: what the service needs of a network, said once for all families.
 * `Chain` watches and broadcasts and holds no key; the API Worker uses it. `ChainSigner` holds keys; only the signer
 * Worker makes one. Amounts are base units. Every method may throw `ChainUnavailable`; the caller then tries again
 * on its next tick, because nothing here changes our own state.
 */
import type { AssetId } from '../catalog/assets.ts';

/** A deposit by its place on the chain. `position` and `address` tell several in one transaction apart: `vout`, … */
export interface DepositRef {
	readonly txId: string;
	readonly position: string;
	readonly address: string;
	readonly asset: AssetId;
	readonly amount: bigint;
}

/** How deep the best chain holds something. */
export interface Depth {
	/** Blocks on top, its own included; 0 in the mempool. */
	readonly confirmations: number;
	/** The node's own word that it cannot be undone: EVM `finalized`, Dash ChainLock; false where there is no such word. */
	readonly irreversible: boolean;
	/** Block height; null in the mempool. */
	readonly height: number | null;
}

export type ObservedDeposit = DepositRef & Depth;

/** `reverted`: the chain took the transaction and undid what it was to do; nothing arrived. */
export type TransactionDepth = Depth & { readonly reverted: boolean };

/** An open pay-in address, with what is already on record for it. */
export interface WatchedAddress {
	readonly address: string;
	readonly asset: AssetId;
	/** Deposits on record that have not vanished. */
	readonly known: readonly DepositRef[];
}

export interface Scan {
	/** What is on the best chain or in the mempool now; may repeat what earlier scans returned. */
	readonly deposits: readonly ObservedDeposit[];
	/** Where the next scan continues. Store it only after the deposits are stored. */
	readonly cursor: string;
	/** Best height that the scan saw. */
	readonly height: number;
}

export interface PoolAddress {
	readonly index: number;
	readonly address: string;
}

/**
 * For the ledger check, base units. `net`: all that deposits brought to our addresses, less all that our payouts gave
 * to others; the reserve that the payout wallet was given and the network fees that it paid are left out, as they are in
 * the books. `unchecked`: why the family cannot tell.
 */
export type Holdings = { readonly net: bigint } | { readonly unchecked: string };

export interface Chain {
	/**
	 * Do the payout wallet's transactions work only in the order in which they were signed (account nonces)? Then a later
	 * one is not broadcast before an earlier one was taken.
	 */
	readonly sequential: boolean;
	/** Is `text` an address that payouts and refunds on this network may go to (networks.md "Addresses that are accepted")? */
	isAddress(text: string): boolean;
	/** Makes the node see payments to these addresses. Called before an address is ever shown; safe to repeat. */
	register(addresses: readonly PoolAddress[]): Promise<void>;
	/** `watched` is called only by families that must name every address to the node. `cursor` null: from now on. */
	scan(cursor: string | null, watched: () => Promise<readonly WatchedAddress[]>): Promise<Scan>;
	/** Depth of each deposit, in order; null where the best chain and the mempool no longer hold it. */
	depths(refs: readonly DepositRef[]): Promise<(Depth | null)[]>;
	/** What one payout of this asset costs now, in the asset's base units. */
	feeEstimate(asset: AssetId): Promise<bigint>;
	/** Hands a signed transaction to the network. Safe to repeat: "already known" is success. @throws BroadcastRejected */
	broadcast(raw: string): Promise<void>;
	/** Depth of one of our own transactions; null when chain and mempool do not hold it. */
	transactionDepth(txId: string): Promise<TransactionDepth | null>;
	/** What the payout wallet can spend now. */
	balance(asset: AssetId): Promise<bigint>;
	/** What the wallets hold of what went through the books. */
	holdings(asset: AssetId): Promise<Holdings>;
}

export interface Payment {
	/** Ours; where a network has neither coins nor a nonce, it tells two equal payments apart. */
	readonly id: string;
	readonly asset: AssetId;
	readonly to: string;
	readonly amount: bigint;
}

/** What the signer remembers and a family needs to choose coins or a nonce. */
export interface SigningState {
	/** What stored transactions of this network already spend: UTXO `txid:vout`, EVM `nonce:<n>`. Never spend one again. */
	readonly spent: ReadonlySet<string>;
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

export interface ChainSigner {
	/** The pay-in address at a derivation index. */
	payInAddress(index: number): string;
	/** The address of the payout wallet (also takes change). */
	hotAddress(): string;
	/**
	 * The sum of those deposits that this node, asked anew, holds at `address` deep enough; a deposit that differs in
	 * address, asset or amount from what the chain says counts nothing.
	 */
	finalAmount(refs: readonly DepositRef[], isFinal: (depth: Depth) => boolean): Promise<bigint>;
	/** @throws InsufficientReserve, PaymentImpossible */
	sign(payment: Payment, state: SigningState): Promise<SignedTransaction>;
}

/** The node is down, slow, or speaks nonsense. Nothing is known; ask again later. */
export class ChainUnavailable extends Error {
	override readonly name = 'ChainUnavailable';
}

/** The network refuses this transaction for good; a person must look. */
export class BroadcastRejected extends Error {
	override readonly name = 'BroadcastRejected';
}

/** The payout wallet holds too little at the moment. */
export class InsufficientReserve extends Error {
	override readonly name = 'InsufficientReserve';
}

/** This payment cannot be made at all (the recipient's contract reverts, the amount is dust, …). */
export class PaymentImpossible extends Error {
	override readonly name = 'PaymentImpossible';
}
