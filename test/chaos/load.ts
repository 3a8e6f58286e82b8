/**
 * Partners, payers and operators who go on while the service is struck. Each partner makes one call at a time; who gets
 * no answer asks again, as a careful client does.
 */
import { operate } from '../cast/operator.ts';
import type { Random } from '../cast/random.ts';
import { type CreatedOrder, createBody, PRICE } from '../support/orders.ts';
import { type Answer, type Bend, type Credentials, newNonce, signed } from '../support/partner.ts';
import type { Journal, KnownOrder, Member } from './journal.ts';
import { type ChaosService, pause } from './service.ts';

const RETRY_MILLISECONDS = 50;
/** Refused for its limits, its order or the state of an order: these answers say nothing about faults. Code 3 is not here. */
const MAY_BE: readonly number[] = [0, 1, 5, 6, 11, 13, 14];

export interface World {
	readonly service: ChaosService;
	readonly journal: Journal;
	readonly random: Random;
	readonly isOver: () => boolean;
	/** Between two calls of a partner. */
	readonly thinkMilliseconds: number;
	readonly payers: Payers;
}

/** What is ordered, and how it is paid. */
export interface Payers {
	newOrder(random: Random): Promise<Record<string, unknown>>;
	/** `isWhole`: the amount that the order asks for, or another one. True once the deposit is on its way for certain. */
	pay(order: CreatedOrder, isWhole: boolean): Promise<boolean>;
}

/** The operator makes deposits on the embedded ledgers. */
export const sandboxPayers = (service: ChaosService): Payers => ({
	newOrder: async (random) => createBody({ amount: (0.8 + random.below(100) / 100).toFixed(2) }),
	async pay({ id }, isWhole) {
		const input = isWhole ? { orders: [id] } : { orders: [id], amount: '0.3' };
		const answer = await operate(service, 'sandbox/deposit', input).catch(() => null);
		return answer?.ok === true;
	},
});

/** One partner's part of it. */
interface Life extends World {
	readonly member: Member;
}

