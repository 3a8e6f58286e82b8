/**
 * Sweeps of what came to addresses of archived orders, where the operator asked for them (`order sweep`) and the signer knows
 * that. At the hot wallet it can be booked as reserve and withdrawn. After a crash the row is judged again.
 */
import { sql } from 'drizzle-orm';
import { type ArchiveEnv, findArchived } from '../../archive/find.ts';
import { assetOf, nativeAsset } from '../../catalog/assets.ts';
import { isSent } from '../../catalog/settings.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import { logError } from '../../platform/log.ts';
import { MINUTE_MILLISECONDS } from '../../platform/time.ts';
import { usdPrice } from '../../pricing/market.ts';
import type { Planning } from '../connection.ts';
import { isAt, type OverflowRow, overflowsAt } from '../deposits/overflows.ts';
import { movesAt } from '../deposits/watch-store.ts';
import { overflows } from '../ledger/table.ts';
import { NOTHING_TO_SWEEP, partOf, planMove } from '../sweeps/move.ts';
import { lookAtArchived } from './archived.ts';

/** Most rows that are judged at once. */
const AT_ONCE = 20;
/** A stray that is planned, under way or without a price is judged again after so long. */
const SOON_MILLISECONDS = MINUTE_MILLISECONDS;

/** One that fails is logged, and judged again at the next upkeep. */
export async function sweepArchived(env: ArchiveEnv, planning: Planning): Promise<void> {
	const { db, network, now } = planning;
	// Literal, for the partial index.
	const isDue = sql`${overflows.network} = ${network} and due_at is not null and ${overflows.dueAt} <= ${now}`;
	const due = await db.select().from(overflows).where(isDue).orderBy(overflows.dueAt).limit(AT_ONCE);
	for (const row of due) {
		try {
			const written = await judge(env, planning, row);
			await runBatch(db, written);
		} catch (error) {
			logError('stray_not_planned', error, { network, orderId: row.orderId, asset: row.asset });
		}
	}
}

async function judge(env: ArchiveEnv, planning: Planning, row: OverflowRow): Promise<[Statement, ...Statement[]]> {
	const { db, network, chain, market, now } = planning;
	const { address, asset, orderId } = row;
	const next = (dueAt: number | null) => db.update(overflows).set({ dueAt }).where(isAt(row));
	const archived = await findArchived(db, env, orderId);
	if (!archived) return [next(null)];
	await lookAtArchived(planning, [archived], now);
	const [moves, rows] = await db.batch([movesAt(db, network, [address]), overflowsAt(db, network, [address])]);
	const known = rows.find((each) => each.asset === asset);
	const lying = known ? BigInt(known.counted) - BigInt(known.swept) : 0n;
	if (lying <= 0n) return [next(null)];
	const usd = market && usdPrice(market, assetOf(asset), now);
	const nativeUsd = market && usdPrice(market, assetOf(nativeAsset(network)), now);
	const isUnderWay = moves.some(({ state }) => state !== 'final');
	if (isUnderWay || !usd || !nativeUsd || !isSent(market.settings, assetOf(asset)))
		return [next(now + SOON_MILLISECONDS)];
	const [quote = NOTHING_TO_SWEEP] = (await chain.sweeping?.quote([{ address, asset }])) ?? [];
	const part = partOf(lying, asset, quote, nativeAsset(network));
	const { order, sweeps } = archived;
	const own = { order, asset, quote, moves: [...sweeps, ...moves], ...part, usd, nativeUsd };
	const planned = planMove(planning, own);
	return planned ? [next(now + SOON_MILLISECONDS), planned] : [next(null)];
}
