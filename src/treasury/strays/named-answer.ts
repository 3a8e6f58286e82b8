/** The answers of networks about a transaction that somebody names. */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';

/** One amount that a transaction gave. `asset`: null where the token is not listed. */
export interface Gave {
	readonly asset: AssetId | null;
	readonly token: string | null;
	/** Base units; of a token that is not listed its smallest ones, as it says itself. */
	readonly amount: string;
	/** It is what the order asked for. `late`: its address is not watched any more. */
	readonly is: 'deposit' | 'late' | 'stray';
}

/**
 * `unknown`: the node knows no such transaction. `pending`: no block holds it. `nothing`: it gave the address nothing.
 * `listed`: every payment on this network is listed, so there is nothing to look up.
 */
export type NamedOn = 'unknown' | 'pending' | 'nothing' | 'listed' | readonly Gave[];

export interface Named {
	readonly network: NetworkName;
	readonly found: NamedOn | 'not answering';
}

/** To a payer. `used up`: the order has had its look-ups, or is archived. */
export type NamedAnswer = 'no id' | 'used up' | readonly Named[];
