/** What waits for a person, and why, as a table (operator.md `order list --attention`). */
import { describe, expect, it } from 'vitest';
import { attentionReasons } from '../../src/operator/order-attention.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

type Order = Parameters<typeof attentionReasons>[0];
type Deposit = Parameters<typeof attentionReasons>[1][number];
type Payout = Parameters<typeof attentionReasons>[2][number];

const order = (changes: Partial<Order> = {}): Order => ({
	status: 'DONE',
	emergencyReasons: [],
	emergencyChoice: null,
	deletedAt: null,
	fromNetwork: 'Litecoin',
	updatedAt: NOW,
	...changes,
});
const deposit = (changes: Partial<Deposit> = {}): Deposit => ({
	state: 'final',
	payoutId: null,
	dust: false,
	setAside: false,
	asset: 'LTC',
	amount: '50000000',
	...changes,
});
const payout = (changes: Partial<Payout> = {}): Payout => ({ state: 'sent', held: null, plannedAt: NOW, ...changes });

describe('attention', () => {
	it.each<[string, Order, Deposit[], Payout[], RegExp[]]>([
		['a finished order', order(), [deposit({ payoutId: 'a payout' })], [payout()], []],
		['an order that waits for its deposit', order({ status: 'NEW' }), [], [], []],
		[
			'EMERGENCY',
			order({ status: 'EMERGENCY', emergencyReasons: ['LIMIT', 'EXPIRED'] }),
			[deposit()],
			[],
			[/^EMERGENCY \(LIMIT, EXPIRED\): waits for/],
		],
		[
			'EMERGENCY with a choice that leads nowhere',
			order({ status: 'EMERGENCY', emergencyReasons: ['LIMIT'], emergencyChoice: 'EXCHANGE' }),
			[],
			[],
			[/exchange was chosen/],
		],
		[
			'EMERGENCY, deleted',
			order({ status: 'EMERGENCY', deletedAt: NOW }),
			[deposit()],
			[],
			[/^a deposit of 0.5 LTC to a deleted order/],
		],
		[
			'a deposit after the payout began',
			order(),
			[deposit({ payoutId: 'a payout' }), deposit()],
			[],
			[/0.5 LTC came after/],
		],
		['the same, while the payout is under way', order({ status: 'EXCHANGE' }), [deposit()], [], [/0.5 LTC came after/]],
		[
			'a deposit that was set aside',
			order({ status: 'EXPIRED' }),
			[deposit({ setAside: true })],
			[],
			[/0.5 LTC was set aside when the order was finalised and waits for its refund/],
		],
		[
			'a deposit that was set aside, after a later one revived the order',
			order({ status: 'EMERGENCY', emergencyReasons: ['EXPIRED'] }),
			[deposit({ setAside: true }), deposit()],
			[],
			[/^EMERGENCY/, /set aside/],
		],
		['one that was set aside and sent back', order(), [deposit({ setAside: true, payoutId: 'a refund' })], [], []],
		['dust', order(), [deposit({ dust: true })], [], []],
		['a deposit that is not final', order(), [deposit({ state: 'seen' })], [], []],
		['a deposit that vanished', order({ deletedAt: NOW }), [deposit({ state: 'gone' })], [], []],
		[
			'PENDING of which every deposit was dropped',
			order({ status: 'PENDING' }),
			[deposit({ state: 'gone' }), deposit({ state: 'seen', dust: true })],
			[],
			[/^PENDING: its deposit was dropped/],
		],
		[
			'the same while another one is seen',
			order({ status: 'PENDING' }),
			[deposit({ state: 'gone' }), deposit({ state: 'seen' })],
			[],
			[],
		],
		[
			'PENDING for as long as six blocks of Litecoin take',
			order({ status: 'PENDING', updatedAt: NOW - 20 * MINUTE }),
			[deposit({ state: 'seen' })],
			[],
			[],
		],
		[
			'PENDING for more than three times as long',
			order({ status: 'PENDING', updatedAt: NOW - 50 * MINUTE }),
			[deposit({ state: 'seen' })],
			[],
			[/^PENDING: its deposit is not final after 50 minutes/],
		],
		[
			'PENDING with a final deposit that was not settled for 11 minutes',
			order({ status: 'PENDING', updatedAt: NOW - 11 * MINUTE }),
			[deposit()],
			[],
			[/^PENDING: its deposit is final and was not settled for 11 minutes/],
		],
		['a final deposit that is about to be settled', order({ status: 'PENDING' }), [deposit()], [], []],
		['a held payout', order({ status: 'EXCHANGE' }), [], [payout({ state: 'signed', held: 'no' })], [/held: no$/]],
		[
			'a payout planned 10 minutes ago',
			order({ status: 'EXCHANGE' }),
			[],
			[payout({ state: 'planned', plannedAt: NOW - 10 * MINUTE })],
			[],
		],
		[
			'a payout planned more than 10 minutes ago',
			order({ status: 'EXCHANGE' }),
			[],
			[payout({ state: 'planned', plannedAt: NOW - 11 * MINUTE })],
			[/still planned after 11 minutes/],
		],
		['an old payout that was sent', order(), [], [payout({ plannedAt: NOW - 60 * MINUTE })], []],
	])('%s', (_, of, deposits, payouts, expected) => {
		const reasons = attentionReasons(of, deposits, payouts, NOW);
		expect(reasons).toHaveLength(expected.length);
		for (const [i, pattern] of expected.entries()) expect(reasons[i]).toMatch(pattern);
	});
});
