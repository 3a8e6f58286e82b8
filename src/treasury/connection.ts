/** The means of an agent, and of every step that it takes, on its network. */
import type { NetworkName } from '../catalog/networks.ts';
import type { Chain } from '../chains/port.ts';
import type { Db } from '../platform/d1/database.ts';
import type { Market } from '../pricing/market.ts';

export interface Connection {
	readonly db: Db;
	readonly network: NetworkName;
	readonly chain: Chain;
	/** The hot wallet's. */
	readonly hotAddress: string;
}

/** The means of planning background work. */
export interface Planning extends Connection {
	/** Null while there is none: then nothing is planned, and what was due stays due. */
	readonly market: Market | null;
	readonly now: number;
}
