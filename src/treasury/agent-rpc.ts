/** What callers of `ChainAgent` see. There is one object for each network, of the network's name. */
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { NetworkCheck } from '../chains/port.ts';
import type { SealedAddress } from '../orders/seal.ts';

/** What last went wrong, for the operator. */
export interface Trouble {
	/** Unix milliseconds. */
	readonly at: number;
	/** One line. */
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
	/** What the books say lies on addresses that are no longer read. */
	readonly left: bigint;
}

export interface ChainAgentRpc extends Rpc.DurableObjectBranded {
	/** For the cron: makes the agent poll, and sets an alarm that was lost. */
	wake(network: NetworkName): Promise<void>;
	/** Something is to be done on this network now: a poll begins after this call. */
	kick(network: NetworkName): Promise<void>;
	/** What the hot wallet can spend now, base units. @throws where the chain does not answer */
	balances(network: NetworkName): Promise<Partial<Record<AssetId, bigint>>>;
	/** What the hot wallet can spend of each asset, and what of that is owed. @throws as `balances` */
	funds(network: NetworkName, assets: readonly AssetId[]): Promise<Partial<Record<AssetId, Funds>>>;
	/** @throws where the chain does not answer */
	holdings(network: NetworkName): Promise<Partial<Record<AssetId, Holding>>>;
	/** Is one of these transactions on the chain, and not reverted? @throws where the chain does not answer */
	holdsAny(network: NetworkName, txIds: readonly string[]): Promise<boolean>;
	/** What last went wrong since the object started, if anything did. */
	trouble(): Trouble | null;
	/** Pay-in addresses that nobody was given before; none when there are none: `trouble` says why. */
	drawAddresses(network: NetworkName, count: number): Promise<SealedAddress[]>;
	freeAddresses(): number;
	check(network: NetworkName): Promise<NetworkCheck[]>;
}
