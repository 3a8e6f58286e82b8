/** What the compiler checks of a command's row: `tsc` fails here if it accepts one of these mistakes. */
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { RunsOf } from '../../src/operator/command.ts';
import { declare, topicOf } from '../../src/operator/topic.ts';

const help = 'what it is';
const id = { name: 'ID', schema: z.string(), help };
const limit = { kind: 'integer', schema: z.optional(z.int()), help } as const;
const topic = topicOf('an example', { show: declare({ summary: 'one', arguments: { id }, options: { limit } }) });
const show: RunsOf<typeof topic>['show'] = async (_, input) => input.id.repeat(input.limit ?? 0);

it('a declaration has its run, a run its declaration, and each field its schema and its words', async () => {
	const runs: RunsOf<typeof topic> = { show };
	// @ts-expect-error The run of `show` is missing.
	const missing: RunsOf<typeof topic> = {};
	// @ts-expect-error Nothing declares `list`.
	const extra: RunsOf<typeof topic> = { show, list: show };
	// @ts-expect-error Nothing declares the field `name`.
	const unknown: RunsOf<typeof topic>['show'] = async (_, { name }) => name;
	// @ts-expect-error A field of the input has no schema.
	const unread = () => declare({ summary: 'one', arguments: { id: { name: 'ID', help } } });
	// @ts-expect-error Nobody reads `irreversable`.
	const mistyped = declare({ summary: 'one', irreversable: true });
	expect([runs, missing, extra, mistyped].every((value) => typeof value === 'object')).toBe(true);
	expect([unknown, unread].every((value) => typeof value === 'function')).toBe(true);
	expect(topic.commands.show.input.safeParse({ id: 'a', limit: 2 }).success).toBe(true);
	expect(topic.commands.show.input.safeParse({ id: 'a', more: 2 }).success).toBe(false);
});
