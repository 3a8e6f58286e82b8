/** `advance`: facts in, steps out, one row for each sentence of decisions.md "Orders" and of the spec's transitions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance, type DepositFact, type Facts, PAID, type Step } from '../../src/orders/lifecycle.ts';
import type { Settlement } from '../../src/orders/settlement.ts';
import type { EmergencyReason, OrderStatus } from '../../src/orders/status.ts';
import type { OrderRow } from '../../src/orders/table.ts';
import { NOW, orderRow } from '../support/rows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const IN_TIME = NOW + MINUTE;
const CLOSED = NOW + HOUR;
const LATE = CLOSED + 1;

/**
 * In bounds from 100 to 1000 base units; what is below 10 does not pay for the payout's network fee, and above 5000 the
 * signer never signs.
 */
const settlementOf = (received: bigint): Settlement => ({
	toAmount: received.toString(),
	rate: '1',
	networkFee: '0',
	received,
	owed: received < 10n ? 0n : received,
	fee: 0n,
	gross: received,
	afftax: 0n,
	usdCents: Number(received),
	beyondSigner: received > 5000n,
	bounds: received < 100n ? 'below' : received > 1000n ? 'above' : 'within',
});

const priced = settlementOf;
const unpriced = (): null => null;

let transactions = 0;
const deposit = (amount: number, state: DepositFact['state'], more: Partial<DepositFact> = {}): DepositFact => ({
	txId: `transaction ${++transactions}`,
	amount: BigInt(amount),
	state,
	dust: false,
	claimed: false,
	setAside: false,
	firstSeenAt: IN_TIME,
	lastSeenAt: more.firstSeenAt ?? IN_TIME,
	...more,
});
const seen = (amount: number, more?: Partial<DepositFact>) => deposit(amount, 'seen', more);
const final = (amount: number, more?: Partial<DepositFact>) => deposit(amount, 'final', more);
const gone = (amount: number, more?: Partial<DepositFact>) => deposit(amount, 'gone', more);
const dust = { dust: true } as const;
const late = { firstSeenAt: LATE } as const;
const setAside = { setAside: true } as const;

/** Steps as a row of the table shows them. */
const shown = (steps: readonly Step[]): string =>
	steps
		.map(({ status, emergencyReasons, settlement }) =>
			[status, ...(emergencyReasons ?? []), ...(settlement ? [settlement.received] : [])].join(' '),
		)
		.join(', ');

interface Row {
	readonly what: string;
	readonly order?: Partial<OrderRow>;
	readonly deposits?: readonly DepositFact[];
	readonly settle?: Facts['settle'];
	readonly now?: number;
	readonly steps: string;
}

function table(rows: readonly Row[]): void {
	it.each(rows)('$what → $steps', ({ order, deposits = [], settle = priced, now = IN_TIME, steps }) => {
		expect(shown(advance(orderRow(order), { deposits, settle }, now))).toBe(steps);
	});
}

describe('NEW', () => {
	table([
		{ what: 'no deposit, window open', steps: '' },
		{ what: 'no deposit, the last moment of the window', now: CLOSED, steps: '' },
		{ what: 'deposit window closes', now: LATE, steps: 'EXPIRED' },
		{ what: 'deposit observed, confirmations outstanding', deposits: [seen(100)], steps: 'PENDING' },
		{
			what: 'a deposit that is final when first seen passes through PENDING',
			deposits: [final(100)],
			steps: 'PENDING, EXCHANGE 100',
		},
		{
			what: 'a deposit that is final when first seen and out of bounds passes through PENDING as well',
			deposits: [final(99)],
			steps: 'PENDING, EMERGENCY LIMIT',
		},
		{ what: 'no price yet: PENDING, and there it waits', deposits: [final(100)], settle: unpriced, steps: 'PENDING' },
		{ what: 'dust changes no status', deposits: [final(1, dust)], steps: '' },
		{ what: 'dust does not keep the window open', deposits: [final(1, dust)], now: LATE, steps: 'EXPIRED' },
		{
			what: 'a deposit of the window that is recorded after it closed is in time',
			deposits: [seen(100, { firstSeenAt: CLOSED })],
			now: LATE,
			steps: 'PENDING',
		},
		{
			what: 'first seen after the window closed, not final yet: the window has closed',
			deposits: [seen(100, late)],
			now: LATE,
			steps: 'EXPIRED',
		},
		{
			what: 'first seen after the window closed: EMERGENCY with EXPIRED',
			deposits: [final(100, late)],
			now: LATE,
			steps: 'EXPIRED, EMERGENCY EXPIRED',
		},
		{
			what: 'with LIMIT too, if both hold',
			deposits: [final(99, late)],
			now: LATE,
			steps: 'EXPIRED, EMERGENCY LIMIT EXPIRED',
		},
		{ what: 'a deposit that vanished before it counted', deposits: [gone(100)], now: LATE, steps: 'EXPIRED' },
	]);
});

