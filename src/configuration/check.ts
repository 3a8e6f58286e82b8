/**
 * Mistakes in a Worker's variables: one is missing or malformed, one belongs to the other Worker, or a name is no
 * variable. Names are shown, values never. Pure.
 */
import { NETWORK_NAMES } from '../catalog/networks.ts';
import { type ChainConfiguration, networkModeOrProblem, worldOf } from '../chains/configuration.ts';
import { ConfigurationError, type KeyName, type KeyVariables, keyRing } from '../crypto/key-ring.ts';
import type { ConfigurationProblem } from '../ports/keeper.ts';
import { unknownNames } from './names.ts';
import { BY_NAME, isVariableOf, VARIABLES, type Worker } from './variables.ts';

const KEYS: Readonly<Record<Worker, readonly KeyName[]>> = {
	api: ['SEAL_KEY', 'SECRETS_KEY', 'API_KEY_KEY'],
	agents: ['SEAL_KEY'],
	signer: ['SEAL_KEY'],
	pages: [],
	operator: [],
	link: [],
};

/** Each Worker's title, and the file with its configuration. */
const WORKERS: Readonly<Record<Worker, { readonly title: string; readonly file: string }>> = {
	api: { title: 'API Worker', file: '' },
	agents: { title: 'agents Worker', file: 'src/agents/' },
	signer: { title: 'signer', file: 'src/signer/' },
	pages: { title: 'pages Worker', file: 'src/pages/' },
	operator: { title: 'operator Worker', file: 'src/operator/' },
	link: { title: 'link', file: 'src/link/' },
};

/**
 * `environment`: bindings are objects, variables and secrets are texts. The words of `SEED` are judged where they are
 * read, in the signer (`chains/seed.ts`): the API Worker does not contain that code.
 */
export function configurationProblems(environment: object, worker: Worker): ConfigurationProblem[] {
	const given = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
		typeof value === 'string' && value.trim() !== '' ? [[name, value]] : [],
	);
	const names = given.map(([name]) => name);
	const all = [
		...KEYS[worker].flatMap((key) => keyProblem(environment as KeyVariables, key)),
		...missing(names, worker),
		...unnamed(environment, worker),
		...given.flatMap(malformed),
		...NETWORK_NAMES.flatMap((network) => networkProblem(environment as ChainConfiguration, network)),
	];
	return [
		...[...new Set(all)].map((problem) => {
			const variable = nameIn(problem);
			return { variable, problem, todo: howToSet(variable, worker) };
		}),
		...foreignVariables(names, worker),
	];
}

/** Those, by their names alone, that the Worker may not have, have no effect there, or are none. */
export const foreignVariables = (names: readonly string[], worker: Worker): ConfigurationProblem[] => [
	...names.flatMap((name) => misplaced(name, worker)),
	...unknown(names),
];

/** The sentences begin with it. */
const nameIn = (problem: string): string => problem.split(' ', 1)[0] ?? '';

function keyProblem(variables: KeyVariables, key: KeyName): string[] {
	try {
		keyRing(variables, key);
		return [];
	} catch (error) {
		if (error instanceof ConfigurationError) return [error.message];
		throw error;
	}
}

/** The keys say themselves that they are missing. */
const missing = (names: readonly string[], worker: Worker): string[] =>
	VARIABLES.filter(
		({ name, required }) =>
			required && isVariableOf(worker, name) && !names.includes(name) && !KEYS[worker].some((key) => key === name),
	).map(({ name }) => `${name} is missing`);

/** Where real coins move, two deployments that were given one key must share nothing. */
function unnamed(environment: ChainConfiguration & KeyVariables, worker: Worker): string[] {
	const isNamed = worker === 'pages' || (environment.DEPLOYMENT ?? '').trim() !== '';
	return isNamed || worldOf(environment) === 'test' ? [] : [UNNAMED];
}

const UNNAMED =
	'DEPLOYMENT is missing: give this deployment a name of its own, the same in the API Worker, the agents Worker and the signer';

function malformed([name, value]: [string, string]): string[] {
	const form = BY_NAME.get(name)?.form;
	return !form || form.matches.test(value.trim()) ? [] : [`${name} must be ${form.words}`];
}

function networkProblem(configuration: ChainConfiguration, network: (typeof NETWORK_NAMES)[number]): string[] {
	const found = networkModeOrProblem(configuration, network);
	return 'problem' in found ? [found.problem] : [];
}

/** A secret must be in no Worker that may not have it; anything else of another has no effect. */
function misplaced(variable: string, worker: Worker): ConfigurationProblem[] {
	const known = BY_NAME.get(variable);
	const owners = (known?.of ?? []).flatMap((of) => (of === 'command' ? [] : [`the ${WORKERS[of].title}`]));
	if (!known || isVariableOf(worker, variable) || owners.length === 0) return [];
	const todo = known.secret
		? `npx wrangler secret delete ${variable}${fileOf(worker)}`
		: `delete it from [vars] of ${WORKERS[worker].file}wrangler.toml, and deploy`;
	return [{ variable, problem: `${variable} belongs to ${inWords(owners)} alone`, todo }];
}

const inWords = (names: readonly string[]): string => names.join(', ').replace(/, ([^,]*)$/, ' and $1');

function unknown(names: readonly string[]): ConfigurationProblem[] {
	return unknownNames(names).map(({ name, nearest }) => ({
		variable: name,
		problem: `${name} is not a variable of this service`,
		todo: nearest ? `did you mean ${nearest}? Set that, and delete ${name}` : `delete ${name}`,
	}));
}

const fileOf = (worker: Worker): string => (worker === 'api' ? '' : ` -c ${WORKERS[worker].file}wrangler.toml`);

const howToSet = (variable: string, worker: Worker): string =>
	`correct it: npx wrangler secret put ${variable}${fileOf(worker)}; on this machine in the environment of npm start`;