/** A signed call; null when its answer was lost. */
async function call<T>(
	{ service, journal, member }: Life,
	path: string,
	body: unknown,
	bend: Bend = {},
): Promise<Answer<T> | null> {
	const answer = await signed<T>(service, member.credentials, `/api/v1/${path}`, body, bend).catch(() => null);
	if (!answer) {
		journal.lost += 1;
		await pause(RETRY_MILLISECONDS);
		return null;
	}
	journal.count(path, answer.code);
	const mayBe = journal.mayFail ? [...MAY_BE, 99] : MAY_BE;
	if (!mayBe.includes(answer.code)) journal.wrong.answer.push(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
	return answer;
}

type Act = (life: Life) => Promise<void>;

/** Until its answer comes, with the same key: the order is made once. */
const create: Act = async (life) => {
	const { random, journal, member, payers } = life;
	const body = await payers.newOrder(random);
	const idempotencyKey = newNonce();
	const headers = { 'idempotency-key': idempotencyKey };
	while (!life.isOver()) {
		const answer = await call<CreatedOrder>(life, 'create', body, { headers });
		if (!answer) continue;
		if (answer.code !== 0) return;
		const created = answer.data;
		const more = { deposit: null, deposited: 'no', refundAsked: 'no' } as const;
		journal.orders.push({ member, idempotencyKey, body, created, ...more });
		if (random.chance(0.8)) await deposit(life, journal.orders.at(-1));
		return;
	}
};

/** Where the answer is lost, the payer does not pay again: perhaps they have paid. */
async function deposit({ payers, random }: World, order: KnownOrder | undefined): Promise<void> {
	if (!order) return;
	const isWhole = random.chance(0.8);
	order.deposit = isWhole ? 'whole' : 'other';
	order.deposited = 'maybe';
	if (await payers.pay(order.created, isWhole)) order.deposited = 'yes';
}

const refund: Act = async ({ service, journal, random }) => {
	const candidates = journal.orders.filter((order) => order.deposit === 'other' && order.refundAsked !== 'yes');
	if (candidates.length === 0) return;
	const order = random.pick(candidates);
	const answer = await operate(service, 'order/refund', { id: order.created.id }).catch(() => null);
	if (!answer) order.refundAsked = 'maybe';
	else if (answer.ok) order.refundAsked = 'yes';
};

/** The same create again gives the same order. */
const repeat: Act = async (life) => {
	const { journal, member, random } = life;
	const own = journal.orders.filter((order) => order.member === member);
	if (own.length === 0) return;
	const { idempotencyKey, body, created } = random.pick(own);
	const headers = { 'idempotency-key': idempotencyKey };
	const answer = await call<CreatedOrder>(life, 'create', body, { headers });
	if (answer?.code === 0 && answer.data.id !== created.id)
		journal.wrong.create.push(`${created.id} and ${answer.data.id} have one key`);
};

const price: Act = async (life) => {
	const nonce = newNonce();
	const timestamp = String(Math.floor(Date.now() / 1000));
	const answer = await call(life, 'price', PRICE, { nonce, timestamp });
	if (answer?.code === 0) life.journal.nonces.push({ member: life.member, body: PRICE, nonce, timestamp });
};

const read: Act = async (life) => {
	const { journal, member, random } = life;
	const own = journal.orders.filter((order) => order.member === member && order.created.token !== null);
	if (own.length === 0) return;
	const { id, token } = random.pick(own).created;
	const answer = await call<{ id: string }>(life, 'order', { id, token });
	if (answer && answer.code !== 0 && !(journal.mayFail && answer.code === 99))
		journal.wrong.create.push(`order ${id} was acknowledged, then ${answer.text.slice(0, 100)}`);
};

const addCode: Act = async (life) => {
	const { member } = life;
	if (member.codes.length >= 40) return;
	const code = `c${newNonce().slice(0, 8)}`;
	const answer = await call(life, 'codes', { code });
	if (answer?.code === 0) member.codes.push(code);
};

/** Where the answer is lost, the new secret may be lost with it: then the operator gives another. */
const rotate: Act = async (life) => {
	const { member, service } = life;
	const answer = await call<{ apiSecret: string }>(life, 'keys/rotate', { rotate: ['apiSecret'] });
	if (answer?.code === 0) return replace(member, answer.data.apiSecret);
	while (!answer && !life.isOver()) {
		const { id } = member.credentials;
		const given = await operate<Pick<Credentials, 'apiSecret'>>(service, 'partner/replace-secret', {
			id,
			secret: 'apiSecret',
		}).catch(() => null);
		if (given?.ok) return replace(member, given.data.apiSecret);
		await pause(RETRY_MILLISECONDS);
	}
};

function replace(member: Member, apiSecret: string): void {
	member.endedSecrets.push(member.credentials.apiSecret);
	member.credentials = { ...member.credentials, apiSecret };
	member.rotations += 1;
}

/** How often each is chosen. */
const ACTS: readonly (readonly [Act, number])[] = [
	[create, 6],
	[repeat, 2],
	[price, 4],
	[read, 4],
	[refund, 2],
	[addCode, 1],
	[rotate, 1],
];
const CHOICES: readonly Act[] = ACTS.flatMap(([act, times]) => Array.from({ length: times }, () => act));

/** The partner's life until the run is over. The first partner never rotates: their spent nonces stay refused as such. */
export async function live(world: World, member: Member, mayRotate: boolean): Promise<void> {
	while (!world.isOver()) {
		const act = world.random.pick(CHOICES);
		if (act !== rotate || mayRotate) await act({ ...world, member });
		await pause(world.thinkMilliseconds * (1 + world.random.next()));
	}
}

/** Calls of the last minutes again, byte by byte: each is refused, for its nonce is spent. */
export async function replaySpent({ service, journal, random }: World, count: number): Promise<void> {
	const youngest = Date.now() / 1000 - 200;
	const first = journal.nonces[0]?.member;
	const usable = journal.nonces.filter(({ member, timestamp }) => member === first && Number(timestamp) > youngest);
	for (let i = 0; i < count && usable.length > 0; i++) {
		const { member, body, nonce, timestamp } = random.pick(usable);
		const answer = await signed(service, member.credentials, '/api/v1/price', body, { nonce, timestamp });
		journal.count('replay', answer.code);
		if (answer.code !== 3) journal.wrong.nonce.push(`nonce ${nonce}: ${answer.text.slice(0, 100)}`);
	}
}
