/** Automatic payouts of partners that cannot be planned now. */
import { isoTime } from '../../platform/time.ts';
import { waitingAutoPayouts } from '../partners/auto-payouts.ts';
import { type Facts, MOST_ROWS, type Waiting } from './waiting.ts';

export async function waitingPayouts({ context: { db } }: Facts): Promise<Waiting[]> {
	const rows = await waitingAutoPayouts(db, MOST_ROWS);
	return rows.map(({ id, name, waits, nextAt }) => ({
		area: 'partner',
		subject: id,
		cause: `the automatic payout to ${name} is not planned: ${waits}`,
		todo: `do what the cause says; it is tried again${nextAt === null ? '' : ` at ${isoTime(nextAt)}`}`,
	}));
}
