/** `archive …`: finished orders that were moved to R2. `order show` reads one. */
import * as z from 'zod/mini';
import { LIMIT, whole, wholeBetween } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

const LAST_BATCH = 2 ** 31;
const batch = z.pipe(z.coerce.number(), wholeBetween(1, LAST_BATCH));
const words = z.string().check(z.minLength(1), z.maxLength(200));
const from = z._default(wholeBetween(1, LAST_BATCH), 1);

export const archive = topicOf('finished orders that were moved from D1 to R2', {
	list: declare({
		summary: 'the batches of the archive, newest first',
		button: 'See the archive',
		reads: true,
		options: { before: whole([1, LAST_BATCH], 'only batches with a lower number than this'), limit: LIMIT },
		columns: ['number', 'orders', 'bytes', 'firstAt', 'lastAt', 'archivedAt'],
	}),
	show: declare({
		summary: 'the orders of a batch',
		button: 'See the batch',
		rowPage: 'orders',
		reads: true,
		arguments: { number: { name: 'NUMBER', schema: batch, help: 'the batch, as `archive list` shows it' } },
		columns: ['id', 'status', 'from', 'fromAmount', 'to', 'toAmount', 'usd', 'createdAt', 'deletedAt'],
	}),
	find: declare({
		summary: 'the archived order with this id, pay-in address, or transaction of ours',
		button: 'Find in the archive',
		reads: true,
		arguments: { text: { name: 'TEXT', schema: words, help: 'an order, an address, or a transaction id, in full' } },
	}),
	check: declare({
		summary: 'read the objects of some batches again and compare them with their names and seals',
		button: 'Check the archive',
		reads: true,
		details: 'Exit status 1 if anything is wrong. `next` is the batch to go on from; null after the last one.',
		options: { from: { kind: 'integer', schema: from, help: 'begin at this batch (1 if not named)' } },
		exitRules: [{ field: 'wrong', message: 'the archive is damaged; the answer says where' }],
		sections: { wrong: ['number', 'object', 'why'] },
	}),
});
