/** Statuses go only forward, without a gap, and each is told by one event. */
import type { Crowd } from '../people/crowd.ts';
import { type Row, rowsOf } from './rows.ts';

/** As the contract's table of transitions; what was paid out for and given up is refunded. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
	NEW: ['PENDING', 'EXPIRED'],
	PENDING: ['EXCHANGE', 'EMERGENCY', 'EXPIRED'],
	EXCHANGE: ['DONE', 'EXPIRED'],
	EMERGENCY: ['EXCHANGE', 'EXPIRED'],
	EXPIRED: ['EMERGENCY'],
	DONE: [],
};

export function wrongSteps(crowd: Crowd): string[] {
	const wrong: string[] = [];
	const last = new Map<unknown, Row>();
	for (const row of rowsOf(crowd, 'SELECT * FROM order_changes ORDER BY order_id, sequence')) {
		const before = last.get(row['order_id']);
		last.set(row['order_id'], row);
		if (!before) continue;
		if (Number(row['sequence']) !== Number(before['sequence']) + 1) wrong.push(`order ${row['order_id']} has a gap`);
		if (row['previous_status'] !== before['status']) wrong.push(`order ${row['order_id']} jumped`);
		if (!NEXT[String(before['status'])]?.includes(String(row['status'])))
			wrong.push(`order ${row['order_id']} went from ${before['status']} to ${row['status']}`);
	}
	for (const { id, status, sequence } of rowsOf(crowd, 'SELECT id, status, sequence FROM orders')) {
		const row = last.get(id);
		if (row?.['status'] !== status || row?.['sequence'] !== sequence) wrong.push(`the history of ${id} ends elsewhere`);
	}
	return [...wrong, ...eventsThatDiffer(crowd)];
}

/** One event for each endpoint of the partner's that wants it, and none for another. */
const eventsThatDiffer = (crowd: Crowd): string[] =>
	rowsOf(
		crowd,
		`SELECT c.order_id, c.sequence, w.url, count(e.id) AS n,
				EXISTS (SELECT 1 FROM json_each(w.events) WHERE value = 'order.status_changed') AS wanted
			FROM order_changes c JOIN orders o ON o.id = c.order_id
			JOIN webhook_endpoints w ON w.partner_id = o.partner_id AND w.order_id IS NULL
			LEFT JOIN webhook_events e ON e.order_id = c.order_id AND e.sequence = c.sequence AND e.endpoint_id = w.id
				AND e.type = 'order.status_changed'
			WHERE c.previous_status <> c.status GROUP BY c.order_id, c.sequence, w.id HAVING n <> wanted`,
	).map(({ order_id, sequence, url, n }) => `change ${sequence} of ${order_id} has ${n} events to ${url}`);
