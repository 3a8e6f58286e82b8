/** Each minute new rows are chained; each hour the head is signed, and some of the history is compared, in turn. */
import { eq } from 'drizzle-orm';
import { writeIncident } from '../../incidents/store.ts';
import { isoTime } from '../../platform/time.ts';
import { periodicChecks } from '../alerts/table.ts';
import type { Context } from '../command.ts';
import { chainRows } from './append.ts';
import { segmentAt, signHeads } from './heads.ts';
import { verifyHistory } from './verify.ts';

export const BENT = 'history-bent';
/** Its number is the position from which the next hour compares. */
const CHECK = 'history';

/** @throws what D1, R2 or the signer throws */
export async function signHistory(context: Context): Promise<void> {
	const { db, now } = context;
	await chainRows(db, now);
	const refused = await signHeads(context);
	if (!refused) return;
	const own = await segmentAt(db, refused.position);
	const until = isoTime(refused.at * 1000);
	const detail = own ? `it is not what was signed at ${until}` : `it ends before what was signed at ${until}`;
	await writeIncident(db, { kind: BENT, subject: 'history', detail }, now);
}

/** @throws as above */
export async function examineHistory(context: Context): Promise<void> {
	const { db, now } = context;
	const [check] = await db.select().from(periodicChecks).where(eq(periodicChecks.name, CHECK));
	const found = await verifyHistory(context, Math.max(1, check?.found ?? 1));
	if (found.first !== null) await writeIncident(db, { kind: BENT, subject: 'history', detail: found.first }, now);
	const next = found.left || 1;
	await db
		.insert(periodicChecks)
		.values({ name: CHECK, dueAt: now, found: next })
		.onConflictDoUpdate({ target: periodicChecks.name, set: { found: next } });
}