describe('PENDING', () => {
	const order = { status: 'PENDING', sequence: 1 } as const;
	table([
		{ what: 'confirmations outstanding', order, deposits: [seen(100)], steps: '' },
		{ what: 'confirmations outstanding after the window closed', order, deposits: [seen(100)], now: LATE, steps: '' },
		{ what: 'in bounds: EXCHANGE follows', order, deposits: [final(100)], steps: 'EXCHANGE 100' },
		{ what: 'the upper bound is in bounds', order, deposits: [final(1000)], steps: 'EXCHANGE 1000' },
		{ what: 'too little', order, deposits: [final(99)], steps: 'EMERGENCY LIMIT' },
		{ what: 'too much', order, deposits: [final(1001)], steps: 'EMERGENCY LIMIT' },
		{ what: 'an exchange on an older price', order, deposits: [final(100)], settle: unpriced, steps: '' },
		{
			what: 'seen in time and final after the window closed is in time',
			order,
			deposits: [final(100)],
			now: CLOSED + 5 * HOUR,
			steps: 'EXCHANGE 100',
		},
		{
			what: 'all deposits that are final before the payout starts are added up',
			order,
			deposits: [final(60), final(50)],
			steps: 'EXCHANGE 110',
		},
		{
			what: 'added up they can be too much',
			order,
			deposits: [final(600), final(500)],
			steps: 'EMERGENCY LIMIT',
		},
		{
			what: 'what is not final is not added',
			order,
			deposits: [final(100), seen(50)],
			steps: 'EXCHANGE 100',
		},
		{ what: 'too little, and more on its way', order, deposits: [final(60), seen(50)], steps: '' },
		{
			what: 'too little, and what was on its way vanished',
			order,
			deposits: [final(60), gone(50)],
			steps: 'EMERGENCY LIMIT',
		},
		{ what: 'more than the signer may sign in a day', order, deposits: [final(5001)], steps: 'EMERGENCY LIMIT' },
		{
			what: 'in bounds, and worth more than the signer may sign in a day',
			order,
			deposits: [final(500)],
			settle: (received) => ({ ...settlementOf(received), beyondSigner: true }),
			steps: 'EMERGENCY LIMIT',
		},
		{ what: 'dust is not added', order, deposits: [final(100), final(5, dust)], steps: 'EXCHANGE 100' },
		{ what: 'dust on its way holds nothing up', order, deposits: [final(60), seen(5, dust)], steps: 'EMERGENCY LIMIT' },
		{
			what: 'only what came late is left: first seen after the window closed',
			order,
			deposits: [gone(100), final(200, late)],
			now: LATE,
			steps: 'EMERGENCY EXPIRED',
		},
		{ what: 'a deposit that vanishes leaves the order PENDING', order, deposits: [gone(100)], steps: '' },
		{
			what: 'vanished for 24 h',
			order,
			deposits: [gone(100)],
			now: IN_TIME + 24 * HOUR,
			steps: '',
		},
		{
			what: 'vanished, and 24 h have passed',
			order,
			deposits: [gone(100)],
			now: IN_TIME + 24 * HOUR + 1,
			steps: 'EXPIRED',
		},
		{
			what: 'several vanished: the 24 h run from the last of them',
			order,
			deposits: [gone(100), gone(100, { lastSeenAt: IN_TIME + HOUR })],
			now: IN_TIME + 24 * HOUR + 1,
			steps: '',
		},
		{
			what: 'dust does not prolong the 24 h',
			order,
			deposits: [gone(100), final(1, { dust: true, lastSeenAt: IN_TIME + 24 * HOUR })],
			now: IN_TIME + 24 * HOUR + 1,
			steps: 'EXPIRED',
		},
		{ what: 'seen again', order, deposits: [gone(100), seen(100)], now: IN_TIME + 25 * HOUR, steps: '' },
		{
			what: 'replaced by one that became final',
			order,
			deposits: [gone(100), final(120)],
			now: IN_TIME + 25 * HOUR,
			steps: 'EXCHANGE 120',
		},
		{ what: 'a payout that would not be positive', order, deposits: [final(9)], steps: 'EMERGENCY LIMIT' },
	]);
});

