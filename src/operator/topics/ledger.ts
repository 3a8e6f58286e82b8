/** `ledger check`: do the books agree with the wallets? */
import * as z from 'zod';
import { declare, type Topic } from '../topic.ts';

export const ledger = {
	about: 'the books',
	commands: {
		check: declare({
			summary: 'recompute every balance from the entries and compare with what the wallets hold',
			reads: true,
			details:
				'Exit status 1 if anything differs, else 3 if a chain could not be asked. What cannot be compared is listed as unchecked, and what differs while transactions are under way as moving. ATTENTION names every outgoing transaction that waits, and why, those that belong to no order too.',
			input: z.strictObject({}),
			options: {},
			exitRules: [
				{ field: 'differences', message: 'the books differ; the answer says where' },
				{ field: 'unchecked', status: 3, message: 'not every wallet could be compared; the answer says which not' },
			],
			sections: {
				unbalanced: ['order', 'asset', 'sum'],
				wallets: ['asset', 'books', 'held', 'difference', 'leftBehind', 'result', 'reason'],
				attention: ['id', 'orderId', 'kind', 'state', 'network', 'asset', 'amount', 'since', 'cause'],
			},
		}),
	},
} satisfies Topic;
