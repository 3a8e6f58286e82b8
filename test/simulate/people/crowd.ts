/** Everybody at once: partners with many orders, their receivers, and an operator who presses every button. */
import { createHmac } from 'node:crypto';
import type { Codes } from '../platform/code.ts';
import { Service } from '../service.ts';
import type { World } from '../world.ts';
import { Client, type Secrets } from './client.ts';
import { liveOrder, newStory, type Story } from './orders.ts';

const PARTNERS = 3;
const HOOK = 'http://127.0.0.1:9';

export interface Received {
	readonly id: string;
	readonly order: string | null;
	readonly status: string | null;
}

export class Crowd {
	readonly service: Service;
	readonly stories: Story[] = [];
	readonly received: Received[] = [];
	readonly lines: string[] = [];
	/** What the outside saw that must never be. */
	readonly wrong: string[] = [];
	readonly #world: World;
	readonly #client: Client;
	#partners: Secrets[] = [];
	#living = 0;

	constructor(world: World, codes: Codes) {
		this.#world = world;
		this.service = new Service(world, codes, {
			fetch: (owner, request) => world.effect(owner, 'post webhook', () => this.#receive(request)),
			print: (line) => this.lines.push(line),
		});
		this.#client = new Client(this.service);
	}

	get client(): Client {
		return this.#client;
	}

	/** Before any fault: partners, and addresses in stock. */
	async open(): Promise<void> {
		await this.#world.run(this.#world.now + 20_000);
		for (let i = 0; i < PARTNERS; i++) {
			const input = { name: `Partner ${i}`, webhookUrl: `${HOOK}/${i}`, weightPerMinute: 1_000_000, afftaxBps: 50 };
			this.#partners.push(await this.finished(this.#client.operate<Secrets>('partner/create', input)));
		}
		const unbounded = { dailyCapUsd: 100_000_000 };
		await this.finished(this.#client.operate('site/update', unbounded).catch(() => undefined));
	}

	/** Runs the world until the work is done. */
	async finished<T>(work: Promise<T>): Promise<T> {
		let isOver = false;
		const done = work.finally(() => {
			isOver = true;
		});
		done.catch(() => undefined);
		await this.#world.run(this.#world.now + 3_600_000, () => isOver);
		return done;
	}

	startOrder(): void {
		const { random } = this.#world;
		const story = newStory(this.#world);
		this.stories.push(story);
		const scene = { service: this.service, world: this.#world, client: this.#client, secrets: random.pick(this.#partners) };
		this.#living += 1;
		liveOrder(scene, story, story.from, story.to)
			.catch((error: unknown) => this.wrong.push(`a story failed: ${String(error)}`))
			.finally(() => {
				this.#living -= 1;
			});
	}

	get areAllOver(): boolean {
		return this.#living === 0;
	}

	/** One thing that an operator does, at the worst moment. */
	async pressButton(): Promise<void> {
		const { random } = this.#world;
		const story = random.pick(this.stories.length > 0 ? this.stories : [null]);
		const reason = 'pressed by the simulator';
		const buttons: readonly (readonly [string, unknown])[] = [
			['site/update', { maintenance: random.chance(0.3) }],
			['ledger/check', {}],
			['attention/list', {}],
			...(story?.id
				? ([
						['order/show', { id: story.id }],
						['order/finalise', { id: story.id, reason }],
						['order/refund', { id: story.id, reason }],
						['payout/give-up', { id: story.id, reason }],
					] as const)
				: []),
		];
		const [command, input] = random.pick(buttons);
		await this.#client.operate(command, input).catch(() => undefined);
	}

	async #receive(request: Request): Promise<Response> {
		const body = await request.text();
		const { pathname } = new URL(request.url);
		const secrets = this.#partners[Number(pathname.slice(1))];
		const sign = createHmac('sha256', secrets?.webhookSecret ?? '').update(body).digest('hex');
		if (request.headers.get('x-partner-webhook-sign') !== sign) this.wrong.push('a webhook was signed wrongly');
		if (this.#world.striker.happens('receiver fails', this.#world)) return new Response('', { status: 503 });
		const event = JSON.parse(body);
		this.received.push({ id: event.id, order: event.data?.order?.id ?? null, status: event.data?.order?.status ?? null });
		return new Response('ok');
	}
}
