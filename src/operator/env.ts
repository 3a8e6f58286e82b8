/** Bindings of the operator Worker (`wrangler.toml` beside this file), and what a command's code is given. */
import type { Env } from '../env.ts';

/** Its own. Everything else is lent with each call. */
export interface OperatorBindings {
	readonly DB: D1Database;
	/** Finished orders; without it none is archived. */
	readonly ARCHIVE?: R2Bucket;
	/** Where `backup --r2` keeps its lines. Not bound where backups go to files. */
	readonly BACKUPS?: R2Bucket;
	readonly METRICS?: AnalyticsEngineDataset;
	/** Which version of the code this is. */
	readonly VERSION?: WorkerVersionMetadata;
}

/** The API Worker's environment, as far as a command reaches: no cache, no stream, no gate of an anonymous network. */
export type OperatorEnv = Omit<Env, 'CACHE' | 'ANONYMOUS_GATE'> & OperatorBindings;
