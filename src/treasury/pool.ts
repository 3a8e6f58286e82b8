/**
 * Keeping the pool of pay-in addresses full. The signer derives and seals, the node is told to watch, and only then
 * the rows are written: an address can be handed out only when payments to it will be seen. A crash in between leaves
 * a gap in the derivation indexes and nothing else.
 */
import { and, count, eq, isNull } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { NetworkName } from '../catalog/networks.ts';
import type { Chain } from '../chains/port.ts';
import { log } from '../http/log.ts';
import { payInAddresses } from '../orders/table.ts';
import { runInBatches } from './batches.ts';
import type { SignerService } from './signer-port.ts';

const DEFAULT_FULL = 600;
const MAX_FULL = 100_000;
/** Addresses that one call to the signer and the node adds. */
const STEP = 50;

/** From `ADDRESS_POOL`. @throws TypeError on what is no such number */
export function poolSize(text: string | undefined): number {
	const size = text === undefined ? DEFAULT_FULL : Number(text);
	if (!Number.isInteger(size) || size < STEP || size > MAX_FULL)
		throw new TypeError(`ADDRESS_POOL is no whole number between ${STEP} and ${MAX_FULL}`);
	return size;
}

/** `full`: free addresses that the pool is filled up to, once less than half of them are left. Are more wanted soon? */
export async function refillPool(
	db: DrizzleD1Database,
	network: NetworkName,
	chain: Chain,
	signer: SignerService,
	full: number,
	now: number,
): Promise<boolean> {
	const [row] = await db
		.select({ free: count() })
		.from(payInAddresses)
		.where(and(eq(payInAddresses.network, network), isNull(payInAddresses.orderId)));
	const free = row?.free ?? 0;
	if (free >= full / 2) return false;
	// A network that is new has some at once, and the rest with the next call: many networks begin at the same time.
	const upTo = free === 0 && (await isNew(db, network)) ? STEP : full;
	for (let added = 0; free + added < upTo; added += STEP) {
		const addresses = await signer.newAddresses(network, STEP);
		await chain.register(addresses.map(({ derivationIndex, address }) => ({ index: derivationIndex, address })));
		await runInBatches(
			db,
			addresses.map((address) =>
				db
					.insert(payInAddresses)
					.values({ ...address, createdAt: now })
					.onConflictDoNothing(),
			),
		);
	}
	log('pool_filled', { network, from: free, to: upTo });
	return upTo < full;
}

async function isNew(db: DrizzleD1Database, network: NetworkName): Promise<boolean> {
	const any = await db
		.select({ address: payInAddresses.address })
		.from(payInAddresses)
		.where(eq(payInAddresses.network, network))
		.limit(1);
	return any.length === 0;
}
