/** What the hedger is told is what the books have: each trade, once, and their sum is the exposure. */
import { type AssetId, assetOf } from '../../../src/catalog/assets.ts';
import { toBaseUnits } from '../../../src/money/units.ts';
import type { Trade } from '../../../src/treasury/hedge/trade.ts';
import type { Crowd } from '../people/crowd.ts';
import { rowsOf } from './rows.ts';

/** Younger than what is deleted of webhooks. */
const KEPT_MILLISECONDS = 29 * 86_400_000;

/** No trade is left out, and the outbox has exactly one webhook of each that it is said to have. */
export function wrongTrades(crowd: Crowd): string[] {
	const bookings = rowsOf(
		crowd,
		`SELECT e.order_id, e.cause, t.sequence FROM (SELECT DISTINCT order_id, cause FROM ledger_entries WHERE account = 'market') e
			LEFT JOIN trades t ON t.order_id = e.order_id AND t.cause = e.cause WHERE t.sequence IS NULL`,
	);
	const gaps = rowsOf(
		crowd,
		'SELECT count(*) AS n, max(sequence) AS newest FROM trades HAVING n <> coalesce(newest, 0)',
	);
	const untold = rowsOf(
		crowd,
		`SELECT t.sequence, count(w.id) AS n FROM trades t LEFT JOIN webhook_events w
			ON w.sequence = t.sequence AND w.type = 'order.settled'
			WHERE t.sequence <= (SELECT queued_until FROM hedgers) AND t.at > ${crowd.world.now - KEPT_MILLISECONDS} GROUP BY t.sequence HAVING n <> 1`,
	);
	return [
		...bookings.map(({ order_id, cause }) => `the booking ${cause} of ${order_id} is no trade`),
		...gaps.map(({ n, newest }) => `${n} trades are numbered up to ${newest}`),
		...untold.map(({ sequence, n }) => `trade ${sequence} has ${n} webhooks`),
	];
}

/** At rest: what the hedger was told, and what they read of the rest, add up to the exposure of the books. */
export async function wrongExposure(crowd: Crowd): Promise<string[]> {
	// A database that was set back numbers other trades alike.
	if (crowd.stories.some(({ isForgotten }) => isForgotten)) return [];
	const told = crowd.received.flatMap(({ trade }) => trade ?? []);
	const read = await crowd.asked((client) => client.operate<Trade[]>('hedge/list', { limit: 500 }));
	const trades = new Map([...read, ...told].map((trade) => [trade.sequence, trade]));
	const held = new Map<AssetId, bigint>();
	const add = (asset: AssetId, coins: string) => held.set(asset, (held.get(asset) ?? 0n) + units(asset, coins));
	for (const { from, fromAmount, to, toAmount } of trades.values()) {
		add(from, fromAmount);
		add(to, toAmount);
	}
	const books = new Map<AssetId, bigint>();
	for (const row of rowsOf(crowd, "SELECT * FROM ledger_balances WHERE account = 'market'")) {
		const limbs = [row['limb_3'], row['limb_2'], row['limb_1'], row['limb_0']].map((limb) => BigInt(String(limb)));
		const amount = limbs.reduce((sum, limb) => sum * 10n ** 9n + limb, 0n);
		books.set(row['asset'] as AssetId, (books.get(row['asset'] as AssetId) ?? 0n) - amount);
	}
	return [...new Set([...held.keys(), ...books.keys()])]
		.filter((asset) => (held.get(asset) ?? 0n) !== (books.get(asset) ?? 0n))
		.map((asset) => `the hedger has an exposure of ${held.get(asset)} in ${asset}, the books of ${books.get(asset)}`);
}

const units = (asset: AssetId, coins: string): bigint =>
	coins.startsWith('-') ? -units(asset, coins.slice(1)) : toBaseUnits(coins, assetOf(asset).decimals);
