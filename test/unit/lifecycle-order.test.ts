/** `advance` under facts in any order: it takes only the contract's edges, and skips none. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance, type DepositFact, type Facts, type Step } from '../../src/orders/lifecycle.ts';
import type { OrderStatus } from '../../src/orders/status.ts';
import type { OrderRow } from '../../src/orders/table.ts';
import { deposit, HOUR, MINUTE, priced, shown, unpriced } from '../support/lifecycle.ts';
import { NOW, orderRow } from '../support/rows.ts';

describe('facts in any order', () => {
	/** Every edge of the contract's transitions that only facts and time can take. */
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
		fc.record({ kind: fc.constantFrom('final' as const, 'gone' as const, 'back' as const), which: fc.nat(5) }),
		fc.record({ kind: fc.constant('choice' as const) }),
		fc.record({ kind: fc.constant('deleted' as const) }),
		fc.record({
			kind: fc.constant('time' as const),
			milliseconds: fc.constantFrom(MINUTE, 30 * MINUTE, HOUR, 25 * HOUR),
		}),
	);
	const happenings = fc.array(fc.record({ happening, hasPrice: fc.boolean() }), { maxLength: 25 });

	/** One order's life, step by step. After each step `see` gets the step's result. */
	function live(
		events: readonly { readonly happening: Happening; readonly hasPrice: boolean }[],
		see: (before: OrderRow, facts: Facts, steps: readonly Step[], now: number) => void,
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
					order = { ...order, emergencyChoice: 'EXCHANGE', chosenAt: NOW - 1 };
					break;
				case 'deleted':
					order = { ...order, deletedAt: order.deletedAt ?? now };
					break;
				default: {
					const state = event.kind === 'back' ? 'seen' : event.kind;
					// A final deposit is never polled again.
					deposits = deposits.map((fact, i) =>
						i === event.which && fact.state !== 'final' ? { ...fact, state, lastSeenAt: now } : fact,
					);
				}
			}
			const facts: Facts = { deposits, screened: 'accept', settle: hasPrice ? priced : unpriced };
			const { steps } = advance(order, facts, now);
			see(order, facts, steps, now);
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

	it('no status goes back, and none is skipped', () => {
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

	it('the same facts again change nothing', () => {
		fc.assert(
			fc.property(happenings, (events) => {
				live(events, (order, facts, steps, now) => {
					const last = steps.at(-1);
					if (!last) return;
					const emergencyReasons = steps.findLast((step) => step.emergencyReasons)?.emergencyReasons;
					const after = { ...order, status: last.status, emergencyReasons: emergencyReasons ?? order.emergencyReasons };
					const { steps: again } = advance(after, facts, now);
					// A choice made earlier takes effect at the next emergency.
					const isChoice = after.emergencyChoice === 'EXCHANGE' && shown(again).startsWith('EXCHANGE');
					if (!isChoice) expect(shown(again)).toBe('');
				});
			}),
			{ numRuns: 1000 },
		);
	});

	it('EXCHANGE comes with a positive amount owed, for exactly the final deposits, dust included', () => {
		fc.assert(
			fc.property(happenings, (events) => {
				live(events, (_, { deposits }, steps) => {
					for (const { status, settlement } of steps) {
						expect(settlement !== undefined).toBe(status === 'EXCHANGE');
						if (!settlement) continue;
						const counted = deposits.filter((fact) => fact.state === 'final');
						expect(settlement.received).toBe(counted.reduce((sum, { amount }) => sum + amount, 0n));
						expect(settlement.owed > 0n).toBe(true);
					}
				});
			}),
			{ numRuns: 1000 },
		);
	});

	it('EMERGENCY, and no other status, has reasons', () => {
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
