/** What every step of a transaction's path needs. */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { NetworkName } from '../../catalog/networks.ts';
import type { Chain } from '../../chains/port.ts';
import type { SignerService } from '../signer-port.ts';

export interface TransactionContext {
	readonly db: DrizzleD1Database;
	readonly network: NetworkName;
	readonly chain: Chain;
	readonly signer: SignerService;
	/** How often a sent transaction is queried until it is final, milliseconds. */
	readonly followMilliseconds: number;
	/** Unix milliseconds. */
	readonly now: number;
}
