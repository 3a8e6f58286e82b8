/** Each minute new rows are chained, and the signer is told of the newest; each hour the head is signed, and some of the history is compared, in turn. */
import { eq } from 'drizzle-orm';
import { writeIncident } from '../../incidents/store.ts';
import { isoTime } from '../../platform/time.ts';
import type { Head } from '../../ports/heads.ts';
import { periodicChecks } from '../alerts/table.ts';
import type { Context } from '../command.ts';
import { chainRows } from './append.ts';
import { markNewest, segmentAt, signHeads } from './heads.ts';
import { mirrorHeads } from './mirrored.ts';
import { verifyHistory } from './verify.ts';

export const BENT = 'history-bent';
/** Its number is the position from which the next hour compares. */
const CHECK = 'history';

/** The signer remembers the newest segment, so that what is set back within the hour is seen too. @throws what D1 or the signer throws */
export async function watchHistory(context: Context): Promise<void> {
	const marked = await markNewest(context);
	if (marked) await tellUnsigned(context, marked, 'the signer has seen more of it');
}

async function tellUnsigned({ db, now }: Context, { position }: Head, what: string): Promise<void> {
	const detail = (await segmentAt(db, position)) ? `it is another one at segment ${position}` : what;
	await writeIncident(db, { kind: BENT, subject: 'history', detail }, now);
}

/** @throws what D1, R2 or the signer throws */
export async function signHistory(context: Context): Promise<void> {
	const { db, now } = context;
	await chainRows(db, now);
	const refused = await signHeads(context);
	if (refused) await tellUnsigned(context, refused, `the signer has signed it up to ${isoTime(refused.at * 1000)}`);
	await mirrorHeads(context.env);
}

/** @throws as above */
export async function examineHistory(context: Context): Promise<void> {
	const { db, now } = context;
	const [check] = await db.select().from(periodicChecks).where(eq(periodicChecks.name, CHECK));
	const found = await verifyHistory(context, Math.max(1, check?.found ?? 1), true);
	if (found.first !== null) await writeIncident(db, { kind: BENT, subject: 'history', detail: found.first }, now);
	const next = found.left || 1;
	await db
		.insert(periodicChecks)
		.values({ name: CHECK, dueAt: now, found: next })
		.onConflictDoUpdate({ target: periodicChecks.name, set: { found: next } });
}
