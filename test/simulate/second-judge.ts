/** The co-signer in the simulated world: its Worker with a seed, a journal and nodes of its own, and Tron, whose payments both sign. */
import { type Call, OwnedCosigner, OwnedSigner } from './people/owned-judges.ts';
import type { Codes } from './platform/code.ts';
import { contextOf } from './platform/entrypoint.ts';
import { Isolate, type Outside } from './platform/isolate.ts';
import { Objects, type Watch } from './platform/objects.ts';
import { type SavedTron, TronNode } from './platform/tron-node.ts';
import type { Wire } from './platform/wire.ts';
import { COSIGNER_VARIABLES, HOT_SUN, HOT_TRON, JUDGES_PERMISSIONS, type SecondJudge } from './settings.ts';
import type { Owner, World } from './world.ts';

/** Of the calls that it answers. */
export const COSIGNERS_GROUP = 'co-signer';
/** Turns of the machine until the body of a call is read. */
const BODY_TURNS = 12;

interface Around {
	readonly codes: Codes;
	readonly outside: Outside;
	readonly kind: SecondJudge;
	/** The sandbox's table of prices, as its owner asks it. */
	readonly prices: (owner: Owner) => object | undefined;
	/** What another run had. */
	readonly saved: SavedTron | null;
}

interface Handler {
	fetch(request: Request, env: object, context: object): Promise<Response>;
}

export class Cosigner {
	readonly tron: TronNode;
	readonly signerOwner: OwnedSigner | null;
	readonly owner: OwnedCosigner | null;
	readonly #world: World;
	readonly #around: Around;
	#isolate: Isolate | null = null;
	#objects: Readonly<Record<string, Objects>> = {};
	#calls = 0;

	constructor(world: World, around: Around) {
		this.#world = world;
		this.#around = around;
		this.tron = new TronNode(() => world.now, around.saved);
		this.signerOwner =
			around.kind === 'owned signer' ? new OwnedSigner(world, this.tron, (request) => this.#honest(request)) : null;
		this.owner = around.kind === 'owned co-signer' ? new OwnedCosigner(world, this.tron) : null;
		if (!around.saved) this.tron.open(HOT_TRON, HOT_SUN, JUDGES_PERMISSIONS);
	}

	/** `watch`: of the nonces of its door. */
	objectsOf(watch: Watch): Readonly<Record<string, Objects>> {
		const made = (className: string, more = {}) =>
			new Objects(this.#world, className, () => this.#alive(), { sleeps: () => false, ...more });
		this.#objects = {
			COSIGNER_VAULT: made('Vault'),
			COSIGNER_VOLUME: made('JournalVolume'),
			COSIGNER_NONCES: made('Nonces', { watch }),
		};
		return this.#objects;
	}

	async askNode(owner: Owner, request: Request): Promise<Response> {
		const body = await request.text();
		const { pathname } = new URL(request.url);
		return this.#world.effect(owner, `node ${pathname}`, () => Response.json(this.tron.answer(pathname, body)));
	}

	/** A call of the signer's. */
	async carry(wire: Wire, owner: Owner, request: Request): Promise<Response> {
		const { owner: liar, signerOwner } = this;
		if (signerOwner) {
			this.#world.turns = BODY_TURNS;
			await signerOwner.noted(JSON.parse(await request.clone().text()) as Call);
		}
		return wire.carry(owner, request, (one) =>
			liar ? liar.answer(one, (asked) => this.#honest(asked)) : this.#honest(one),
		);
	}

	#honest(request: Request): Promise<Response> {
		const isolate = this.#alive();
		this.#calls += 1;
		const environment = isolate.environmentOf(`${COSIGNERS_GROUP} #${this.#calls}`);
		const handler = isolate.exports['default'] as Handler;
		return isolate.call(() => handler.fetch(request, environment, contextOf()));
	}

	/** Questions and answers that were not honest. */
	get attacks(): number {
		return (this.signerOwner?.asked ?? 0) + (this.owner?.answered ?? 0);
	}

	/** From now on the owner of a judge lets it do what is honest. */
	rest(): void {
		for (const owner of [this.signerOwner, this.owner]) if (owner) owner.isAwake = false;
	}

	end(): void {
		this.#isolate?.crash();
	}

	#alive(): Isolate {
		if (this.#isolate?.alive && !this.#world.striker.happens('isolate ends', this.#world)) return this.#isolate;
		this.#isolate?.crash();
		const { codes, outside } = this.#around;
		const bindings = (owner: Owner) => this.#bindings(owner);
		this.#isolate = new Isolate(this.#world, { code: codes.cosigner, libraries: codes.libraries, bindings }, outside);
		return this.#isolate;
	}

	#bindings(owner: Owner): object {
		const binding = (name: string) => this.#objects[name]?.binding(owner);
		return {
			...COSIGNER_VARIABLES,
			VAULT: binding('COSIGNER_VAULT'),
			JOURNAL_VOLUME: binding('COSIGNER_VOLUME'),
			NONCES: binding('COSIGNER_NONCES'),
			SANDBOX_PRICES: this.#around.prices(owner),
		};
	}
}
