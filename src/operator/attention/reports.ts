/** Transactions that payers report as lost, and that brought their order nothing. One row for all of them: most are mistakes. */
import { desc, sql } from 'drizzle-orm';
import type { ReportSays } from '../../orders/reports.ts';
import { orders } from '../../orders/table.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { type Facts, MOST_ROWS, type Waiting } from './waiting.ts';

/** After so long nobody expects an answer any more. */
const SHOWN_MILLISECONDS = 7 * DAY_MILLISECONDS;

export const REPORT_SAYS: Readonly<Record<ReportSays, string>> = {
	coins: 'it brought coins to the address of the order',
	late: 'it brought coins after the address was closed',
	pending: 'no block holds it yet',
	nothing: 'it gave the address of the order nothing',
	unknown: 'no network that was asked knows it',
	listed: 'every payment on this network shows by itself, and this one does not',
	silent: 'a network did not answer',
};

/** Those of the last days, the newest first. */
export const newReports = (db: Facts['context']['db'], now: number) =>
	db
		.select(fromIndex({ id: orders.id, reports: orders.reports, reportedAt: orders.reportedAt }))
		.from(byIndex(orders, 'orders_reported'))
		.where(sql`${orders.reportedAt} is not null and ${orders.reportedAt} > ${now - SHOWN_MILLISECONDS}`)
		.orderBy(desc(orders.reportedAt))
		.limit(MOST_ROWS);

export function waitingReports(found: Awaited<ReturnType<typeof newReports>>): Waiting[] {
	return found.flatMap(({ id, reports, reportedAt }) => {
		const newest = reports?.find(({ says }) => says !== 'coins');
		if (!newest) return [];
		const look = `\`order find-stray ${id} --tx ${newest.txId}\` asks the networks again and takes this off the list`;
		return [
			{
				area: 'order',
				subject: id,
				sort: 'report',
				cause: `its payer reports the transaction ${newest.txId} as lost: ${REPORT_SAYS[newest.says]}`,
				since: reportedAt,
				todo: look,
				shared: {
					key: 'report',
					cause: 'a payer reports a transaction as lost',
					todo: '`order show ID` has it and what the networks said; `order find-stray ID --tx TXID` asks them again and takes it off the list',
					of: id,
				},
			},
		];
	});
}
