/** `RateBook` as its callers see it. There is one object, named `book`. */
import type { NetworkName } from '../catalog/networks.ts';
import type { Decided } from '../decisions/rules.ts';
import type { CodeVersion } from '../platform/d1/code-version.ts';
import type { Feed } from '../pricing/feed.ts';
import type { Market, NetworkReport } from '../pricing/market.ts';

export interface Vitals {
	/** The version of the code that the object runs. */
	readonly version: CodeVersion;
	/** When the cron last ran; null where it never did. */
	readonly cronAt: number | null;
	/** The doctor's last questions that came through the queue; lost with the object's memory. */
	readonly probes: readonly string[];
}

export interface RateBookRpc extends Rpc.DurableObjectBranded {
	/** The snapshot as it is now; built first where there is none. */
	market(): Promise<Market>;
	/** The feed as it was last rendered; rendered first where there is none that may be served. */
	feed(): Promise<Feed>;
	/**
	 * A setting or a price has changed: builds the snapshot again and answers with it. `decided`: what a person has set,
	 * which from now on holds against a D1 that is looser.
	 */
	changed(decided?: Decided): Promise<Market>;
	/** A person loosens this: D1 is written afterwards, and must not be taken for one that was set back. */
	decide(decided: Decided): Promise<void>;
	/** Takes an agent's facts about its network; part of the snapshot at once. */
	report(network: NetworkName, report: NetworkReport): Promise<void>;
	/** For the cron: sets an alarm that was lost, and notes that the cron ran. */
	wake(): Promise<void>;
	/** For the queue: a message of `exchange doctor` has arrived. */
	probed(id: string): Promise<void>;
	/** For `exchange doctor`. */
	vitals(): Promise<Vitals>;
}
