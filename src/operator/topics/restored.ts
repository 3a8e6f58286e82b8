/** `restored …`: after a restore, what may have been sent already and waits for a person. */
import * as z from 'zod/mini';
import { flag, lowerCaseId, needed, txId, why } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

const orders = z._default(z.array(lowerCaseId).check(z.maxLength(500)), []);
const others = z._default(z.array(txId).check(z.maxLength(50)), []);

export const restored = topicOf('after a restore: what may have been sent since the backup, and waits for a person', {
	show: declare({
		summary: 'each payment that waits, what the chain shows, and wallets that hold less than the books say',
		button: 'See what waits',
		reads: true,
		sections: {
			waiting: ['order', 'transaction', 'kind', 'network', 'asset', 'amount', 'to', 'onChain', 'do'],
			wallets: ['asset', 'books', 'held', 'difference', 'result'],
		},
	}),
	forgotten: declare({
		summary: 'orders that the signer has paid and that D1, which was set back, does not know',
		button: 'See what is forgotten',
		details:
			'From the signer’s journal, the newest first, until it comes to five hundred in a row that D1 knows: what was signed for each order, and its pay-in address, so that you can look at the chain and settle with its partner. Orders that nothing was signed for are in no journal: what came to their addresses is in the sum of coins of no order, which `attention` shows.',
		reads: true,
		columns: ['order', 'kind', 'network', 'txId', 'at', 'paidInOn', 'payInAddress'],
	}),
	confirm: declare({
		summary: 'let the signer pay orders for which the chain shows no payment',
		button: 'Let them be paid',
		irreversible: true,
		details:
			'The signer looks itself, by its own nodes, for payments to the recipient and to the refund address since the backup, and refuses where there is one. Where a network cannot tell (Monero, if both wallets were made again), look where `restored show` says and add `--looked`. A payment to that address which paid another order is named with `--not`. `--own` confirms what belongs to no order: earnings, withdrawals, gas, sweeps, consolidations; the signer refuses it while the chains show a payment to a partner that nobody has booked.',
		arguments: {
			orders: {
				name: 'ORDER',
				many: true,
				optional: true,
				names: 'order',
				schema: orders,
				help: 'orders that were not paid',
			},
		},
		options: {
			own: flag('also what belongs to no order'),
			looked: flag('you have looked where the network cannot tell: nothing was sent'),
			not: {
				kind: 'list',
				value: 'T',
				schema: others,
				help: 'transactions that paid another order to the same address',
			},
		},
		together: { holds: (input) => input.orders.length > 0 || input.own, rule: 'name orders, or --own' },
	}),
	paid: declare({
		summary: 'book a payout, refund or withdrawal that was sent and that the database does not know',
		button: 'Book the payment',
		irreversible: true,
		details:
			'The service then never sends it again: its order ends with that transaction, the books balance, and its partner gets the webhook. What was planned meanwhile gives way to what was paid, also in another amount. Where the signer’s journal has it, because D1 alone was set back, it is planned again as it was signed; else it is refused unless the chain has the transaction, and has it pay this order.',
		arguments: {
			id: {
				name: 'ID',
				names: 'payment',
				schema: lowerCaseId,
				help: 'the transaction or the order, as `restored show` names it',
			},
		},
		options: { txId: needed('T', txId, 'its id on the chain'), reason: why('R', 'how you know, for the audit log') },
	}),
});
