/** What callers of `ChainAgent` see. There is one object for each network, of the network's name. */
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { NetworkCheck } from '../chains/port.ts';
import type { SealedAddress } from '../orders/seal.ts';

/** For the operator. */
export interface LastError {
	/** Unix milliseconds. */
	readonly at: number;
	/** One line: the part of the poll, and what went wrong there. */
	readonly text: string;
}

/** Of one asset in the hot wallet, base units. */
export interface Funds {
	readonly held: bigint;
	/** What unfinished transactions are to send of it, those that are sent and not final included. */
	readonly owed: bigint;
}

/** For `ledger check`, base units. */
export interface Holding {
	/** What the hot wallet and the addresses that are not swept hold now. */
	readonly held: bigint;
	/** What the books say lies at addresses that are not asked for any more (`sweeps/swept.ts`). */
	readonly remainder: bigint;
}

export interface ChainAgentRpc extends Rpc.DurableObjectBranded {
	/** For the cron: starts the polls, and sets an alarm again that was lost. */
	rearm(network: NetworkName): Promise<void>;
	/** There is something to do on this network: a poll begins soon after this call. */
	wake(network: NetworkName): Promise<void>;
	/** What the hot wallet can spend now, base units. @throws where the chain does not answer */
	balances(network: NetworkName): Promise<Partial<Record<AssetId, bigint>>>;
	/** What the hot wallet can spend of each asset, and what of that is owed. @throws as `balances` */
	funds(network: NetworkName, assets: readonly AssetId[]): Promise<Partial<Record<AssetId, Funds>>>;
	/** @throws where the chain does not answer */
	holdings(network: NetworkName): Promise<Partial<Record<AssetId, Holding>>>;
	/** Is one of these transactions on the chain, and not reverted? @throws where the chain does not answer */
	holdsAny(network: NetworkName, txIds: readonly string[]): Promise<boolean>;
	/** The last thing that went wrong since the object started, if anything has. */
	lastError(): LastError | null;
	/** Pay-in addresses that nobody was given before; none when there are none: `lastError` says why. */
	drawAddresses(network: NetworkName, count: number): Promise<SealedAddress[]>;
	freeAddresses(): number;
	check(network: NetworkName): Promise<NetworkCheck[]>;
}
