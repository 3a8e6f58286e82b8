/**
 * The balance that one hot wallet should hold, added up from its final transactions and the reserve. Final rows never
 * change, so the sum of the old ones is kept in the agent's storage, and each call adds what came since. An agent
 * without storage begins with the flows that D1 keeps.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { amountsByAsset } from '../../money/units.ts';
import type { Db } from '../../platform/d1/database.ts';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../platform/time.ts';
import { type FeePayer, type WalletFlow, walletBooks } from './reserve-rules.ts';
import { walletFlow, walletFlowUntil } from './wallet-store.ts';

/** The kept sum is renewed when it is this old. */
const KEPT_MILLISECONDS = HOUR_MILLISECONDS;
/** An alarm runs for 15 minutes at most, and writes with the time at which it began: younger rows are not in the kept sum. */
const YOUNG_MILLISECONDS = 1_200_000;
/** An older sum begins again. Shorter than the time after which a transaction may be archived. */
const LONGEST_MILLISECONDS = 30 * DAY_MILLISECONDS;
const KEY = 'walletRecord';

interface Kept {
	/** Everything up to here is in it. */
	readonly until: number;
	readonly books: ReadonlyMap<AssetId, bigint>;
}

export class WalletRecord {
	readonly #db: Db;
	readonly #network: NetworkName;
	readonly #storage: DurableObjectStorage;

	constructor(db: Db, network: NetworkName, storage: DurableObjectStorage) {
		this.#db = db;
		this.#network = network;
		this.#storage = storage;
	}

	/** Base units per asset; what is not in it is zero. */
	async books(native: AssetId, feePayer: FeePayer, now: number): Promise<Map<AssetId, bigint>> {
		const found = await this.#storage.get<Kept>(KEY);
		// Archived transactions are in the flows that D1 keeps alone. All of them were final for longer than this.
		const isUsable = found && found.until > now - LONGEST_MILLISECONDS;
		let kept: Kept = isUsable ? found : { until: 0, books: new Map() };
		if (now - kept.until > KEPT_MILLISECONDS + YOUNG_MILLISECONDS) {
			const until = now - YOUNG_MILLISECONDS;
			const flow = await (isUsable ? this.#flow(kept.until, until) : walletFlowUntil(this.#db, this.#network, until));
			kept = { until, books: sum(kept.books, walletBooks(flow, native, feePayer)) };
			await this.#storage.put(KEY, kept);
		}
		const since = walletBooks(await this.#flow(kept.until, Number.MAX_SAFE_INTEGER), native, feePayer);
		return sum(kept.books, since);
	}

	#flow(after: number, until: number): Promise<WalletFlow> {
		return walletFlow(this.#db, this.#network, after, until);
	}
}

const sum = (...all: readonly ReadonlyMap<AssetId, bigint>[]): Map<AssetId, bigint> =>
	amountsByAsset(all.flatMap((books) => [...books].map(([asset, amount]) => ({ asset, amount }))));
