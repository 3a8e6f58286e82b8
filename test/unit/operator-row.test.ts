/** What the compiler checks of a command's row: `tsc` fails here if it accepts one of these mistakes. */
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { RunsOf } from '../../src/operator/command.ts';
import { declare, type Topic } from '../../src/operator/topic.ts';

const input = z.strictObject({ id: z.string(), limit: z.int().optional() });
const help = 'what it is';
const topic = {
	about: 'an example',
	commands: {
		show: declare({
			summary: 'one',
			input,
			arguments: { id: { name: 'ID', help } },
			options: { limit: { kind: 'integer', help } },
		}),
	},
} satisfies Topic;
const show: RunsOf<typeof topic>['show'] = async (_, { id, limit = 0 }) => id.repeat(limit);

it('a declaration has its run, a run its declaration, and an input field its argument or option', async () => {
	const runs: RunsOf<typeof topic> = { show };
	// @ts-expect-error The run of `show` is missing.
	const missing: RunsOf<typeof topic> = {};
	// @ts-expect-error Nothing declares `list`.
	const extra: RunsOf<typeof topic> = { show, list: show };
	// @ts-expect-error No argument and no option fills `limit`.
	const unfilled = declare({ summary: 'one', input, arguments: { id: { name: 'ID', help } }, options: {} });
	const unknown = declare({
		summary: 'one',
		input,
		// @ts-expect-error The input has no `name`.
		options: { id: { kind: 'text', help }, limit: { kind: 'integer', help }, name: { kind: 'text', help } },
	});
	expect([runs, missing, extra, unfilled, unknown].every((value) => typeof value === 'object')).toBe(true);
});
