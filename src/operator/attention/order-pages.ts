/** Partners: automatic payouts that cannot be planned now, and settings of order pages that nobody has set. */
import { gt } from 'drizzle-orm';
import { storedPageProblem } from '../../partners/order-page.ts';
import { partners } from '../../partners/table.ts';
import { isoTime } from '../../platform/time.ts';
import { waitingAutoPayouts } from '../partners/auto-payouts.ts';
import { type Facts, MOST_ROWS, type Waiting } from './waiting.ts';

/** Partners of one read. */
const PAGE = 500;

export async function waitingOrderPages({ context: { db, env } }: Facts): Promise<Waiting[]> {
	const found: Waiting[] = [];
	for (let after = ''; found.length < MOST_ROWS; ) {
		const rows = await db
			.select({ partnerId: partners.id, orderPage: partners.orderPage, orderPageSeal: partners.orderPageSeal })
			.from(partners)
			.where(gt(partners.id, after))
			.orderBy(partners.id)
			.limit(PAGE);
		const problems = rows.map((row) => storedPageProblem(env.askedKeys(), row, env.WEBHOOK_LOOPBACK === 'allowed'));
		for (const [i, problem] of (await Promise.all(problems)).entries())
			if (problem) found.push(rowOf(rows[i]?.partnerId ?? '', problem));
		const last = rows.at(-1);
		if (!last || rows.length < PAGE) break;
		after = last.partnerId;
	}
	return found.slice(0, MOST_ROWS);
}

const rowOf = (id: string, problem: string): Waiting => ({
	area: 'partner',
	subject: id,
	sort: 'order page',
	cause: `the settings of order pages in the database could not have been set: ${problem}; all of them are off`,
	todo: `find out who wrote the row; then \`partner update ${id} --order-page-frames none\` stores them as they are in force, and partner update sets the others again`,
});

export async function waitingPayouts({ context: { db } }: Facts): Promise<Waiting[]> {
	const rows = await waitingAutoPayouts(db, MOST_ROWS);
	return rows.map(({ id, name, waits, nextAt }) => ({
		area: 'partner',
		subject: id,
		cause: `the automatic payout to ${name} is not planned: ${waits}`,
		todo: `do what the cause says; it is tried again${nextAt === null ? '' : ` at ${isoTime(nextAt)}`}`,
	}));
}
