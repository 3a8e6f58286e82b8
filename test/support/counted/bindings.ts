/** The bindings of a Worker, and its classes of objects, as ones that count. */
import { type Counted, count, inEvent, isInEvent, watchDatabase, watchLog, watchStorage } from './counter.ts';

type Method = (...given: unknown[]) => unknown;

/** The same, but `before` is called with the name and the arguments of each method that is called. */
const watched = <T extends object>(of: T, before: (name: string, given: unknown[]) => void): T =>
	new Proxy(of, {
		get(target, name) {
			const found: unknown = Reflect.get(target, name, target);
			if (typeof found !== 'function') return found;
			return (...given: unknown[]) => {
				before(String(name), given);
				// Called as a method: what an RPC stub answers for a name is a method of the other side, `apply` too.
				return (target as Record<string | symbol, Method>)[name]?.(...given);
			};
		},
	});

const STUBS = new Set(['get', 'getByName']);

/** Each call of an object counts. What the sandbox's objects stand in for are nodes, which the platform does not charge. */
const countedObjects = (namespace: object, as: Counted): object =>
	new Proxy(namespace, {
		get(target, name) {
			const found: unknown = Reflect.get(target, name, target);
			if (typeof found !== 'function') return found;
			return (...given: unknown[]) => {
				const answer = found.apply(target, given);
				return STUBS.has(String(name)) ? watched(answer as object, () => count(as)) : answer;
			};
		},
	});

const onCall = (counted: Readonly<Record<string, Counted>>) => (binding: object) =>
	watched(binding, (name) => {
		const what = counted[name];
		if (what) count(what);
	});

const ofBucket = onCall({ get: 'bucketReads', head: 'bucketReads', put: 'bucketWrites', list: 'bucketWrites' });
const WRAP: Readonly<Record<string, (binding: object) => object>> = {
	PARTNER_GATE: (binding) => countedObjects(binding, 'gate'),
	ANONYMOUS_GATE: (binding) => countedObjects(binding, 'gate'),
	CHAIN_AGENT: (binding) => countedObjects(binding, 'agent'),
	RATE_BOOK: (binding) => countedObjects(binding, 'book'),
	VAULT: (binding) => countedObjects(binding, 'vault'),
	JOURNAL_VOLUME: (binding) => countedObjects(binding, 'vault'),
	SANDBOX_LEDGER: (binding) => countedObjects(binding, 'sandbox'),
	SANDBOX_PRICES: (binding) => countedObjects(binding, 'sandbox'),
	KEEPER: (binding) => countedObjects(binding, 'keeper'),
	SIGNER: (binding) => watched(binding, () => count('signer')),
	PAGES: (binding) => watched(binding, () => count('pages')),
	CACHE: onCall({ get: 'kvReads', put: 'kvWrites', delete: 'kvWrites', list: 'kvWrites' }),
	WEBHOOKS: (binding) =>
		watched(binding, (name, [given]) => count('messages', name === 'sendBatch' ? (given as unknown[]).length : 1)),
	ARCHIVE: ofBucket,
	BACKUPS: ofBucket,
};

const wrapped = new WeakMap<object, object>();

/** The same environment, which counts. Nothing is kept locally of metrics, so their binding is one that only counts. */
export function countedEnv<Env extends object>(env: Env): Env {
	const known = wrapped.get(env) as Env | undefined;
	if (known) return known;
	if (!wrapped.has(watchDatabase)) {
		wrapped.set(watchDatabase, watchDatabase);
		watchDatabase();
		watchLog();
	}
	const bindings = Object.entries(env).map(([name, binding]) => [name, WRAP[name]?.(binding as object) ?? binding]);
	const counted = { ...Object.fromEntries(bindings), METRICS: { writeDataPoint: () => count('points') } } as Env;
	wrapped.set(env, counted);
	return counted;
}

// biome-ignore lint/suspicious/noExplicitAny: TypeScript asks this of the constructor of a mixin.
type ObjectClass = abstract new (ctx: DurableObjectState, env: any) => object;

/** The class of an object: each RPC and each alarm is an event. What an object calls of itself is part of its own. */
export function countedObject<Class extends ObjectClass>(name: string, of: Class): Class {
	const counted = class extends (of as unknown as new (ctx: DurableObjectState, env: object) => object) {
		constructor(ctx: DurableObjectState, env: object) {
			watchStorage(ctx);
			super(ctx, countedEnv(env));
		}
	};
	for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(of.prototype))) {
		if (method === 'constructor' || typeof value !== 'function') continue;
		Object.defineProperty(counted.prototype, method, {
			value(this: unknown, ...given: unknown[]) {
				return isInEvent() ? value.apply(this, given) : inEvent(`${name}.${method}`, () => value.apply(this, given));
			},
		});
	}
	return counted as unknown as Class;
}
