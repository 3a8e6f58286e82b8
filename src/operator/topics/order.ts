/** `order …`: read orders, and decide about those that cannot go on by themselves. */
import * as z from 'zod/mini';
import { ORDER_STATUSES } from '../../orders/status.ts';
import { assetId, flag, id, LIMIT, lowerCaseId, networkName, text, time, txId, why } from '../input.ts';
import { type Column, declare, topicOf } from '../topic.ts';
import { MOMENT_HELP } from './moment.ts';

const ORDER = {
	name: 'ID',
	names: 'order',
	schema: lowerCaseId,
	help: 'the order: its id, or the first characters of it',
} as const;
const COLUMNS: readonly Column[] = [
	'id',
	'status',
	{ title: 'age', fields: ['createdAt'] },
	{ title: 'partner', fields: ['partnerName'] },
	{ title: 'asked', fields: ['fromAmount', 'from'] },
	{ title: 'received', fields: ['received', 'from'] },
	{ title: 'received usd', fields: ['receivedUsd'] },
	'to',
];
const WIDE = ['toAmount', 'usd', 'partnerId', 'emergencyReasons', 'updatedAt', 'deletedAt'];
const VERDICTS = ['accept', 'hold', 'refund'] as const;
const named = z.string().check(z.trim(), z.minLength(1), z.maxLength(300));
const sought = z.string().check(z.trim(), z.minLength(4, 'name at least 4 characters'), z.maxLength(200));
const address = z.string().check(z.trim(), z.minLength(1), z.maxLength(200));

