/** `payout settle`: a payout that cannot arrive any more, and that the operator has paid by hand. */
import { eq } from 'drizzle-orm';
import * as z from 'zod';
import { writeAudit } from '../../audit/log.ts';
import { logError } from '../../log.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { isDead } from '../../treasury/transactions/blocked.ts';
import { KINDS } from '../../treasury/transactions/kinds.ts';
import { settleByHand } from '../../treasury/transactions/settle-by-hand.ts';
import { isOwnTransaction, newestOf, replacedVersions } from '../../treasury/transactions/version-store.ts';
import { wakeWebhooks } from '../../webhooks/wake.ts';
import { type Context, command, type Failure, fail } from '../command.ts';
import { reason, txId } from '../input.ts';
import { payoutLine } from '../orders/record.ts';

export const settlePayout = command(
	z.strictObject({ id: z.string().max(100).toLowerCase(), txId, reason }),
	async ({ db, env, now }, input) => {
		const find = async () => (await db.select().from(transactions).where(eq(transactions.id, input.id)))[0];
		const payout = await find();
		if (!payout) return fail(404, `there is no payout ${input.id}`);
		if (KINDS[payout.kind].isInternal)
			return fail(409, `payout ${payout.id} moves coins between wallets of our own: nobody is owed it`);
		if (payout.settledTxId !== null)
			return fail(409, `payout ${payout.id} is settled already, by ${payout.settledTxId}`);
		if (!isDead(payout)) return fail(409, `payout ${payout.id} may still arrive: the service sends it itself`);
		if (await isOwnTransaction(db, input.txId))
			return fail(409, `transaction ${input.txId} is one that the service made itself`);
		const problem = await arrived(env, db, payout);
		if (problem) return problem;
		const changes = { txId: input.txId, instead: payout.txId, reason: input.reason };
		const audit = writeAudit(db, { at: now, command: 'payout settle', subject: payout.id, changes });
		let eventIds: readonly string[];
		try {
			eventIds = await settleByHand(db, payout, input.txId, now, [audit]);
		} catch (error) {
			logError('payout_not_settled', error, { payoutId: payout.id });
			return fail(409, `payout ${payout.id} moved meanwhile; look at it again`);
		}
		await wakeWebhooks(env.WEBHOOKS, eventIds);
		const settled = (await find()) ?? payout;
		return { ...payoutLine(settled), settledTxId: settled.settledTxId };
	},
);

/** What D1 says may be old, or written by a stranger: the chain itself must hold no version of it before it is paid again. */
async function arrived(env: Context['env'], db: Context['db'], payout: TransactionRow): Promise<Failure | null> {
	const older = (await replacedVersions(db, [payout])).get(payout.id) ?? [];
	const txIds = [newestOf(payout), ...older].map(({ txId }) => txId);
	try {
		if (!(await env.CHAIN_AGENT.getByName(payout.network).holdsAny(payout.network, txIds))) return null;
	} catch (error) {
		logError('payout_not_looked_for', error, { payoutId: payout.id });
		return fail(503, `${payout.network} does not answer now; nothing was changed, run it again`);
	}
	return fail(409, `the chain holds ${txIds.join(' or ')}: payout ${payout.id} is paid, or may be yet`);
}
