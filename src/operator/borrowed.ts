/** The environment of a command: what the operator Worker is bound to itself, and what the API Worker has lent it. */
import type { OperatorBindings, OperatorEnv } from './env.ts';
import { LENT_OBJECTS, LENT_SERVICES, type Lent } from './port.ts';

export function borrowedEnv(own: OperatorBindings, { variables, services, ask }: Lent): OperatorEnv {
	const objects = LENT_OBJECTS.map((binding) => [
		binding,
		{ getByName: (name: string) => methods((method, given) => ask(binding, name, method, given)) },
	]);
	const lent = LENT_SERVICES.filter((binding) => services.includes(binding)).map((binding) => [
		binding,
		methods((method, given) => ask(binding, null, method, given)),
	]);
	return { ...own, ...variables, ...Object.fromEntries([...objects, ...lent]) };
}

/** An object with every method; each calls `ask`. It is no promise, whatever awaits it. */
const methods = (ask: (method: string, given: readonly unknown[]) => Promise<unknown>): object =>
	new Proxy(
		{},
		{
			get: (_, name) =>
				typeof name === 'symbol' || name === 'then' ? undefined : (...given: unknown[]) => ask(name, given),
		},
	);
