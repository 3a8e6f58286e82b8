/**
 * `npm run judge:keys`: the public keys of SEED, as the variables of the other judge; on Bitcoin, Litecoin, Dash and Solana those of
 * the shared wallet where COSIGNED names the network. They spend nothing, and show addresses.
 */
import type { ChainConfiguration } from '../chains/configuration.ts';
import type { JudgeVariables } from '../chains/judges.ts';
import { seedOf } from '../chains/seed.ts';
import { judgeVariables } from '../chains/signing-registry.ts';
import { orExit } from './running.ts';

/** A line for each network where the other judge can derive addresses. @throws ConfigurationError where SEED is malformed */
export async function judgeKeyLines(
	env: ChainConfiguration & JudgeVariables & { readonly SEED?: string },
): Promise<string[]> {
	return Object.entries(judgeVariables(env, await seedOf(env.SEED))).map(([name, value]) => `${name}=${value}`);
}

if (import.meta.main) orExit(judgeKeyLines(process.env).then((lines) => console.log(lines.join('\n'))));
