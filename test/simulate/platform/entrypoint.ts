/** A service binding: each method of another Worker's entrypoint, called directly in one of its isolates. */
import type { Owner, World } from '../world.ts';
import { copied } from './copy.ts';
import type { Isolate } from './isolate.ts';

type Entrypoint = new (context: object, environment: object) => Record<string, (...args: unknown[]) => unknown>;

/** `className`: of the entrypoint; effects are named by it. */
export function entrypointBinding(world: World, owner: Owner, className: string, isolateOf: () => Isolate): object {
	const call = (method: string, args: readonly unknown[]) =>
		world.effect(owner, `${className.toUpperCase()}.${method}`, () => {
			const isolate = isolateOf();
			const Class = isolate.exports[className] as Entrypoint;
			const entrypoint = new Class(contextOf(), isolate.environmentOf(owner.group ?? className));
			return isolate.call(async () => copied(await entrypoint[method]?.(...args.map(copied))));
		});
	return new Proxy(
		{},
		{
			get: (_, key) =>
				key === 'then' || typeof key === 'symbol' ? undefined : (...args: unknown[]) => call(key, args),
		},
	);
}

export const contextOf = () => ({
	waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
	passThroughOnException: () => undefined,
});
