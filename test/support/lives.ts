/**
 * Orders and payments of the house, each at another moment of its life when a copy is made, and what comes of them after it.
 * For tests of what a person is told once the copy is all that is left.
 */
import { expect } from 'vitest';
import { paidTo, payoutsTo } from './earnings.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from './orders.ts';
import { type Credentials, createPartner, signed } from './partner.ts';
import { eventually, type TestService } from './service.ts';

export const WITHDRAWN_TO = '0x00000000219ab540356cBB839Cbe05303d7705Fa';
export const LIVES_VARIABLES = { WITHDRAW_TO_ETHEREUM: WITHDRAWN_TO };

/** The moment of the copy, and what comes after it; "still" where nothing does. */
const NAMES = [
	'NEW, then paid',
	'NEW, then refunded',
	'NEW, then EMERGENCY',
	'PENDING, then paid',
	'DONE',
	'planned, then paid',
	'planned, then refunded',
	'planned, still',
	'given up, still',
	'EMERGENCY, then refunded',
	'EMERGENCY, then exchanged',
	'EMERGENCY, still',
	'EMERGENCY, then finalised',
	'finalised, then refunded',
	'finalised, still',
	'refund planned, then sent',
	'refund planned, still',
	'refunded',
	'DONE and paid again, then refunded',
	'DONE and paid again, still',
] as const;
type Name = (typeof NAMES)[number];
const EMERGENCIES = NAMES.filter((name) => /^(EMERGENCY|finalised|refund)/.test(name));
const starting = (...words: readonly string[]) => NAMES.filter((name) => words.some((word) => name.startsWith(word)));

/** What belongs to no order: partners' earnings, and a withdrawal. */
const EARNINGS = ['planned, then paid', 'owed, then paid', 'owed, still'] as const;
const earningsAddress = (i: number) => `0x${String(i + 1).padStart(40, 'ea12')}`;
const EARNING_ORDERS = EARNINGS.length;

export interface Ends {
	/** Each order whose payments are not those of its end. */
	readonly wrong: readonly unknown[];
	readonly refunds: readonly [paid: number, owed: number];
	/** How often each partner's earnings were paid, and the withdrawal. */
	readonly own: readonly number[];
}

export class Lives {
	readonly #current: () => TestService;
	readonly #orders = new Map<string, CreatedOrder>();
	readonly #partners: Credentials[] = [];

	constructor(current: () => TestService) {
		this.#current = current;
	}

