/** `history verify` and `history accept`: the chain over the audit log, the books and the orders' moves. */
import { writeAudit } from '../../audit/log.ts';
import { clearIncidents } from '../../incidents/store.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { chainRows } from '../chained/append.ts';
import { acceptChain } from '../chained/heads.ts';
import { BENT } from '../chained/hourly.ts';
import { ACCEPTED, verifyHistory } from '../chained/verify.ts';
import { fail, type RunOf, type RunsOf } from '../command.ts';
import type { history as topic } from '../topics/history.ts';

/** Findings that one answer lists. */
const SHOWN = 100;

const verify: RunOf<typeof topic, 'verify'> = async (context, { from }) => {
	const { found, ...rest } = await verifyHistory(context, from ?? 1);
	return { ...rest, found: found.slice(0, SHOWN) };
};

/** Findings that one line of the audit log takes. */
const MOST_ACCEPTED = 2_000;
const TOO_MANY = `more than ${MOST_ACCEPTED} rows are not as they were chained: put back what a backup has first`;
const NOT_CHAINED = 'so many new rows wait that this minute does not chain them: run it again';

/** The line comes first, so that the chain which is accepted says who accepted what. */
const accept: RunOf<typeof topic, 'accept'> = async (context, { reason }) => {
	const { db, now } = context;
	if (!(await chainRows(db, now))) return fail(503, NOT_CHAINED);
	const found: string[] = [];
	let [wrong, first, from]: [number, string | null, number] = [0, null, 1];
	do {
		const some = await verifyHistory(context, from);
		wrong += some.wrong;
		first ??= some.first;
		found.push(...some.found.map(({ what }) => what));
		from = some.left;
	} while (from > 0 && found.length <= MOST_ACCEPTED);
	if (found.length > MOST_ACCEPTED) return fail(409, TOO_MANY);
	const changes = { reason, wrong, first, found };
	await runBatch(db, [writeAudit(context, { command: ACCEPTED, subject: null, changes })]);
	if (!(await chainRows(db, now))) return fail(503, NOT_CHAINED);
	await acceptChain(context);
	await clearIncidents(db, BENT);
	return { accepted: wrong };
};

export const historyRuns: RunsOf<typeof topic> = { verify, accept };
