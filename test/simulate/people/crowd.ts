/** Everybody at once: partners with many orders, their receivers, operators, and somebody who writes in the database. */
import type { Trade } from '../../../src/treasury/hedge/trade.ts';
import { hmac } from '../../cast/signing.ts';
import { payments } from '../invariants/payments.ts';
import type { Codes } from '../platform/code.ts';
import { type SavedService, Service } from '../service.ts';
import { networksOf, type Setting } from '../settings.ts';
import type { Owner, World } from '../world.ts';
import { newAddress } from './addresses.ts';
import { Client } from './client.ts';
import { pressButton } from './operators.ts';
import { HABITS, type Habit, liveOrder, newStory, type Pair, SPLITTERS, type Story } from './orders.ts';
import { attack } from './outsider.ts';
import { BURST_WEIGHT, burst, manageCodes, type Partner, rotate } from './partners.ts';
import type { Payment } from './payments.ts';
import { robReserve } from './persons.ts';
import { payStrays } from './strays.ts';
import { payTokens, type TokenPaid } from './tokens.ts';
import { visit } from './visitors.ts';

const PARTNERS = 3;
/** Of all payers. */
const SPLITTERS_SHARE = 0.03;
const SPLITTERS_ON_NODE = 0.15;
const TRIES = 5;
/** Two polls take less, also where the cron must set the first alarm. */
const POLLED_MILLISECONDS = 600_000;
/** An outsider writes at most so long after an order began, and mostly soon: what is signed cannot be redirected. */
const ATTACK_MILLISECONDS = 120_000;
const HOOK = 'http://127.0.0.1:9';
/** Characters of a receiver's answer that is far too large. */
const HUGE = 200_000;

export interface Received {
	readonly id: string;
	/** Of the endpoint that it came to. */
	readonly path: string;
	readonly order: string | null;
	readonly status: string | null;
	/** What the hedger is told. */
	readonly trade: Trade | null;
}

/** Of each partner, beside the first, which wants all. */
const MORE_ENDPOINTS: readonly (readonly [path: string, events: readonly string[]])[] = [
	['/updates', ['order.status_changed']],
	['/money', ['partner.paid_out', 'partner.attention']],
];

const ON_LEDGERS: Setting = { isOnNode: false, capUsd: null, isLarge: false, isHoused: false };

export interface Saved {
	readonly service: SavedService;
	readonly people: {
		readonly partners: Partner[];
		readonly hedger: Partner | null;
		readonly stories: Story[];
		readonly payoutAddresses: string[];
		readonly received: Received[];
	};
	/** Unix milliseconds. */
	readonly now: number;
}

export class Crowd {
	readonly service: Service;
	readonly world: World;
	readonly client: Client;
	readonly stories: Story[] = [];
	readonly received: Received[] = [];
	readonly lines: string[] = [];
	/** What the outside saw that must never be. */
	readonly wrong: string[] = [];
	/** Addresses that partners' earnings go to. */
	readonly payoutAddresses: string[] = [];
	/** Addresses of an outsider who writes in the database: nothing may ever reach them. */
	readonly stolenTo: string[] = [];
	/** Withdrawals that a thief asked for: none may ever be signed. */
	readonly robbed = new Set<string>();
	/** By its id: a deposit that is on record and not on its chain, because of a lie. */
	readonly phantoms = new Map<string, { readonly asset: string; readonly amount: bigint }>();
	/** Payments that the database knew before it was set back. */
	readonly forgotten = new Map<string, { readonly asset: string; readonly amount: bigint }>();
	/** Payments that are no deposits. */
	readonly strays: Payment[] = [];
	/** Of tokens that are not listed. */
	readonly tokens: TokenPaid[] = [];
	readonly setting: Setting;
	#partners: Partner[] = [];
	#eager: Partner | null = null;
	#hedger: Partner | null = null;
	#visitors = 0;
	#busy = 0;

