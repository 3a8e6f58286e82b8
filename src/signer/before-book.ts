/**
 * The state before a book of coins that the signer finds empty: the addresses of its journal, and where that was lost
 * too, those of the orders whose seals hold. D1 says from where on to read again. That is a claim: where it is too high,
 * coins are missing and payments wait, and where it is too low, reading takes longer.
 */
import { and, eq, gt } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { NetworkName } from '../catalog/networks.ts';
import type { Before } from '../chains/watching-port.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import { orderSealHolds } from '../orders/seal.ts';
import { orders } from '../orders/table.ts';
import { arrivalMarks } from '../treasury/ledger/table.ts';
import type { Journal } from './journal/journal.ts';
import type { Restored } from './restored.ts';

const PER_PAGE = 1_000;

interface Asked {
	readonly db: DrizzleD1Database;
	readonly sealKeys: () => KeyRing;
	readonly journal: Pick<Journal, 'addresses'>;
	readonly restored: Pick<Restored, 'state'>;
}

/** @throws what D1 throws: a book that lacks addresses would not see what they hold */
export async function beforeBook(asked: Asked, network: NetworkName): Promise<Before> {
	const { db, restored, journal } = asked;
	const addresses = journal.addresses.all(network);
	const isDoubtful = restored.state() !== null;
	if (addresses.length === 0 && !isDoubtful) return { isAgain: false, from: null, addresses };
	const [mark] = await db.select().from(arrivalMarks).where(eq(arrivalMarks.network, network));
	const older = isDoubtful ? await addressesOfOrders(asked, network) : [];
	return { isAgain: true, from: mark?.readFrom ?? null, addresses: [...addresses, ...older] };
}

async function addressesOfOrders({ db, sealKeys }: Asked, network: NetworkName): Promise<string[]> {
	const addresses: string[] = [];
	for (let after = ''; ; ) {
		const isNext = and(eq(orders.fromNetwork, network), gt(orders.id, after));
		const page = await db.select().from(orders).where(isNext).orderBy(orders.id).limit(PER_PAGE);
		const isSealed = await Promise.all(page.map((order) => orderSealHolds(sealKeys(), order, order.seal)));
		addresses.push(...page.filter((_, at) => isSealed[at]).map(({ payInAddress }) => payInAddress));
		const last = page.at(-1);
		if (!last || page.length < PER_PAGE) return addresses;
		after = last.id;
	}
}
