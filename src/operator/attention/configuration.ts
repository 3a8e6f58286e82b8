/** Variables of the API Worker that are missing or malformed: calls fail, or nobody is told of what waits. */
import type { KeyName } from '../../crypto/key-ring.ts';
import { type Problem as AlertProblem, alertProblems } from '../alerts/target.ts';
import type { OperatorEnv } from '../env.ts';
import type { Facts, Waiting } from './waiting.ts';

const KEYS: readonly KeyName[] = ['API_KEY_KEY', 'SEAL_KEY', 'SECRETS_KEY'];

interface Problem extends AlertProblem {
	readonly todo?: string;
}

export const waitingConfiguration = ({ context: { env } }: Facts): Waiting[] =>
	[...KEYS.flatMap((name) => keyProblem(env, name)), ...alertProblems(env)].map(
		({ variable, problem, effect, todo }: Problem) => ({
			area: 'configuration',
			subject: variable,
			cause: `${problem}; ${effect}`,
			todo: todo ?? `correct ${variable} of the API Worker`,
		}),
	);

function keyProblem(env: OperatorEnv, name: KeyName): Problem[] {
	const ring = env.KEYS.rings[name];
	if ('wrong' in ring)
		return [{ variable: name, problem: ring.wrong, effect: 'every signed call is answered with code 11' }];
	if (ring.leaked.length === 0) return [];
	return [
		{
			variable: `${name}_LEAKED`,
			problem: `${name}_LEAKED is set`,
			effect: 'what the leaked key has sealed counts for nothing until a person has confirmed it',
			todo: `\`keys plan ${name} --leaked\` says what is left to do`,
		},
	];
}
