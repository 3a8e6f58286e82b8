/** Judges the variables of two judges, for `doctor`: one that is missing would leave a network to one of them. */
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { judgesOf } from '../chains/judges.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { otherEnd } from '../link/variables.ts';
import type { ConfigurationProblem } from '../ports/keeper.ts';
import type { SignerEnv } from './env.ts';

export function judgeProblems(env: SignerEnv): ConfigurationProblem[] {
	const wrong = [
		...(env.COSIGNER_URL && !env.COSIGNED ? ['COSIGNED is missing: the signer signs alone everywhere'] : []),
		...(env.COSIGNED ? wrongIn(() => otherEnd(env, 'cosigner', 'COSIGNER_URL', env.COSIGNER_URL)) : []),
		...NETWORK_NAMES.flatMap((network) => wrongIn(() => judgesOf(env, network))),
	];
	return [...new Set(wrong)].map((problem) => {
		// The sentences begin with it.
		const [variable = ''] = problem.split(' ', 1);
		return { variable, problem, todo: `correct it: npx wrangler secret put ${variable} -c src/signer/wrangler.toml` };
	});
}

function wrongIn(read: () => unknown): string[] {
	try {
		read();
		return [];
	} catch (error) {
		if (error instanceof ConfigurationError) return [error.message];
		throw error;
	}
}
