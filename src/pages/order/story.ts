/**
 * The first words of an order's page: one sentence on what happens now, and one on what its reader must do. It says
 * only what is true of the money. Pure.
 */
import type { PayerOrder } from '../../payer/order.ts';
import { grouped, shownPlain } from '../parts/plain.ts';
import type { MessageKey, Say } from '../say.ts';
import { done, expired } from './ended.ts';
import type { Story } from './kinds.ts';
import { coinOf, coins, coinsOn, missedFloor } from './words.ts';

/** From here on the page says what happens to coins that come too late. */
const LAST_SECONDS = 600;

export function storyOf(shown: PayerOrder, say: Say): Story {
	if (shown.refund?.state === 'underway') return returning(shown, say);
	switch (shown.order.status) {
		case 'NEW':
			return shown.order.time.left > 0 ? pay(shown, say) : checking(say);
		case 'PENDING':
			return pending(shown, say);
		case 'EXCHANGE':
			return sending(shown, say);
		case 'DONE':
			return done(shown, say);
		case 'EMERGENCY':
			return emergency(shown, say);
		case 'EXPIRED':
			return expired(shown, say);
		default:
			return shown.order.status satisfies never;
	}
}

/** Seconds that are left, where they are few; null else. */
export function lastSeconds({ order }: PayerOrder): number | null {
	const { left } = order.time;
	return order.status === 'NEW' && left > 0 && left <= LAST_SECONDS ? left : null;
}

function pay(shown: PayerOrder, say: Say): Story {
	const { from } = shown.order;
	const last = lastSeconds(shown);
	return {
		kind: 'pay',
		tone: last === null ? 'plain' : 'warn',
		word: say('story.payWord'),
		headline: say('story.pay', { amount: coinsOn(from.amount, from) }),
		next: say.joined(getText(shown, say), last === null ? null : say('story.last', { minutes: Math.floor(last / 60) })),
	};
}

/** The swap in a sentence: what comes out, its worth, and whose shop it is. */
function getText({ order: { to }, quote, partner }: PayerOrder, say: Say): string {
	const amount = coinsOn(quote?.toAmount ?? to.amount, to);
	const usd = quote && `${grouped(quote.usd)}\u00A0USD`;
	const shop = partner.name === null ? null : shownPlain(partner.name);
	if (usd === null) return shop === null ? say('story.get', { amount }) : say('story.getAt', { amount, shop });
	return shop === null ? say('story.getWorth', { amount, usd }) : say('story.getWorthAt', { amount, usd, shop });
}

const checking = (say: Say): Story => ({
	kind: 'checking',
	tone: 'busy',
	word: say('story.checkingWord'),
	headline: say('story.checking'),
	next: say('story.checkingNext'),
});

function pending({ order, deposits, received, quote }: PayerOrder, say: Say): Story {
	const { from } = order;
	const isGone = deposits.length > 0 && deposits.every(({ state }) => state === 'gone');
	if (isGone)
		return {
			kind: 'dropped',
			tone: 'warn',
			word: say('story.droppedWord'),
			headline: say('story.dropped'),
			next: say('story.droppedNext'),
		};
	const isConfirmed =
		deposits.every(({ state }) => state !== 'seen') && deposits.some(({ state }) => state === 'final');
	if (isConfirmed && !quote)
		return {
			kind: 'unpriced',
			tone: 'warn',
			word: say('story.unpricedWord'),
			headline: say('story.unpriced', { amount: coins(received, from.code) }),
			next: say.joined(say('story.safe'), say('story.unpricedNext')),
		};
	if (isConfirmed)
		return {
			kind: 'held',
			tone: 'warn',
			word: say('story.heldWord'),
			headline: say('story.held', { amount: coins(received, from.code) }),
			next: say.joined(say('story.safe'), say('story.heldNext')),
		};
	return {
		kind: 'confirming',
		tone: 'busy',
		word: say('story.confirmingWord'),
		headline: say('story.confirming', { amount: coins(from.tx.amount ?? from.amount, from.code) }),
		next: say('story.close'),
	};
}

function sending({ order: { to }, payoutsPaused, payoutSlow }: PayerOrder, say: Say): Story {
	if (!payoutsPaused && payoutSlow)
		return {
			kind: 'slow',
			tone: 'warn',
			word: say('story.slowWord'),
			headline: say('story.slow', { coin: coinOf(to.code) }),
			next: say.joined(say('story.safe'), say('story.slowNext', { amount: coins(to.amount, to.code) })),
		};
	if (!payoutsPaused)
		return {
			kind: 'sending',
			tone: 'busy',
			word: say('story.sendingWord'),
			headline: say('story.sending', { coin: coinOf(to.code) }),
			next: say('story.close'),
		};
	return {
		kind: 'paused',
		tone: 'warn',
		word: say('story.pausedWord'),
		headline: say('story.paused', { network: to.network }),
		next: say.joined(say('story.safe'), say('story.pausedNext', { amount: coins(to.amount, to.code) })),
	};
}

function returning(shown: PayerOrder, say: Say): Story {
	const { order, refund } = shown;
	const floor = missedFloor(shown);
	return {
		kind: 'returning',
		tone: 'busy',
		word: say('story.returningWord'),
		headline: say('story.returning', { amount: coins(refund?.amount ?? '', order.from.code) }),
		next: say.joined(floor && say('story.belowFloor', { floor }), say('story.close')),
	};
}

function emergency(shown: PayerOrder, say: Say): Story {
	const { order, received, limit } = shown;
	const amount = coins(received, order.from.code);
	if (order.emergency.choice === 'EXCHANGE')
		return {
			kind: 'chosen',
			tone: 'busy',
			word: say('story.chosenWord'),
			headline: say('story.chosen', { amount }),
			next: say.joined(say('story.safe'), say('story.chosenNext', { coin: coinOf(order.to.code) })),
		};
	const isLate = order.emergency.status.includes('EXPIRED');
	const late = isLate ? say('story.alsoLate') : null;
	return {
		kind: 'decide',
		tone: 'warn',
		word: say('story.decideWord'),
		headline: limit
			? say('story.decideLimit', { amount, asked: coins(order.from.amount, order.from.code) })
			: say('story.decideLate'),
		next: say.joined(
			say('story.safe'),
			limit ? late : say('story.received', { amount }),
			limit && say(limit === 'below' ? 'story.below' : 'story.above'),
			say(whatNext(shown)),
		),
	};
}

function whatNext({ missing, mayExchange }: PayerOrder): MessageKey {
	if (missing) return mayExchange ? 'story.mayBoth' : 'story.mayTopUp';
	return mayExchange ? 'story.mayExchange' : 'story.theyDecide';
}
