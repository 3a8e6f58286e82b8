/** The environment of a command: what the operator Worker is bound to itself, and what the API Worker has lent it. */

import { LOAN_OBJECTS, LOAN_SERVICES, type Loan } from '../ports/operator.ts';
import type { OperatorBindings, OperatorEnv } from './env.ts';

export function borrowedEnv(own: OperatorBindings, { variables, keys, services, ask }: Loan): OperatorEnv {
	const objects = LOAN_OBJECTS.map((binding) => [
		binding,
		{ getByName: (name: string) => methods((method, args) => ask(binding, name, method, args)) },
	]);
	const ofServices = LOAN_SERVICES.filter((binding) => services.includes(binding)).map((binding) => [
		binding,
		methods((method, args) => ask(binding, null, method, args)),
	]);
	const bound = Object.entries(own).filter(([, binding]) => !isText(binding));
	return { ...variables, KEYS: keys, ...Object.fromEntries([...objects, ...ofServices, ...bound]) };
}

/**
 * Variables and secrets that somebody has set for the operator Worker. They have no effect: it takes the API Worker's, and
 * two of one name would be confused.
 */
export const strayVariables = (own: OperatorBindings): string[] =>
	Object.entries(own).flatMap(([name, value]) => (isText(value) ? [name] : []));

const isText = (value: unknown): value is string => typeof value === 'string';

/** An object with every method; each calls `ask`. It is no promise, whatever awaits it. */
const methods = (ask: (method: string, args: readonly unknown[]) => Promise<unknown>): object =>
	new Proxy(
		{},
		{
			get: (_, name) =>
				typeof name === 'symbol' || name === 'then' ? undefined : (...args: unknown[]) => ask(name, args),
		},
	);