	/** `saved`: begins where another crowd was. */
	constructor(world: World, codes: Codes, setting: Setting = ON_LEDGERS, saved: Saved | null = null) {
		this.world = world;
		this.setting = setting;
		const outside = {
			fetch: (owner: Owner, request: Request) => world.effect(owner, 'post webhook', () => this.#receive(request)),
			print: (line: string) => void this.lines.push(line),
		};
		this.service = new Service(world, codes, outside, { setting, saved: saved?.service ?? null });
		this.client = new Client(this.service);
		if (!saved) return;
		const { partners, hedger, stories, payoutAddresses, received } = structuredClone(saved.people);
		this.#partners = partners;
		this.#hedger = hedger;
		this.stories.push(...stories);
		this.payoutAddresses.push(...payoutAddresses);
		this.received.push(...received);
	}

	save(): Saved {
		const { stories, payoutAddresses, received, service } = this;
		const people = structuredClone({
			partners: this.#partners,
			hedger: this.#hedger,
			stories,
			payoutAddresses,
			received,
		});
		return { service: service.save(), people, now: this.world.now };
	}

	/** Before any fault: partners, and addresses in stock. */
	async open(): Promise<void> {
		await this.world.run(this.world.now + 20_000);
		for (let i = 0; i < PARTNERS; i++) {
			const input = { name: `Partner ${i}`, webhookUrl: `${HOOK}/${i}`, weightPerMinute: 1_000_000, afftaxBps: 50 };
			const partner = await this.#createPartner(input);
			const payoutAddress = newAddress('Litecoin', this.world.random);
			this.payoutAddresses.push(payoutAddress);
			this.#partners.push(partner);
			const update = { id: partner.id, payoutAsset: 'LTC', payoutAddress };
			await this.finished(this.client.operate('partner/update', update));
			for (const [path, events] of MORE_ENDPOINTS) await this.#addEndpoint(partner, `${HOOK}/${i}${path}`, events);
		}
		this.#eager = await this.#createPartner({ name: 'Eager', weightPerMinute: BURST_WEIGHT });
		this.#hedger = await this.#createPartner({ name: 'Hedger', webhookUrl: `${HOOK}/hedger` });
		const { id } = this.#hedger;
		await this.finished(this.client.operate('partner/update', { id, enabled: false }));
		await this.finished(this.client.operate('hedge/begin', { partner: id }));
		await this.finished(this.client.operate('site/update', { dailyCapUsd: 100_000_000, provesSolvency: true }));
		if (this.setting.second) await this.finished(this.client.operate('asset/update', { code: 'TRX', active: true }));
	}

	async #createPartner(input: object): Promise<Partner> {
		const made = await this.finished(this.client.operate<Partner>('partner/create', input));
		return { ...made, isRotating: false };
	}

