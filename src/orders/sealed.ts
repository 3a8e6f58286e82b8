/**
 * Lists of orders: an order whose seal does not hold is named and shown no further, and the others are as readable as
 * ever. Somebody has changed its row, or two Workers have different keys.
 */
import { type KeyVariables, keyRing } from '../crypto/key-ring.ts';
import { noteIncident } from '../incidents/store.ts';
import { log } from '../platform/log.ts';
import { type OrderTerms, orderSealHolds } from './seal.ts';
import type { OrderRow } from './table.ts';

export type SealedOrder = OrderTerms & Pick<OrderRow, 'createdAt' | 'seal'>;

/** Most orders that one line of the log names. */
const NAMED = 20;

/** The ids of those whose seal does not hold. */
export async function unsealedAmong(env: KeyVariables, orders: readonly SealedOrder[]): Promise<ReadonlySet<string>> {
	const keys = keyRing(env, 'SEAL_KEY');
	const holds = await Promise.all(orders.map((order) => orderSealHolds(keys, order, order.seal)));
	return new Set(orders.filter((_, i) => !holds[i]).map(({ id }) => id));
}

/** For the operator. Never throws. */
export async function noteBroken({ DB }: { readonly DB: D1Database }, ids: ReadonlySet<string>): Promise<void> {
	const [first = ''] = ids;
	log('order_seal_broken', { count: ids.size, orders: [...ids].slice(0, NAMED) });
	await noteIncident(DB, 'order-seal-broken', first, `${ids.size} of one list`);
}
