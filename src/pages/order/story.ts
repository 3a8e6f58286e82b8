/**
 * The first words of an order's page: one sentence on what happens now, and one on what its reader must do. It says
 * only what is true of the money. Pure.
 */
import type { PayerOrder } from '../../payer/order.ts';
import type { Tone } from '../parts/parts.tsx';
import { grouped, shownPlain } from '../parts/plain.ts';
import type { MessageKey, Say } from '../say.ts';
import { coinOf, coins, coinsOn, missedFloor } from './words.ts';

/** The states of an order that its page tells apart, each in a word or two. */
export const KINDS = {
	pay: ['plain', 'story.payWord'],
	checking: ['busy', 'story.checkingWord'],
	confirming: ['busy', 'story.confirmingWord'],
	dropped: ['warn', 'story.droppedWord'],
	sending: ['busy', 'story.sendingWord'],
	paused: ['warn', 'story.pausedWord'],
	slow: ['warn', 'story.slowWord'],
	unpriced: ['warn', 'story.unpricedWord'],
	done: ['good', 'story.doneWord'],
	decide: ['warn', 'story.decideWord'],
	chosen: ['busy', 'story.chosenWord'],
	held: ['warn', 'story.heldWord'],
	returning: ['busy', 'story.returningWord'],
	returned: ['good', 'story.returnedWord'],
	late: ['busy', 'story.lateWord'],
	closed: ['warn', 'story.closedWord'],
	expired: ['plain', 'story.expiredWord'],
} as const satisfies Record<string, readonly [Tone, MessageKey]>;

export type Kind = keyof typeof KINDS;

export interface Story {
	readonly kind: Kind;
	readonly tone: Tone;
	readonly word: string;
	readonly headline: string;
	readonly next: string;
}

/** `more`: where it looks otherwise than its kind. */
function told(
	say: Say,
	kind: Kind,
	sentences: Pick<Story, 'headline' | 'next'>,
	more: Partial<Pick<Story, 'tone' | 'word'>> = {},
): Story {
	const [tone, word] = KINDS[kind];
	return { kind, tone, word: say(word), ...sentences, ...more };
}

/** From here on the page says what happens to coins that come too late. */
const LAST_SECONDS = 600;

