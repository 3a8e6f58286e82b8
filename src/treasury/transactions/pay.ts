/**
 * All transactions of our own on one network, from owed to final (architecture.md "Money, step by step" 3 to 5): payouts
 * and refunds first, then what is background. Every step begins at what is stored, so a process that dies anywhere goes
 * on here:
 *
 * planned → the signer judges and signs; atomic: one update stores transaction and id, only while still planned.
 * signed → that transaction, and no other ever, is broadcast until the network has it; atomic: one batch makes the
 *   payout `sent`, the order DONE, the books balanced, the webhook due (`finish.ts`; of earnings, `earnings/finish.ts`).
 * sent → followed until final, and what it cost is stored with that; what no block takes pays a higher fee from the same
 *   coins or nonce (`fee-bump.ts`), what the chain no longer holds is broadcast again, and after a while a person is called
 *   (`follow.ts`).
 */
import { and, eq, lte, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { NetworkName } from '../../catalog/networks.ts';
import { BroadcastRejected } from '../../chains/errors.ts';
import type { Chain } from '../../chains/port.ts';
import { runInBatches } from '../../d1/batches.ts';
import { log, logError } from '../../log.ts';
import { finishEarnings } from '../earnings/finish.ts';
import type { Statement } from '../move-order.ts';
import type { Signed, SignerService, SignOutcome } from '../signer-port.ts';
import { isAlert, refusalText as signerRefusalText } from '../signer-refusal.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { isAbandoned } from './abandon.ts';
import { endOf, isPassedOver, refusalText } from './blocked.ts';
import { finishPayouts } from './finish.ts';
import { followSent } from './follow.ts';
import { noteWaiting } from './note-waiting.ts';
import { isLetThrough } from './switches.ts';
import { GOES_ON, waitsFor } from './wait-reason.ts';

/** Payouts of one state that one tick takes up, that the signer is asked for at once, and that the chain is. */
const PER_TICK = 100;
const PER_SIGNING = 20;
/** Wait before a payout that could not go on is tried again: doubles from the first to the last. */
const FIRST_RETRY_MILLISECONDS = 5_000;
const LAST_RETRY_MILLISECONDS = 300_000;

export interface Paying {
	readonly db: DrizzleD1Database;
	readonly network: NetworkName;
	readonly chain: Chain;
	readonly signer: SignerService;
	/** How often a sent payout is looked at until it is final. */
	readonly followMilliseconds: number;
	readonly now: number;
}

/** Moves every due payout as far as it goes; the ids of the webhook events that this made. */
export async function payOut(paying: Paying): Promise<string[]> {
	if (!(await isAnyOpen(paying))) return [];
	const planned = await duePayouts(paying, 'planned');
	const eventIds = planned.length === 0 ? await broadcastAll(paying) : [];
	// Each part is broadcast before the next is signed; where a signature lives for a minute only, each signature is.
	const perSigning = paying.chain.signaturesExpire ? 1 : PER_SIGNING;
	for (let start = 0; start < planned.length; start += perSigning) {
		await signPlanned(paying, planned.slice(start, start + perSigning), paying.now + start);
		eventIds.push(...(await broadcastAll(paying)));
	}
	await followSent(paying, await duePayouts(paying, 'sent'));
	return eventIds;
}

/** A sweep has a nonce of its own: it neither holds payouts back nor waits for them. */
async function broadcastAll(paying: Paying): Promise<string[]> {
	const eventIds = await broadcastSigned(paying, await signedPayouts(paying, sql`${transactions.kind} <> 'sweep'`));
	await broadcastSigned(paying, await signedPayouts(paying, sql`${transactions.kind} = 'sweep'`), false);
	return eventIds;
}

/** Literal, because SQLite takes a partial index only for the words that it was made with. */
const isOpen = sql`${transactions.state} <> 'final'`;

/** The one question of most ticks. */
async function isAnyOpen({ db, network }: Paying): Promise<boolean> {
	const open = await db
		.select({ id: transactions.id })
		.from(transactions)
		.where(and(eq(transactions.network, network), isOpen))
		.limit(1);
	return open.length > 0;
}

/** What is owed to somebody first, then whoever has waited longest; nothing that a switch of the operator stops. */
export const duePayouts = (
	{ db, network, now }: Pick<Paying, 'db' | 'network' | 'now'>,
	state: 'planned' | 'sent',
): Promise<TransactionRow[]> =>
	db
		.select()
		.from(transactions)
		.where(
			and(
				...[eq(transactions.network, network), isOpen, eq(transactions.state, state)],
				...[lte(transactions.nextAttemptAt, now), isLetThrough],
			),
		)
		.orderBy(sql`${transactions.kind} in ('gas', 'sweep', 'consolidation', 'withdrawal')`, transactions.nextAttemptAt)
		.limit(PER_TICK);

/** Signed and not yet sent, in the order of signing, what was signed a moment ago included. */
const signedPayouts = ({ db, network }: Paying, which: SQL): Promise<TransactionRow[]> =>
	db
		.select()
		.from(transactions)
		.where(and(eq(transactions.network, network), isOpen, eq(transactions.state, 'signed'), which))
		.orderBy(transactions.signedAt)
		.limit(PER_TICK);

/** `signedAt`: of the first; see `storeSigned`. */
async function signPlanned(paying: Paying, planned: readonly TransactionRow[], signedAt: number): Promise<void> {
	const { db, now } = paying;
	const outcomes = await signaturesOf(paying, planned);
	const statements = outcomes.flatMap((outcome, i): Statement[] => {
		const payout = planned.find(({ id }) => id === outcome.payoutId);
		if (!payout) return [];
		if ('signed' in outcome) return [storeSigned(db, payout, outcome.signed, signedAt + i)];
		const reason = signerRefusalText(outcome.refused);
		log('payout_refused', { payoutId: payout.id, orderId: payout.orderId, reason });
		return [putOff(db, payout, reason, isAlert(outcome.refused), now)];
	});
	await runInBatches(db, statements);
}

/** @throws what the signer does; then that is why they wait, and they are due again at once. */
async function signaturesOf(
	{ db, network, signer, now }: Paying,
	planned: readonly TransactionRow[],
): Promise<SignOutcome[]> {
	try {
		return await signer.sign(
			network,
			planned.map(({ id }) => id),
		);
	} catch (error) {
		await noteWaiting(db, planned, `the signer does not answer: ${String(error)}`, now);
		throw error;
	}
}

/** `signedAt`: Unix milliseconds, later for each of one signing, so that the column keeps the order of signing. */
const storeSigned = (
	db: DrizzleD1Database,
	payout: TransactionRow,
	{ raw, txId, amount }: Signed,
	signedAt: number,
): Statement =>
	db
		.update(transactions)
		.set({
			...{ state: 'signed', raw, txId, signedAt, held: null, ...GOES_ON, attempts: 0, nextAttemptAt: signedAt },
			...(amount !== undefined && { amount: amount.toString() }),
		})
		.where(and(eq(transactions.id, payout.id), eq(transactions.state, 'planned')));

/**
 * Tries again later, however often it takes: only the operator gives up what is owed (`give-up.ts`). The reason is stored;
 * `held` calls a person as well.
 */
function putOff(
	db: DrizzleD1Database,
	payout: TransactionRow,
	reason: string,
	held: boolean,
	now: number,
	more: Partial<TransactionRow> = {},
): Statement {
	const wait = Math.min(FIRST_RETRY_MILLISECONDS * 2 ** Math.min(payout.attempts, 10), LAST_RETRY_MILLISECONDS);
	return db
		.update(transactions)
		.set({
			...{ attempts: payout.attempts + 1, nextAttemptAt: now + wait, held: held ? reason : payout.held },
			...waitsFor(payout, reason, now),
			...more,
		})
		.where(and(eq(transactions.id, payout.id), eq(transactions.state, payout.state)));
}

async function broadcastSigned(
	paying: Paying,
	signed: readonly TransactionRow[],
	sequential = paying.chain.sequential,
): Promise<string[]> {
	const { now } = paying;
	const done: TransactionRow[] = [];
	for (const [i, payout] of signed.entries()) {
		const taken = isDue(payout, now) && (await isTaken(paying, payout));
		if (taken) done.push(payout);
		// A later nonce is of no use before the one that it follows, unless another transaction has used that one.
		else if (sequential && !(await isPassed(paying, payout))) {
			await noteWaiting(paying.db, signed.slice(i + 1), `waits for ${payout.id}, whose nonce comes first`, now);
			break;
		}
	}
	const eventIds = await finishPayouts(paying.db, done, now, paying.followMilliseconds);
	return [...eventIds, ...(await finishEarnings(paying.db, done, now, paying.followMilliseconds))];
}

/** What was signed in this very tick is due, though its column lies milliseconds ahead. */
const isDue = ({ nextAttemptAt, signedAt }: TransactionRow, now: number): boolean =>
	nextAttemptAt <= now || nextAttemptAt === signedAt;

/** Broadcasts; a refusal puts the payout off and, where the network means it, calls a person. */
async function isTaken({ db, chain, now }: Paying, payout: TransactionRow): Promise<boolean> {
	try {
		await chain.broadcast(payout.raw ?? '');
		return true;
	} catch (error) {
		logError('payout_not_broadcast', error, { payoutId: payout.id, orderId: payout.orderId });
		if (await isAbandoned(db, payout, error)) return false;
		const rejected = error instanceof BroadcastRejected ? error : null;
		const reason = rejected ? refusalText(rejected) : String(error);
		await putOff(db, payout, reason, rejected !== null, now, endOf(rejected, now));
		return false;
	}
}

/** As the last broadcast found: in this tick or before. */
async function isPassed({ db }: Paying, { id }: TransactionRow): Promise<boolean> {
	const [row] = await db.select({ held: transactions.held }).from(transactions).where(eq(transactions.id, id));
	return isPassedOver(row?.held ?? null);
}
