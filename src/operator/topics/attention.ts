/** `attention`: everything that waits, over the whole service. */
import { declare, topicOf } from '../topic.ts';

export const attention = topicOf('everything that waits for a person or for a condition', {
	'': declare({
		summary: 'everything that waits for a person or a condition: why, since when, and what to do',
		button: 'See what waits',
		reads: true,
		details:
			'Orders, outgoing transactions, pay-in addresses, prices, nodes, hot wallets, caps, switches, webhooks. Exit status 0 only when nothing waits. Whether the books agree with the wallets is for `ledger check`.',
		columns: ['area', 'subject', 'since', 'amount', 'cause', 'todo'],
		wide: ['usd', 'of'],
		empty: 'Nothing waits.',
		exitRules: [{ field: 'length', message: 'something waits; the answer says what, why, and what to do' }],
	}),
});