	/** Until the copy. */
	async begin(): Promise<void> {
		const service = this.#current();
		for (const [i] of EARNINGS.entries()) {
			const partner = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 200 });
			this.#partners.push(partner);
			await paidTo(service, partner, earningsAddress(i), { asset: 'ETH' });
		}
		for (const [i, name] of [...NAMES, ...EARNINGS.map((each) => `earns: ${each}`)].entries())
			await this.#create(name, i);
		const done = [...starting('DONE'), ...EARNINGS.map((each) => `earns: ${each}`)];
		for (const name of done) await this.#deposit(name);
		for (const name of EMERGENCIES) await this.#deposit(name, { amount: '0.1' });
		for (const name of done) await this.#until(name, 'DONE');
		for (const name of EMERGENCIES) await this.#until(name, 'EMERGENCY');
		await this.#refund('refunded');
		await this.#until('refunded', 'EXPIRED');
		for (const name of starting('DONE and')) await this.#deposit(name, { amount: '1' });
		await this.#send(false);
		const planned = starting('planned', 'given up');
		for (const name of planned) await this.#deposit(name);
		for (const name of planned) await this.#until(name, 'EXCHANGE');
		await this.#giveUp('given up, still');
		for (const name of starting('refund planned')) await this.#refund(name);
		for (const name of starting('finalised')) await this.#finalise(name);
		await this.#deposit('PENDING, then paid', { confirmations: 0 });
		await this.#until('PENDING, then paid', 'PENDING');
		await this.#payOut(0);
		await planWithdrawal(service);
	}

	/** What payers do after it. */
	async pay(service = this.#current()): Promise<void> {
		await this.#deposit('NEW, then paid', {}, service);
		for (const name of starting('NEW, then refunded', 'NEW, then EMERGENCY'))
			await this.#deposit(name, { amount: '0.1' }, service);
		await service.operator('sandbox/confirm', { orders: [this.#order('PENDING, then paid').id] });
	}

	/** What all do after it, which the copy does not know. */
	async goOn(): Promise<void> {
		const service = this.#current();
		await this.#giveUp('planned, then refunded');
		await this.#giveUp('planned, still');
		for (const name of starting('planned, then refunded', 'EMERGENCY, then refunded', 'finalised, then'))
			await this.#refund(name);
		await this.#refund('DONE and paid again, then refunded');
		await this.#finalise('EMERGENCY, then finalised');
		await this.pay();
		const { id, token } = this.#order('EMERGENCY, then exchanged');
		const chosen = await signed(service, this.#partner(EARNING_ORDERS - 1), '/api/v1/emergency', {
			id,
			token,
			choice: 'EXCHANGE',
		});
		expect(chosen.code, chosen.text).toBe(0);
		await service.operator('payout/give-up', {
			id: await this.#rowOf('refund planned, still'),
			reason: 'to send the others alone',
		});
		await this.#send(true);
		for (const name of starting('NEW, then refunded', 'NEW, then EMERGENCY')) await this.#until(name, 'EMERGENCY');
		await this.#refund('NEW, then refunded');
		await this.#payOut(1);
		for (const name of NAMES.filter((each) => /^(?!DONE).*(paid|exchanged)$/.test(each)))
			await this.#until(name, 'DONE');
		for (const name of NAMES.filter((each) => /^(?!DONE).*(refunded|sent)$/.test(each)))
			await this.#until(name, 'EXPIRED');
		await eventually('all to be paid', async () => {
			const { refunds, own } = await this.ends();
			return own.join() === '1,1,0,1' && refunds[0] === NAMES.filter((name) => /(refunded|sent)$/.test(name)).length;
		});
	}

	/** Has each order come to an end, with nothing planned? */
	async isAtRest(): Promise<boolean> {
		const service = this.#current();
		const open = await service.sql(
			`SELECT 1 FROM transactions WHERE state IN ('planned', 'signed') UNION ALL
			SELECT 1 FROM orders WHERE status NOT IN ('DONE', 'EXPIRED') AND id IN (SELECT value FROM json_each(?)) UNION ALL
			SELECT 1 FROM deposits WHERE state = 'final' AND payout_id IS NULL`,
			JSON.stringify([...this.#orders.values()].map(({ id }) => id)),
		);
		return open.length === 0;
	}

	async ends(): Promise<Ends> {
		const service = this.#current();
		const paid = async (address: string) => (await payoutsTo(service, 'Ethereum', address)).length;
		const wrong: unknown[] = [];
		let owed = 0;
		for (const [name, order] of this.#orders) {
			const { status } = await readOrder(service, this.#partner(this.#partnerOf(name)), order);
			const times = await paid(order.to.address);
			if (status === 'EXPIRED' || name.startsWith('DONE and')) owed += 1;
			if (times !== (status === 'DONE' ? 1 : 0)) wrong.push([name, status, times]);
		}
		const own = [...EARNINGS.map((_, i) => earningsAddress(i)), WITHDRAWN_TO];
		return {
			wrong,
			refunds: [(await payoutsTo(service, 'Litecoin', LTC_REFUND)).length, owed],
			own: await Promise.all(own.map(paid)),
		};
	}

	/** What is left, for a failure. */
	async left(): Promise<string> {
		const service = this.#current();
		const rows = await service.sql(
			`SELECT orders.id, status, kind, state, waits_kind, waits_facts, blocked_kind, blocked_facts, attempts
			 FROM orders LEFT JOIN transactions ON order_id = orders.id WHERE status NOT IN ('DONE', 'EXPIRED')`,
		);
		const own = await service.sql("SELECT * FROM transactions WHERE order_id IS NULL AND state <> 'final'");
		return JSON.stringify([rows, own, await service.operator('attention')]);
	}

	#order(name: string): CreatedOrder {
		const order = this.#orders.get(name);
		if (!order) throw new Error(`there is no order ${name}`);
		return order;
	}

	#partner(i: number): Credentials {
		const partner = this.#partners[i];
		if (!partner) throw new Error(`there is no partner ${i}`);
		return partner;
	}

	/** All others are those of the last, whose earnings are paid by nobody before the copy. */
	#partnerOf(name: string): number {
		const i = EARNINGS.findIndex((each) => name === `earns: ${each}`);
		return i < 0 ? EARNING_ORDERS - 1 : i;
	}

	async #create(name: string, i: number): Promise<void> {
		const toAddress = `0x${i.toString(16).padStart(40, 'beef')}`;
		const { data, text } = await create(this.#current(), this.#partner(this.#partnerOf(name)), { toAddress });
		expect(data?.id, text).toBeTruthy();
		this.#orders.set(name, data);
	}
	#until(name: string, status: string) {
		return untilStatus(this.#current(), this.#partner(this.#partnerOf(name)), this.#order(name), status);
	}
	#deposit(name: string, more: Record<string, unknown> = {}, service = this.#current()) {
		return service.operator('sandbox/deposit', { orders: [this.#order(name).id], ...more });
	}
	async #send(send: boolean): Promise<void> {
		for (const name of ['Ethereum', 'Litecoin']) await this.#current().operator('network/update', { name, send });
	}
	#refund(name: Name) {
		return eventually(`${name} to be refunded`, () =>
			this.#current()
				.operator('order/refund', { id: this.#order(name).id })
				.catch(() => null),
		);
	}
	#finalise(name: Name) {
		return this.#current().operator('order/finalise', { id: this.#order(name).id, reason: 'nothing goes back' });
	}
	async #rowOf(name: Name): Promise<string> {
		const [row] = await this.#current().sql<{ id: string }>(
			"SELECT id FROM transactions WHERE order_id = ? AND state = 'planned'",
			this.#order(name).id,
		);
		return String(row?.id);
	}
	async #giveUp(name: Name) {
		return this.#current().operator('payout/give-up', { id: await this.#rowOf(name), reason: 'to pay others alone' });
	}
	#payOut(partner: number) {
		return this.#current().operator('earnings/pay-out', { partner: this.#partner(partner).id });
	}
}

/** Of one ETH, as `treasury withdraw` plans it: while the network is switched off, so that it is still planned at the copy. */
export const planWithdrawal = (service: TestService) =>
	service.sql(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at)
		VALUES (?, 'withdrawal', 'Ethereum', 'ETH', ?, '1000000000000000000', 300000, 'planned', ?, 0)`,
		crypto.randomUUID(),
		WITHDRAWN_TO,
		Date.now(),
	);
