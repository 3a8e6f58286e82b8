/** The service's variables in the environment of `npm start`, each checked: a mistyped or malformed one ends the start. */
import { checkedSeed } from '../chains/seed.ts';
import { configurationProblems } from '../configuration/check.ts';
import { unknownNames } from '../configuration/names.ts';
import { isVariableOf, type Worker } from '../configuration/variables.ts';
import { type KeyVariables, keyRing } from '../crypto/key-ring.ts';
import type { ConfigurationProblem } from '../ports/keeper.ts';

const KEYS = ['SEAL_KEY', 'SECRETS_KEY', 'API_KEY_KEY'] as const;

/** The variables of the Workers. @throws Error, one line that names what is wrong */
export function configuredVariables(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
	const unknown = unknownNames(Object.keys(environment)).map(
		({ name, nearest }) =>
			`${name} is not a variable of this service${nearest ? `; did you mean ${nearest}?` : '; unset it'}`,
	);
	const variables = Object.fromEntries(
		Object.entries(environment).filter(
			(one): one is [string, string] => one[1] !== undefined && one[0] !== 'OPERATOR_TOKEN' && isOfWorkers(one[0]),
		),
	);
	const wrong = [...unknown, ...malformed(variables)];
	if (wrong.length > 0) throw new Error(wrong.join('; '));
	checkKeys(variables);
	return variables;
}

const WORKERS = ['api', 'agents', 'signer', 'pages', 'link'] as const;

const isOfWorkers = (name: string): boolean => WORKERS.some((worker) => isVariableOf(worker, name));

/** Only among the given ones: the keys that are not given are made by the start itself. */
function malformed(variables: Readonly<Record<string, string>>): string[] {
	const problemsOf = (worker: Worker): ConfigurationProblem[] =>
		configurationProblems(
			Object.fromEntries(Object.entries(variables).filter(([name]) => isVariableOf(worker, name))),
			worker,
		);
	const problems = WORKERS.flatMap(problemsOf).filter(({ variable }) => variable in variables);
	return [...new Set(problems.map(({ problem }) => problem))];
}

/** @throws ConfigurationError for a key that is given and malformed */
function checkKeys(variables: KeyVariables & { readonly SEED?: string }): void {
	for (const name of KEYS) {
		if (variables[name] !== undefined) keyRing(variables, name);
	}
	if (variables.SEED !== undefined) checkedSeed(variables.SEED);
}
