/**
 * The interface that each chain family implements for the API Worker. A `Chain` watches and broadcasts; it holds no
 * key. Amounts are base units. Every method may throw `ChainUnavailable`; the caller then tries again at its next poll.
 * That is safe because no method changes our own state.
 */
import type { AssetId } from '../catalog/assets.ts';
import type { ProvingReserves } from './resting.ts';
import type { SentPayment } from './sent-payment.ts';
import type { Sweeping, SweepQuote, TokenTarget } from './sweeping-port.ts';
import type { PoolAddress } from './watching-port.ts';

/**
 * A deposit, identified by its place on the chain. `position` (`vout`, …) and `address` distinguish the deposits of one
 * transaction.
 */
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
	/** The node says that it can no longer be undone: EVM `finalized`, Dash ChainLock. False where there is no such thing. */
	readonly irreversible: boolean;
	/** Block height; null in the mempool. */
	readonly height: number | null;
	/** The chain does not let it be spent yet, so it is not final, however deep it is. Absent where it can be spent. */
	readonly immature?: true;
}

/** `countsFrom`: the height at which a lock of its payer ends; absent where it counts from its block on. */
export type ObservedDeposit = DepositRef & Depth & { readonly countsFrom?: number };

/** A transaction that used a nonce or a coin. */
export interface Overtaker extends Depth {
	readonly txId: string;
}

export type TransactionDepth = Depth & {
	/** A block holds the transaction, but it failed: nothing arrived. */
	readonly reverted: boolean;
	/**
	 * Its cost to our wallets in the native coin's base units, beyond the amount that it moved: the network fee, plus
	 * rent for accounts that it opened, minus rent from accounts that it closed. May be negative. Null while no block
	 * holds it.
	 */
	readonly fee: bigint | null;
};

/** An open pay-in address, with what is already on record for it. */
export interface WatchedAddress {
	readonly address: string;
	readonly asset: AssetId;
	/**
	 * Recorded deposits that are still on the chain. In the answer to `in turn`, all dust is one entry with the sum and
	 * without a transaction. In the answer to a list of addresses, each deposit has its own entry.
	 */
	readonly known: readonly DepositRef[];
	/**
	 * Base units of `asset` that final sweeps took from the address, fees included where they were paid in `asset`. The
	 * balance plus this is all that ever arrived.
	 */
	readonly swept: bigint;
}

/** A network fee and its coin: the network's native coin, or on the sandbox the asset itself. */
export interface Fee {
	readonly asset: AssetId;
	readonly amount: bigint;
}

export interface Scan {
	/** Deposits that the best chain or the mempool holds now. May repeat what earlier scans returned. */
	readonly deposits: readonly ObservedDeposit[];
	/** Where the next scan continues. Store it only after the deposits are stored. */
	readonly cursor: string;
	/** Best height that the scan saw. */
	readonly height: number;
	/** Where all payments to us are listed: the height up to which no later scan lists them. Absent where addresses are queried. */
	readonly settled?: number;
	/** Payments to us that their payers have locked, beside the deposits. */
	readonly locked?: readonly ObservedDeposit[];
	/** Where a book of coins is kept: the height from which it would have to be read again, if it were lost. */
	readonly readFrom?: number;
	/** Things that could not be read, one line each, for the operator. Absent where everything was read. */
	readonly unread?: readonly string[];
	/** Watched assets that this scan skipped because the node failed for them. Absent where there is none. */
	readonly unseen?: readonly AssetId[];
}

/**
 * Which addresses a scan asks for, where its family must know them. `in turn`: all that are watched, but one whose order
 * closed long ago in only one of a hundred scans: for families that find a deposit however old it is. A list: only these
 * addresses, for families that read whole blocks and then ask which payments are ours. `anyOf`: one that waits for this asset.
 */
export type WatchedOnes = 'in turn' | readonly string[] | { readonly anyOf: AssetId };
export type Watched = (which?: WatchedOnes) => Promise<readonly WatchedAddress[]>;

export interface ConsolidationQuote {
	/** Outputs that are joined. */
	readonly coins: number;
	/** Base units that would arrive, and the network fee. */
	readonly amount: bigint;
	readonly fee: bigint;
}

/** One answer of `operator network check`. */
export interface NetworkCheck {
	/** The subject of the check, e.g. `chain id`, `USDTERC20 decimals`, `wallet`. */
	readonly what: string;
	readonly ok: boolean;
	/** The node's answer. Where that is wrong: what it should have said, and what to do. */
	readonly detail: string;
}

/** The `NetworkCheck.what` under which the signer reports its world, whatever the network runs on. */
export const WORLD_CHECK = 'world';

/** The cost of moving an asset in addition to the network fee of its payout. Native base units, at current prices. */
export interface HouseCosts {
	/** Moving one deposit to the hot wallet, the gas top-up included. */
	readonly deposit: bigint;
	/** The highest cost of paying a recipient beyond `Costs.fee`. */
	readonly recipient: bigint;
}

/** Estimates, at current prices. */
export interface Costs {
	/** The cost of one payout. */
	readonly fee: Fee;
	/** Absent where deposits are spent without a sweep and no recipient can cause extra costs. */
	readonly house?: HouseCosts;
}

/** @throws ChainUnavailable */
export type CostsOf = (asset: AssetId) => Promise<Costs>;

export interface UnlistedToken {
	/** The token's contract or mint, and the account that holds it. */
	readonly token: string;
	readonly account: string;
	/** Its smallest units. */
	readonly amount: bigint;
}

/** The amounts that one transaction gave one address: nothing where it failed. */
export interface Received {
	/** Does a block hold it? */
	readonly isInBlock: boolean;
	/** Base units. */
	readonly assets: ReadonlyMap<AssetId, bigint>;
	/** The address's balances now of unlisted tokens, by contract or mint, as the token itself says; more than zero. */
	readonly tokens: ReadonlyMap<string, bigint>;
}

