/**
 * The port that a chain fulfils: what the service needs of a network, the same for all families. A `Chain` watches and
 * broadcasts and holds no key; the API Worker uses it. Amounts are base units. Every method may throw `ChainUnavailable`;
 * the caller then tries again at its next poll. That is safe because nothing here changes our own state.
 */
import type { AssetId } from '../catalog/assets.ts';
import type { Network } from '../catalog/networks.ts';
import type { ChainConfiguration, NodeChain, NodeConfig } from './configuration.ts';

/** A deposit by its place on the chain. `position` and `address` tell several in one transaction apart: `vout`, … */
export interface DepositRef {
	readonly txId: string;
	readonly position: string;
	readonly address: string;
	readonly asset: AssetId;
	readonly amount: bigint;
}

/** How deep a transaction lies in the best chain. */
export interface Depth {
	/** Blocks on top, its own included; 0 in the mempool. */
	readonly confirmations: number;
	/**
	 * The node says that it cannot be undone: EVM `finalized`, Dash ChainLock; false where the chain has no such thing.
	 */
	readonly irreversible: boolean;
	/** Block height; null in the mempool. */
	readonly height: number | null;
}

export type ObservedDeposit = DepositRef & Depth;

export type TransactionDepth = Depth & {
	/** A block holds the transaction, and it failed: nothing arrived. */
	readonly reverted: boolean;
	/**
	 * What it cost our wallets in the native coin's base units, beyond what it moved: the network fee, plus rent for accounts
	 * that it opened, minus rent from accounts that it closed. May be negative. Null while no block holds it.
	 */
	readonly fee: bigint | null;
};

/** An open pay-in address, with what is already on record for it. */
export interface WatchedAddress {
	readonly address: string;
	readonly asset: AssetId;
	/**
	 * Deposits on record that are still on the chain. Asked for `in turn`, dust is one entry without a transaction, with the
	 * sum. Asked for by address, each deposit has an entry of its own.
	 */
	readonly known: readonly DepositRef[];
	/**
	 * Base units of `asset` that final sweeps took from the address, fees included where they were paid in `asset`. All that
	 * ever arrived is its balance plus this.
	 */
	readonly swept: bigint;
}

/**
 * A network fee and the coin that it is counted in: the network's native coin; the sandbox counts in the asset
 * itself.
 */
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
	/**
	 * Watched assets whose deposits this scan could not look for, because the node fails for them; absent where there
	 * is none.
	 */
	readonly unseen?: readonly AssetId[];
}

export interface PoolAddress {
	readonly index: number;
	readonly address: string;
}

/**
 * Which watched addresses a scan asks for. `in turn`: all, but an address whose order closed long ago only in one of a
 * hundred scans; for families that find a deposit however long ago it arrived. A list: only those addresses; for families
 * that read whole blocks and then ask whose the payments are.
 */
export type WatchedOnes = 'in turn' | readonly string[];

/** One pay-in address and the asset to be moved from it to the hot wallet. */
export interface SweepTarget {
	readonly address: string;
	readonly asset: AssetId;
}

export interface SweepQuote {
	/** Base units of the asset that would arrive; 0 where nothing can be moved. */
	readonly amount: bigint;
	/** What it costs in the native coin's base units, the gas top-up's own fee included. */
	readonly fee: bigint;
	/** Native base units that the address still needs to pay for its sweep; 0 where it has enough. */
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
	/** What was checked, e.g. `chain id`, `USDTERC20 decimals`, `wallet`. */
	readonly what: string;
	readonly ok: boolean;
	/** What the node said. Where that is wrong: what it should have said, and what to do. */
	readonly detail: string;
}

/** `NetworkCheck.what` of the signer's answer to which world it belongs to, whatever the network runs on. */
export const WORLD_CHECK = 'world';

/** What an asset costs us beside the network fee of its payout, native base units, at present prices. */
export interface HouseCosts {
	/** To bring one deposit to the hot wallet, the gas top-up included. */
	readonly deposit: bigint;
	/** What paying a recipient may cost beyond `Chain.feeEstimate`. */
	readonly recipient: bigint;
}

