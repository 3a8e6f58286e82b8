/** `payout …`: the operator's decisions on a transaction that cannot be made or cannot arrive. */
import * as z from 'zod/mini';
import { LIMIT, limit, lowerCaseId, reason, txId } from '../input.ts';
import { type Argument, declare, type Option, type Topic } from '../topic.ts';
import { MOMENT_HELP, moment } from './moment.ts';

const TRANSACTION: Argument = {
	name: 'ID',
	names: 'transaction',
	help: 'the transaction, as `order show` and `ledger check` show it',
};
const REASON: Option = { kind: 'text', value: 'T', help: 'why, for the audit log', required: true };

export const payout = {
	about: 'transactions: settle one that cannot arrive, take back one that was never signed',
	commands: {
		list: declare({
			summary: 'payouts and refunds, newest first',
			rowPage: 'transactions',
			details: '--open lists what is not final yet, of every kind: sweeps, gas top-ups, withdrawals and the like too.',
			reads: true,
			input: z.strictObject({
				open: z._default(z.boolean(), false),
				since: z.optional(moment),
				until: z.optional(moment),
				limit,
			}),
			options: {
				open: { kind: 'present', help: 'what is not final yet' },
				since: { kind: 'text', value: 'T', help: `planned since then: ${MOMENT_HELP}` },
				until: { kind: 'text', value: 'T', help: 'planned before then, in the same forms' },
				limit: LIMIT,
			},
			columns: [
				'id',
				'plannedAt',
				'kind',
				'state',
				{ title: 'amount', fields: ['amount', 'asset'] },
				'network',
				'orderId',
				'waitsBecause',
			],
			wide: ['toAddress', 'txId'],
			empty: 'No transaction in that time.',
		}),
		show: declare({
			summary: 'everything on one transaction',
			reads: true,
			input: z.strictObject({ id: lowerCaseId }),
			arguments: { id: TRANSACTION },
			options: {},
		}),
		settle: declare({
			summary: 'settle a transaction that cannot arrive and that you have paid yourself, from a wallet of your own',
			button: 'Settle by hand',
			irreversible: true,
			details:
				'Check in an explorer first that nothing of it arrived: `order list --attention` says why it cannot. Its order is DONE with your transaction, the books balance, and its partner gets the webhook. The service sends nothing, and refuses while the chain has a version of the transaction.',
			input: z.strictObject({ id: lowerCaseId, txId, reason }),
			arguments: { id: TRANSACTION },
			options: {
				txId: {
					kind: 'text',
					value: 'T',
					help: 'the transaction by which you have paid the recipient',
					required: true,
				},
				reason: REASON,
			},
		}),
		overtaken: declare({
			summary: 'name the transaction that took the nonce of a sweep or of its gas, where the node cannot tell',
			button: 'Name the other one',
			details:
				'Find it in an explorer at the address that sends: a sweep’s pay-in address, the hot wallet for gas. The nodes of both Workers must confirm it. Once it is final there, the sweep ends as failed, with nothing booked, and another one follows.',
			input: z.strictObject({ id: lowerCaseId, txId, reason }),
			arguments: { id: TRANSACTION },
			options: {
				txId: { kind: 'text', value: 'T', help: 'the transaction that took its nonce', required: true },
				reason: REASON,
			},
		}),
		'give-up': declare({
			summary: 'take back a payout, refund, earnings payout or withdrawal that the signer never signed',
			button: 'Take it back',
			irreversible: true,
			details:
				'For one that waits and cannot be made: the recipient does not take it, or the signer refuses it. The signer records that it never signs it, and refuses if it is signed already. Then the deposits are free for `order refund`, which ends the order. After a failure, run it again: it does the rest.',
			input: z.strictObject({ id: lowerCaseId, reason }),
			arguments: { id: TRANSACTION },
			options: { reason: REASON },
		}),
	},
} satisfies Topic;