describe('EXPIRED', () => {
	const order = { status: 'EXPIRED', sequence: 1 } as const;
	const now = LATE + HOUR;
	table([
		{ what: 'nothing comes', order, now, steps: '' },
		{ what: 'a late deposit, final', order, deposits: [final(100, late)], now, steps: 'EMERGENCY EXPIRED' },
		{ what: 'a late deposit out of bounds', order, deposits: [final(99, late)], now, steps: 'EMERGENCY LIMIT EXPIRED' },
		{
			what: 'late deposits are added up',
			order,
			deposits: [final(60, late), final(60, late)],
			now,
			steps: 'EMERGENCY EXPIRED',
		},
		{ what: 'a late deposit, not final yet', order, deposits: [seen(100, late)], now, steps: '' },
		{
			what: 'a late deposit without a price to judge it',
			order,
			deposits: [final(100, late)],
			settle: unpriced,
			now,
			steps: '',
		},
		{ what: 'dust', order, deposits: [final(1, { ...dust, ...late })], now, steps: '' },
		{ what: 'what was set aside is judged no more', order, deposits: [final(600, setAside)], now, steps: '' },
		{
			what: 'dust revives nothing that was set aside',
			order,
			deposits: [final(600, setAside), final(1, { ...dust, ...late })],
			now,
			steps: '',
		},
		{
			what: 'a deposit in the mempool that was set aside and becomes final',
			order,
			deposits: [final(100, { ...setAside, ...late })],
			now,
			steps: '',
		},
		{
			what: 'a later deposit is judged without what was set aside',
			order,
			deposits: [final(60, setAside), final(60, late)],
			now,
			steps: 'EMERGENCY LIMIT EXPIRED',
		},
		{ what: 'what vanished and expired it comes back', order, deposits: [final(100)], now, steps: 'EMERGENCY EXPIRED' },
		{
			what: 'a deposit of the 30th day',
			order,
			deposits: [final(100, { firstSeenAt: CLOSED + 30 * 24 * HOUR })],
			now: CLOSED + 30 * 24 * HOUR,
			steps: 'EMERGENCY EXPIRED',
		},
		{
			what: 'a deposit after the 30th day',
			order,
			deposits: [final(100, { firstSeenAt: CLOSED + 30 * 24 * HOUR + 1 })],
			now: CLOSED + 31 * 24 * HOUR,
			steps: '',
		},
	]);
});

