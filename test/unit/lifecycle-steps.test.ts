/** What a step of `advance` carries beside the status: its cause for the history, and what its order shows from then on. */
import { describe, expect, it } from 'vitest';
import {
	advance,
	counted,
	countedFinal,
	emergencyWorth,
	type Facts,
	finalised,
	PAID,
	REFUNDED,
	type Step,
	UNRETURNED,
} from '../../src/orders/lifecycle.ts';
import type { OrderRow } from '../../src/orders/table.ts';
import {
	CLOSED,
	dust,
	final,
	gone,
	HOUR,
	IN_TIME,
	LATE,
	late,
	priced,
	type Row,
	seen,
	setAside,
	unpriced,
} from '../support/lifecycle.ts';
import { NOW, orderRow } from '../support/rows.ts';

const factsOf = ({ deposits = [], screened = 'accept', settle = priced }: Partial<Row>): Facts => ({
	deposits,
	screened,
	settle,
});
const EMERGENCY = { status: 'EMERGENCY', emergencyReasons: [] } as const;
const LIMIT = { status: 'EMERGENCY', emergencyReasons: ['LIMIT'], limitSide: 'below' } as const;
const CHOSEN = { ...LIMIT, emergencyChoice: 'EXCHANGE', chosenAt: NOW - 1 } as const;

interface Case extends Omit<Row, 'what' | 'steps'> {
	readonly last: Step;
}

/** A settlement into EMERGENCY, and the bound that was crossed. */
const emergency = (received: bigint, why: string, more: Partial<Step> = {}): Step => ({
	status: 'EMERGENCY',
	cause: `deposit final: ${why}`,
	emergencyReasons: ['LIMIT'],
	worth: priced(received),
	...more,
});

describe('the last step', () => {
	const PENDING = { status: 'PENDING' } as const;
	it.each<[string, Case]>([
		['a deposit is seen', { deposits: [seen(100)], last: { status: 'PENDING', cause: 'deposit seen' } }],
		[
			'nothing was paid in: the order gives its share of the daily cap back',
			{ now: LATE, last: { status: 'EXPIRED', cause: 'deposit window closed', unfunded: true } },
		],
		[
			'the deposit was dropped: so does this order',
			{
				order: PENDING,
				deposits: [gone(100)],
				now: LATE + 25 * HOUR,
				last: { status: 'EXPIRED', cause: 'deposit dropped', unfunded: true },
			},
		],
		[
			'a deposit is final: what is owed from now on',
			{
				order: PENDING,
				deposits: [final(100)],
				last: { status: 'EXCHANGE', cause: 'deposit final', settlement: priced(100n) },
			},
		],
		['too little', { order: PENDING, deposits: [final(99)], last: emergency(99n, 'LIMIT', { limitSide: 'below' }) }],
		[
			'too little to pay anything',
			{ order: PENDING, deposits: [final(9)], last: emergency(9n, 'LIMIT', { limitSide: 'below' }) },
		],
		['too much', { order: PENDING, deposits: [final(1001)], last: emergency(1001n, 'LIMIT', { limitSide: 'above' }) }],
		[
			'more than the signer may sign',
			{
				order: PENDING,
				deposits: [final(5001)],
				last: emergency(5001n, 'LIMIT (worth more than the signer may sign in a day)', { limitSide: 'above' }),
			},
		],
		[
			'in bounds, and more than the signer may sign',
			{
				order: PENDING,
				deposits: [final(500)],
				settle: (received) => ({ ...priced(received), beyondSigner: true }),
				last: emergency(500n, 'LIMIT (worth more than the signer may sign in a day)', {
					limitSide: 'above',
					worth: { ...priced(500n), beyondSigner: true },
				}),
			},
		],
		[
			'too late: no bound was crossed',
			{
				order: PENDING,
				deposits: [final(100, late)],
				last: emergency(100n, 'EXPIRED', { emergencyReasons: ['EXPIRED'] }),
			},
		],
		[
			'too little and too late',
			{
				order: PENDING,
				deposits: [final(99, late)],
				last: emergency(99n, 'LIMIT, EXPIRED', { emergencyReasons: ['LIMIT', 'EXPIRED'], limitSide: 'below' }),
			},
		],
		[
			'too little, and not screened yet: it needs a person anyway',
			{
				order: PENDING,
				deposits: [final(99)],
				screened: 'unasked',
				last: emergency(99n, 'LIMIT', { limitSide: 'below' }),
			},
		],
		[
			'EXCHANGE was chosen',
			{
				order: CHOSEN,
				deposits: [final(60)],
				last: { status: 'EXCHANGE', cause: 'exchange chosen', settlement: priced(60n) },
			},
		],
		[
			'topped up',
			{
				order: LIMIT,
				deposits: [final(60), final(40)],
				last: { status: 'EXCHANGE', cause: 'topped up into bounds', settlement: priced(100n) },
			},
		],
	])('%s', (_, { last, ...given }) => {
		expect(advance(orderRow(given.order), factsOf(given), given.now ?? IN_TIME).steps.at(-1)).toEqual(last);
	});

	it('is the treasury’s or the operator’s for the others', () => {
		expect([PAID, REFUNDED, UNRETURNED, finalised('a test')]).toEqual([
			{ status: 'DONE', cause: 'payout broadcast' },
			{ status: 'EXPIRED', cause: 'refund broadcast' },
			{ status: 'EXPIRED', cause: 'too small to be sent back' },
			{ status: 'EXPIRED', cause: 'finalised: a test' },
		]);
	});
});

