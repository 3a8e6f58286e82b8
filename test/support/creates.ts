/** Orders of one partner, for a test file about `create`. */
import { afterAll, beforeAll } from 'vitest';
import { type CreatedOrder, create } from './orders.ts';
import { type Answer, type Bend, partnerForFile } from './partner.ts';
import type { TestService } from './service.ts';

export const REFUSED = '{"code":1,"msg":"INVALID_REQUEST"}';

/** Call it at the top of a test file. */
export function createsForFile(service: { current: () => TestService }) {
	const partner = partnerForFile(service);
	beforeAll(async () => {
		// One partner makes all the orders of the file, so their share is the whole cap.
		await service.current().operator('site/update', { unpaidShareBps: 10_000 });
	});
	// What its unpaid orders hold of the daily cap is free again for the next file.
	afterAll(async () => {
		await service.current().operator('site/update', { unpaidShareBps: 2500 });
		const release = "UPDATE orders SET holds_cap = 0 WHERE partner_id = ? AND status = 'NEW'";
		await service.current().sql(release, partner().id);
	});
	const order = (more: Record<string, unknown> = {}, bend: Bend = {}): Promise<Answer<CreatedOrder>> =>
		create(service.current(), partner(), more, bend);

	/** Of the partner of the file. */
	async function ordersCount(): Promise<number> {
		const statement = 'SELECT count(*) AS count FROM orders WHERE partner_id = ?';
		const [row] = await service.current().sql<{ count: number }>(statement, partner().id);
		return row?.count ?? 0;
	}

	return { partner, order, ordersCount };
}
