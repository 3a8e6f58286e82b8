/**
 * Automatic payouts of partners' earnings, for the cron. Each is planned by what `earnings pay-out` does, with the same
 * checks, and takes the same path from there.
 *
 * A partner is paid at most once a period: the unique key of partner and period makes a second plan fail. So a crash
 * between planning and noting the next try costs nothing: the next minute finds the plan, or the key refuses another.
 */
import { and, asc, eq, isNotNull, lte, sql } from 'drizzle-orm';
import type { AutoPayout } from '../../partners/partner.ts';
import { type PartnerRow, partners } from '../../partners/table.ts';
import { type Db, databaseOf } from '../../platform/d1/database.ts';
import { log, logError } from '../../platform/log.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import { nextPeriodStart, periodStart } from '../../treasury/earnings/periods.ts';
import { plannedPayout } from '../../treasury/earnings/store.ts';
import { type Context, isFailure } from '../command.ts';
import { payFromWallet } from '../commands/pay-out.ts';
import type { OperatorEnv } from '../env.ts';
import { addressProblem } from './payout-address.ts';

/** Most partners in one run of the cron; the next minute takes the rest. */
const PER_RUN = 20;
/** A try that failed for a cause that may pass is repeated after this. */
const RETRY_MILLISECONDS = HOUR_MILLISECONDS;

type Due = PartnerRow & { readonly autoPayout: Exclude<AutoPayout, 'none'> };

/** Pays every partner whose time has come. One that fails does not keep the others from it. */
export async function payPartnersDue(env: OperatorEnv, now: number): Promise<void> {
	const context = { env, db: databaseOf(env), now, actor: 'service' };
	for (const partner of await duePartners(context.db, now)) {
		try {
			await payDue(context, partner);
		} catch (error) {
			logError('auto_payout_failed', error, { partnerId: partner.id });
			await note(context, partner, now + RETRY_MILLISECONDS, 'the service failed; the log says why');
		}
	}
}

async function duePartners(db: Db, now: number): Promise<Due[]> {
	const rows = await db
		.select()
		.from(partners)
		// Literal, for the partial index.
		.where(and(sql`${partners.autoPayout} <> 'none'`, lte(partners.autoPayoutAt, now), eq(partners.enabled, true)))
		.orderBy(asc(partners.autoPayoutAt))
		.limit(PER_RUN);
	return rows as Due[];
}

async function payDue(context: Context, partner: Due): Promise<void> {
	const { now } = context;
	const [next, retry] = [nextPeriodStart(partner.autoPayout, now), now + RETRY_MILLISECONDS];
	const problem = await addressProblem(context, partner);
	if (problem !== null) return note(context, partner, Math.min(retry, next), problem);
	const planned = await plannedPayout(context.db, partner.id);
	const automatic = { period: periodStart(partner.autoPayout, now), minUsd: partner.autoPayoutMinUsd };
	const outcome = await payFromWallet(context, partner, planned, automatic);
	// Nothing is owed, it is below the threshold, or the period is paid already: the next period comes.
	if (!isFailure(outcome) || (outcome.failed === 409 && planned === null)) return note(context, partner, next, null);
	await note(context, partner, Math.min(retry, next), outcome.error);
}

/** Compare-and-set on the time of this try: a change by the operator meanwhile stays. */
async function note(context: Context, { id, autoPayoutAt }: Due, at: number, waits: string | null): Promise<void> {
	if (waits !== null) log('auto_payout_waits', { partnerId: id, reason: waits });
	await context.db
		.update(partners)
		.set({
			autoPayoutAt: at,
			autoPayoutWaits: waits,
			autoPayoutWaitsSince: waits === null ? null : sql`coalesce(${partners.autoPayoutWaitsSince}, ${context.now})`,
		})
		.where(and(eq(partners.id, id), autoPayoutAt === null ? undefined : eq(partners.autoPayoutAt, autoPayoutAt)));
}

/** Partners whose automatic payout waits, for `attention`. */
export const waitingAutoPayouts = (db: Db, limit: number) =>
	db
		.select({ id: partners.id, name: partners.name, waits: partners.autoPayoutWaits, nextAt: partners.autoPayoutAt })
		.from(partners)
		.where(and(sql`${partners.autoPayout} <> 'none'`, isNotNull(partners.autoPayoutWaits)))
		.limit(limit);

/** The columns that a change of the schedule writes: the first payout comes with the next period. */
export function scheduleColumns(
	autoPayout: AutoPayout | undefined,
	now: number,
): Pick<PartnerRow, 'autoPayoutAt' | 'autoPayoutWaits' | 'autoPayoutWaitsSince'> | Record<string, never> {
	if (autoPayout === undefined) return {};
	const at = autoPayout === 'none' ? null : nextPeriodStart(autoPayout, now);
	return { autoPayoutAt: at, autoPayoutWaits: null, autoPayoutWaitsSince: null };
}
