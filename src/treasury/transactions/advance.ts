/**
 * The path of every transaction on one network, from planned to final. Each step is stored before the next begins.
 * After a crash at any point the next poll resumes from the last stored step:
 *
 * - planned → signed (`sign.ts`). Atomic: one update stores the signed transaction.
 * - signed → sent (`broadcast.ts`). Atomic: one batch stores the state, moves the order, balances the books and makes
 *   the webhook due (`effects.ts`).
 * - sent → final (`follow.ts`). Atomic: one batch stores the state, what the transaction cost, and what may be swept
 *   now. Until then another version may be made (`new-version.ts`), and a dropped transaction is broadcast again.
 */
import { broadcastSigned } from './broadcast.ts';
import type { TransactionContext } from './context.ts';
import { followSent } from './follow.ts';
import { signPlanned } from './sign.ts';
import { dueTransactions, isAnyOpen } from './store.ts';
import { stoppedBy } from './wait-reason.ts';

/** Most transactions in one request to the signer. */
const PER_SIGNING = 20;

/**
 * Moves every due transaction as far as possible. Returns the ids of the webhook events that this made.
 * @throws what the signer throws, after what is signed was broadcast and what is sent was followed
 */
export async function advanceTransactions(context: TransactionContext): Promise<string[]> {
	if (!(await isAnyOpen(context.db, context.network))) return [];
	const { switches } = context;
	const due = await dueTransactions(context, 'planned');
	const planned = due.filter((row) => switches === null || stoppedBy(row, switches) === null);
	const eventIds = planned.length === 0 ? await broadcastSigned(context) : [];
	// If a signature is valid for a minute only, each is broadcast before the next is made.
	const perSigning = context.chain.signaturesExpire ? 1 : PER_SIGNING;
	const failures: unknown[] = [];
	for (let start = 0; start < planned.length && failures.length === 0; start += perSigning) {
		const part = planned.slice(start, start + perSigning);
		await signPlanned(context, part, context.now + start).catch((error) => failures.push(error));
		eventIds.push(...(await broadcastSigned(context)));
	}
	await followSent(context, await dueTransactions(context, 'sent'));
	if (failures.length > 0) throw failures[0];
	return eventIds;
}
