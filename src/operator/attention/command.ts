/** `attention` (operator.md): all that waits for a person or a condition. */
import * as z from 'zod';
import { command } from '../command.ts';
import { isoTimeOrNull } from '../shown.ts';
import { everythingThatWaits } from './collect.ts';

export const showAttention = command(z.strictObject({}), async (context) =>
	(await everythingThatWaits(context)).map((row) => ({ ...row, since: isoTimeOrNull(row.since) })),
);
