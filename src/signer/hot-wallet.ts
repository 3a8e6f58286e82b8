/** A network's hot wallet stays the one that it began with: coins of another would not be seen, nor what that has paid. */
import type { NetworkName } from '../catalog/networks.ts';
import { networkMode } from '../chains/configuration.ts';
import { SigningBlocked } from '../chains/errors.ts';
import type { SignerEnv } from './env.ts';
import type { Wiring } from './wiring.ts';

/** Null on the sandbox, where it may change. @throws SigningBlocked where the configuration gives another one */
export function sameHot(env: SignerEnv, { journal, keys }: Wiring, network: NetworkName): string | null {
	if (networkMode(env, network)?.on !== 'nodes') return null;
	const is = keys.on(network).hotAddress();
	const was = journal.addresses.hot(network) ?? is;
	if (was === is) return is;
	const by = 'by SEED, COSIGNED and OTHER_JUDGE_…';
	throw new SigningBlocked(`the hot wallet of ${network} was ${was}, and ${by} it is ${is}: set them as they were`);
}
