/** `payout give-up`: takes back a transaction that the signer never signed, and from then on never signs. */
import { and, eq, type SQL } from 'drizzle-orm';
import { writeAuditIf } from '../../audit/log.ts';
import { auditLog } from '../../audit/table.ts';
import { runBatch } from '../../d1/batches.ts';
import { logError } from '../../log.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { askSigner, canBeGivenUp, giveUpStatements } from '../../treasury/transactions/give-up.ts';
import { type Context, type Failure, fail, type RunOf } from '../command.ts';
import { payoutLine } from '../orders/record.ts';
import type { payout as topic } from '../topics/payout.ts';

const GIVE_UP = 'payout give-up';

export const givePayoutUp: RunOf<typeof topic, 'give-up'> = async (context, input) => {
	const { db, env, now } = context;
	const payout = await find(context, input.id);
	if (!payout) return missing(context, input.id);
	const problem = refusalOf(payout);
	if (problem) return fail(409, problem);
	try {
		if (!(await askSigner(env.SIGNER, payout))) return fail(409, signedText(payout.id));
	} catch (error) {
		logError('signer_not_asked', error, { payoutId: payout.id });
		return fail(503, 'the signer does not answer; nothing was changed, run it again');
	}
	const { id, orderId, kind, asset, amount, toAddress } = payout;
	const changes = { reason: input.reason, orderId, kind, asset, amount, to: toAddress };
	const audit = (isPlanned: SQL) => writeAuditIf(db, { at: now, command: GIVE_UP, subject: id, changes }, isPlanned);
	try {
		await runBatch(db, giveUpStatements(db, payout, audit, now));
	} catch (error) {
		logError('payout_not_given_up', error, { payoutId: id });
	}
	// D1's answer may be lost, and another call may have come first: all that counts is that the row is deleted.
	if (await find(context, id))
		return fail(503, `the signer never signs payout ${id} now, but its row is still there: run this again`);
	return { ...payoutLine(payout), state: 'given up', next: nextOf(payout) };
};

async function find({ db }: Context, id: string): Promise<TransactionRow | undefined> {
	return (await db.select().from(transactions).where(eq(transactions.id, id)))[0];
}

async function missing({ db }: Context, id: string): Promise<Failure> {
	const before = and(eq(auditLog.command, GIVE_UP), eq(auditLog.subject, id));
	const [given] = await db.select({ at: auditLog.at }).from(auditLog).where(before).limit(1);
	if (!given) return fail(404, `there is no payout ${id}`);
	return fail(409, `payout ${id} was given up already, at ${new Date(given.at).toISOString()}`);
}

/** Why this command does not apply; null where the signer is to be asked. */
function refusalOf(payout: TransactionRow): string | null {
	const { id, kind, state } = payout;
	if (!canBeGivenUp(payout))
		return `payout ${id} (${kind}) moves coins between wallets of our own: nobody is owed it, and the service plans it again by itself`;
	return state === 'planned' ? null : signedText(id);
}

const signedText = (id: string): string =>
	`payout ${id} is signed, so it may arrive, and is never given up; if it cannot arrive, pay by hand and close it with \`payout settle\``;

const nextOf = ({ kind, orderId }: TransactionRow): string => {
	if (kind === 'earnings') return 'what was earned is still owed; `earnings pay-out` plans it again';
	if (orderId === null) return 'nothing: the coins stay where they are';
	return `its deposits are free: \`order refund ${orderId}\` sends them back`;
};
