/**
 * The pay-in addresses that an isolate may hand out next. It reads a handful of free rows at a time and shuffles them,
 * so that isolates rarely try the same one; the unique keys of `orders` decide who gets it. An address whose seal
 * does not hold never leaves this file. Module-level on purpose: it is this isolate's stock and nothing else.
 */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { NetworkName } from '../catalog/networks.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import { log } from '../http/log.ts';
import { addressSealHolds, type PoolTerms } from './seal.ts';
import { payInAddresses } from './table.ts';

const STOCK = 32;

const stocks = new Map<NetworkName, PoolTerms[]>();

/** A free address, removed from the stock; null when the pool has none. @throws when D1 does not answer. */
export async function takeAddress(
	db: DrizzleD1Database,
	sealKeys: KeyRing,
	network: NetworkName,
): Promise<PoolTerms | null> {
	const stock = stocks.get(network) ?? [];
	stocks.set(network, stock);
	if (stock.length === 0) stock.push(...(await freeAddresses(db, sealKeys, network)));
	return stock.pop() ?? null;
}

/** Another isolate was faster: what is left of the stock is stale as well. */
export const forgetStock = (network: NetworkName): boolean => stocks.delete(network);

async function freeAddresses(db: DrizzleD1Database, sealKeys: KeyRing, network: NetworkName): Promise<PoolTerms[]> {
	const rows = await db
		.select()
		.from(payInAddresses)
		.where(and(eq(payInAddresses.network, network), isNull(payInAddresses.orderId)))
		.orderBy(sql`random()`)
		.limit(STOCK);
	const sealed = await Promise.all(rows.map((row) => addressSealHolds(sealKeys, row, row.seal)));
	for (const [i, row] of rows.entries()) {
		if (!sealed[i]) log('pool_address_seal_broken', { network, index: row.derivationIndex });
	}
	return rows.filter((_, i) => sealed[i]);
}
