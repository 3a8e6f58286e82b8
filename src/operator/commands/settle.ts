/** `payout settle`: a payout that can no longer arrive, and that the operator has paid by hand. */
import { eq } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { logError } from '../../log.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { isDead } from '../../treasury/transactions/blocked.ts';
import { KINDS } from '../../treasury/transactions/kinds.ts';
import { settleByHand } from '../../treasury/transactions/settle-by-hand.ts';
import { isOwnTransaction, newestOf, replacedVersions } from '../../treasury/transactions/version-store.ts';
import { wakeWebhooks } from '../../webhooks/wake.ts';
import { type Context, type Failure, fail, type RunOf, type RunsOf } from '../command.ts';
import { payoutLine } from '../orders/record.ts';
import type { payout as topic } from '../topics/payout.ts';
import { givePayoutUp } from './give-up.ts';

const settlePayout: RunOf<typeof topic, 'settle'> = async ({ db, env, now }, input) => {
	const find = async () => (await db.select().from(transactions).where(eq(transactions.id, input.id)))[0];
	const payout = await find();
	if (!payout) return fail(404, `there is no payout ${input.id}`);
	if (KINDS[payout.kind].isInternal)
		return fail(409, `payout ${payout.id} moves coins between wallets of our own: nobody is owed it`);
	if (payout.settledTxId !== null) return fail(409, `payout ${payout.id} is settled already, by ${payout.settledTxId}`);
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
		return fail(409, `payout ${payout.id} moved meanwhile; check it with order show`);
	}
	await wakeWebhooks(env.WEBHOOKS, eventIds);
	const settled = (await find()) ?? payout;
	return { ...payoutLine(settled), settledTxId: settled.settledTxId };
};

export const payoutRuns: RunsOf<typeof topic> = { settle: settlePayout, 'give-up': givePayoutUp };

/** D1 may be out of date or tampered with, so the chain itself is asked: it must have no version of the payout. */
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
