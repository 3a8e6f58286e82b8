/** `export …`: orders, the books, and partners' statements, for tax and bookkeeping. */
import * as z from 'zod/mini';
import { id } from '../input.ts';
import { declare, type Topic } from '../topic.ts';
import { MOMENT_HELP, moment } from './moment.ts';

const input = z.strictObject({
	since: z.optional(moment),
	until: z.optional(moment),
	partner: z.optional(id),
	cursor: z.optional(z.string().check(z.maxLength(400))),
});
const shared = {
	reads: true,
	paged: 'list',
	input,
	options: {
		since: { kind: 'text', value: 'T', help: `from then on: ${MOMENT_HELP}` },
		until: { kind: 'text', value: 'T', help: `before then: ${MOMENT_HELP}` },
		partner: { kind: 'text', value: 'PARTNER', names: 'partner', help: 'of this partner alone: an id or a name' },
		cursor: { kind: 'text', value: 'C', help: 'where a page of the API ended; the command itself goes through all' },
	},
	empty: 'Nothing in that time.',
} as const;

export const exporting = {
	about: 'files for bookkeeping: --format csv or json',
	commands: {
		orders: declare({
			rowPage: 'orders',
			...shared,
			summary: 'orders by creation, with their transactions and what they were worth at settlement',
			columns: ['createdAt', 'id', 'status', 'from', 'received', 'to', 'paid', 'volumeUsd'],
		}),
		ledger: declare({
			...shared,
			summary: 'the entries of the books, by time',
			columns: ['at', 'orderId', 'cause', 'account', 'asset', 'amount'],
		}),
		statements: declare({
			...shared,
			summary: 'what partners earned and were paid, by time; the amounts of an asset add up to what is owed',
			columns: ['at', 'partnerName', 'kind', 'orderId', 'asset', 'amount', 'usd', 'txId'],
		}),
	},
} satisfies Topic;
