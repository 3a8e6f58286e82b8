/** `ChainAgent` as its callers see it. There is one object for each network, named after it. */
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { NetworkCheck } from '../chains/port.ts';
import type { WaitingDeposit } from '../orders/progress.ts';
import type { SealedAddress } from '../orders/seal.ts';
import type { CodeVersion } from '../platform/d1/code-version.ts';
import type { NamedOn } from '../treasury/strays/named-answer.ts';
import type { ReserveClaim, SignedReserves } from './reserves.ts';

export interface ResealedAddresses {
	/** Free addresses that another key had sealed. */
	readonly old: number;
	readonly resealed: number;
}

/** For the operator. */
export interface LastError {
	readonly at: number;
	/** One line: the part of the poll, and what went wrong there. */
	readonly text: string;
	/** How often in a row that part has failed; null where it is no failed poll, but something that was found. */
	readonly failures: number | null;
}

/** Base units of one asset in the hot wallet. */
export interface Funds {
	readonly held: bigint;
	/** The sum that unfinished transactions send of it, including those that are sent and not final. */
	readonly owed: bigint;
}

/** For `ledger check`, base units. */
export interface Holding {
	/** The coins that the hot wallet and the addresses that are not swept hold now. */
	readonly held: bigint;
	/** The sum that remains, by the books, at swept addresses, which are not queried any more (`sweeps/swept.ts`). */
	readonly remainder: bigint;
	/**
	 * The part of `held` that came to addresses, less what was taken back, since the last poll or look, and what came to
	 * the hot wallet before it is reserve.
	 */
	readonly unrecorded: bigint;
}

export interface AgentState {
	/** The last thing that went wrong since the object started, if anything has. */
	readonly lastError: LastError | null;
	readonly freeAddresses: number;
	/** Best block that a poll has seen; null before the first, and on embedded ledgers. */
	readonly height: number | null;
	/** The version of the code that the object runs. */
	readonly version: CodeVersion;
}

/** The part of an agent that a backup keeps. */
export interface AgentCopy {
	/** How far it has read its chain, as JSON; null before its first poll. */
	readonly position: unknown;
	/** One above the highest derivation index that it ever received. */
	readonly nextIndex: number;
}

export interface ChainAgentRpc extends Rpc.DurableObjectBranded {
	/** For the cron: starts the polls, and sets a lost alarm again. */
	rearm(network: NetworkName): Promise<void>;
	/** How it is, for the operator. */
	state(): AgentState;
	/** Makes the agent poll now instead of at its next alarm. */
	wake(network: NetworkName): Promise<void>;
	/**
	 * There is a new order, or a quote needs newer figures: the next poll, and all in this time, come at the network's usual
	 * pace; at once where that has passed.
	 */
	attend(network: NetworkName, milliseconds: number): Promise<void>;
	/** The base units that the hot wallet can spend now. @throws where the chain does not answer */
	balances(network: NetworkName): Promise<Partial<Record<AssetId, bigint>>>;
	/** The base units of each asset that the hot wallet can spend, and how many of them are owed. @throws as `balances` */
	funds(network: NetworkName, assets: readonly AssetId[]): Promise<Partial<Record<AssetId, Funds>>>;
	/** @throws where the chain does not answer */
	holdings(network: NetworkName): Promise<Partial<Record<AssetId, Holding>>>;
	/** The network's reserves, signed by the wallet. @throws where the chain or the signer does not answer */
	signReserves(network: NetworkName, claim: ReserveClaim): Promise<SignedReserves>;
	/** Is one of these transactions on the chain, and not reverted? @throws where the chain does not answer */
	holdsAny(network: NetworkName, txIds: readonly string[]): Promise<boolean>;
	/** By order id, the deposit with the fewest confirmations; only orders whose deposits the last polls saw. */
	waitingDeposits(orderIds: readonly string[]): Record<string, WaitingDeposit>;
	/** Pay-in addresses that were never given out before. When there are none, `state` says why. */
	drawAddresses(network: NetworkName, count: number): Promise<SealedAddress[]>;
	/** As `Chain.recipientProblem`. @throws where the chain does not answer */
	recipientProblem(asset: AssetId, to: string): Promise<string | null>;
	/** Seals the free addresses with the key that seals now; `change`: false only counts. */
	resealAddresses(network: NetworkName, change: boolean): Promise<ResealedAddresses>;
	/** For `network check`. `hotAddress`: where the caller knows it; else the signer is asked. */
	check(network: NetworkName, hotAddress?: string): Promise<NetworkCheck[]>;
	/**
	 * Looks now for coins of other assets at the order's pay-in address; what it finds is in D1. False where nothing that is
	 * paid on this network can come there. @throws where the chain does not answer
	 */
	findStrays(network: NetworkName, orderId: string): Promise<boolean>;
	/** Looks a transaction up that somebody named, and what lies at the order's address. @throws as `findStrays` */
	lookUp(network: NetworkName, orderId: string, txId: string): Promise<NamedOn>;
	/** Asks the screening service what it has not accepted of what a refund of the order would send back. */
	screenForRefund(orderId: string): Promise<void>;
	/** No poll runs until then; 0 ends it. */
	hold(until: number): Promise<void>;
	copy(): Promise<AgentCopy>;
	/** Replaces all that the agent knows, and throws away its free addresses. */
	restore(copy: AgentCopy): Promise<void>;
}
