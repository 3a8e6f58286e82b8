/** Bindings of the operator Worker (`wrangler.toml` beside this file), and what a command's code is given. */
import { ConfigurationError, type KeyName } from '../crypto/key-ring.ts';
import type { Env } from '../ports/env.ts';
import type { HeldKeys, HeldRing } from '../ports/operator.ts';

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

/** Secrets of the API Worker that are not lent (`port.ts`, `HeldKeys`). */
type Held = Extract<keyof Env, `${'OPERATOR_TOKEN' | 'SECRETS_KEY' | 'API_KEY_KEY'}${string}`>;

/** The API Worker's environment, as far as a command reaches: no cache, no gate of an anonymous network. */
export type OperatorEnv = Omit<Env, 'CACHE' | 'ANONYMOUS_GATE' | Held> & OperatorBindings & { readonly KEYS: HeldKeys };

/** @throws ConfigurationError where the key's variables are wrong */
export function numbersOf({ KEYS }: Pick<OperatorEnv, 'KEYS'>, name: KeyName): HeldRing {
	const ring = KEYS.rings[name];
	if ('wrong' in ring) throw new ConfigurationError(ring.wrong);
	return ring;
}
