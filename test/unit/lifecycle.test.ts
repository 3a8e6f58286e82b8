/**
 * `advance`, one row for each sentence of book: contract, "Orders" and of the contract's transitions: NEW, PENDING,
 * EXPIRED.
 */
import { describe } from 'vitest';
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

describe('an order that is NEW', () => {
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
		{ what: 'no price yet: PENDING, where it waits', deposits: [final(100)], settle: unpriced, steps: 'PENDING' },
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
			what: 'with LIMIT too, if both apply',
			deposits: [final(99, late)],
			now: LATE,
			steps: 'EXPIRED, EMERGENCY LIMIT EXPIRED',
		},
		{ what: 'a deposit that was dropped before it counted', deposits: [gone(100)], now: LATE, steps: 'EXPIRED' },
	]);
});

describe('an order with a floor', () => {
	const order = { status: 'PENDING', sequence: 1 } as const;
	const below = { order, settle: floored } as const;
	const returned = true;
	table([
		{ what: 'its deposit brings the floor: it is exchanged', ...below, deposits: [final(150)], steps: 'EXCHANGE 150' },
		{ what: 'it brings less: it stays PENDING, and goes back', ...below, deposits: [final(149)], steps: '', returned },
		{
			what: 'NEW and final at once: PENDING first',
			settle: floored,
			deposits: [final(149)],
			steps: 'PENDING',
			returned,
		},
		{ what: 'less, and more is seen: it waits for that', ...below, deposits: [final(100), seen(50)], steps: '' },
		{
			what: 'less, and what was seen is dropped: it goes back',
			...below,
			deposits: [final(100), gone(50)],
			steps: '',
			returned,
		},
		{
			what: 'several that bring the floor together',
			...below,
			deposits: [final(100), final(50)],
			steps: 'EXCHANGE 150',
		},
		{
			what: 'out of bounds as well: the choice comes first',
			...below,
			deposits: [final(99)],
			steps: 'EMERGENCY LIMIT',
		},
		{
			what: 'late as well: the choice comes first',
			...below,
			deposits: [final(149, late)],
			steps: 'EMERGENCY EXPIRED',
		},
		{ what: 'held by screening: it stays', ...below, deposits: [final(149)], screened: 'hold', steps: '' },
		{
			what: 'sent back by screening: that is another way',
			...below,
			deposits: [final(149)],
			screened: 'refund',
			steps: '',
		},
		{
			what: 'nothing would be left to pay: it goes back, and nobody is asked',
			order,
			settle: (received) => ({ ...priced(received), bounds: 'within', belowFloor: true }),
			deposits: [final(9)],
			steps: '',
			returned,
		},
		{
			what: 'beyond what the signer may sign: the operator decides',
			order,
			settle: (received) => ({ ...priced(received), bounds: 'within', beyondSigner: true, belowFloor: true }),
			deposits: [final(500)],
			steps: 'EMERGENCY LIMIT',
		},
	]);
});

describe('an order that is PENDING', () => {
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
			what: 'a deposit of the last moment, and a late one that is added to it, are in time',
			order,
			deposits: [final(60, { firstSeenAt: CLOSED }), final(50, late)],
			now: LATE,
			steps: 'EXCHANGE 110',
		},
		{
			what: 'all deposits that are final before the payout starts are added up',
			order,
			deposits: [final(60), final(50)],
			steps: 'EXCHANGE 110',
		},
		{ what: 'the sum can be too much', order, deposits: [final(600), final(500)], steps: 'EMERGENCY LIMIT' },
		{
			what: 'a deposit that is not final is not added',
			order,
			deposits: [final(100), seen(50)],
			steps: 'EXCHANGE 100',
		},
		{ what: 'too little, and more on its way', order, deposits: [final(60), seen(50)], steps: '' },
		{
			what: 'too little, and the deposit on its way was dropped',
			order,
			deposits: [final(60), gone(50)],
			steps: 'EMERGENCY LIMIT',
		},
		{ what: 'more than the signer may sign in a day', order, deposits: [final(5001)], steps: 'EMERGENCY LIMIT' },
		{
			what: 'in bounds, and worth more than the signer may sign in a day',
			order,
			deposits: [final(500)],
			settle: (received) => ({ ...priced(received), beyondSigner: true }),
			steps: 'EMERGENCY LIMIT',
		},
		{ what: 'dust is added', order, deposits: [final(100), final(5, dust)], steps: 'EXCHANGE 105' },
		{ what: 'dust brings it into bounds', order, deposits: [final(5, dust), final(95)], steps: 'EXCHANGE 100' },
		{
			what: 'dust that is not final is not added',
			order,
			deposits: [final(100), seen(5, dust)],
			steps: 'EXCHANGE 100',
		},
		{ what: 'dust is final and the deposit is not', order, deposits: [seen(100), final(5, dust)], steps: '' },
		{
			what: 'dust makes no late deposit in time',
			order,
			deposits: [final(100, late), final(5, dust)],
			steps: 'EMERGENCY EXPIRED',
		},
		{
			what: 'late dust makes nobody late',
			order,
			deposits: [final(100), final(5, { ...dust, ...late })],
			steps: 'EXCHANGE 105',
		},
		{ what: 'dust on its way delays nothing', order, deposits: [final(60), seen(5, dust)], steps: 'EMERGENCY LIMIT' },
		{
			what: 'only a late deposit remains: first seen after the window closed',
			order,
			deposits: [gone(100), final(200, late)],
			now: LATE,
			steps: 'EMERGENCY EXPIRED',
		},
		{ what: 'a dropped deposit leaves the order PENDING', order, deposits: [gone(100)], steps: '' },
		{ what: 'dropped for 24 h', order, deposits: [gone(100)], now: IN_TIME + 24 * HOUR, steps: '' },
		{
			what: 'dropped, and 24 h have passed',
			order,
			deposits: [gone(100)],
			now: IN_TIME + 24 * HOUR + 1,
			steps: 'EXPIRED',
		},
		{
			what: 'several dropped: the 24 h run from the last of them',
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

describe('an order that is EXPIRED', () => {
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
		{
			what: 'a deposit that was set aside is not judged again',
			order,
			deposits: [final(600, setAside)],
			now,
			steps: '',
		},
		{
			what: 'dust revives no deposit that was set aside',
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
			what: 'a later deposit is judged without the one that was set aside',
			order,
			deposits: [final(60, setAside), final(60, late)],
			now,
			steps: 'EMERGENCY LIMIT EXPIRED',
		},
		{
			what: 'the dropped deposit that expired the order is seen again',
			order,
			deposits: [final(100)],
			now,
			steps: 'EMERGENCY EXPIRED',
		},
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
