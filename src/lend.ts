/** What the API Worker lends the operator Worker with a call (`ports/operator.ts`). */

import { heldKeys, isHeldVariable } from './held-keys.ts';
import { codeVersion } from './platform/d1/code-version.ts';
import { objectNamed } from './platform/region.ts';
import type { ApiEnv } from './ports/env.ts';
import { LOAN_OBJECTS, LOAN_SERVICES, type Loan } from './ports/operator.ts';
import type { Market } from './pricing/market.ts';
import { useMarket } from './pricing/market-reader.ts';

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

export function lend(env: ApiEnv): Loan {
	const texts = Object.entries(env).filter(
		(one): one is [string, string] => typeof one[1] === 'string' && !isHeldVariable(one[0]),
	);
	return {
		variables: Object.fromEntries(texts),
		keys: heldKeys(env),
		services: LOAN_SERVICES.filter((name) => env[name]),
		api: { version: codeVersion(env), hasArchive: env.ARCHIVE !== undefined, at: Date.now() },
		async ask(binding, object, method, args) {
			const target = methodsOf(env, binding, object);
			const answer = await target[method]?.(...args);
			// A changed setting holds at once for the calls to this isolate.
			if (binding === 'RATE_BOOK' && method === 'changed') useMarket(answer as Market);
			return answer;
		},
		findsArchived: async (object) => (await env.ARCHIVE?.head(object)) != null,
	};
}

/** @throws TypeError for what is not lent */
function methodsOf(env: ApiEnv, binding: string, object: string | null): Methods {
	const objects = LOAN_OBJECTS.find((name) => name === binding);
	if (objects && object !== null) {
		const namespace = env[objects] as DurableObjectNamespace<Rpc.DurableObjectBranded>;
		return objectNamed(env, namespace, object) as unknown as Methods;
	}
	const service = LOAN_SERVICES.find((name) => name === binding);
	const found = service && env[service];
	if (!found || object !== null) throw new TypeError(`${binding} is not lent`);
	return found as unknown as Methods;
}
