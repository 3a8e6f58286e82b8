/** `order …`: read orders, and decide about those that cannot go on by themselves. */
import * as z from 'zod/mini';
import { ORDER_STATUSES } from '../../orders/status.ts';
import { assetId, id, LIMIT, limit, lowerCaseId, networkName, reason, txId } from '../input.ts';
import { type Argument, type Column, declare, type Topic } from '../topic.ts';
import { MOMENT_HELP, moment } from './moment.ts';

const ORDER: Argument = { name: 'ID', names: 'order', help: 'the order: its id, or the first characters of it' };
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
const named = z.string().check(z.trim(), z.minLength(1), z.maxLength(300));
const orderInput = z.strictObject({ id: lowerCaseId });

export const order = {
	about: 'orders: read them, find what waits for a person, refund or delete one',
	commands: {
		list: declare({
			summary: 'orders, newest first',
			button: 'See all',
			rowPage: 'orders',
			reads: true,
			input: z.strictObject({
				status: z.optional(z.enum(ORDER_STATUSES)),
				partner: z.optional(id),
				attention: z._default(z.boolean(), false),
				since: z.optional(moment),
				until: z.optional(moment),
				after: z.optional(lowerCaseId),
				limit,
			}),
			options: {
				status: { kind: 'text', value: 'STATUS', choices: ORDER_STATUSES, help: 'orders in this status' },
				partner: { kind: 'text', value: 'ID', names: 'partner', help: 'orders of this partner, by id or name' },
				attention: { kind: 'present', help: 'what waits for a person, and why' },
				since: { kind: 'text', value: 'T', help: `made since then: ${MOMENT_HELP}` },
				until: { kind: 'text', value: 'T', help: 'made before then, in the same forms' },
				after: { kind: 'text', value: 'ID', names: 'order', help: 'the next page: orders below this one of the list' },
				limit: LIMIT,
			},
			columns: [...COLUMNS, 'attention'],
			wide: WIDE,
		}),
		find: declare({
			summary: 'orders by the beginning of an id, an address, a partner’s reference, or the id of a transaction',
			rowPage: 'orders',
			details:
				'Addresses: of the deposit, the recipient, the refund. Transactions: a deposit’s, or one of ours, also one that was replaced. Where D1 has none, the archive is asked: by a whole id, an address of a deposit, or a transaction of ours.',
			reads: true,
			input: z.strictObject({
				text: z.string().check(z.trim(), z.minLength(4, 'name at least 4 characters'), z.maxLength(200)),
				limit,
			}),
			arguments: { text: { name: 'TEXT', help: 'an id of an order or a transaction, an address, or an externalId' } },
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
			input: orderInput,
			arguments: { id: ORDER },
			options: {},
		}),
		finalise: declare({
			summary: 'end an EMERGENCY order: it becomes EXPIRED',
			button: 'End the order',
			irreversible: true,
			details: 'Its deposit stays with the service until `order refund` sends it back.',
			input: z.strictObject({ id: lowerCaseId, reason }),
			arguments: { id: ORDER },
			options: { reason: { kind: 'text', value: 'T', help: 'why, for the history', required: true } },
		}),
		refund: declare({
			summary: 'send back what was received, less its network fee, to the refund address',
			button: 'Refund',
			irreversible: true,
			details: 'Also for deposits that came after the payout. An order that waits becomes EXPIRED with the refund.',
			input: orderInput,
			arguments: { id: ORDER },
			options: {},
		}),
		screen: declare({
			summary: 'decide yourself about the deposits and addresses of an order, instead of the screening service',
			button: 'Decide about screening',
			irreversible: true,
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
		sweep: declare({
			summary: 'sweep the address of an order again now, although sweeps failed on chain, or the order is archived',
			button: 'Sweep again',
			details:
				'For when you have mended why they fail: else five failures within 30 days stop them, and fewer delay the next one. Of an archived order it sweeps what came since, which `order find-stray` shows; then it can be booked and withdrawn. Each call allows one more; the signer allows five within 30 days. It is still swept only where that is worth its cost.',
			input: z.strictObject({ id: lowerCaseId, reason }),
			arguments: { id: ORDER },
			options: { reason: { kind: 'text', value: 'T', help: 'why, for the audit log', required: true } },
		}),
		'find-stray': declare({
			summary: 'look now for coins at the order’s address that it did not ask for: another asset, or another network',
			details:
				'On the order’s network, and on all EVM networks for an order of one of them, because they share addresses. What is found goes back by itself, or `attention` says what it waits for. With --tx it says what a transaction gave the address: a token that is not listed is found by that alone, on Solana without it too. `beyondDeposits`: what came of the asset that it asked for and is no deposit: dust beyond the hundredth, or, until a poll records it, what came after 30 days. Of an archived order `ofNoOrder` has all that came since.',
			input: z.strictObject({ id: lowerCaseId, network: z.optional(networkName), tx: z.optional(named) }),
			arguments: { id: ORDER },
			options: {
				network: { kind: 'text', value: 'NETWORK', help: 'look on this network alone' },
				tx: { kind: 'text', value: 'TXID', help: 'look this transaction up, which the payer names' },
			},
			sections: {
				transaction: ['network', 'found', 'asset', 'token', 'amount'],
				strays: ['network', 'asset', 'came', 'returned', 'waits', 'to', 'foundAt'],
				unlisted: ['network', 'token', 'smallestUnits', 'foundAt', 'keptAt'],
				ofNoOrder: ['network', 'asset', 'came', 'atAddress'],
			},
		}),
		'keep-stray': declare({
			summary: 'note that you decided about a token that is not listed: nobody is asked about it any more',
			details:
				'The service moves no such token. Either it is worth nothing, as most are, or you move it by hand with the key of the address, which the book’s derivation paths lead to. Partner and payer then read that it is not sent back by itself.',
			input: z.strictObject({ id: lowerCaseId, token: named, reason }),
			arguments: { id: ORDER, token: { name: 'TOKEN', help: 'its contract or mint; `order find-stray` names it' } },
			options: { reason: { kind: 'text', value: 'T', help: 'why, for the audit log', required: true } },
		}),
		'return-stray': declare({
			summary: 'send back coins that the order did not ask for, to its refund address or to one that you enter',
			details:
				'Less what their way back costs. The signer sends at most what came, once, and never to an address of ours. Make sure that the address belongs to who sent them.',
			input: z.strictObject({
				id: lowerCaseId,
				asset: assetId,
				to: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(200))),
				txId: z.optional(txId),
				not: z._default(z.array(txId).check(z.maxLength(50)), []),
				reason,
			}),
			arguments: { id: ORDER, asset: { name: 'ASSET', help: 'what came, as USDCERC20; `order find-stray` names it' } },
			options: {
				to: { kind: 'text', value: 'ADDRESS', help: 'on the network where it lies (the refund address if not named)' },
				txId: { kind: 'text', value: 'T', help: 'after a restore: it went back by this transaction, which is booked' },
				not: {
					kind: 'list',
					value: 'T',
					help: 'after a restore: transactions that paid something else to that address',
				},
				reason: { kind: 'text', value: 'T', help: 'why, for the audit log', required: true },
			},
		}),
		delete: declare({
			summary: 'soft-delete an order: its partner no longer sees it',
			button: 'Delete',
			irreversible: true,
			details: 'What is owed is still paid, and later deposits show up in `order list --attention`.',
			input: orderInput,
			arguments: { id: ORDER },
			options: {},
		}),
	},
} satisfies Topic;
