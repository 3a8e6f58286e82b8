/** The archive's part of each minute: some batches of finished orders, network by network. */
import type { NetworkName } from '../../catalog/networks.ts';
import { site } from '../../catalog/table.ts';
import { type SealSource, sealKeysOf } from '../../crypto/seals.ts';
import { type Db, databaseOf } from '../../platform/d1/database.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import type { Env } from '../../ports/env.ts';
import { type Move, moveOrders } from './move.ts';
import { networksDue, selectOrders, storeCursor } from './select.ts';

/** Orders of one object, and of one batch of D1: some ten thousand rows, which D1 changes in well under a second. */
const ORDERS_PER_BATCH = 200;
/** More than one database can take in orders. */
const BATCHES_PER_RUN = 8;
const RUN_MILLISECONDS = 20_000;

/** Does nothing where no bucket is bound, or the operator has switched it off. @throws as `moveOrders` */
export async function archiveOrders(
	env: Pick<Env, 'DB' | 'ARCHIVE'> & SealSource,
	now: number,
	isFound: Move['isFound'],
): Promise<void> {
	const { ARCHIVE: bucket } = env;
	const db = databaseOf(env);
	const [settings] = await db.select({ days: site.archiveAfterDays }).from(site);
	if (!bucket || !settings?.days) return;
	const before = now - settings.days * DAY_MILLISECONDS;
	const move = { db, bucket, isFound, sealKeys: sealKeysOf(env), before, now };
	const deadline = Date.now() + RUN_MILLISECONDS;
	let batches = BATCHES_PER_RUN;
	for (const network of await networksDue(db, now)) {
		while (batches > 0 && Date.now() < deadline && (await archiveSome(db, move, network))) batches--;
	}
}

/** False where the network has no more now. */
async function archiveSome(db: Db, move: Omit<Move, 'cursor'>, network: NetworkName): Promise<boolean> {
	const { ids, cursor } = await selectOrders(db, network, {
		before: move.before,
		now: move.now,
		limit: ORDERS_PER_BATCH,
	});
	await moveOrders({ ...move, cursor: storeCursor(db, cursor) }, ids);
	return cursor.endedAt === null;
}
