/**
 * `advance`, one row for each sentence of book: contract, "Orders" and of the contract's transitions: EMERGENCY,
 * EXCHANGE, DONE.
 */
import { describe, expect, it } from 'vitest';
import { advance, PAID } from '../../src/orders/lifecycle.ts';
import type { EmergencyReason } from '../../src/orders/status.ts';
import {
	CLOSED,
	dust,
	final,
	floored,
	gone,
	HOUR,
	IN_TIME,
	LATE,
	late,
	priced,
	seen,
	setAside,
	table,
	unpriced,
} from '../support/lifecycle.ts';
import { NOW, orderRow } from '../support/rows.ts';

describe('an order that is EMERGENCY', () => {
	const because = (...emergencyReasons: EmergencyReason[]) =>
		({ status: 'EMERGENCY', sequence: 2, emergencyReasons, limitSide: 'below' }) as const;
	const limit = because('LIMIT');
	const chosen = { ...limit, emergencyChoice: 'EXCHANGE', chosenAt: NOW - 1 } as const;
	table([
		{ what: 'screening holds a choice', order: chosen, deposits: [final(60)], screened: 'hold', steps: '' },
		{
			what: 'a choice that screening has not answered',
			order: chosen,
			deposits: [final(60)],
			screened: 'unasked',
			steps: '',
		},
		{
			what: 'screening wants it back after a choice',
			order: chosen,
			deposits: [final(60)],
			screened: 'refund',
			steps: '',
		},
		{
			what: 'screening holds a topped-up order',
			order: limit,
			deposits: [final(60), final(40)],
			screened: 'hold',
			steps: '',
		},
		{
			what: 'chosen, with a price that is no younger',
			order: { ...chosen, chosenAt: NOW },
			deposits: [final(60)],
			steps: '',
		},
		{ what: 'chosen, nobody knows when', order: { ...chosen, chosenAt: null }, deposits: [final(60)], steps: '' },
		{
			what: 'chosen, with a price that is no younger, and topped up into bounds',
			order: { ...chosen, chosenAt: NOW },
			deposits: [final(60), final(40)],
			steps: '',
		},
		{
			what: 'chosen, and it brings less than the floor: it goes back all the same',
			order: chosen,
			settle: floored,
			deposits: [final(120)],
			steps: '',
			returned: true,
		},
		{
			what: 'chosen, less than the floor, and more is seen',
			order: chosen,
			settle: floored,
			deposits: [final(120), seen(30)],
			steps: '',
		},
		{
			what: 'topped up into bounds, and it brings less than the floor: it goes back',
			order: limit,
			settle: floored,
			deposits: [final(60), final(60)],
			steps: '',
			returned: true,
		},
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
		{
			what: 'dust that comes in time is a further deposit',
			order: limit,
			deposits: [final(99), final(1, dust)],
			steps: 'EXCHANGE 100',
		},
		{
			what: 'dust that comes late is none',
			order: limit,
			deposits: [final(99), final(1, { ...dust, ...late })],
			now: LATE,
			steps: '',
		},
		{
			what: 'in bounds by what came in time; late dust is paid for with it',
			order: limit,
			deposits: [final(60), final(40), final(1, { ...dust, ...late })],
			now: LATE,
			steps: 'EXCHANGE 101',
		},
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
			what: 'in bounds by what came in time; a late deposit that is not final yet does not count',
			order: limit,
			deposits: [final(60), final(40), seen(10, late)],
			now: LATE,
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
			what: 'a late deposit is not cured by more',
			order: because('EXPIRED'),
			deposits: [final(100), final(40)],
			steps: '',
		},
		{
			what: 'a deposit too small and too late is not cured by more',
			order: because('LIMIT', 'EXPIRED'),
			deposits: [final(60), final(40)],
			steps: '',
		},
		{ what: 'EXCHANGE chosen: too little', order: chosen, deposits: [final(60)], steps: 'EXCHANGE 60' },
		{ what: 'EXCHANGE chosen: too much', order: chosen, deposits: [final(2000)], now: LATE, steps: 'EXCHANGE 2000' },
		{
			what: 'EXCHANGE chosen: too late',
			order: { ...because('EXPIRED'), emergencyChoice: 'EXCHANGE', chosenAt: NOW - 1 },
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
			what: 'EXCHANGE chosen: a deposit that was set aside is not exchanged',
			order: chosen,
			deposits: [final(60, setAside), final(70, late)],
			now: LATE,
			steps: 'EXCHANGE 70',
		},
		{ what: 'EXCHANGE chosen: every deposit was set aside', order: chosen, deposits: [final(60, setAside)], steps: '' },
		{
			what: 'a deposit that was set aside tops nothing up',
			order: limit,
			deposits: [final(60, setAside), final(60)],
			steps: '',
		},
		{
			what: 'any other choice counts as none',
			order: { ...limit, emergencyChoice: 'REFUND' },
			deposits: [final(60)],
			steps: '',
		},
	]);
});

describe('an order that is EXCHANGE or DONE', () => {
	it.each(['EXCHANGE', 'DONE'] as const)('a deposit after the payout began changes nothing: %s', (status) => {
		const order = orderRow({ status, sequence: 3 });
		for (const deposits of [[], [final(100)], [final(100), final(500)], [gone(100)]]) {
			for (const now of [IN_TIME, LATE, LATE + 48 * HOUR]) {
				expect(advance(order, { deposits, screened: 'accept', settle: priced }, now).steps).toEqual([]);
			}
		}
	});

	it('the payout’s broadcast makes it DONE', () => {
		expect(PAID.status).toBe('DONE');
	});
});

describe('a soft-deleted order', () => {
	it.each(['NEW', 'PENDING', 'EXPIRED', 'EMERGENCY', 'EXCHANGE', 'DONE'] as const)(
		'%s: no status changes',
		(status) => {
			const order = orderRow({ status, deletedAt: NOW, emergencyChoice: 'EXCHANGE', chosenAt: NOW - 1 });
			expect(advance(order, { deposits: [final(100)], screened: 'accept', settle: priced }, LATE).steps).toEqual([]);
		},
	);
});