export const order = topicOf('orders: read them, find what waits for a person, refund or delete one', {
	list: declare({
		summary: 'orders, newest first',
		button: 'See all',
		rowPage: 'orders',
		reads: true,
		options: {
			status: text('STATUS', z.enum(ORDER_STATUSES), 'orders in this status', { choices: ORDER_STATUSES }),
			partner: text('ID', id, 'orders of this partner, by id or name', { names: 'partner' }),
			attention: flag('what waits for a person, and why'),
			since: time(`made since then: ${MOMENT_HELP}`),
			until: time('made before then, in the same forms'),
			after: text('ID', lowerCaseId, 'the next page: orders below this one of the list', { names: 'order' }),
			limit: LIMIT,
		},
		columns: [...COLUMNS, 'attention'],
		wide: WIDE,
	}),
	find: declare({
		summary: 'orders by the beginning of an id, an address, a partner’s reference, or the id of a transaction',
		button: 'Find an order',
		rowPage: 'orders',
		details:
			'Addresses: of the deposit, the recipient, the refund. Transactions: a deposit’s, or one of ours, also one that was replaced. Where D1 has none, the archive is asked: by a whole id, an address of a deposit, or a transaction of ours.',
		reads: true,
		arguments: {
			text: { name: 'TEXT', schema: sought, help: 'an id of an order or a transaction, an address, or an externalId' },
		},
		options: { limit: LIMIT },
		columns: [...COLUMNS, 'foundBy'],
		wide: WIDE,
		empty: 'No order has this id, address, reference or transaction, archived ones included.',
	}),
	show: declare({
		summary: 'everything on one order',
		button: 'Look at it',
		reads: true,
		details:
			'The partner’s view, internal state, history, deposits, payouts and sweeps with their stored transactions, ledger, webhooks.',
		arguments: { id: ORDER },
	}),
	finalise: declare({
		summary: 'end an EMERGENCY order: it becomes EXPIRED',
		button: 'End the order',
		irreversible: true,
		details: 'Its deposit stays with the service until `order refund` sends it back.',
		arguments: { id: ORDER },
		options: { reason: why('T', 'why, for the history') },
	}),
	refund: declare({
		summary: 'send back what was received, less its network fee, to the refund address',
		button: 'Refund',
		irreversible: true,
		details: 'Also for deposits that came after the payout. An order that waits becomes EXPIRED with the refund.',
		arguments: { id: ORDER },
	}),
	screen: declare({
		summary: 'decide yourself about the deposits and addresses of an order, instead of the screening service',
		button: 'Decide about screening',
		irreversible: true,
		details:
			'For what is final now; what comes later is asked about again. hold lets nothing move until you decide again; refund sends the final deposits back to the refund address.',
		arguments: {
			id: ORDER,
			verdict: { name: VERDICTS.join('|'), choices: VERDICTS, schema: z.enum(VERDICTS), help: 'what you decide' },
		},
		options: { reason: why('T') },
		sections: { screening: ['subject', 'txId', 'address', 'verdict', 'decidedBy', 'note', 'at'] },
	}),
	sweep: declare({
		summary: 'sweep the address of an order again now, although sweeps failed on chain, or the order is archived',
		button: 'Sweep again',
		details:
			'For when you have mended why they fail: else five failures within 30 days stop them, and fewer delay the next one. Of an archived order it sweeps what came since, which `order find-stray` shows; then it can be booked and withdrawn. Each call allows one more; the signer allows five within 30 days. It is still swept only where that is worth its cost.',
		arguments: { id: ORDER },
		options: { reason: why('T') },
	}),
	'find-stray': declare({
		summary: 'look now for coins at the order’s address that it did not ask for: another asset, or another network',
		button: 'Look for other coins',
		details:
			'On the order’s network, and on all EVM networks for an order of one of them, because they share addresses. What is found goes back by itself, or `attention` says what it waits for. With --tx it says what a transaction gave the address: a token that is not listed is found by that alone, on Solana without it too. `beyondDeposits`: what came of the asset that it asked for and is no deposit: dust beyond the hundredth, or, until a poll records it, what came after 30 days. Of an archived order `ofNoOrder` has all that came since.',
		arguments: { id: ORDER },
		options: {
			network: text('NETWORK', networkName, 'look on this network alone'),
			tx: text('TXID', named, 'look this transaction up, which the payer names'),
		},
		sections: {
			transaction: ['network', 'found', 'asset', 'token', 'amount'],
			strays: ['network', 'asset', 'came', 'returned', 'waits', 'to', 'foundAt'],
			unlisted: ['network', 'token', 'smallestUnits', 'foundAt', 'keptAt', 'to', 'askedAt', 'waits'],
			ofNoOrder: ['network', 'asset', 'came', 'atAddress'],
		},
	}),
	'keep-stray': declare({
		summary: 'note that you decided about a token that is not listed: nobody is asked about it any more',
		button: 'Leave the token',
		details:
			'For one that is worth nothing, as most are, or that you moved by hand; `order return-stray` sends one back. Partner and payer then read that it is not sent back.',
		arguments: {
			id: ORDER,
			token: { name: 'TOKEN', schema: named, help: 'its contract or mint; `order find-stray` names it' },
		},
		options: { reason: why('T') },
	}),
	'return-stray': declare({
		summary: 'send back coins that the order did not ask for, to its refund address or to one that you enter',
		button: 'Send the coins back',
		details:
			'Less what their way back costs. The signer sends at most what came, once, and never to an address of ours. Make sure that the address belongs to who sent them. A token that is not listed goes whole, straight from the deposit address, and the gas for it is yours: one call is one try.',
		arguments: {
			id: ORDER,
			asset: {
				name: 'ASSET',
				schema: z.union([assetId, named]),
				help: 'what came, as USDCERC20, or the contract of a token; `order find-stray` names it',
			},
		},
		options: {
			to: text('ADDRESS', address, 'on the network where it lies (the refund address if not named)'),
			txId: text('T', txId, 'after a restore: it went back by this transaction, which is booked'),
			not: {
				kind: 'list',
				value: 'T',
				schema: z._default(z.array(txId).check(z.maxLength(50)), []),
				help: 'after a restore: transactions that paid something else to that address',
			},
			reason: why('T'),
		},
	}),
	delete: declare({
		summary: 'soft-delete an order: its partner no longer sees it',
		button: 'Delete',
		irreversible: true,
		details: 'What is owed is still paid, and later deposits show up in `order list --attention`.',
		arguments: { id: ORDER },
	}),
});