describe('no step is taken', () => {
	it.each<[string, Omit<Row, 'what' | 'steps'>]>([
		['while more is on its way', { order: { status: 'PENDING' }, deposits: [final(60), seen(50)] }],
		['while a chosen exchange has no price', { order: CHOSEN, deposits: [final(60)], settle: unpriced }],
		[
			'while a deposit of an EXPIRED order has no price',
			{ order: { status: 'EXPIRED' }, deposits: [final(100)], settle: unpriced, now: LATE },
		],
		[
			'before a deposit is final, also where a pair takes any amount',
			{
				order: { status: 'PENDING' },
				deposits: [seen(60)],
				settle: (received) => ({ ...priced(received), bounds: 'within' }),
			},
		],
		['while screening holds it', { order: { status: 'PENDING' }, deposits: [final(100)], screened: 'hold' }],
		['while screening wants it back', { order: { status: 'PENDING' }, deposits: [final(100)], screened: 'refund' }],
		['before screening has answered', { order: { status: 'PENDING' }, deposits: [final(100)], screened: 'unasked' }],
		[
			'where too much came, and less would be in bounds: it was too much before',
			{ order: { ...LIMIT, limitSide: 'above' }, deposits: [final(100)] },
		],
		[
			'where what came in time is in bounds, and more came late: somebody decides about all of it',
			{ order: { ...LIMIT, expiresAt: CLOSED }, deposits: [final(60), final(40), final(50, late)], now: LATE },
		],
		[
			'by a deposit that was paid for',
			{ order: { status: 'EXPIRED' }, deposits: [final(100, { claimed: true })], now: LATE },
		],
	])('%s', (_, given) => {
		expect(advance(orderRow(given.order), factsOf(given), given.now ?? IN_TIME).steps).toEqual([]);
	});
});

it('deposits count that are neither dropped, nor paid for, nor set aside; dust with one that is none', () => {
	const [one, two] = [seen(1), final(2)];
	const small = final(3, dust);
	const others = [gone(4), final(5, { claimed: true }), final(6, setAside)];
	expect(counted([one, small, ...others, two])).toEqual([one, small, two]);
	expect(counted([small, ...others])).toEqual([]);
	expect(countedFinal([one, small, two])).toEqual([small, two]);
	expect(countedFinal([one, small])).toEqual([]);
});

describe('what an EMERGENCY order would be settled at now', () => {
	const worthOf = (order: Partial<OrderRow>, given: Partial<Row> = { deposits: [final(60), final(5), seen(40)] }) =>
		emergencyWorth(orderRow({ ...EMERGENCY, ...order }), factsOf(given));

	it('is the worth of its final deposits', () => {
		expect(worthOf({})).toEqual(priced(65n));
	});

	it.each([
		['another status', { status: 'PENDING' }, undefined],
		['a deleted order', { deletedAt: NOW }, undefined],
		['no final deposit', {}, { deposits: [seen(60), final(60, setAside)] }],
		['no price', {}, { deposits: [final(60)], settle: unpriced }],
	] as const)('is nothing: %s', (_, order, given) => {
		expect(worthOf(order, given)).toBeNull();
	});
});
