/** The Workers in the simulated world, without the pages: isolates, objects, database, cache, queue and cron, bound as wrangler.toml binds them. */
import { addressOf } from '../support/tron-abi.ts';
import { ORDER_PAGE } from './order-page.ts';
import { SimulatedBucket } from './platform/bucket.ts';
import type { Codes } from './platform/code.ts';
import { SimulatedD1 } from './platform/d1.ts';
import { contextOf, entrypointBinding } from './platform/entrypoint.ts';
import type { SavedChain } from './platform/evm-chain.ts';
import { EvmNode } from './platform/evm-node.ts';
import { Isolate, type Outside } from './platform/isolate.ts';
import { lyingLedger, lyingPrices, type Namespace } from './platform/liars.ts';
import { Objects, type SizeOf, type Watch } from './platform/objects.ts';
import { type Kept, queueBinding, SimulatedCache } from './platform/queue.ts';
import type { SavedTron } from './platform/tron-node.ts';
import { Wire } from './platform/wire.ts';
import { Cosigner } from './second-judge.ts';
import {
	API_VARIABLES,
	agentsVariables,
	COSIGNER,
	EVM_NODES,
	HOT_COINS,
	HOT_ETHEREUM,
	HOT_TRON,
	HOUSE,
	LINK,
	LINKED,
	networksOf,
	type Setting,
	signerVariables,
	sizeOfVault,
	sizeOfVolume,
	TRON_NODES,
} from './settings.ts';
import type { Owner, World } from './world.ts';

/** Requests go to one of so many isolates of the API Worker. */
const API_ISOLATES = 2;

interface Handler {
	fetch(request: Request, env: object, context: object): Promise<Response>;
	scheduled(controller: object, env: object, context: object): Promise<void>;
	queue(batch: object, env: object, context: object): Promise<void>;
}

export interface SavedService {
	readonly d1: Uint8Array;
	readonly disks: readonly { readonly binding: string; readonly name: string; readonly bytes: Uint8Array }[];
	readonly cache: ReadonlyMap<string, Kept>;
	readonly archive: ReadonlyMap<string, Uint8Array>;
	readonly node: SavedChain | null;
	readonly tron: SavedTron | null;
	readonly lies: ReadonlySet<string>;
}

interface Begin {
	readonly setting: Setting;
	readonly saved: SavedService | null;
}

export class Service {
	readonly d1: SimulatedD1;
	readonly world: World;
	readonly archive: SimulatedBucket;
	/** Null where Ethereum is on an embedded ledger too. */
	readonly node: EvmNode | null;
	/** Null where the signer decides alone. */
	readonly second: Cosigner | null;
	/** Ids of deposits that a node or an outsider lied about. */
	readonly lies: Set<string>;
	readonly objects: Readonly<Record<string, Objects>>;
	readonly #codes: Codes;
	readonly #cache: SimulatedCache;
	readonly #outside: Outside;
	#api: (Isolate | null)[] = Array.from({ length: API_ISOLATES }, () => null);
	#agents: Isolate | null = null;
	#signer: Isolate | null = null;
	/** In the signer's place where the signer is in a house of its own, which `#signer` is then. */
	#link: Isolate | null = null;
	readonly #wire: Wire;
	/** Answers of the house that the link has believed. */
	believed = 0;
	/** By nonce: how often a call of the link was executed. */
	readonly executed = new Map<string, number>();
	#operator: Isolate | null = null;
	#begun = 0;
	readonly setting: Setting;
	/** By nonce: how often a gate admitted it. */
	readonly admitted = new Map<string, number>();