export function storyOf(shown: PayerOrder, say: Say): Story {
	if (shown.refund?.state === 'underway') return returning(shown, say);
	switch (shown.order.status) {
		case 'NEW':
			if (shown.order.time.left > 0) return pay(shown, say);
			return told(say, 'checking', { headline: say('story.checking'), next: say('story.checkingNext') });
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
	const headline = say('story.pay', { amount: coinsOn(from.amount, from) });
	const last = lastSeconds(shown);
	if (last === null) return told(say, 'pay', { headline, next: getText(shown, say) });
	const next = say.joined(getText(shown, say), say('story.last', { minutes: Math.floor(last / 60) }));
	return told(say, 'pay', { headline, next }, { tone: 'warn' });
}

/** The swap in a sentence: what comes out, its worth, and whose shop it is. */
function getText({ order: { to }, quote, partner }: PayerOrder, say: Say): string {
	const amount = coinsOn(quote?.toAmount ?? to.amount, to);
	const usd = quote && `${grouped(quote.usd)}\u00A0USD`;
	const shop = partner.name === null ? null : shownPlain(partner.name);
	if (usd === null) return shop === null ? say('story.get', { amount }) : say('story.getAt', { amount, shop });
	return shop === null ? say('story.getWorth', { amount, usd }) : say('story.getWorthAt', { amount, usd, shop });
}

function pending({ order: { from }, deposits, received, quote }: PayerOrder, say: Say): Story {
	if (deposits.length > 0 && deposits.every(({ state }) => state === 'gone'))
		return told(say, 'dropped', { headline: say('story.dropped'), next: say('story.droppedNext') });
	const isConfirmed =
		deposits.every(({ state }) => state !== 'seen') && deposits.some(({ state }) => state === 'final');
	if (!isConfirmed) {
		const headline = say('story.confirming', { amount: coins(from.tx.amount ?? from.amount, from.code) });
		return told(say, 'confirming', { headline, next: say('story.close') });
	}
	const amount = coins(received, from.code);
	if (quote) {
		const next = say.joined(say('story.safe'), say('story.heldNext'));
		return told(say, 'held', { headline: say('story.held', { amount }), next });
	}
	const next = say.joined(say('story.safe'), say('story.unpricedNext'));
	return told(say, 'unpriced', { headline: say('story.unpriced', { amount }), next });
}

function sending({ order: { to }, payoutsPaused, payoutSlow }: PayerOrder, say: Say): Story {
	const [coin, amount] = [coinOf(to.code), coins(to.amount, to.code)];
	if (payoutsPaused) {
		const next = say.joined(say('story.safe'), say('story.pausedNext', { amount }));
		return told(say, 'paused', { headline: say('story.paused', { network: to.network }), next });
	}
	if (!payoutSlow) return told(say, 'sending', { headline: say('story.sending', { coin }), next: say('story.close') });
	const next = say.joined(say('story.safe'), say('story.slowNext', { amount }));
	return told(say, 'slow', { headline: say('story.slow', { coin }), next });
}

function returning(shown: PayerOrder, say: Say): Story {
	const { order, refund } = shown;
	const floor = missedFloor(shown);
	const headline = say('story.returning', { amount: coins(refund?.amount ?? '', order.from.code) });
	const next = say.joined(floor && say('story.belowFloor', { floor }), say('story.close'));
	return told(say, 'returning', { headline, next });
}

function emergency(shown: PayerOrder, say: Say): Story {
	const { order, received, limit } = shown;
	const amount = coins(received, order.from.code);
	if (order.emergency.choice === 'EXCHANGE') {
		const next = say.joined(say('story.safe'), say('story.chosenNext', { coin: coinOf(order.to.code) }));
		return told(say, 'chosen', { headline: say('story.chosen', { amount }), next });
	}
	const isLate = order.emergency.status.includes('EXPIRED');
	const late = isLate ? say('story.alsoLate') : null;
	const asked = coins(order.from.amount, order.from.code);
	return told(say, 'decide', {
		headline: limit ? say('story.decideLimit', { amount, asked }) : say('story.decideLate'),
		next: say.joined(
			say('story.safe'),
			limit ? late : say('story.received', { amount }),
			limit && say(limit === 'below' ? 'story.below' : 'story.above'),
			say(whatNext(shown)),
		),
	});
}

function whatNext({ missing, mayExchange }: PayerOrder): MessageKey {
	if (missing) return mayExchange ? 'story.mayBoth' : 'story.mayTopUp';
	return mayExchange ? 'story.mayExchange' : 'story.theyDecide';
}

function done({ order: { from, to }, beyond }: PayerOrder, say: Say): Story {
	const amount = coins(to.tx.amount ?? to.amount, to.code);
	if (beyond === null)
		return told(say, 'done', { headline: say('story.done', { amount }), next: say('story.doneNext') });
	const headline = say('story.beyond', { amount, beyond: coins(beyond, from.code) });
	const more = { tone: 'warn', word: say('story.beyondWord') } as const;
	return told(say, 'done', { headline, next: say('story.beyondNext') }, more);
}

/** It was paid back, or will be; its coins stay; or nothing came. */
function expired(shown: PayerOrder, say: Say): Story {
	const { order, refund, beyond, unreturned, deposits } = shown;
	const { code } = order.from;
	if (order.back.tx.id !== null) {
		const floor = missedFloor(shown);
		const headline = say('story.returned', { amount: coins(refund?.amount ?? order.from.tx.amount ?? '', code) });
		const next = say.joined(floor && say('story.belowFloor', { floor }), say('story.returnedNext'));
		return told(say, 'returned', { headline, next });
	}
	if (beyond !== null) {
		const headline = say('story.closed', { amount: coins(beyond, code) });
		return told(say, 'closed', { headline, next: say('story.closedNext') });
	}
	if (unreturned !== null) {
		const headline = say('story.unreturned', { amount: coins(unreturned, code) });
		return told(say, 'closed', { headline, next: say('story.unreturnedNext') });
	}
	if (deposits.some(({ state }) => state !== 'gone')) {
		const headline = say('story.late', { amount: coins(shown.received, code) });
		return told(say, 'late', { headline, next: say.joined(say('story.safe'), say('story.lateNext')) });
	}
	const next = say(deposits.length > 0 ? 'story.expiredDropped' : 'story.expiredNext');
	return told(say, 'expired', { headline: say('story.expired'), next });
}