describe('EMERGENCY', () => {
	const because = (...emergencyReasons: EmergencyReason[]) =>
		({ status: 'EMERGENCY', sequence: 2, emergencyReasons, limitSide: 'below' }) as const;
	const limit = because('LIMIT');
	const chosen = { ...limit, emergencyChoice: 'EXCHANGE' } as const;
	table([
		{ what: 'too little, nothing more', order: limit, deposits: [final(60)], steps: '' },
		{
			what: 'further deposits that bring the total into bounds resume it without a choice',
			order: limit,
			deposits: [final(60), final(40)],
			steps: 'EXCHANGE 100',
		},
		{ what: 'a further deposit that is not final yet', order: limit, deposits: [final(60), seen(40)], steps: '' },
		{ what: 'a further deposit that is still too little', order: limit, deposits: [final(60), final(39)], steps: '' },
		{ what: 'a further deposit that is too much', order: limit, deposits: [final(60), final(941)], steps: '' },
		{ what: 'dust is no further deposit', order: limit, deposits: [final(99), final(1, dust)], steps: '' },
		{
			what: 'a further deposit without a price',
			order: limit,
			deposits: [final(60), final(40)],
			settle: unpriced,
			steps: '',
		},
		{
			what: 'a further deposit of the window that becomes final after it',
			order: limit,
			deposits: [final(60), final(40, { firstSeenAt: CLOSED })],
			now: CLOSED + HOUR,
			steps: 'EXCHANGE 100',
		},
		{
			what: 'a further deposit after the window closed',
			order: limit,
			deposits: [final(60), final(40, late)],
			now: LATE,
			steps: '',
		},
		{
			what: 'too late is not made good by more',
			order: because('EXPIRED'),
			deposits: [final(100), final(40)],
			steps: '',
		},
		{
			what: 'too little and too late is not made good by more',
			order: because('LIMIT', 'EXPIRED'),
			deposits: [final(60), final(40)],
			steps: '',
		},
		{ what: 'EXCHANGE chosen: too little', order: chosen, deposits: [final(60)], steps: 'EXCHANGE 60' },
		{ what: 'EXCHANGE chosen: too much', order: chosen, deposits: [final(2000)], now: LATE, steps: 'EXCHANGE 2000' },
		{
			what: 'EXCHANGE chosen: too late',
			order: { ...because('EXPIRED'), emergencyChoice: 'EXCHANGE' },
			deposits: [final(100, late)],
			now: LATE,
			steps: 'EXCHANGE 100',
		},
		{ what: 'EXCHANGE chosen: on an older price', order: chosen, deposits: [final(60)], settle: unpriced, steps: '' },
		{
			what: 'EXCHANGE on an order whose payout would not be positive stays EMERGENCY',
			order: chosen,
			deposits: [final(9)],
			steps: '',
		},
		{
			what: 'EXCHANGE chosen: above the pair’s bounds',
			order: chosen,
			deposits: [final(5000)],
			steps: 'EXCHANGE 5000',
		},
		{
			what: 'EXCHANGE chosen: worth more than the signer may sign in a day stays EMERGENCY',
			order: chosen,
			deposits: [final(5001)],
			steps: '',
		},
		{
			what: 'EXCHANGE chosen: what was set aside before is not exchanged',
			order: chosen,
			deposits: [final(60, setAside), final(70, late)],
			now: LATE,
			steps: 'EXCHANGE 70',
		},
		{ what: 'EXCHANGE chosen: all was set aside', order: chosen, deposits: [final(60, setAside)], steps: '' },
		{
			what: 'what was set aside tops nothing up',
			order: limit,
			deposits: [final(60, setAside), final(60)],
			steps: '',
		},
		{
			what: 'any other choice is none',
			order: { ...limit, emergencyChoice: 'REFUND' },
			deposits: [final(60)],
			steps: '',
		},
	]);
});

describe('EXCHANGE and DONE', () => {
	it.each(['EXCHANGE', 'DONE'] as const)('a deposit after the payout began changes nothing: %s', (status) => {
		const order = orderRow({ status, sequence: 3 });
		for (const deposits of [[], [final(100)], [final(100), final(500)], [gone(100)]]) {
			for (const now of [IN_TIME, LATE, LATE + 48 * HOUR]) {
				expect(advance(order, { deposits, settle: priced }, now)).toEqual([]);
			}
		}
	});

	it('the payout’s broadcast makes it DONE', () => {
		expect(PAID.status).toBe('DONE');
	});
});

describe('a soft-deleted order', () => {
	it.each(['NEW', 'PENDING', 'EXPIRED', 'EMERGENCY', 'EXCHANGE', 'DONE'] as const)('%s: nothing moves', (status) => {
		const order = orderRow({ status, deletedAt: NOW, emergencyChoice: 'EXCHANGE' });
		expect(advance(order, { deposits: [final(100)], settle: priced }, LATE)).toEqual([]);
	});
});

