/** Both Workers in the simulated world: isolates, objects, database, cache, queue and cron, bound as wrangler.toml binds them. */

import { SimulatedBucket } from './platform/bucket.ts';
import type { Codes } from './platform/code.ts';
import { copied } from './platform/copy.ts';
import { SimulatedD1 } from './platform/d1.ts';
import { Isolate, type Outside } from './platform/isolate.ts';
import { lyingLedger, lyingPrices, type Namespace } from './platform/liars.ts';
import { Objects } from './platform/objects.ts';
import { queueBinding, SimulatedCache } from './platform/queue.ts';
import type { Owner, World } from './world.ts';

/** Of the networks these are used; the others sleep. */
export const NETWORKS = ['Litecoin', 'Ethereum', 'Solana'] as const;

const SEED = `${'abandon '.repeat(23)}art`;
const KEY = (letter: string): string => Buffer.alloc(32, letter).toString('base64url');
export const OPERATOR_TOKEN = 'operator-token';
const SHARED = { SANDBOX: 'on', SEAL_KEY: KEY('s'), LOG_LEVEL: 'error' };
const API_VARIABLES = {
	...{ ...SHARED, SECRETS_KEY: KEY('k'), API_KEY_KEY: KEY('a'), OPERATOR_TOKEN, ADDRESS_POOL: '50' },
	WEBHOOK_LOOPBACK: 'allowed',
};
export const WITHDRAW_TO = 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9';
const SIGNER_VARIABLES = { ...SHARED, SEED, WITHDRAW_TO_LITECOIN: WITHDRAW_TO };
/** Requests go to one of so many isolates of the API Worker. */
const API_ISOLATES = 2;

interface Handler {
	fetch(request: Request, env: object, context: object): Promise<Response>;
	scheduled(controller: object, env: object, context: object): Promise<void>;
	queue(batch: object, env: object, context: object): Promise<void>;
}

export class Service {
	readonly d1: SimulatedD1;
	readonly world: World;
	readonly archive: SimulatedBucket;
	/** Ids of deposits that a node or an outsider lied about. */
	readonly lies = new Set<string>();
	readonly objects: Readonly<Record<string, Objects>>;
	readonly #codes: Codes;
	readonly #cache: SimulatedCache;
	readonly #outside: Outside;
	#api: (Isolate | null)[] = Array.from({ length: API_ISOLATES }, () => null);
	#signer: Isolate | null = null;

	constructor(world: World, codes: Codes, outside: Outside) {
		this.world = world;
		this.#codes = codes;
		this.#outside = outside;
		this.d1 = new SimulatedD1(world);
		this.#cache = new SimulatedCache(world);
		this.archive = new SimulatedBucket(world);
		const isAsleep = (name: string) => !(NETWORKS as readonly string[]).includes(name);
		const api = (className: string, sleeps = (_: string) => false) =>
			new Objects(world, className, () => this.apiIsolate(), sleeps);
		const signer = (className: string) =>
			new Objects(
				world,
				className,
				() => this.signerIsolate(),
				() => false,
			);
		this.objects = {
			...{ PARTNER_GATE: api('PartnerGate'), ANONYMOUS_GATE: api('AnonymousGate'), RATE_BOOK: api('RateBook') },
			CHAIN_AGENT: api('ChainAgent', isAsleep),
			...{ VAULT: signer('Vault'), SANDBOX_LEDGER: signer('SandboxLedger'), SANDBOX_PRICES: signer('SandboxPrices') },
		};
		this.#runCron();
	}

	object(binding: string, name: string) {
		const objects = this.objects[binding];
		if (!objects) throw new Error(`no binding ${binding}`);
		return objects.named(name);
	}

	apiIsolate(): Isolate {
		const place = this.world.random.below(API_ISOLATES);
		const there = this.#api[place];
		if (there?.alive && !this.world.striker.happens('isolate ends', this.world)) return there;
		there?.crash();
		const made = new Isolate(
			this.world,
			this.#codes.api,
			this.#codes.libraries,
			(owner) => this.#apiBindings(owner),
			this.#outside,
		);
		this.#api[place] = made;
		return made;
	}

