/** Bindings of the operator Worker (`wrangler.toml` beside this file), and what a command's code is given. */
import { ConfigurationError, type KeyName } from '../crypto/key-ring.ts';
import type { AskedKeys } from '../crypto/seals.ts';
import { objectNamed, type Regional } from '../platform/region.ts';
import type { AgentsEnv, Env } from '../ports/env.ts';
import { type HeldKeys, type HeldRing, KEEPER, type KeeperRpc, type ToldByApi } from '../ports/keeper.ts';
import { askedKeys } from './asked-keys.ts';

/** The API Worker's own bindings: the same database, queue, objects and Workers. */
type Shared =
	| ('DB' | 'WEBHOOKS' | 'ARCHIVE' | 'METRICS' | 'VERSION' | 'PAGES' | 'SIGNER' | 'AGENTS')
	| ('PARTNER_GATE' | 'RATE_BOOK' | 'CHAIN_AGENT' | 'SANDBOX_PRICES');

export interface OperatorBindings extends Pick<Env, Shared>, Pick<AgentsEnv, 'SANDBOX_LEDGER'>, Regional {
	readonly KEEPER: DurableObjectNamespace<KeeperRpc>;
	/** Where `backup --r2` keeps its lines. Not bound where backups go to files. */
	readonly BACKUPS?: R2Bucket;
}

/** Secrets that the API Worker tells nobody. */
type Held = Extract<keyof Env, `${KeyName | 'OPERATOR_TOKEN'}${string}`>;

/**
 * Its bindings, and the variables of the API Worker and the agents Worker as far as they tell them: no cache, no gate of an
 * anonymous network.
 */
export type OperatorEnv = Omit<Env, 'CACHE' | 'ANONYMOUS_GATE' | Held> &
	OperatorBindings &
	Pick<AgentsEnv, 'SCREENING_URL'> & { readonly KEYS: HeldKeys; readonly askedKeys: () => AskedKeys };

/** Each variable is set once, for the Worker that tells it: its own have no effect here. */
export function commandEnv(own: OperatorBindings, { variables, keys }: ToldByApi): OperatorEnv {
	const bindings = Object.entries(own).filter(([, binding]) => typeof binding !== 'string');
	const asked = { KEYS: keys, askedKeys: () => askedKeys(numbersOf({ KEYS: keys }, 'SEAL_KEY'), keeperOf(own)) };
	return { ...variables, ...Object.fromEntries(bindings), ...asked } as unknown as OperatorEnv;
}

export const keeperOf = (env: Pick<OperatorBindings, 'KEEPER' | 'REGION'>) => objectNamed(env, env.KEEPER, KEEPER);

/** @throws ConfigurationError where the key's variables are wrong */
export function numbersOf({ KEYS }: Pick<OperatorEnv, 'KEYS'>, name: KeyName): HeldRing {
	const ring = KEYS.rings[name];
	if ('wrong' in ring) throw new ConfigurationError(ring.wrong);
	return ring;
}