export interface Chain {
	/**
	 * Do the hot wallet's transactions confirm only in the order in which they were signed (account nonces)? Then a later one
	 * is broadcast only after the network took the earlier ones.
	 */
	readonly sequential: boolean;
	/**
	 * Does a signature expire within about a minute? Then each is broadcast before the next is made. Absent: it does
	 * not.
	 */
	readonly signaturesExpire?: true;
	/** Is `text` an address that payouts and refunds on this network may go to? */
	isAddress(text: string): boolean;
	/** Makes the node see payments to these addresses. Called before an address is ever shown; safe to repeat. */
	register(addresses: readonly PoolAddress[]): Promise<void>;
	/**
	 * `watched` is called only by families that must query each address or know whose it is. `cursor` null: from now
	 * on.
	 */
	scan(cursor: string | null, watched: (which?: WatchedOnes) => Promise<readonly WatchedAddress[]>): Promise<Scan>;
	/**
	 * Depth of each deposit, in order. Null: neither the best chain nor the mempool holds it with these values. `unknown`: the
	 * node answers, but cannot tell about this deposit now; its record then stays as it is.
	 */
	depths(refs: readonly DepositRef[]): Promise<(Depth | null | 'unknown')[]>;
	/** What one payout of this asset costs now. */
	feeEstimate(asset: AssetId): Promise<Fee>;
	/** Absent where deposits are spent without a sweep and no recipient can cause extra costs. */
	readonly houseCosts?: (asset: AssetId) => Promise<HouseCosts>;
	/**
	 * Sends a signed transaction to the network. Safe to repeat: "already known" is success. @throws BroadcastRejected
	 */
	broadcast(raw: string): Promise<void>;
	/** Depth of one of our own transactions; null when neither chain nor mempool holds it. */
	transactionDepth(txId: string): Promise<TransactionDepth | null>;
	/** What the hot wallet can spend now. */
	balance(asset: AssetId): Promise<bigint>;
	/** Are deposits spent directly from the pay-in addresses, and so part of `balance` (UTXO, Monero)? */
	readonly spendsDeposits?: true;
	/**
	 * For the ledger check: all that the hot wallet and these pay-in addresses hold now, base units. A wallet that knows its
	 * own addresses ignores the list. Payments to the hot wallet itself count only once `reserve` has reported them.
	 */
	holdings(asset: AssetId, addresses: readonly string[]): Promise<bigint>;
	/**
	 * How the agent learns that the operator has filled the hot wallet. `credits`: `scan` reports payments to its address like
	 * deposits. `balance`: the scan names no such payment; while none of our own transactions is pending, what the wallet
	 * holds beyond the books is the reserve.
	 */
	readonly reserve: 'credits' | 'balance';
	/** Absent where deposits are spent directly from the pay-in addresses (UTXO, Monero). */
	readonly sweeping?: {
		/** Who pays the sweep's fee: the pay-in address, which may need a gas top-up first, or the hot wallet. */
		readonly feePayer: 'address' | 'wallet';
		/** From the chain's present state, one answer per target, in order. */
		quote(targets: readonly SweepTarget[]): Promise<SweepQuote[]>;
	};
	/**
	 * What joining the wallet's smallest outputs into one would bring now; null while fees are not low, or where it is not
	 * worth its fee. Absent where a wallet has a balance instead of outputs, or joins them by itself.
	 */
	consolidation?(): Promise<ConsolidationQuote | null>;
	/**
	 * Checks on each configured node what must be true before coins move there. Never throws because of what a node
	 * says.
	 */
	check(): Promise<NetworkCheck[]>;
}

/** What each family's `family.ts` exports for `registry.ts`. */
export interface ChainFamily<N extends Network> {
	/** As `Chain.isAddress`, without asking a node. */
	isAddress(text: string, network: N, chain: NodeChain): boolean;
	/** The one text that all forms of an accepted address share; absent where only letter case can differ. */
	plainForm?(address: string): string;
	chain(network: N, node: NodeConfig, hotAddress: string, configuration: ChainConfiguration): Chain;
}