/** The view of a chain of a Worker that looks for no deposits: the signer. */
export interface Look {
	/**
	 * The transaction that used the nonce, or one of the coins, of `raw`, which `from` signed. It may be `raw` itself.
	 * `guess`: a transaction that is looked at first. Null where there is none, or where the node cannot tell which it is.
	 * Absent where a transaction has neither.
	 */
	overtaker?(raw: string, from: string, guess: string | null): Promise<Overtaker | null>;
	/** Is it a contract, and not a key that is delegated to one? Absent where there are no contracts. */
	isContract?(address: string): Promise<boolean>;
	/** Makes the node watch these addresses. Called before an address is first shown. Safe to repeat. */
	register(addresses: readonly PoolAddress[]): Promise<void>;
	/** Reads what the chain has new, so that nothing waits for it later. Absent where no book of coins is kept. */
	readOn?(): Promise<void>;
	/** Sends a signed transaction to the network. Safe to repeat: "already known" is success. @throws BroadcastRejected */
	broadcast(raw: string): Promise<void>;
	/** Depth of one of our own transactions; null when neither chain nor mempool holds it. */
	transactionDepth(txId: string): Promise<TransactionDepth | null>;
	/**
	 * Transactions of the hot wallet that pay these addresses in this asset, all found by one search; those from before
	 * `since` (Unix ms) may be left out. Absent where the network cannot tell. @throws ChainUnavailable also where one may
	 * be unread: it must not look unsent
	 */
	paymentsTo?(asset: AssetId, to: readonly string[], since: number): Promise<SentPayment[]>;
	/**
	 * The balances of these addresses in each listed asset, in their order. Without assets that could not be read now. The
	 * signer asks only the sandbox.
	 */
	lying?(addresses: readonly string[]): Promise<ReadonlyMap<AssetId, readonly bigint[]>>;
	/**
	 * As `Sweeping.quote`, of a token that is not listed, straight to who gets it back: the token's word for it. Nothing where
	 * it cannot be used there, or may be another name of what is listed. Absent where none is sent back.
	 */
	quoteToken?(target: TokenTarget): Promise<SweepQuote>;
	/** Absent where deposits are spent directly from the pay-in addresses (UTXO, Monero). */
	readonly sweeping?: Sweeping;
	/** Checks on each node what must be true before coins move there. Never throws because of what a node says. */
	check(): Promise<NetworkCheck[]>;
}

/** The view of a chain of the Worker that looks for deposits, and asks everything else of it. */
export interface Chain extends Look, ProvingReserves {
	/**
	 * Do the hot wallet's transactions confirm only in the order in which they were signed (account nonces)? Then a
	 * later one is broadcast only after the network accepted the earlier ones.
	 */
	readonly sequential: boolean;
	/** Where they do: the place of a signed transaction in that order. @throws on bytes that are no transaction */
	nonceOf?(raw: string): number;
	/** Do signed transactions expire within about a minute? Then each is broadcast before the next is signed. */
	readonly signaturesExpire?: true;
	/** Is `text` an address that payouts and refunds on this network may go to? */
	isAddress(text: string): boolean;
	/** Why a recipient could not use this asset; null where the node shows nothing. Absent where there are no contracts. */
	recipientProblem?(asset: AssetId, to: string): Promise<string | null>;
	/**
	 * Depth of each deposit, in order. Null: neither the best chain nor the mempool holds it with these values.
	 * `unknown`: the node answers, but cannot tell for this deposit now. Its record then stays as it is.
	 */
	depths(refs: readonly DepositRef[]): Promise<(Depth | null | 'unknown')[]>;
	/** The cost of moving each asset now. Facts that all assets share, such as the price of gas, are asked once. */
	costsNow(): Promise<CostsOf>;
	/** The base units that the hot wallet can spend now. */
	balance(asset: AssetId): Promise<bigint>;
	/** The same of several for quotes, perhaps as of the last scan. Without those that cannot be read. Absent where it saves no call. */
	reserves?(assets: readonly AssetId[]): Promise<ReadonlyMap<AssetId, bigint>>;
	/** Are deposits spent directly from the pay-in addresses, and so part of `balance` (UTXO, Monero)? */
	readonly spendsDeposits?: true;
	/**
	 * For the ledger check: all that the hot wallet and these pay-in addresses hold now, base units. A wallet that knows its
	 * own addresses ignores the list. Payments to the hot wallet itself count only once `reserve` has reported them.
	 */
	holdings(asset: AssetId, addresses: readonly string[]): Promise<bigint>;
	/**
	 * How what fills the hot wallet is learnt. `credits`: `scan` reports it like deposits. `balance`: it does not; what the
	 * wallet holds beyond the books while none of our own transactions is pending counts as reserve.
	 */
	readonly reserve: 'credits' | 'balance';
	/** Null where the node knows none. Coins that a contract sent may be missing. Absent where every payment is listed. */
	received?(txId: string, address: string): Promise<Received | null>;
	/** Tokens there that nobody here moves. Absent where no node lists them. */
	unlisted?(address: string): Promise<readonly UnlistedToken[]>;
	/**
	 * The yield of joining the wallet's smallest outputs into one now. Null while fees are not low, or where it is not
	 * worth its fee. Absent where a wallet has a balance instead of outputs, or joins them itself.
	 */
	consolidation?(): Promise<ConsolidationQuote | null>;
	/** Finds deposits. `cursor`: null starts now. `isIdle`: nobody waits for one, so it may be found when a block has it. */
	scan(cursor: string | null, watched: Watched, isIdle?: boolean): Promise<Scan>;
}
