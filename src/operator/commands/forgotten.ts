/** `restored forgotten`: orders that the signer has paid and that D1 does not know. */
import { inArray, sql } from 'drizzle-orm';
import { orderKey } from '../../archive/keys.ts';
import { archivedKeys } from '../../archive/table.ts';
import { orders } from '../../orders/table.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { isoTime } from '../../platform/time.ts';
import type { SignedOrder } from '../../ports/copy.ts';
import type { Context, RunOf } from '../command.ts';
import type { restored as topic } from '../topics/restored.ts';

/** Most orders that are shown at once. */
const SHOWN = 1_000;
/** Most pages that one call reads. */
const PAGES = 100;

export const forgotten: RunOf<typeof topic, 'forgotten'> = async (context) => {
	const found: SignedOrder[] = [];
	let below: number | null = null;
	for (let pages = 0; pages < PAGES && found.length < SHOWN; pages++) {
		const page: SignedOrder[] = await context.env.SIGNER.signedOrders(below);
		const missing = await unknownOf(context, page);
		found.push(...missing);
		below = page.at(-1)?.number ?? null;
		// A database that was set back forgets the newest.
		if (below === null || missing.length === 0) break;
	}
	return found
		.slice(0, SHOWN)
		.map(({ orderId, kind, paidOn, txId, at, network, address }) => ({
			order: orderId,
			kind,
			network: paidOn,
			txId,
			at: isoTime(at),
			paidInOn: network,
			payInAddress: address,
		}));
};

/** Archived orders are known: D1 keeps a key of each. */
async function unknownOf({ db }: Context, page: readonly SignedOrder[]): Promise<SignedOrder[]> {
	const ids = inJson(page.map(({ orderId }) => orderId));
	const rows = await db.select({ id: orders.id }).from(orders).where(inArray(orders.id, ids));
	const known = new Set(rows.map(({ id }) => id));
	const missing = page.filter(({ orderId }) => !known.has(orderId));
	const keys = await Promise.all(missing.map(({ orderId }) => orderKey(orderId)));
	const archived = await db.all<{ key: string }>(
		sql`select lower(hex(${archivedKeys.hash})) as key from ${archivedKeys} where ${archivedKeys.hash} in (select unhex(value) from json_each(${JSON.stringify(keys)}))`,
	);
	return missing.filter((_, i) => !archived.some(({ key }) => key === keys[i]));
}