	/** `saved`: begins where another service was. */
	constructor(world: World, codes: Codes, outside: Outside, { setting, saved }: Begin) {
		this.setting = setting;
		const { isOnNode } = setting;
		this.world = world;
		this.#codes = codes;
		this.lies = new Set(saved?.lies);
		this.node = isOnNode ? new EvmNode(() => world.now, saved?.node) : null;
		if (!saved) this.node?.fund(HOT_ETHEREUM, HOT_COINS);
		this.#outside = {
			...outside,
			fetch: (owner, request) => {
				const { origin } = new URL(request.url);
				if (EVM_NODES.includes(origin)) return this.#askNode(owner, request);
				if (TRON_NODES.includes(origin) && this.second) return this.second.askNode(owner, request);
				if (request.url === COSIGNER && this.second) return this.second.carry(this.#wire, owner, request);
				if (request.url === HOUSE)
					return this.#wire.carry(owner, request, (one) => this.#at(this.signerIsolate(), one));
				if (request.url === LINK) return this.#wire.carry(owner, request, (one) => this.#at(this.linkIsolate(), one));
				return outside.fetch(owner, request);
			},
		};
		this.#wire = new Wire(world);
		this.d1 = new SimulatedD1(world, saved?.d1);
		this.#cache = new SimulatedCache(world, saved?.cache);
		this.archive = new SimulatedBucket(world, saved?.archive);
		const isAsleep = (name: string) => !(networksOf(setting) as readonly string[]).includes(name);
		const sleeps = () => false;
		const api = (className: string, watch: Watch = () => undefined) =>
			new Objects(world, className, () => this.apiIsolate(), { sleeps, watch });
		const signer = (className: string, sizeOf?: SizeOf) =>
			new Objects(world, className, () => this.signerIsolate(), { sleeps, sizeOf });
		this.second = setting.second
			? new Cosigner(world, {
					codes,
					outside: this.#outside,
					kind: setting.second,
					prices: (owner) => this.objects['SANDBOX_PRICES']?.binding(owner),
					saved: saved?.tron ?? null,
				})
			: null;
		this.objects = {
			PARTNER_GATE: api('PartnerGate', (method, args, answer) => this.#noteAdmitted(method, args, answer)),
			ANONYMOUS_GATE: api('AnonymousGate'),
			RATE_BOOK: api('RateBook'),
			KEEPER: api('Keeper'),
			CHAIN_AGENT: new Objects(world, 'ChainAgent', () => this.#agentsIsolate(), {
				sleeps: isAsleep,
				watch: () => undefined,
			}),
			VAULT: signer('Vault', (bytes: number) => sizeOfVault(setting, bytes)),
			JOURNAL_VOLUME: signer('JournalVolume', sizeOfVolume),
			SANDBOX_LEDGER: new Objects(world, 'SandboxLedger', () => this.#besideService(), { sleeps }),
			SANDBOX_PRICES: new Objects(world, 'SandboxPrices', () => this.#besideService(), { sleeps }),
			...(setting.isHoused && {
				HOUSE_NONCES: new Objects(world, 'Nonces', () => this.signerIsolate(), { sleeps, watch: this.#noteTaken }),
				LINK_NONCES: new Objects(world, 'Nonces', () => this.linkIsolate(), { sleeps, watch: this.#noteTaken }),
			}),
			...this.second?.objectsOf(this.#noteTaken),
		};
		for (const { binding, name, bytes } of saved?.disks ?? []) this.object(binding, name).disk.load(bytes);
		this.#runCron();
	}

	/** Everything that is durable: another run begins with it, as after the end of every process. */
	save(): SavedService {
		const disks = Object.entries(this.objects).flatMap(([binding, { byName }]) =>
			[...byName].map(([name, { disk }]) => ({ binding, name, bytes: disk.save() })),
		);
		const [cache, archive] = [new Map(this.#cache.values), new Map(this.archive.objects)];
		return {
			d1: this.d1.sqlite.serialize(),
			disks,
			cache,
			archive,
			node: this.node?.save() ?? null,
			tron: this.second?.tron.save() ?? null,
			lies: new Set(this.lies),
		};
	}

	/** Null where the network is on an embedded ledger. */
	nodeOf(network: string) {
		if (network === 'Ethereum') return this.node;
		return network === 'Tron' ? (this.second?.tron ?? null) : null;
	}

	/** What left the hot wallets that are on nodes. */
	nodePayments() {
		const ether = (this.node?.payments(HOT_ETHEREUM) ?? []).map(({ hash, to, value }) => {
			return { tx_id: hash, asset: 'ETH', recipient: to, amount: String(value) };
		});
		const trx = (this.second?.tron.payments(HOT_TRON) ?? []).map(({ txId, to, amount }) => {
			return { tx_id: txId, asset: 'TRX', recipient: addressOf(to), amount: String(amount) };
		});
		return [...ether, ...trx];
	}

	/** What payers sent to nodes. */
	nodeDeposits() {
		const ether = (this.node?.deposits() ?? []).map(({ to, value }) => {
			return { address: to, asset: 'ETH', amount: String(value) };
		});
		const trx = (this.second?.tron.deposits() ?? []).map(({ to, amount }) => {
			return { address: addressOf(to), asset: 'TRX', amount: String(amount) };
		});
		return [...ether, ...trx];
	}

	/** Does one of the hot wallet's transactions wait for a block? */
	get waitsForBlock(): boolean {
		return (this.node?.waiting(HOT_ETHEREUM) ?? 0) > 0;
	}

	#noteAdmitted(method: string, args: readonly unknown[], answer: unknown): void {
		if (method !== 'admit' && method !== 'admitAll') return;
		const calls = [args[1]].flat() as { readonly nonce: string }[];
		const verdicts = [answer].flat() as { readonly admitted: boolean }[];
		for (const [i, { nonce }] of calls.entries())
			if (verdicts[i]?.admitted) this.admitted.set(nonce, (this.admitted.get(nonce) ?? 0) + 1);
	}

	/** The database is set back to an earlier moment; everything else goes on as it was. */
	setBack(d1: Uint8Array): void {
		this.d1.setBack(d1);
	}

	/** The signer's journal is set back to an earlier moment. */
	setJournalBack(journal: Uint8Array): void {
		const vault = this.object('VAULT', 'vault');
		vault.end('set back');
		vault.disk.load(journal);
	}

	async #askNode(owner: Owner, request: Request): Promise<Response> {
		const body = await request.text();
		const { node } = this;
		const [, method = 'batch'] = /^\{.*"method":"(\w+)"/.exec(body) ?? [];
		return this.world.effect(owner, `node ${method}`, () => new Response(node?.answer(body) ?? ''));
	}

	readonly #noteTaken: Watch = (_, [nonce], answer) => {
		if (answer === true) this.executed.set(String(nonce), (this.executed.get(String(nonce)) ?? 0) + 1);
	};

	/** Answers that the house gave to the very question; null where the signer is in no house of its own. */
	get houseAnswers(): number | null {
		return this.setting.isHoused ? (this.#wire.fair.get(HOUSE) ?? 0) : null;
	}

	object(binding: string, name: string) {
		const objects = this.objects[binding];
		if (!objects) throw new Error(`no binding ${binding}`);
		return objects.named(name);
	}

	#isolate(
		code: 'api' | 'agents' | 'signer' | 'house' | 'link' | 'operator',
		bindings: (owner: Owner) => object,
	): Isolate {
		return new Isolate(
			this.world,
			{ code: this.#codes[code], libraries: this.#codes.libraries, bindings },
			this.#outside,
		);
	}

	apiIsolate(): Isolate {
		const place = this.world.random.below(API_ISOLATES);
		const there = this.#api[place];
		if (there?.alive && !this.world.striker.happens('isolate ends', this.world)) return there;
		there?.crash();
		const made = this.#isolate('api', (owner) => this.#apiBindings(owner));
		this.#api[place] = made;
		return made;
	}

	#agentsIsolate(): Isolate {
		if (this.#agents?.alive && !this.world.striker.happens('isolate ends', this.world)) return this.#agents;
		this.#agents?.crash();
		this.#agents = this.#isolate('agents', (owner) => this.#agentsBindings(owner));
		return this.#agents;
	}

	signerIsolate(): Isolate {
		if (this.#signer?.alive) return this.#signer;
		const code = this.setting.isHoused ? 'house' : 'signer';
		this.#signer = this.#isolate(code, (owner) => this.#signerBindings(owner));
		return this.#signer;
	}

	linkIsolate(): Isolate {
		if (this.#link?.alive && !this.world.striker.happens('isolate ends', this.world)) return this.#link;
		this.#link?.crash();
		this.#link = this.#isolate('link', (owner) => this.#linkBindings(owner));
		return this.#link;
	}

	#signerBinding(owner: Owner): object {
		const binding = entrypointBinding(this.world, owner, 'Signer', () => this.#besideService());
		if (!this.setting.isHoused) return binding;
		return new Proxy(binding as Record<string, (...given: unknown[]) => Promise<unknown>>, {
			get: (target, key) => {
				const method = typeof key === 'string' ? target[key] : undefined;
				return (
					method &&
					(async (...given: unknown[]) => {
						const answer = await method(...given);
						this.believed += 1;
						return answer;
					})
				);
			},
		});
	}

	/** The other Workers are bound to it, and the sandbox's ledgers are in it. */
	#besideService(): Isolate {
		return this.setting.isHoused ? this.linkIsolate() : this.signerIsolate();
	}

	/** A call of the link. */
	#at(isolate: Isolate, request: Request): Promise<Response> {
		const environment = this.#environment(isolate, 'link');
		return isolate.call(() => this.#handler(isolate).fetch(request, environment, contextOf()));
	}

	#operatorIsolate(): Isolate {
		if (this.#operator?.alive) return this.#operator;
		this.#operator = this.#isolate('operator', (owner) => this.#operatorBindings(owner));
		return this.#operator;
	}

	/** A call from outside; it fails when the isolate ends first. */
	fetch(request: Request): Promise<Response> {
		const isolate = this.apiIsolate();
		const environment = this.#environment(isolate, 'call');
		return isolate.call(() => this.#handler(isolate).fetch(request, environment, contextOf()));
	}

	/** Ends every isolate and object: the process died, or everything moved. */
	endAll(): void {
		for (const isolate of this.#api) isolate?.crash();
		this.#agents?.crash();
		this.#signer?.crash();
		this.#link?.crash();
		this.#operator?.crash();
		this.second?.end();
	}

	#environment(isolate: Isolate, what: string): object {
		this.#begun += 1;
		return isolate.environmentOf(`${what} #${this.#begun}`);
	}

	#handler(isolate: Isolate): Handler {
		return isolate.exports['default'] as Handler;
	}

	#objectBindings(owner: Owner): Record<string, object> {
		return Object.fromEntries(Object.entries(this.objects).map(([name, objects]) => [name, objects.binding(owner)]));
	}

	#apiBindings(owner: Owner): object {
		const { VAULT: _, KEEPER: __, SANDBOX_LEDGER: ___, JOURNAL_VOLUME: ____, ...objects } = this.#objectBindings(owner);
		return {
			...API_VARIABLES,
			...objects,
			AGENTS: entrypointBinding(this.world, owner, 'Agents', () => this.#agentsIsolate()),
			SANDBOX_PRICES: lyingPrices(this.world, objects['SANDBOX_PRICES'] as Namespace),
			DB: this.d1.binding(owner),
			CACHE: this.#cache.binding(owner),
			ARCHIVE: this.archive.binding(owner),
			WEBHOOKS: queueBinding(this.world, (bodies) => this.#deliver(bodies))(owner),
			SIGNER: this.#signerBinding(owner),
			OPERATOR: entrypointBinding(this.world, owner, 'Operator', () => this.#operatorIsolate()),
			PAGES: ORDER_PAGE,
		};
	}

	#agentsBindings(owner: Owner): object {
		const { CHAIN_AGENT, RATE_BOOK, SANDBOX_LEDGER } = this.#objectBindings(owner);
		return {
			...agentsVariables(this.setting),
			CHAIN_AGENT,
			RATE_BOOK,
			SANDBOX_LEDGER: lyingLedger(this.world, this.lies, SANDBOX_LEDGER as Namespace),
			DB: this.d1.binding(owner),
			ARCHIVE: this.archive.binding(owner),
			WEBHOOKS: queueBinding(this.world, (bodies) => this.#deliver(bodies))(owner),
			SIGNER: this.#signerBinding(owner),
		};
	}

	#operatorBindings(owner: Owner): object {
		const { VAULT: _, ANONYMOUS_GATE: __, JOURNAL_VOLUME: ___, ...objects } = this.#objectBindings(owner);
		return {
			...objects,
			DB: this.d1.binding(owner),
			ARCHIVE: this.archive.binding(owner),
			WEBHOOKS: queueBinding(this.world, (bodies) => this.#deliver(bodies))(owner),
			AGENTS: entrypointBinding(this.world, owner, 'Agents', () => this.#agentsIsolate()),
			SIGNER: this.#signerBinding(owner),
		};
	}

	#signerBindings(owner: Owner): object {
		const { VAULT, JOURNAL_VOLUME, SANDBOX_LEDGER, SANDBOX_PRICES } = this.#objectBindings(owner);
		if (this.setting.isHoused) return this.#houseBindings(owner);
		const objects = { VAULT, JOURNAL_VOLUME, SANDBOX_LEDGER, SANDBOX_PRICES };
		return { ...signerVariables(this.setting), ...objects, DB: this.d1.binding(owner) };
	}

	#houseBindings(owner: Owner): object {
		const { VAULT, JOURNAL_VOLUME, HOUSE_NONCES: NONCES } = this.#objectBindings(owner);
		return { ...signerVariables(this.setting), ...LINKED, LINK_URL: LINK, VAULT, JOURNAL_VOLUME, NONCES };
	}

	#linkBindings(owner: Owner): object {
		const { SANDBOX_LEDGER, SANDBOX_PRICES, LINK_NONCES: NONCES } = this.#objectBindings(owner);
		return {
			...LINKED,
			HOUSE_URL: HOUSE,
			SANDBOX_LEDGER,
			SANDBOX_PRICES,
			NONCES,
			DB: plainRows(this.d1.binding(owner)),
		};
	}

	#deliver(bodies: readonly unknown[]): void {
		const isolate = this.apiIsolate();
		const messages = bodies.map((body, i) => ({ id: String(i), body, attempts: 1 }));
		const batch = { queue: 'webhooks', messages, ackAll: () => undefined };
		this.#handler(isolate).queue(batch, this.#environment(isolate, 'message'), contextOf());
	}

	#runCron(): void {
		const tick = () => {
			this.world.after(this.world.cronEvery, tick);
			const { striker } = this.world;
			if (striker.happens('cron missed', this.world)) return;
			this.cron();
			if (striker.happens('cron doubled', this.world)) this.cron();
		};
		this.world.after(1, tick);
	}

	cron(): void {
		for (const isolate of [this.apiIsolate(), this.#operatorIsolate()]) {
			const environment = this.#environment(isolate, 'cron');
			const run = () => this.#handler(isolate).scheduled({}, environment, contextOf());
			isolate.call(run).catch((error: unknown) => this.world.note(`cron failed: ${String(error)}`));
		}
	}
}

/** SQLite's rows have no prototype here; D1's are plain objects. */
const plainRows = (db: object): object => {
	const { batch } = db as { batch(statements: unknown): Promise<{ results: object[] }[]> };
	const plain = async (statements: unknown) =>
		(await batch.call(db, statements)).map(({ results, ...rest }) => ({
			...rest,
			results: results.map((row) => ({ ...row })),
		}));
	return Object.assign(Object.create(db), { batch: plain });
};
