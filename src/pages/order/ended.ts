/** The first words about an order that has ended: it was paid out, its coins went back, or nothing came. Pure. */
import type { PayerOrder } from '../../payer/order.ts';
import type { Say } from '../say.ts';
import type { Story } from './kinds.ts';
import { coins, missedFloor } from './words.ts';

export function done({ order: { from, to }, beyond }: PayerOrder, say: Say): Story {
	const amount = coins(to.tx.amount ?? to.amount, to.code);
	if (beyond === null)
		return {
			kind: 'done',
			tone: 'good',
			word: say('story.doneWord'),
			headline: say('story.done', { amount }),
			next: say('story.doneNext'),
		};
	return {
		kind: 'done',
		tone: 'warn',
		word: say('story.beyondWord'),
		headline: say('story.beyond', { amount, beyond: coins(beyond, from.code) }),
		next: say('story.beyondNext'),
	};
}

export function expired(shown: PayerOrder, say: Say): Story {
	const { order, refund, beyond, unreturned, deposits } = shown;
	const { code } = order.from;
	const floor = missedFloor(shown);
	if (order.back.tx.id !== null)
		return {
			kind: 'returned',
			tone: 'good',
			word: say('story.returnedWord'),
			headline: say('story.returned', { amount: coins(refund?.amount ?? order.from.tx.amount ?? '', code) }),
			next: say.joined(floor && say('story.belowFloor', { floor }), say('story.returnedNext')),
		};
	if (beyond !== null)
		return {
			kind: 'closed',
			tone: 'warn',
			word: say('story.closedWord'),
			headline: say('story.closed', { amount: coins(beyond, code) }),
			next: say('story.closedNext'),
		};
	if (unreturned !== null)
		return {
			kind: 'closed',
			tone: 'warn',
			word: say('story.closedWord'),
			headline: say('story.unreturned', { amount: coins(unreturned, code) }),
			next: say('story.unreturnedNext'),
		};
	if (deposits.some(({ state }) => state !== 'gone'))
		return {
			kind: 'late',
			tone: 'busy',
			word: say('story.lateWord'),
			headline: say('story.late', { amount: coins(shown.received, code) }),
			next: say.joined(say('story.safe'), say('story.lateNext')),
		};
	return {
		kind: 'expired',
		tone: 'plain',
		word: say('story.expiredWord'),
		headline: say('story.expired'),
		next: say(deposits.length > 0 ? 'story.expiredDropped' : 'story.expiredNext'),
	};
}
