/** Variables of the API Worker that are missing or malformed: calls fail, or nobody is told of what waits. */
import { ConfigurationError, type KeyName, keyRing } from '../../crypto/key-ring.ts';
import { alertProblems } from '../alerts/target.ts';
import type { OperatorEnv } from '../env.ts';
import type { Facts, Waiting } from './waiting.ts';

const KEYS: readonly KeyName[] = ['API_KEY_KEY', 'SEAL_KEY', 'SECRETS_KEY'];

export const waitingConfiguration = ({ context: { env } }: Facts): Waiting[] =>
	[...KEYS.flatMap((name) => keyProblem(env, name)), ...alertProblems(env)].map(({ variable, problem, effect }) => ({
		area: 'configuration',
		subject: variable,
		cause: `${problem}; ${effect}`,
		since: null,
		amount: null,
		usd: null,
		todo: `correct ${variable} of the API Worker`,
	}));

function keyProblem(env: OperatorEnv, variable: KeyName) {
	try {
		keyRing(env, variable);
		return [];
	} catch (error) {
		if (!(error instanceof ConfigurationError)) throw error;
		return [{ variable, problem: error.message, effect: 'every signed call is answered with code 11' }];
	}
}
