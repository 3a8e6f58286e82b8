/**
 * Coins that come to pay-in addresses of archived orders, on networks where addresses are looked at: of each asset a
 * part of what belongs to no order (`deposits/of-no-order.ts`). An archived order does not change any more, so nothing
 * goes back by itself. A batch of the archive at each look, the newest first, round and round.
 */
import { desc, lt } from 'drizzle-orm';
import type { ArchiveEnv } from '../../archive/find.ts';
import { readLines } from '../../archive/objects.ts';
import { type ArchivedOrder, ordersIn } from '../../archive/record.ts';
import { type ArchivedBatch, archivedBatches } from '../../archive/table.ts';
import { sealKeysOf } from '../../crypto/seals.ts';
import { sumOf } from '../../money/units.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import type { Connection } from '../connection.ts';
import { overflowNow, overflowsAt } from '../deposits/overflows.ts';
import { readAtRest } from './at-rest.ts';
import { countedOf, isAskedFor, type Moves, sweptOf } from './rules.ts';
import { isPaidByMistake } from './store.ts';

/** Addresses that the chain is asked about at once. */
const PER_LOOK = 100;

/** The batch of this look; `below`: the number of the last look's, null for the newest. Null where there is no older one. */
export async function nextBatch(db: Db, below: number | null): Promise<ArchivedBatch | null> {
	const { number } = archivedBatches;
	const isOlder = below === null ? undefined : lt(number, below);
	const [batch] = await db.select().from(archivedBatches).where(isOlder).orderBy(desc(number)).limit(1);
	return batch ?? null;
}

/** @throws ChainUnavailable; Error where the batch cannot be read */
export async function lookAtBatch(env: ArchiveEnv, connection: Connection, batch: ArchivedBatch, now: number) {
	const lines = await readLines(env.ARCHIVE, sealKeysOf(env), batch);
	const here = ordersIn(lines).filter(({ order }) => isPaidByMistake(connection.network, order.fromNetwork));
	for (let at = 0; at < here.length; at += PER_LOOK)
		await lookAtArchived(connection, here.slice(at, at + PER_LOOK), now);
}

/** As `lookForStrays`, of orders that left D1 with all of their rows. Atomic for each order. @throws ChainUnavailable */
export async function lookAtArchived(connection: Connection, archived: readonly ArchivedOrder[], now: number) {
	const { db, network, chain } = connection;
	if (!chain.lying || !chain.sweeping || archived.length === 0) return;
	const { feePayer } = chain.sweeping;
	const addresses = archived.map(({ order }) => order.payInAddress);
	const { held, moves: moved } = await readAtRest(connection, chain.lying, addresses);
	const known = await overflowsAt(db, network, addresses);
	for (const [at, { order, deposits, sweeps }] of archived.entries()) {
		const address = order.payInAddress;
		const later = moved.get(address);
		const isWhole = deposits.filter(({ dust }) => dust).length >= order.dustCount;
		if (!later || !isWhole) continue;
		const moves: Moves = [...sweeps.filter((sweep) => sweep.network === network), ...later];
		const written = [...held].flatMap(([asset, amounts]): Statement[] => {
			const recorded = isAskedFor(order, asset) ? sumOf(deposits.filter(({ state }) => state !== 'gone')) : 0n;
			const came = countedOf(amounts[at] ?? 0n, asset, moves, feePayer);
			const before = known.find((row) => row.address === address && row.asset === asset);
			const place = { network, address, asset, orderId: order.id };
			const statement = overflowNow(place, { came, swept: sweptOf(moves, asset, feePayer), recorded }, before, now);
			return statement ? [statement(db)] : [];
		});
		if (written.length > 0) await runBatch(db, written);
	}
}
