/** `order …`: read orders, and decide about those that cannot go on by themselves. */
import * as z from 'zod';
import { ORDER_STATUSES } from '../../orders/status.ts';
import { id, limit, lowerCaseId, reason } from '../input.ts';
import { type Argument, declare, type Topic } from '../topic.ts';

const ORDER: Argument = { name: 'ID', help: 'the order' };
const orderInput = z.strictObject({ id: lowerCaseId });

export const order = {
	about: 'orders: read them, find what waits for a person, refund or delete one',
	commands: {
		list: declare({
			summary: 'orders, newest first',
			input: z.strictObject({
				status: z.enum(ORDER_STATUSES).optional(),
				partner: id.optional(),
				attention: z.boolean().default(false),
				limit,
			}),
			options: {
				status: { kind: 'text', value: 'STATUS', choices: ORDER_STATUSES, help: 'orders in this status' },
				partner: { kind: 'text', value: 'ID', help: 'orders of this partner' },
				attention: { kind: 'present', help: 'what waits for a person, and why' },
				limit: { kind: 'integer', help: 'at most this many, up to 500 (50 if not named)' },
			},
			columns: ['id', 'status', 'from', 'fromAmount', 'to', 'toAmount', 'usd', 'createdAt', 'deletedAt', 'attention'],
		}),
		show: declare({
			summary: 'everything on one order',
			details:
				'The partner’s view, internal state, history, deposits, payouts and sweeps with their stored transactions, ledger, webhooks.',
			input: orderInput,
			arguments: { id: ORDER },
			options: {},
		}),
		finalise: declare({
			summary: 'end an EMERGENCY order: it becomes EXPIRED',
			details: 'Its deposit stays with the service until `order refund` sends it back.',
			input: z.strictObject({ id: lowerCaseId, reason }),
			arguments: { id: ORDER },
			options: { reason: { kind: 'text', value: 'T', help: 'why, for the history', required: true } },
		}),
		refund: declare({
			summary: 'send back what was received, less its network fee, to the refund address',
			details: 'Also for deposits that came after the payout. An order that waits becomes EXPIRED with the refund.',
			input: orderInput,
			arguments: { id: ORDER },
			options: {},
		}),
		screen: declare({
			summary: 'decide yourself about the deposits and addresses of an order, instead of the screening service',
			details:
				'For what is final now; what comes later is asked about again. hold lets nothing move until you decide again; refund sends the final deposits back to the refund address.',
			input: z.strictObject({ id: lowerCaseId, verdict: z.enum(['accept', 'hold', 'refund']), reason }),
			arguments: {
				id: ORDER,
				verdict: { name: 'accept|hold|refund', choices: ['accept', 'hold', 'refund'], help: 'what you decide' },
			},
			options: { reason: { kind: 'text', value: 'T', help: 'why, for the audit log', required: true } },
			sections: { screening: ['subject', 'txId', 'address', 'verdict', 'decidedBy', 'note', 'at'] },
		}),
		delete: declare({
			summary: 'soft-delete an order: its partner no longer sees it',
			details: 'What is owed is still paid, and later deposits show up in `order list --attention`.',
			input: orderInput,
			arguments: { id: ORDER },
			options: {},
		}),
	},
} satisfies Topic;
