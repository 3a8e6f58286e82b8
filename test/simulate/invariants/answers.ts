/** What a partner was told stays true. */
import type { OrderView } from '../../../src/orders/view.ts';
import type { Crowd } from '../people/crowd.ts';
import { rowsOf } from './rows.ts';

/** An order that was told is there, and one that was told to be DONE stays so. */
export function told(crowd: Crowd): string[] {
	const stored = new Map(rowsOf(crowd, 'SELECT id, status, payout_tx_id FROM orders').map((row) => [row['id'], row]));
	return crowd.stories.flatMap(({ id, told: views, isForgotten }) => {
		if (!id || isForgotten) return [];
		const row = stored.get(id);
		if (!row) return [`order ${id} was told and is not there`];
		const done = views.find(({ status }) => status === 'DONE');
		if (!done || (row['status'] === 'DONE' && isSamePayment(crowd, done.to.tx.id, row['payout_tx_id']))) return [];
		return [`order ${id} was told to be DONE and is ${row['status']}`];
	});
}

/** A fee bump gives a payment another id. */
function isSamePayment(crowd: Crowd, told: string | null, now: unknown): boolean {
	if (told === now) return true;
	const versions = `SELECT id, tx_id FROM transactions UNION SELECT transaction_id, tx_id FROM transaction_versions`;
	const ownerOf = (txId: unknown) => rowsOf(crowd, versions).find((row) => row['tx_id'] === txId)?.['id'];
	return told !== null && ownerOf(told) !== undefined && ownerOf(told) === ownerOf(now);
}

/** Its secret is being replaced, or a fault of before still reaches the call. */
const PASSING = [3, 5, 11, 99];

/** As the partner itself reads them, from the database or the archive. */
export async function untrueToldOrders(crowd: Crowd): Promise<string[]> {
	const wrong: string[] = [];
	// The seal of a row that somebody else wrote is broken, and it is told to nobody.
	for (const { id, token, told: views, partner } of crowd.stories.filter(
		({ isTampered, isForgotten }) => !isTampered && !isForgotten,
	)) {
		const last = views.at(-1);
		if (!id || !token || !last) continue;
		const answer = await crowd
			.asked(async (client) => {
				const given = await client.send(client.sign(partner, '/api/v1/order', { id, token }));
				if (PASSING.includes(given.code)) throw new Error(`code ${given.code}`);
				return given;
			})
			.catch((error: unknown) => ({ code: String(error), data: null }));
		if (answer.code !== 0) wrong.push(`order ${id} was told and answers ${answer.code}`);
		else if (views.some((view) => differs(crowd, view, answer.data as OrderView)))
			wrong.push(`order ${id} is not what was told`);
	}
	return wrong;
}

/** Terms never change; a transaction that was named is still named. */
const differs = (crowd: Crowd, then: OrderView, now: OrderView): boolean =>
	then.from.address !== now.from.address ||
	(then.status === 'DONE' && (now.status !== 'DONE' || !isSamePayment(crowd, then.to.tx.id, now.to.tx.id)));
