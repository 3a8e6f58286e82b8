/** `archive …`: finished orders that were moved to R2. `order show` reads one. */
import * as z from 'zod/mini';
import { limit, wholeBetween } from '../input.ts';
import { declare, type Topic } from '../topic.ts';

const LAST_BATCH = 2 ** 31;

export const archive = {
	about: 'finished orders that were moved from D1 to R2',
	commands: {
		list: declare({
			summary: 'the batches of the archive, newest first',
			reads: true,
			input: z.strictObject({ before: z.optional(wholeBetween(1, LAST_BATCH)), limit }),
			options: {
				before: { kind: 'integer', help: 'only batches with a lower number than this' },
				limit: { kind: 'integer', help: 'at most this many, up to 500 (50 if not named)' },
			},
			columns: ['number', 'orders', 'bytes', 'firstAt', 'lastAt', 'archivedAt'],
		}),
		show: declare({
			summary: 'the orders of a batch',
			rowPage: 'orders',
			reads: true,
			input: z.strictObject({ number: z.pipe(z.coerce.number(), wholeBetween(1, LAST_BATCH)) }),
			arguments: { number: { name: 'NUMBER', help: 'the batch, as `archive list` shows it' } },
			options: {},
			columns: ['id', 'status', 'from', 'fromAmount', 'to', 'toAmount', 'usd', 'createdAt', 'deletedAt'],
		}),
		find: declare({
			summary: 'the archived order with this id, pay-in address, or transaction of ours',
			reads: true,
			input: z.strictObject({ text: z.string().check(z.minLength(1), z.maxLength(200)) }),
			arguments: { text: { name: 'TEXT', help: 'an order, an address, or a transaction id, in full' } },
			options: {},
		}),
		check: declare({
			summary: 'read the objects of some batches again and compare them with their names and seals',
			reads: true,
			details: 'Exit status 1 if anything is wrong. `next` is the batch to go on from; null after the last one.',
			input: z.strictObject({ from: z._default(wholeBetween(1, LAST_BATCH), 1) }),
			options: { from: { kind: 'integer', help: 'begin at this batch (1 if not named)' } },
			exitRules: [{ field: 'wrong', message: 'the archive is damaged; the answer says where' }],
			sections: { wrong: ['number', 'object', 'why'] },
		}),
	},
} satisfies Topic;
