/** The first words of an order's page where something takes longer than usual: paused payouts, a busy network, no price. */
import { describe, expect, it } from 'vitest';
import { storyOf } from '../../src/pages/order/story.ts';
import { sayEnglish } from '../../src/pages/say.ts';
import { orderPageOf } from '../../src/partners/order-page.ts';
import { type Beside, type PayerRecord, payerOrder } from '../../src/payer/order.ts';
import { NOW, orderRow } from '../support/rows.ts';

const MINUTE = 60_000;
/** Two LTC, final. */
const DEPOSIT: PayerRecord['deposits'][number] = {
	network: 'Litecoin',
	txId: 'a'.repeat(64),
	position: '0',
	orderId: orderRow().id,
	address: orderRow().payInAddress,
	asset: 'LTC',
	amount: '200000000',
	state: 'final',
	dust: false,
	payoutId: null,
	firstSeenAt: NOW,
	lastSeenAt: NOW,
	setAside: false,
};

const beside: Beside = { waiting: null, quote: null, payoutsPaused: false, support: null, explorers: {}, now: NOW };

const record = (more: Partial<PayerRecord>): PayerRecord => ({
	order: orderRow(),
	deposits: [DEPOSIT],
	transactions: [],
	settings: orderPageOf({ orderPage: {} }, false),
	...more,
});

const exchanging = (plannedAt: number): PayerRecord =>
	record({
		order: orderRow({ status: 'EXCHANGE', depositAmount: '2' }),
		transactions: [
			{ id: 'a', kind: 'payout', state: 'planned', amount: '1990000000000000000', sentAt: null, plannedAt },
		],
	});
const storyIn = (shown: PayerRecord, facts: Partial<Beside> = {}) =>
	storyOf(payerOrder(shown, { ...beside, ...facts }), sayEnglish());

describe('an order that waits says so', () => {
	it('when its payout was planned more than ten minutes ago, and not before', () => {
		expect(storyIn(exchanging(NOW - 11 * MINUTE))).toMatchObject({
			kind: 'slow',
			tone: 'warn',
			word: 'Delayed',
			headline: 'Confirmed. Sending your ETH takes longer than usual',
			next: expect.stringContaining('The network is busy'),
		});
		expect(storyIn(exchanging(NOW - 9 * MINUTE)).kind).toBe('sending');
	});

	it('when the payouts of its network are paused, however long they take', () => {
		for (const minutes of [1, 60])
			expect(storyIn(exchanging(NOW - minutes * MINUTE), { payoutsPaused: true })).toMatchObject({
				kind: 'paused',
				headline: 'Confirmed. Ethereum payouts are paused for now',
			});
	});

	it('when its deposit is final and no price is fresh; with one, it is being checked', () => {
		const arrived = record({ order: orderRow({ status: 'PENDING' }) });
		expect(storyIn(arrived)).toMatchObject({
			kind: 'unpriced',
			word: 'Waiting for a price',
			headline: expect.stringMatching(/^Your 2\u00A0LTC arrived\. .*fresh price$/),
			next: expect.stringContaining('Your coins are safe.'),
		});
		const quote = { toAmount: '1.99', rate: '0.995', usd: '199.00', min: '1', max: '9' };
		expect(storyIn(arrived, { quote }).kind).toBe('held');
	});
});
