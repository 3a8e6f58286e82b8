/** `payout …`: the operator's decisions on a transaction that cannot be made or cannot arrive. */
import { flag, LIMIT, lowerCaseId, needed, time, txId, why } from '../input.ts';
import { declare, topicOf } from '../topic.ts';
import { MOMENT_HELP } from './moment.ts';

const positional = {
	id: {
		name: 'ID',
		names: 'transaction',
		schema: lowerCaseId,
		help: 'the transaction, as `order show` and `ledger check` show it',
	},
} as const;

export const payout = topicOf('transactions: settle one that cannot arrive, take back one that was never signed', {
	list: declare({
		summary: 'payouts and refunds, newest first',
		button: 'See the transactions',
		rowPage: 'transactions',
		details: '--open lists what is not final yet, of every kind: sweeps, gas top-ups, withdrawals and the like too.',
		reads: true,
		options: {
			open: flag('what is not final yet'),
			since: time(`planned since then: ${MOMENT_HELP}`),
			until: time('planned before then, in the same forms'),
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
	show: declare({ summary: 'everything on one transaction', button: 'Look at it', reads: true, arguments: positional }),
	settle: declare({
		summary: 'settle a transaction that cannot arrive and that you have paid yourself, from a wallet of your own',
		button: 'Settle by hand',
		irreversible: true,
		details:
			'Check in an explorer first that nothing of it arrived: `order list --attention` says why it cannot. Its order is DONE with your transaction, the books balance, and its partner gets the webhook. The service sends nothing, and refuses while the chain has a version of the transaction.',
		arguments: positional,
		options: { txId: needed('T', txId, 'the transaction by which you have paid the recipient'), reason: why('T') },
	}),
	overtaken: declare({
		summary: 'name the transaction that took the nonce of a sweep or of its gas, where the node cannot tell',
		button: 'Name the other one',
		details:
			'Find it in an explorer at the address that sends: a sweep’s pay-in address, the hot wallet for gas. The nodes of the agents Worker and of the signer must confirm it. Once it is final there, the sweep ends as failed, with nothing booked, and another one follows.',
		arguments: positional,
		options: { txId: needed('T', txId, 'the transaction that took its nonce'), reason: why('T') },
	}),
	'give-up': declare({
		summary: 'take back a payout, refund, earnings payout or withdrawal that the signer never signed',
		button: 'Take it back',
		irreversible: true,
		details:
			'For one that waits and cannot be made: the recipient does not take it, or the signer refuses it. The signer records that it never signs it, and refuses if it is signed already. Then the deposits are free for `order refund`, which ends the order. After a failure, run it again: it does the rest.',
		arguments: positional,
		options: { reason: why('T') },
	}),
});
