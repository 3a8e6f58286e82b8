/**
 * A partner's own actions in the cabinet, with the code of the operator's commands: the same checks, the same writes,
 * and audit lines that begin with `cabinet`. The cabinet asks for it at the desk (`src/api/desk.ts`).
 */
import * as z from 'zod/mini';
import { firstIssue } from '../platform/issue.ts';
import { type Context, fail } from './command.ts';
import { redeliver } from './commands/webhook.ts';
import { applyUpdate } from './partners/update.ts';
import { updateInput } from './topics/partner.ts';

const ownInput = z.required(
	z.pick(updateInput, { id: true, webhookUrl: true, events: true, payoutAsset: true, payoutAddress: true }),
	{ id: true },
);

/** Only the fields of `ownInput` are taken, whatever is sent. */
export async function changeOwn(context: Context, partnerId: string, wanted: object): Promise<unknown> {
	const parsed = ownInput.safeParse({ ...wanted, id: partnerId });
	if (!parsed.success) return fail(400, firstIssue(parsed.error.issues));
	const update: z.output<typeof ownInput> = parsed.data;
	const isPayout = update.payoutAsset !== undefined || update.payoutAddress !== undefined;
	return applyUpdate(context, update, isPayout ? 'cabinet payout address' : 'cabinet webhook', { warns: true });
}

export const sendAgain = (context: Context, partnerId: string, id: string): Promise<unknown> =>
	redeliver(context, { id, partnerId }, 'cabinet webhook redeliver');
