/**
 * The path of every transaction of ours on one network, from planned to final. Each step is stored before the next begins,
 * so that after a crash at any point the next poll resumes from the last stored step:
 *
 * - planned → signed (`sign.ts`). Atomic: one update stores the signed transaction.
 * - signed → sent (`broadcast.ts`). Atomic: one batch stores the state, moves the order, balances the books and makes the
 *   webhook due (`effects.ts`).
 * - sent → final (`follow.ts`). Atomic: one batch stores the state, what the transaction cost, and what may be swept now.
 *   Meanwhile its fee is bumped (`fee-bump.ts`), or it is broadcast again.
 */

import { broadcastSigned } from './broadcast.ts';
import type { TransactionContext } from './context.ts';
import { followSent } from './follow.ts';
import { signPlanned } from './sign.ts';
import { dueTransactions, isAnyOpen } from './store.ts';

/** Transactions that the signer is asked for at once. */
const PER_SIGNING = 20;

/** Moves every due transaction as far as it goes; the ids of the webhook events that this made. */
export async function advanceTransactions(context: TransactionContext): Promise<string[]> {
	if (!(await isAnyOpen(context.db, context.network))) return [];
	const planned = await dueTransactions(context, 'planned');
	const eventIds = planned.length === 0 ? await broadcastSigned(context) : [];
	// Where a signature is valid for a minute only, each is broadcast before the next is made.
	const perSigning = context.chain.signaturesExpire ? 1 : PER_SIGNING;
	for (let start = 0; start < planned.length; start += perSigning) {
		await signPlanned(context, planned.slice(start, start + perSigning), context.now + start);
		eventIds.push(...(await broadcastSigned(context)));
	}
	await followSent(context, await dueTransactions(context, 'sent'));
	return eventIds;
}