	signerIsolate(): Isolate {
		if (this.#signer?.alive) return this.#signer;
		this.#signer = new Isolate(
			this.world,
			this.#codes.signer,
			this.#codes.libraries,
			(owner) => this.#signerBindings(owner),
			this.#outside,
		);
		return this.#signer;
	}

	/** A call from outside; it fails when the isolate ends first. */
	fetch(request: Request): Promise<Response> {
		const isolate = this.apiIsolate();
		return isolate.call(() => this.#handler(isolate).fetch(request, isolate.environmentFor(isolate), contextOf()));
	}

	/** Ends every isolate and object: the process died, or everything moved. */
	endAll(): void {
		for (const isolate of this.#api) isolate?.crash();
		this.#signer?.crash();
	}

	endSomeObject(): void {
		const all = Object.values(this.objects).flatMap(({ byName }) => [...byName.values()].filter((one) => one.isLoaded));
		if (all.length > 0) this.world.random.pick(all).end('evicted');
	}

	#handler(isolate: Isolate): Handler {
		return isolate.exports['default'] as Handler;
	}

	#objectBindings(owner: Owner): Record<string, object> {
		return Object.fromEntries(Object.entries(this.objects).map(([name, objects]) => [name, objects.binding(owner)]));
	}

	#apiBindings(owner: Owner): object {
		const { VAULT: _, ...objects } = this.#objectBindings(owner);
		return {
			...API_VARIABLES,
			...objects,
			SANDBOX_LEDGER: lyingLedger(this.world, this.lies, objects['SANDBOX_LEDGER'] as Namespace),
			SANDBOX_PRICES: lyingPrices(this.world, objects['SANDBOX_PRICES'] as Namespace),
			DB: this.d1.binding(owner),
			CACHE: this.#cache.binding(owner),
			ARCHIVE: this.archive.binding(owner),
			WEBHOOKS: queueBinding(this.world, (bodies) => this.#deliver(bodies))(owner),
			SIGNER: this.#signerBinding(owner),
		};
	}

	#signerBindings(owner: Owner): object {
		const { VAULT, SANDBOX_LEDGER, SANDBOX_PRICES } = this.#objectBindings(owner);
		return { ...SIGNER_VARIABLES, VAULT, SANDBOX_LEDGER, SANDBOX_PRICES, DB: this.d1.binding(owner) };
	}

	#signerBinding(owner: Owner): object {
		const call = (method: string, args: readonly unknown[]) =>
			this.world.effect(owner, `SIGNER.${method}`, () => {
				const isolate = this.signerIsolate();
				const Signer = isolate.exports['Signer'] as new (
					ctx: object,
					env: object,
				) => Record<string, (...args: unknown[]) => unknown>;
				const signer = new Signer(contextOf(), isolate.environmentFor(isolate));
				const run = async () => copied(await signer[method]?.(...copied([...args])));
				return isolate.call(run);
			});
		return new Proxy(
			{},
			{
				get: (_, key) =>
					key === 'then' || typeof key === 'symbol' ? undefined : (...args: unknown[]) => call(key, args),
			},
		);
	}

	#deliver(bodies: readonly unknown[]): void {
		const isolate = this.apiIsolate();
		const messages = bodies.map((body, i) => ({ id: String(i), body, attempts: 1 }));
		const batch = { queue: 'webhooks', messages, ackAll: () => undefined };
		this.#handler(isolate).queue(batch, isolate.environmentFor(isolate), contextOf());
	}

	#runCron(): void {
		const tick = () => {
			this.world.after(this.world.cronEvery, tick);
			const { striker } = this.world;
			if (striker.happens('eviction', this.world)) this.endSomeObject();
			if (striker.happens('cron missed', this.world)) return;
			this.cron();
			if (striker.happens('cron doubled', this.world)) this.cron();
		};
		this.world.after(1, tick);
	}

	cron(): void {
		const isolate = this.apiIsolate();
		const run = () => this.#handler(isolate).scheduled({}, isolate.environmentFor(isolate), contextOf());
		isolate.call(run).catch((error: unknown) => this.world.note(`cron failed: ${String(error)}`));
	}
}

const contextOf = () => ({
	waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
	passThroughOnException: () => undefined,
});
