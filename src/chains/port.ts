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
