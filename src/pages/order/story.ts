/**
 * The first words of an order's page: one sentence on what happens now, and one on what its reader must do. It says
 * only what is true of the money. Pure.
 */
import type { PayerOrder } from '../../payer/order.ts';
import { grouped, shownPlain } from '../parts/plain.ts';
import type { Tone } from '../parts/state.tsx';
import { coinOf, coins, coinsOn, minutesLeft } from './words.ts';

export type Kind =
	| 'pay'
	| 'checking'
	| 'confirming'
	| 'dropped'
	| 'sending'
	| 'paused'
	| 'done'
	| 'decide'
	| 'chosen'
	| 'held'
	| 'returning'
	| 'returned'
	| 'late'
	| 'closed'
	| 'expired';

export interface Story {
	readonly kind: Kind;
	readonly tone: Tone;
	/** The state in a word or two. */
	readonly word: string;
	readonly headline: string;
	readonly next: string;
}

const safe = 'Your coins are safe.';
const CLOSE = 'Nothing for you to do. You can close this page: the order goes on without it.';
/** From here on the page says what happens to coins that come too late. */
const LAST_SECONDS = 600;

export function storyOf(shown: PayerOrder): Story {
	if (shown.refund?.state === 'underway') return returning(shown);
	switch (shown.order.status) {
		case 'NEW':
			return shown.order.time.left > 0 ? pay(shown) : CHECKING;
		case 'PENDING':
			return pending(shown);
		case 'EXCHANGE':
			return sending(shown);
		case 'DONE':
			return done(shown);
		case 'EMERGENCY':
			return emergency(shown);
		case 'EXPIRED':
			return expired(shown);
		default:
			return shown.order.status satisfies never;
	}
}

/** Seconds that are left, where they are few; null else. */
export function lastSeconds({ order }: PayerOrder): number | null {
	const { left } = order.time;
	return order.status === 'NEW' && left > 0 && left <= LAST_SECONDS ? left : null;
}

function pay(shown: PayerOrder): Story {
	const { from } = shown.order;
	const last = lastSeconds(shown);
	const late = 'coins sent later are not lost, but the order then waits for a decision.';
	return {
		kind: 'pay',
		tone: last === null ? 'plain' : 'warn',
		word: 'Waiting for payment',
		headline: `Send ${coinsOn(from.amount, from)}`,
		next: last === null ? getText(shown) : `${getText(shown)} ${capital(minutesLeft(last))} left; ${late}`,
	};
}

/** The swap in a sentence: what comes out, its worth, and whose shop it is. */
function getText({ order, quote, partner }: PayerOrder): string {
	const { to } = order;
	const worth = quote ? `, worth about ${grouped(quote.usd)}\u00A0USD` : '';
	const shop = partner.name === null ? '' : `, at ${shownPlain(partner.name)}`;
	return `You get about ${coinsOn(quote?.toAmount ?? to.amount, to)}${worth}${shop}.`;
}

const CHECKING: Story = {
	kind: 'checking',
	tone: 'busy',
	word: 'Checking',
	headline: 'The time for paying is over. We check whether coins arrived',
	next: 'Please send nothing to this order any more. If you have sent coins, they are not lost: this page shows them soon.',
};

function pending({ order, deposits, received }: PayerOrder): Story {
	const isGone = deposits.length > 0 && deposits.every(({ state }) => state === 'gone');
	if (isGone)
		return {
			kind: 'dropped',
			tone: 'warn',
			word: 'Payment gone',
			headline: 'Your transaction has disappeared from the network',
			next: 'A wallet can drop or replace a transaction before it is confirmed. When it comes back, or when you pay again, the order goes on. After 24 hours without it the order expires.',
		};
	const isConfirmed =
		deposits.every(({ state }) => state !== 'seen') && deposits.some(({ state }) => state === 'final');
	if (isConfirmed)
		return {
			kind: 'held',
			tone: 'warn',
			word: 'Being checked',
			headline: `Your ${coins(received, order.from.code)} arrived. This order is being checked`,
			next: `${safe} Nothing for you to do: the order goes on by itself, or your coins go back to your refund address.`,
		};
	return {
		kind: 'confirming',
		tone: 'busy',
		word: 'Payment seen',
		headline: `We see your ${coins(order.from.tx.amount ?? order.from.amount, order.from.code)}. Waiting for confirmations`,
		next: CLOSE,
	};
}

