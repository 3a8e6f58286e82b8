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

export type TransactionDepth = Depth & {
	/** The chain took the transaction and undid what it was to do; nothing arrived. */
	readonly reverted: boolean;
	/**
	 * What it cost our wallets in the native coin's base units, beyond what it moved: the network fee, and rent for what
	 * it opened less rent for what it closed, so that it may be negative. Null while no block holds it.
	 */
	readonly fee: bigint | null;
};

/** An open pay-in address, with what is already on record for it. */
export interface WatchedAddress {
	readonly address: string;
	readonly asset: AssetId;
	/**
	 * Deposits on record that have not vanished. Where the address is named in turn, dust is in it as one entry of no
	 * transaction, its sum: who needs to know each deposit asks for the address by name.
	 */
	readonly known: readonly DepositRef[];
	/**
	 * Base units of `asset` that final sweeps took from it, fees included where they were paid in `asset`: what was ever
	 * credited is what it holds now and this.
	 */
	readonly swept: bigint;
}

/** A network fee and the coin that it is counted in: the network's native coin; the sandbox counts in the asset itself. */
export interface Fee {
	readonly asset: AssetId;
	readonly amount: bigint;
}

export interface Scan {
	/** What is on the best chain or in the mempool now; may repeat what earlier scans returned. */
	readonly deposits: readonly ObservedDeposit[];
	/** Where the next scan continues. Store it only after the deposits are stored. */
	readonly cursor: string;
	/** Best height that the scan saw. */
	readonly height: number;
	/** What could not be read and is left out, one line each, for the operator; absent where all was read. */
	readonly unread?: readonly string[];
	/** Watched assets of which this scan says nothing, because the node cannot tell of them now; absent where there is none. */
	readonly unseen?: readonly AssetId[];
}

export interface PoolAddress {
	readonly index: number;
	readonly address: string;
}

/**
 * Of all that are watched, which a scan wants to be told of. `in turn`: of orders whose window closed long ago each is
 * named once in a hundred scans; for families that find what came to an address however long ago it was named. A list:
 * those among these addresses; for families that read whole blocks and ask whose the money is.
 */
export type WatchedOnes = 'in turn' | readonly string[];

/** One pay-in address and the asset to be moved from it to the payout wallet. */
export interface SweepTarget {
	readonly address: string;
	readonly asset: AssetId;
}

export interface SweepQuote {
	/** Base units of the asset that would arrive; 0 where there is nothing that can be moved. */
	readonly amount: bigint;
	/** What it costs in the native coin's base units, the transaction that brings gas included. */
	readonly fee: bigint;
	/** Native base units that the address lacks to pay for its sweep; 0 where it lacks none. */
	readonly gas: bigint;
}

export interface ConsolidationQuote {
	/** Outputs that are joined. */
	readonly coins: number;
	/** Base units that would arrive, and the network fee. */
	readonly amount: bigint;
	readonly fee: bigint;
}

/** One answer of `operator network check`. */
export interface NetworkCheck {
	/** What was asked, e.g. `chain id`, `USDTERC20 decimals`, `wallet`. */
	readonly what: string;
	readonly ok: boolean;
	/** What the node said, and where that is wrong what it should have been and what to do. */
	readonly detail: string;
}

/** `NetworkCheck.what` of the signer's word on which world it belongs to, whatever the network runs on. */
export const WORLD_CHECK = 'world';
/** Native base units, as they are likely now. */
export interface HouseCosts {
	/** What bringing one deposit to the hot wallet costs, the transaction that brings gas included. */
	readonly deposit: bigint;
	/** What paying a recipient may cost beyond `Chain.feeEstimate`. */
	readonly recipient: bigint;
}