describe('whatever happens, in whatever order', () => {
	/** Every edge of the contract's transitions that facts and time alone can take. */
	const EDGES: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
		NEW: ['PENDING', 'EXPIRED'],
		PENDING: ['EXCHANGE', 'EMERGENCY', 'EXPIRED'],
		EMERGENCY: ['EXCHANGE'],
		EXPIRED: ['EMERGENCY'],
		EXCHANGE: [],
		DONE: [],
	};

	type Happening =
		| { readonly kind: 'arrives'; readonly amount: number; readonly dust: boolean }
		| { readonly kind: 'final' | 'gone' | 'back'; readonly which: number }
		| { readonly kind: 'choice' }
		| { readonly kind: 'deleted' }
		| { readonly kind: 'time'; readonly milliseconds: number };

	const happening: fc.Arbitrary<Happening> = fc.oneof(
		fc.record({ kind: fc.constant('arrives' as const), amount: fc.integer({ min: 1, max: 1200 }), dust: fc.boolean() }),
		fc.record({
			kind: fc.constantFrom('final' as const, 'gone' as const, 'back' as const),
			which: fc.nat(5),
		}),
		fc.record({ kind: fc.constant('choice' as const) }),
		fc.record({ kind: fc.constant('deleted' as const) }),
		fc.record({
			kind: fc.constant('time' as const),
			milliseconds: fc.constantFrom(MINUTE, 30 * MINUTE, HOUR, 25 * HOUR),
		}),
	);
	const happenings = fc.array(fc.record({ happening, hasPrice: fc.boolean() }), { maxLength: 25 });

	/** One life, step by step; `look` is called after each look with what it did. */
	function live(
		events: readonly { readonly happening: Happening; readonly hasPrice: boolean }[],
		look: (before: OrderRow, facts: Facts, steps: readonly Step[], now: number) => void,
	): void {
		let order = orderRow();
		let deposits: DepositFact[] = [];
		let now = NOW;
		for (const { happening: event, hasPrice } of events) {
			now += 1000;
			switch (event.kind) {
				case 'arrives':
					deposits.push(deposit(event.amount, 'seen', { dust: event.dust, firstSeenAt: now }));
					break;
				case 'time':
					now += event.milliseconds;
					break;
				case 'choice':
					order = { ...order, emergencyChoice: 'EXCHANGE' };
					break;
				case 'deleted':
					order = { ...order, deletedAt: order.deletedAt ?? now };
					break;
				default: {
					const state = event.kind === 'back' ? 'seen' : event.kind;
					// What is final is never looked at again.
					deposits = deposits.map((fact, i) =>
						i === event.which && fact.state !== 'final' ? { ...fact, state, lastSeenAt: now } : fact,
					);
				}
			}
			const facts: Facts = { deposits, settle: hasPrice ? priced : unpriced };
			const steps = advance(order, facts, now);
			look(order, facts, steps, now);
			for (const { status, emergencyReasons } of steps) {
				order = {
					...order,
					status,
					sequence: order.sequence + 1,
					emergencyReasons: emergencyReasons ?? order.emergencyReasons,
				};
			}
		}
	}

	it('a status never goes back, and none is skipped', () => {
		fc.assert(
			fc.property(happenings, (events) => {
				live(events, ({ status }, _, steps) => {
					let current = status;
					for (const step of steps) {
						expect(EDGES[current]).toContain(step.status);
						current = step.status;
					}
				});
			}),
			{ numRuns: 1000 },
		);
	});

	it('looking again at the same facts changes nothing', () => {
		fc.assert(
			fc.property(happenings, (events) => {
				live(events, (order, facts, steps, now) => {
					const last = steps.at(-1);
					if (!last) return;
					const emergencyReasons = steps.findLast((step) => step.emergencyReasons)?.emergencyReasons;
					const after = { ...order, status: last.status, emergencyReasons: emergencyReasons ?? order.emergencyReasons };
					const again = advance(after, facts, now);
					// A choice made beforehand is acted on once there is an emergency to act on.
					const isChoice = after.emergencyChoice === 'EXCHANGE' && shown(again).startsWith('EXCHANGE');
					if (!isChoice) expect(shown(again)).toBe('');
				});
			}),
			{ numRuns: 1000 },
		);
	});

	it('EXCHANGE comes with what is owed for exactly the final deposits that are not dust, and it is positive', () => {
		fc.assert(
			fc.property(happenings, (events) => {
				live(events, (_, { deposits }, steps) => {
					for (const { status, settlement } of steps) {
						expect(settlement !== undefined).toBe(status === 'EXCHANGE');
						if (!settlement) continue;
						const counted = deposits.filter((fact) => fact.state === 'final' && !fact.dust);
						expect(settlement.received).toBe(counted.reduce((sum, { amount }) => sum + amount, 0n));
						expect(settlement.owed > 0n).toBe(true);
					}
				});
			}),
			{ numRuns: 1000 },
		);
	});

	it('EMERGENCY, and nothing else, names its reasons', () => {
		fc.assert(
			fc.property(happenings, (events) => {
				live(events, (_, __, steps) => {
					for (const { status, emergencyReasons } of steps) {
						expect((emergencyReasons?.length ?? 0) > 0).toBe(status === 'EMERGENCY');
					}
				});
			}),
		);
	});

	it('without a price nothing is settled', () => {
		fc.assert(
			fc.property(happenings, (events) => {
				live(
					events.map((event) => ({ ...event, hasPrice: false })),
					(_, __, steps) => {
						for (const { status } of steps) expect(['PENDING', 'EXPIRED']).toContain(status);
					},
				);
			}),
		);
	});
});