	async #addEndpoint(partner: Partner, url: string, events: readonly string[]): Promise<void> {
		const added = await this.finished(this.client.send(this.client.sign(partner, '/api/v1/webhooks', { url, events })));
		if (added.code !== 0) throw new Error(`the endpoint ${url} was refused: ${added.code}`);
	}

	/** Was the database set back? */
	isSetBack = false;

	/** Sets the database back to an earlier moment: what was paid and told since then is not in it. */
	setBack(d1: Uint8Array): void {
		this.isSetBack = true;
		this.service.setBack(d1);
		const known = new Set(this.service.d1.rows('SELECT tx_id FROM transactions').map((row) => row['tx_id']));
		for (const { tx_id, asset, amount } of payments(this))
			if (!known.has(tx_id))
				this.forgotten.set(String(tx_id), { asset: String(asset), amount: BigInt(String(amount)) });
		for (const story of this.stories) story.isForgotten = true;
		this.service.endAll();
	}

	/** What a person has booked since is not forgotten any more. */
	noteBooked(): void {
		for (const { tx_id } of this.service.d1.rows('SELECT tx_id FROM transactions'))
			this.forgotten.delete(String(tx_id));
	}

	/** Runs the world until the work is done. @throws where that takes more than an hour */
	async finished<T>(work: Promise<T>): Promise<T> {
		let isOver = false;
		const done = work.finally(() => {
			isOver = true;
		});
		done.catch(() => undefined);
		await this.world.run(this.world.now + 3_600_000, () => isOver);
		if (!isOver) throw new Error('the work is not done after an hour');
		return done;
	}

	/** An order leaves the database only when its partner was paid. */
	async payPartners(): Promise<void> {
		await this.finished(this.payEachPartner());
		await this.world.run(this.world.now + 120_000);
	}

	async payEachPartner(): Promise<void> {
		for (const { id } of this.#partners)
			await this.client.operate('earnings/pay-out', { partner: id }).catch(() => undefined);
	}

	async rotateSecret(): Promise<void> {
		const { world, client, wrong } = this;
		await rotate({ world, client, wrong }, world.random.pick(this.#partners));
	}

	/**
	 * One order, from its creation until its partner has lost interest. `errs`: its payer may send another asset too.
	 * `floor`: basis points; undefined for any or none.
	 */
	async liveOrder(habit: Habit, pair: Pair | null = null, errs = false, floor?: number | null): Promise<void> {
		const { world, client, service } = this;
		const drawn = newStory(world, world.random.pick(this.#partners), habit, pair ?? this.#pair());
		const story = floor === undefined ? drawn : { ...drawn, slippageBps: floor };
		// One order of two: no chance is drawn for it.
		story.isPromised = errs && /[02468]$/.test(story.key);
		this.stories.push(story);
		if (world.striker.happens('outsider writes', world))
			world.after(world.random.next() ** 3 * ATTACK_MILLISECONDS, () => attack(this, story));
		const stray = errs ? payStrays({ service, world }, story, story.from, this.strays) : null;
		const token = errs ? payTokens(this, story, story.from) : null;
		await liveOrder({ service, world, client }, story, story.from, story.to);
		await Promise.all([stray, token]);
	}

	/** Where two judges sign, each order is of one network to the other; null for any. */
	#pair(): Pair | null {
		if (!this.setting.second) return null;
		return this.world.random.chance(0.6) ? ['ETH', 'TRX'] : ['TRX', 'ETH'];
	}

	/** What a fault of before may still reach is asked again. @throws where it fails each time */
	async asked<T>(ask: (client: Client) => Promise<T>): Promise<T> {
		for (let tries = 1; ; tries++) {
			try {
				return await this.finished(ask(this.client));
			} catch (error) {
				if (tries === TRIES) throw error;
			}
			await this.world.run(this.world.now + 60_000);
		}
	}

	startOrder(): void {
		const { random } = this.world;
		const habits = random.chance(this.service.node ? SPLITTERS_ON_NODE : SPLITTERS_SHARE) ? SPLITTERS : HABITS;
		this.#told('a story', this.liveOrder(random.pick(habits), null, true));
	}

	/** Something that a partner or an operator does. */
	act(): void {
		const { world, client, stories, wrong, service } = this;
		const partner = world.random.pick(this.#partners);
		const scene = { world, client, wrong };
		const transactions = () => service.d1.rows('SELECT id FROM transactions').map(({ id }) => String(id));
		const desk = { world, client, stories, partners: this.#partners, transactions };
		const choice = world.random.next();
		if (choice < 0.12) this.#told('a rotation', rotate(scene, partner));
		else if (choice < 0.2) this.#told('a code', manageCodes(scene, partner));
		else if (choice < 0.26 && this.#eager) this.#told('a burst', burst(scene, this.#eager));
		else if (choice < 0.27) this.#told('a robbery', robReserve(this));
		else if (choice < 0.32) this.#told('a visit', visit(scene, this.#visitors++));
		else this.#told('a button', pressButton(desk));
	}

	#told(what: string, work: Promise<void>): void {
		this.#busy += 1;
		work
			.catch((error: unknown) => this.wrong.push(`${what} failed: ${String(error)}`))
			.finally(() => {
				this.#busy -= 1;
			});
	}

	/** Somebody who began a story or pressed a button is not done. */
	get isBusy(): boolean {
		return this.#busy > 0;
	}

	/** Runs until each network has been polled from start to end: what the chains have now is then known. */
	async polled(): Promise<void> {
		const { service, world } = this;
		const agents = networksOf(this.setting).map((network) => service.object('CHAIN_AGENT', network));
		const before = agents.map(({ rings }) => rings);
		// A poll's alarm comes only after the poll before has ended.
		const isOver = () => agents.every(({ rings }, i) => rings >= (before[i] ?? 0) + 2);
		await world.run(world.now + POLLED_MILLISECONDS, isOver);
		if (!isOver()) this.wrong.push('a network was not polled');
	}

	async #receive(request: Request): Promise<Response> {
		const body = await request.text();
		const { pathname } = new URL(request.url);
		const partner = pathname === '/hedger' ? this.#hedger : this.#partners[Number(pathname.split('/')[1])];
		if (request.headers.get('x-partner-webhook-sign') !== hmac(partner?.webhookSecret ?? '', body))
			this.wrong.push(`a webhook to ${pathname} was signed wrongly: ${body}`);
		const { striker } = this.world;
		if (striker.happens('receiver fails', this.world)) return new Response('', { status: 503 });
		if (striker.happens('receiver lies', this.world)) return new Response('x'.repeat(HUGE), { status: 302 });
		const event = JSON.parse(body);
		this.received.push({
			id: event.id,
			path: pathname,
			order: event.data?.order?.id ?? null,
			status: event.data?.order?.status ?? null,
			trade: event.type === 'order.settled' ? event.data : null,
		});
		return new Response('ok');
	}
}
