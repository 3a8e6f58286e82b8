/**
 * `report`: one page of it. First the live orders, then the totals of archived ones; the last page has the exposure. The
 * command line asks for all pages and adds them up (`reading/pages.ts`).
 */
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { DAY_MILLISECONDS, isoTime, utcDay } from '../../platform/time.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { accountBalances } from '../../treasury/ledger/store.ts';
import { cursorOf, cursorText } from '../../treasury/reports/cursor.ts';
import type { ReportFacts } from '../../treasury/reports/facts.ts';
import { feesOf, leansOf, linesOf } from '../../treasury/reports/lines.ts';
import { type ArchivedKey, archivedPage, factsPage } from '../../treasury/reports/load.ts';
import { worth } from '../attention/waiting.ts';
import { type Context, type Failure, fail, isFailure, type RunOf, type RunsOf } from '../command.ts';
import { partnerNames } from '../partners/record.ts';
import { momentOf } from '../topics/moment.ts';
import type { report as topic } from '../topics/report.ts';

/** A cursor of the second part, archived totals, begins with a time that no order has. */
const ARCHIVED = -1;

const runReport: RunOf<typeof topic, ''> = async (context, { by, since, until, cursor }) => {
	const time = daysOf(since, until, context.now);
	const page = await pageOf(context, time, cursor);
	if (isFailure(page)) return page;
	const lines = linesOf(by, page.facts);
	const partnerIds = lines.flatMap(({ label }) => label.partner ?? []);
	const names = await partnerNames(context.db, partnerIds);
	return {
		since: since === undefined ? null : isoTime(time.since),
		until: until === undefined ? null : isoTime(time.until),
		lines: lines.map((line) => (line.label.partner ? { ...line, name: names.get(line.label.partner) ?? null } : line)),
		fees: feesOf(page.facts),
		leans: leansOf(page.facts),
		exposure: page.cursor === null ? await exposureOf(context) : null,
		cursor: page.cursor,
	};
};

export const reportRuns: RunsOf<typeof topic> = { '': runReport };

interface Days {
	readonly since: number;
	readonly until: number;
}

/** Whole UTC days: `since` is rounded down to one and `until` up, because archived orders are kept by day. */
function daysOf(since: string | undefined, until: string | undefined, now: number): Days {
	const from = since === undefined ? 0 : (momentOf(since, now) ?? 0);
	const to = until === undefined ? now + DAY_MILLISECONDS : (momentOf(until, now) ?? 0);
	return {
		since: Math.floor(from / DAY_MILLISECONDS) * DAY_MILLISECONDS,
		until: Math.ceil(to / DAY_MILLISECONDS) * DAY_MILLISECONDS,
	};
}

interface Page {
	readonly facts: readonly ReportFacts[];
	readonly cursor: string | null;
}

async function pageOf(context: Context, days: Days, cursor: string | undefined): Promise<Page | Failure> {
	if (cursor === undefined) return live(context, days, null);
	const ofLive = cursorOf(cursor, 1);
	if (ofLive) return live(context, days, cursor);
	const [marker, ...key] = cursorOf(cursor, 5) ?? [];
	if (marker !== ARCHIVED) return fail(400, 'cursor: is not one that a page of this report ended with');
	return archived(context, days, key as unknown as ArchivedKey);
}

/** After the last live order comes the first archived total. */
async function live({ db }: Context, days: Days, cursor: string | null): Promise<Page> {
	const after = cursor === null ? null : cursorOf(cursor, 1);
	const page = await factsPage(db, { ...days, after });
	return page.cursor === null ? { ...page, cursor: cursorText([ARCHIVED, '', '', '', '', '']) } : page;
}

async function archived({ db }: Context, { since, until }: Days, after: ArchivedKey): Promise<Page> {
	const { facts, last } = await archivedPage(db, utcDay(since), utcDay(until), after);
	return { facts, cursor: last && cursorText([ARCHIVED, ...last]) };
}

/** The sum that swaps brought of each asset, less what they took: the account `market` with the other sign. */
async function exposureOf(context: Context) {
	const [balances, market] = await Promise.all([accountBalances(context.db), marketOrNull(context.env)]);
	return balances
		.filter(({ account, amount }) => account === 'market' && amount !== 0n)
		.map(({ asset, amount }) => ({
			asset,
			amount: fromBaseUnits(-amount, assetOf(asset).decimals),
			usd: worth({ market, context }, assetOf(asset), -amount),
		}));
}
