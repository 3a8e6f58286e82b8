/** Which orders wait for a person, and why, as a table (`order list --attention`). */
import { describe, expect, it } from 'vitest';
import { NOT_RAISED } from '../../src/catalog/confirmations.ts';
import { attentionReasons } from '../../src/operator/orders/attention.ts';
import { blockedColumns, NOT_WAITING, waitingColumns } from '../../src/treasury/transactions/stop-reason.ts';
import type { Switches } from '../../src/treasury/transactions/wait-reason.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

type Order = Parameters<typeof attentionReasons>[0];
type Facts = Parameters<typeof attentionReasons>[1];
type Deposit = Facts['deposits'][number];
type Payout = Facts['transactions'][number];

const order = (changes: Partial<Order> = {}): Order => ({
	status: 'DONE',
	emergencyReasons: [],
	emergencyChoice: null,
	refundAskedAt: null,
	refundAskedBy: null,
	id: 'o1',
	deletedAt: null,
	fromNetwork: 'Litecoin',
	updatedAt: NOW,
	...changes,
});
const deposit = (changes: Partial<Deposit> = {}): Deposit => ({
	txId: 'a deposit',
	state: 'final',
	payoutId: null,
	dust: false,
	setAside: false,
	asset: 'LTC',
	amount: '50000000',
	...changes,
});
const payout = (changes: Partial<Payout> = {}): Payout => ({
	id: 'p1',
	orderId: 'o1',
	kind: 'payout',
	network: 'Ethereum',
	asset: 'ETH',
	sweepAsset: null,
	amount: '500000000000000000',
	toAddress: '0xto',
	finalAt: null,
	state: 'sent',
	...blockedColumns(null),
	...NOT_WAITING,
	plannedAt: NOW,
	...changes,
});
const note = (text: string) => ({ kind: 'broadcast-failed', facts: { error: text } }) as const;
const waiting = (text: string) => waitingColumns(NOT_WAITING, note(text), NOW);
const NO_SWITCHES: Switches = { inactiveAssets: [], networks: {} };

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
		[
			'a deposit that was set aside',
			order({ status: 'EXPIRED' }),
			[deposit({ setAside: true })],
			[],
			[/0.5 LTC was set aside when the order was finalised and waits for its refund/],
		],
		[
			'a deposit that was set aside before a later one revived the order',
			order({ status: 'EMERGENCY', emergencyReasons: ['EXPIRED'] }),
			[deposit({ setAside: true }), deposit()],
			[],
			[/^EMERGENCY/, /set aside/],
		],
		['one that was set aside and sent back', order(), [deposit({ setAside: true, payoutId: 'a refund' })], [], []],
		[
			'the same, while the payout is under way',
			order({ status: 'EXCHANGE' }),
			[deposit()],
			[payout({ state: 'signed' })],
			[/0.5 LTC came after/],
		],
		[
			'a deposit of which the payout was given up',
			order({ status: 'EXCHANGE' }),
			[deposit()],
			[],
			[/0.5 LTC, of which the payout was given up, waits for `order refund o1`$/],
		],
		['dust', order(), [deposit({ dust: true })], [], []],
		['a deposit that is not final', order(), [deposit({ state: 'seen' })], [], []],
		['a deposit that was dropped', order({ deletedAt: NOW }), [deposit({ state: 'gone' })], [], []],
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
		[
			'a blocked payout',
			order({ status: 'EXCHANGE' }),
			[],
			[payout({ state: 'signed', ...blockedColumns(note('no')) })],
			[/blocked: no$/],
		],
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
		[
			'a blocked payout that was never signed',
			order({ status: 'EXCHANGE' }),
			[],
			[payout({ state: 'planned', ...blockedColumns(note('no')) })],
			[/blocked: no; if it cannot be made: `payout give-up p1 --reason R`, then `order refund o1`$/],
		],
		[
			'a payout that waits for the cap, from the first moment',
			order({ status: 'EXCHANGE' }),
			[],
			[payout({ state: 'planned', ...waiting('daily cap of the signer') })],
			[/^the payout waits since 2027-01-15T08:00:00.000Z: daily cap of the signer; if it cannot be made/],
		],
		[
			'EMERGENCY whose refund waits, whatever was chosen',
			order({ status: 'EMERGENCY', emergencyReasons: ['LIMIT'], emergencyChoice: 'EXCHANGE' }),
			[deposit({ payoutId: 'p1' })],
			[payout({ kind: 'refund', state: 'planned', ...waiting('daily cap of the signer') })],
			[/^EMERGENCY \(LIMIT\): its refund of 0.5 ETH is planned since 2027/, /^the refund waits since 2027.*daily cap/],
		],
		['a sent payout without a fee bump', order(), [], [payout({ ...waiting('fee') })], [/: fee$/]],
		['a payout that was sent long ago', order(), [], [payout({ plannedAt: NOW - 60 * MINUTE })], []],
	])('%s', (_, of, deposits, payouts, expected) => {
		const reasons = attentionReasons(of, { deposits, transactions: payouts, screened: [] }, NO_SWITCHES, { now: NOW });
		expect(reasons).toHaveLength(expected.length);
		for (const [i, pattern] of expected.entries()) expect(reasons[i]).toMatch(pattern);
	});

	it('says what screening said and when it is asked again, and forgets what it said of a deposit that went back', () => {
		const said = { subject: 'deposit', txId: 'a deposit', position: '0', address: 'ltc1', verdict: 'hold' } as const;
		const row = { ...said, note: 'no answer', decidedBy: 'service', attempts: 1, at: NOW, nextAskAt: NOW } as const;
		const reasonsOf = (payoutId: string | null, of: Partial<Order>) => {
			const facts = { deposits: [deposit({ payoutId })], transactions: [], screened: [row] };
			return attentionReasons(order(of), facts, NO_SWITCHES, { now: NOW });
		};
		const limit = { status: 'EMERGENCY', emergencyReasons: ['LIMIT'] } as const;
		expect(reasonsOf(null, limit)).toEqual([expect.stringMatching(/^EMERGENCY \(LIMIT\): screening holds it/)]);
		expect(reasonsOf(null, { status: 'PENDING' })).toEqual([
			'PENDING: screening holds it: deposit a deposit: the screening service gave no usable answer: no answer; it is asked again at 2027-01-15T08:00:00.000Z',
		]);
		expect(reasonsOf('a refund', limit)).toEqual([expect.stringContaining('waits for the partner')]);
	});

	it.each<[string, Partial<Switches>, RegExp]>([
		['its asset', { inactiveAssets: ['ETH'] }, /waits: ETH is switched off; `asset update ETH --active on`/],
		[
			'its network',
			{ networks: { Ethereum: { send: false, receive: true, ...NOT_RAISED } } },
			/waits: payouts on Ethereum are switched off; `network update Ethereum --send on`/,
		],
	])('names the switch of %s for which a planned payout waits', (_, off, expected) => {
		const rows = [payout({ state: 'planned' })];
		const reasons = attentionReasons(
			order({ status: 'EXCHANGE' }),
			{ deposits: [], transactions: rows, screened: [] },
			{ ...NO_SWITCHES, ...off },
			{ now: NOW },
		);
		expect(reasons).toEqual([expect.stringMatching(expected)]);
	});

	it('keeps the start time of a reason while only its facts change', () => {
		const cap = { kind: 'daily-cap', purpose: 'payout', cents: 300, capCents: 1000 } as const;
		const first = waitingColumns(NOT_WAITING, { kind: 'signer', facts: { refusal: { ...cap, usedCents: 900 } } }, NOW);
		expect(first).toMatchObject({ waitsKind: 'signer', waitsSince: NOW });
		const facts = { refusal: { ...cap, usedCents: 950 } };
		const again = waitingColumns(first, { kind: 'signer', facts }, NOW + MINUTE);
		expect(again).toEqual({ waitsKind: 'signer', waitsFacts: facts, waitsSince: NOW });
		const other = { kind: 'signer', facts: { refusal: { kind: 'no-fresh-price' } } } as const;
		expect(waitingColumns(again, other, NOW + MINUTE).waitsSince).toBe(NOW + MINUTE);
		const lost = { kind: 'lost', facts: { minutes: 61 } } as const;
		expect(waitingColumns(again, lost, NOW + MINUTE).waitsSince).toBe(NOW + MINUTE);
	});
});
