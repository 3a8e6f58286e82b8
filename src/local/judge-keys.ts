/**
 * `npm run judge:keys`: the public keys of SEED, as the variables of the other judge; on Bitcoin, Litecoin, Dash and Solana those of
 * the shared wallet where COSIGNED names the network. They are for the chain that NODE_CHAIN_<NETWORK> names, or the main chain. They
 * spend nothing, and show addresses.
 */
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { type ChainConfiguration, chainOf, type NodeChain } from '../chains/configuration.ts';
import type { JudgeVariables } from '../chains/judges.ts';
import { seedOf } from '../chains/seed.ts';
import { judgeVariables } from '../chains/signing-registry.ts';
import { orExit } from './running.ts';

/**
 * A line for each network where the other judge can derive addresses, below one that names the chain. @throws ConfigurationError
 * where SEED is malformed
 */
export async function judgeKeyLines(
	env: ChainConfiguration & JudgeVariables & { readonly SEED?: string },
): Promise<string[]> {
	const variables = judgeVariables(env, await seedOf(env.SEED));
	const linesOn = (chain: NodeChain): string[] =>
		NETWORK_NAMES.filter((network) => chainOf(env, network) === chain).flatMap((network) => {
			const name = `OTHER_JUDGE_${network.toUpperCase()}`;
			return variables[name] === undefined ? [] : [`${name}=${variables[name]}`];
		});
	const [main, test] = [linesOn('main'), linesOn('regtest')];
	return [
		...(main.length > 0 ? ['# Keys for main chains:', ...main] : []),
		...(test.length > 0 ? ['# Keys for test chains:', ...test] : []),
	];
}

if (import.meta.main) orExit(judgeKeyLines(process.env).then((lines) => console.log(lines.join('\n'))));
