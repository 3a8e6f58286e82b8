/** The lines of `morning`, each from what another command knows. */
import { eq } from 'drizzle-orm';
import { usdOfCents } from '../../money/usd.ts';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../platform/time.ts';
import { type Cursor, cursorOf } from '../../treasury/reports/cursor.ts';
import { type Line, linesOf, totalOf } from '../../treasury/reports/lines.ts';
import { type FactsPage, factsPage } from '../../treasury/reports/load.ts';
import { BOOKS } from '../alerts/books.ts';
import { periodicChecks } from '../alerts/table.ts';
import { everythingThatWaits } from '../attention/collect.ts';
import { waitingIncidents } from '../attention/incidents.ts';
import { waitingNodes } from '../attention/nodes.ts';
import type { Context } from '../command.ts';
import { addresses, prices, reserve, usedCaps, webhooks } from '../doctor/business.ts';
import type { Examination, Part, Row } from '../doctor/row.ts';
import { databaseBytes, isNearlyFull, percentFull } from '../doctor/storage.ts';

/** The middle of a line. */
export interface Said {
	readonly state: Row['state'];
	readonly says: string;
}

interface Source {
	readonly what: string;
	/** The command that says more. */
	readonly more: string;
	/** @throws where it cannot be read */
	readonly say: (examination: Examination) => Promise<Said>;
}

/** Things that one line names; the command that says more has the others. */
const MOST_NAMED = 2;

/** In the order in which they matter: other people's money first. */
export const SOURCES: readonly Source[] = [
	{ what: 'waits', more: 'attention', say: whatWaits },
	{ what: 'reserves', more: 'doctor', say: inShort(reserve) },
	{ what: 'yesterday', more: 'report', say: ({ context }) => yesterday(context) },
	{ what: 'prices', more: 'price list', say: inShort(prices) },
	{ what: 'nodes', more: 'network list', say: nodes },
	{ what: 'books', more: 'ledger check', say: books },
	{ what: 'storage', more: 'doctor', say: storage },
	{ what: 'addresses', more: 'network list', say: inShort(addresses) },
	{ what: 'caps', more: 'doctor', say: usedShares },
	{ what: 'webhooks', more: 'webhook list', say: inShort(webhooks) },
];

/** All rows of a part of `doctor` as one line: what is wrong, else what could not be read, else how well it is. */
function inShort(part: Part): Source['say'] {
	return async (examination) => {
		const rows = await part(examination);
		for (const state of ['wrong', 'unknown'] as const) {
			const found = rows.filter((row) => row.state === state);
			if (found.length > 0) return { state, says: named(found.map(({ what, detail }) => `${what}: ${detail}`)) };
		}
		return { state: 'fine', says: [...new Set(rows.map(({ detail }) => detail))].join('; ') };
	};
}

function named(texts: readonly string[]): string {
	const more = texts.length - MOST_NAMED;
	return [...texts.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

async function whatWaits({ facts }: Examination): Promise<Said> {
	const rows = await everythingThatWaits(await facts());
	if (rows.length === 0) return { state: 'fine', says: 'nothing' };
	const areas = Map.groupBy(rows, ({ area }) => area);
	return { state: 'wrong', says: [...areas].map(([area, { length }]) => `${area} ${length}`).join(', ') };
}

async function nodes({ facts }: Examination): Promise<Said> {
	const known = await facts();
	const failing = waitingNodes(known);
	if (failing.length > 0)
		return { state: 'wrong', says: named(failing.map(({ subject, cause }) => `${subject}: ${cause}`)) };
	const running = known.networks.filter(({ mode }) => mode !== 'off');
	return { state: 'fine', says: `all ${running.length} networks are scanned` };
}

/** The comparison of each hour, and the incidents that it opened. */
async function books({ facts, context: { db, now } }: Examination): Promise<Said> {
	const incidents = (await waitingIncidents(await facts())).filter(({ sort }) => sort?.startsWith(BOOKS));
	if (incidents.length > 0) return { state: 'wrong', says: named(incidents.map(({ cause }) => cause)) };
	const [check] = await db.select().from(periodicChecks).where(eq(periodicChecks.name, BOOKS));
	if (!check) return { state: 'unknown', says: 'not compared yet: the first comparison comes an hour after the start' };
	if (check.found > 0) return { state: 'unknown', says: 'the last comparison differed; it is repeated within minutes' };
	const hours = Math.floor((now - check.dueAt) / HOUR_MILLISECONDS) + 1;
	if (hours > 2) return { state: 'wrong', says: `not compared for ${hours} hours` };
	return { state: 'fine', says: 'compared each hour; no difference is known' };
}

async function storage({ context, signer }: Examination): Promise<Said> {
	const [database, { state }] = await Promise.all([databaseBytes(context), signer()]);
	const { bytes } = state.journal;
	return {
		state: isNearlyFull(database) || isNearlyFull(bytes) ? 'wrong' : 'fine',
		says: `the database is ${percentFull(database)} full, the journal ${percentFull(bytes)}`,
	};
}

/** Rounded down. What a full cap stops waits, and `waits` says so. */
async function usedShares(examination: Examination): Promise<Said> {
	const shares = (await usedCaps(examination)).map(({ used, cap }) => Math.floor((used / Math.max(cap, 1)) * 100));
	const [orders, payouts, refunds] = shares;
	return { state: 'fine', says: `used today: orders ${orders} %, payouts ${payouts} %, refunds ${refunds} %` };
}

/** The DONE orders whose deposits were settled on the last whole UTC day: what was swapped, earned and kept for fees. */
async function yesterday({ db, now }: Context): Promise<Said> {
	const until = Math.floor(now / DAY_MILLISECONDS) * DAY_MILLISECONDS;
	const since = until - DAY_MILLISECONDS;
	const lines: Line[] = [];
	let after: Cursor | null = null;
	do {
		const page: FactsPage = await factsPage(db, { since, until, after });
		lines.push(...linesOf('day', page.facts));
		after = page.cursor === null ? null : cursorOf(page.cursor, 1);
	} while (after);
	const { orders, volume, house, networkFee } = totalOf(lines);
	const [swapped, earned, fees] = [volume, house, networkFee].map(usdOfCents);
	return { state: 'fine', says: `${orders} orders, ${swapped} USD; earned ${earned}; fees ${fees}` };
}