export interface Chain {
	/**
	 * Do the payout wallet's transactions work only in the order in which they were signed (account nonces)? Then a later
	 * one is not broadcast before an earlier one was taken.
	 */
	readonly sequential: boolean;
	/**
	 * Is a signature worthless within a minute or so? Then each is broadcast before the next is made. Absent: it is not.
	 */
	readonly signaturesExpire?: true;
	/** Is `text` an address that payouts and refunds on this network may go to (networks.md "Addresses that are accepted")? */
	isAddress(text: string): boolean;
	/** Makes the node see payments to these addresses. Called before an address is ever shown; safe to repeat. */
	register(addresses: readonly PoolAddress[]): Promise<void>;
	/** `watched` is called only by families that must name or know every address. `cursor` null: from now on. */
	scan(cursor: string | null, watched: (which?: WatchedOnes) => Promise<readonly WatchedAddress[]>): Promise<Scan>;
	/**
	 * Depth of each deposit, in order; null where the best chain and the mempool no longer hold it as it is told;
	 * `unknown` where the node answers, and cannot tell of this one now: then what is on record of it stands.
	 */
	depths(refs: readonly DepositRef[]): Promise<(Depth | null | 'unknown')[]>;
	/** What one payout of this asset costs now. */
	feeEstimate(asset: AssetId): Promise<Fee>;
	/**
	 * Native base units: what bringing one deposit of this asset to the hot wallet costs, and what a recipient may burn
	 * beyond a plain transfer. Absent where deposits are spent from where they are and no recipient can burn anything.
	 */
	readonly houseCosts?: (asset: AssetId) => Promise<HouseCosts>;
	/** Hands a signed transaction to the network. Safe to repeat: "already known" is success. @throws BroadcastRejected */
	broadcast(raw: string): Promise<void>;
	/** Depth of one of our own transactions; null when chain and mempool do not hold it. */
	transactionDepth(txId: string): Promise<TransactionDepth | null>;
	/** What the payout wallet can spend now. */
	balance(asset: AssetId): Promise<bigint>;
	/** Is what came to pay-in addresses spent from there, and so a part of `balance` (UTXO, Monero)? */
	readonly spendsDeposits?: true;
	/**
	 * For the ledger check: all that the payout wallet and these pay-in addresses of ours hold now, base units; a wallet
	 * that knows its own addresses need not be told them. Of what was sent to the payout wallet itself, only what
	 * `reserve` has made known already.
	 */
	holdings(asset: AssetId, addresses: readonly string[]): Promise<bigint>;
	/**
	 * How the agent learns that the operator has filled the payout wallet. `credits`: `scan` reports payments to its
	 * address like deposits. `balance`: the chain names no transaction for it; while none of our own transactions is
	 * under way, what the wallet holds beyond the books is the reserve.
	 */
	readonly reserve: 'credits' | 'balance';
	/** Absent where deposits are spent from where they are (UTXO, Monero) and nothing is swept. */
	readonly sweeping?: {
		/** Who pays for the sweep's own transaction: the pay-in address, which may need gas for it, or the payout wallet. */
		readonly feePayer: 'address' | 'wallet';
		/** Asked of the chain now, one answer for each target, in order. */
		quote(targets: readonly SweepTarget[]): Promise<SweepQuote[]>;
	};
	/**
	 * What joining the wallet's smallest outputs into one would bring now; null while fees are not low, or it is not worth
	 * it. Absent where a wallet has a balance and no outputs, or joins them by itself.
	 */
	consolidation?(): Promise<ConsolidationQuote | null>;
	/** Asks each configured node by itself what must be true before coins move there. Never throws for what a node says. */
	check(): Promise<NetworkCheck[]>;
}

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

/** Of what a node said, this much is kept for the log and the operator, characters. */
const MAX_REASON = 500;

/** The node is down, slow, or speaks nonsense. Nothing is known; ask again later. */
export class ChainUnavailable extends Error {
	override readonly name = 'ChainUnavailable';

	/** The node did answer, and with more than is ever read of one answer: asked again, it will answer the same. */
	readonly tooLarge: boolean;
	/** It did not answer in time: it is busy or hangs, or what it was asked is too much work. */
	readonly timedOut: boolean;

	constructor(reason: string, { tooLarge = false, timedOut = false } = {}) {
		super(reason.slice(0, MAX_REASON));
		this.tooLarge = tooLarge;
		this.timedOut = timedOut;
	}
}

/** The network refuses this transaction for good; a person must look. */
export class BroadcastRejected extends Error {
	override readonly name = 'BroadcastRejected';
	/** Another transaction took its coins or its nonce: it can never confirm, and nothing need wait for it. */
	readonly taken: boolean;
	/** Its time is over, and no block holds it: it can never confirm. */
	readonly expired: boolean;

	constructor(message: string, { taken = false, expired = false } = {}) {
		super(message);
		this.taken = taken;
		this.expired = expired;
	}
}

/** The payout wallet holds too little at the moment. */
export class InsufficientReserve extends Error {
	override readonly name = 'InsufficientReserve';
}

/** Nothing is signed from this wallet before a person has looked why; asked again, the answer may be another. */
export class SigningBlocked extends Error {
	override readonly name = 'SigningBlocked';
}

/** This payment cannot be made at all (the recipient's contract reverts, the amount is dust, …). */
export class PaymentImpossible extends Error {
	override readonly name = 'PaymentImpossible';
}
