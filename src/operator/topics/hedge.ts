/** `hedge …`: who follows the exposure, and what they are told. */
import * as z from 'zod/mini';
import { id, LIMIT, wholeBetween } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

export const hedge = topicOf('what swaps did to your coins, for a program that trades against it elsewhere', {
	show: declare({
		summary: 'the hedger, how far they were told, and the exposure',
		button: 'See the hedger',
		reads: true,
		details:
			'exposure is what swaps brought of each asset, less what they took, after the trade `newest`. A hedger begins with it, or begins again.',
		sections: { exposure: ['asset', 'amount', 'usd'] },
	}),
	list: declare({
		summary: 'trades after one, oldest first: each settlement, and each that was taken back',
		reads: true,
		details:
			'The same as the data of the webhook `order.settled`. Ask again with the last sequence until nothing comes. Trades are kept for 90 days.',
		options: {
			after: {
				kind: 'integer',
				help: 'trades with a higher sequence (all that are kept if not named)',
				schema: z._default(wholeBetween(0, Number.MAX_SAFE_INTEGER), 0),
			},
			limit: LIMIT,
		},
		columns: [
			'sequence',
			'bookedAt',
			{ title: 'in', fields: ['fromAmount', 'from'] },
			{ title: 'out', fields: ['toAmount', 'to'] },
			'usd',
			'reversal',
		],
		wide: ['orderId', 'fromExposure', 'toExposure', 'rate', 'payout'],
		empty: 'No trade after that one.',
	}),
	begin: declare({
		summary: 'from now on tell this partner’s webhook of each trade',
		button: 'Tell this partner of each trade',
		details:
			'The partner is your hedger: a record with a webhook URL and a secret, which makes no orders. They learn of the orders of all partners, so one that is enabled is refused. Only one is told at a time.',
		arguments: { partner: { name: 'PARTNER', names: 'partner', schema: id, help: 'by id or name' } },
	}),
	end: declare({ summary: 'tell nobody any more', button: 'Tell nobody any more' }),
});
