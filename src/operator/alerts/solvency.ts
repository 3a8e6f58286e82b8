/**
 * The proof of solvency of each hour, where the operator publishes it: the agents Worker makes it (book: solvency). An hour that
 * is not proven is tried again some minutes later, and is an incident.
 */
import { and, eq, lte, sql } from 'drizzle-orm';
import { site } from '../../catalog/table.ts';
import { clearIncidents, writeIncident } from '../../incidents/store.ts';
import { log } from '../../platform/log.ts';
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../platform/time.ts';
import type { SolvencyOutcome } from '../../ports/solvency.ts';
import type { Context } from '../command.ts';
import { periodicChecks } from './table.ts';

const SOLVENCY = 'solvency';
const AGAIN_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/** The operator has switched it on. Then the hour's proof is made within a minute. */
const isPublished = sql`exists (select 1 from ${site} where ${site.provesSolvency} = 1)`;

/** The update takes the turn: of two runs at once the second finds nothing due. */
export async function proveEachHour({ db, env, now }: Context): Promise<void> {
	const next = now - (now % HOUR_MILLISECONDS) + HOUR_MILLISECONDS;
	const isThis = eq(periodicChecks.name, SOLVENCY);
	const isDue = and(isThis, lte(periodicChecks.dueAt, now), isPublished);
	const taken = await db.update(periodicChecks).set({ dueAt: next }).where(isDue).returning();
	if (taken.length === 0) return;
	const [{ showsMonero } = { showsMonero: false }] = await db.select({ showsMonero: site.provesMonero }).from(site);
	const why = await env.AGENTS.proveSolvency({ showsMonero }).then(reasonOf, (error: unknown) => String(error));
	if (why === null) {
		await clearIncidents(db, 'solvency-unproven');
		return;
	}
	log('solvency_not_proven', { why });
	await writeIncident(db, { kind: 'solvency-unproven', subject: SOLVENCY, detail: why }, now);
	const dueAt = Math.min(next, now + AGAIN_MILLISECONDS);
	await db.update(periodicChecks).set({ dueAt }).where(isThis);
}

function reasonOf(outcome: SolvencyOutcome): string | null {
	switch (outcome.is) {
		case 'proven':
			return null;
		case 'books-differ':
			return `what is owed in ${outcome.asset} is not what the books have kept`;
		case 'too-many':
			return `there are more than ${outcome.most} debts`;
		case 'head-refused':
			return 'the signer has signed another report, or its clock is behind';
		default:
			return outcome satisfies never;
	}
}