function sending({ order: { to }, payoutsPaused }: PayerOrder): Story {
	if (!payoutsPaused)
		return {
			kind: 'sending',
			tone: 'busy',
			word: 'Sending',
			headline: `Confirmed. Sending your ${coinOf(to.code)}`,
			next: CLOSE,
		};
	return {
		kind: 'paused',
		tone: 'warn',
		word: 'Payouts paused',
		headline: `Confirmed. ${to.network} payouts are paused now`,
		next: `${safe} Your ${coins(to.amount, to.code)} are fixed, and are sent when payouts go on. Nothing for you to do: you can close this page.`,
	};
}

function done({ order: { from, to }, beyond }: PayerOrder): Story {
	const sent = coins(to.tx.amount ?? to.amount, to.code);
	const shown = 'Your wallet shows it once its network has confirmed it.';
	if (beyond === null) return { kind: 'done', tone: 'good', word: 'Done', headline: `Sent: ${sent}`, next: shown };
	return {
		kind: 'done',
		tone: 'warn',
		word: 'Done, and more came',
		headline: `Sent: ${sent}. Another ${coins(beyond, from.code)} of yours are still here`,
		next: 'They came after the exchange had begun. They are not lost: ask below to have them returned to your refund address.',
	};
}

const returning = ({ order, refund }: PayerOrder): Story => ({
	kind: 'returning',
	tone: 'busy',
	word: 'Returning',
	headline: `Your coins go back: ${coins(refund?.amount ?? '', order.from.code)} to your refund address`,
	next: CLOSE,
});

function emergency(shown: PayerOrder): Story {
	const { order, received, limit } = shown;
	const got = coins(received, order.from.code);
	if (order.emergency.choice === 'EXCHANGE')
		return {
			kind: 'chosen',
			tone: 'busy',
			word: 'Decided',
			headline: `Your ${got} are exchanged at the current rate`,
			next: `${safe} The rate is fixed in a moment, then we send your ${coinOf(order.to.code)}. If this lasts longer than some minutes, ask below.`,
		};
	const isLate = order.emergency.status.includes('EXPIRED');
	const late = isLate ? ' They also came after the order’s time.' : '';
	return {
		kind: 'decide',
		tone: 'warn',
		word: 'Needs a decision',
		headline: limit
			? `We received ${got}; this order was for ${coins(order.from.amount, order.from.code)}`
			: 'Your coins arrived after the order’s time',
		next: `${safe}${limit ? late : ` We received ${got}.`} ${whatNext(shown)}`,
	};
}

function whatNext({ missing, mayExchange, limit }: PayerOrder): string {
	const bound =
		limit === 'below' ? 'That is less than we can exchange by itself.' : 'That is more than we may exchange by itself.';
	const what = missing ? 'You can send what is missing' : mayExchange ? 'You can exchange it at the current rate' : '';
	const or = mayExchange && missing ? ', exchange what came at the current rate' : '';
	const ask = what
		? `${what}${or}, or ask to have it returned.`
		: 'The service that gave you this order decides what happens next.';
	return limit ? `${bound} ${ask}` : ask;
}

function expired(shown: PayerOrder): Story {
	const { order, refund, beyond, unreturned, deposits } = shown;
	if (order.back.tx.id !== null)
		return {
			kind: 'returned',
			tone: 'good',
			word: 'Returned',
			headline: `Returned: ${coins(refund?.amount ?? order.from.tx.amount ?? '', order.from.code)}`,
			next: 'It went to your refund address. This order is over.',
		};
	if (beyond !== null)
		return {
			kind: 'closed',
			tone: 'warn',
			word: 'Closed',
			headline: `This order was closed. Your ${coins(beyond, order.from.code)} are not lost`,
			next: 'Ask below to have them returned to your refund address.',
		};
	if (unreturned !== null)
		return {
			kind: 'closed',
			tone: 'warn',
			word: 'Closed',
			headline: `This order was closed. Your ${coins(unreturned, order.from.code)} are too little to send back`,
			next: 'The network would take more for the way back than arrived. Ask below if you have a question.',
		};
	const here = deposits.filter(({ state }) => state !== 'gone');
	if (here.length > 0)
		return {
			kind: 'late',
			tone: 'busy',
			word: 'Payment seen late',
			headline: `We see your ${coins(shown.received, order.from.code)}. It came after the order’s time`,
			next: 'Your coins are safe. Once they are confirmed, this page says what can be done.',
		};
	return {
		kind: 'expired',
		tone: 'plain',
		word: 'Expired',
		headline: 'This order expired. Nothing was received, so there is nothing to return',
		next:
			deposits.length > 0
				? 'A transaction was seen, but its wallet dropped or replaced it before it was confirmed: the coins never left that wallet.'
				: 'Please send nothing to it any more: for another swap, make a new order. If you have sent coins, they are not lost: for 30 days this page shows them once they are confirmed.',
	};
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
