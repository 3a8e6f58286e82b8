/** `export …`: orders, the books, and partners' statements, for tax and bookkeeping. */
import { CURSOR, id, text, time } from '../input.ts';
import { declare, topicOf } from '../topic.ts';
import { MOMENT_HELP } from './moment.ts';

const shared = {
	reads: true,
	paged: 'list',
	options: {
		since: time(`from then on: ${MOMENT_HELP}`),
		until: time(`before then: ${MOMENT_HELP}`),
		partner: text('PARTNER', id, 'of this partner alone: an id or a name', { names: 'partner' }),
		cursor: CURSOR,
	},
	empty: 'Nothing in that time.',
} as const;

export const exporting = topicOf('files for bookkeeping: --format csv or json', {
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
});
