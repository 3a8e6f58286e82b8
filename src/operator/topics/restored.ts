/** `restored …`: after a restore, what may have been sent already and waits for a person. */
import * as z from 'zod';
import { lowerCaseId, reason, txId } from '../input.ts';
import { declare, type Topic } from '../topic.ts';

export const restored = {
	about: 'after a restore: what may have been sent since the backup, and waits for a person',
	commands: {
		show: declare({
			summary: 'each payment that waits, what the chain shows, and wallets that hold less than the books say',
			reads: true,
			input: z.strictObject({}),
			options: {},
			sections: {
				waiting: ['order', 'transaction', 'kind', 'network', 'asset', 'amount', 'to', 'onChain', 'do'],
				wallets: ['asset', 'books', 'held', 'difference', 'result'],
			},
		}),
		forgotten: declare({
			summary: 'orders that the signer has paid and that D1, which was set back, does not know',
			details:
				'From the signer’s journal, the newest first, until it comes to five hundred in a row that D1 knows: what was signed for each order, and its pay-in address, so that you can look at the chain and settle with its partner. Orders that nothing was signed for are in no journal: what came to their addresses is in the sum of coins of no order, which `attention` shows.',
			reads: true,
			input: z.strictObject({}),
			options: {},
			columns: ['order', 'kind', 'network', 'txId', 'at', 'paidInOn', 'payInAddress'],
		}),
		confirm: declare({
			summary: 'let the signer pay orders for which the chain shows no payment',
			details:
				'Look first where `restored show` says, at each recipient: what was sent after the backup is not in the journal, and a payment that you confirm is made. `--own` confirms what belongs to no order: earnings, withdrawals, gas, sweeps, consolidations.',
			input: z
				.strictObject({ orders: z.array(lowerCaseId).max(500).default([]), own: z.boolean().optional() })
				.refine(({ orders, own }) => orders.length > 0 || own, 'name orders, or --own'),
			arguments: { orders: { name: 'ORDER', many: true, optional: true, help: 'orders that were not paid' } },
			options: { own: { kind: 'present', help: 'also what belongs to no order' } },
		}),
		paid: declare({
			summary: 'book a payout or refund that was sent after the backup',
			details:
				'The service then never sends it again: its order ends with that transaction, the books balance, and its partner gets the webhook. Refused unless the chain has the transaction.',
			input: z.strictObject({ id: lowerCaseId, txId, reason }),
			arguments: { id: { name: 'ID', help: 'the transaction, as `restored show` names it' } },
			options: {
				txId: { kind: 'text', value: 'T', help: 'its id on the chain', required: true },
				reason: { kind: 'text', value: 'R', help: 'how you know, for the audit log', required: true },
			},
		}),
	},
} satisfies Topic;
