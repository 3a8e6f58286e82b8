/**
 * The signer's own prices, from sources that it asks itself. A signature never waits for the slowest source. Prices
 * that are a few seconds old are used as they are. For older ones a refresh begins, and the signature waits for it a
 * short time, or a little longer if they are very old. One refresh runs at a time, for all signatures. Each price
 * carries its time, so a signature checks that a price is fresh before it uses it (`priceAt`).
 */
import { type AssetId, assetOf } from '../catalog/assets.ts';
import { type Decimal, decimal } from '../money/decimal.ts';
import { logError } from '../platform/log.ts';
import { within } from '../platform/within.ts';
import { type Prices, priceAt } from '../pricing/prices.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';

/** Used without asking the sources. */
const FRESH_MILLISECONDS = 5_000;
/** Older than the prices that RateBook quotes may be. */
const OLD_MILLISECONDS = 15_000;
/** Longest wait of one signature for a refresh; the second one while the prices are old. */
const WAIT_MILLISECONDS = 250;
const WAIT_FOR_OLD_MILLISECONDS = 1_500;

export class PriceWatch {
	readonly #refreshed: (previous: Prices) => Promise<Prices>;
	#prices: Prices = {};
	/** When the last refresh had its answers; 0 before the first. */
	#at = 0;
	/** Until when no signature waits, because one has just waited in vain. */
	#noWaitUntil = 0;
	#refreshing: Promise<void> | null = null;

	/** `refreshed`: asks the sources, and never throws for one that is down. */
	constructor(refreshed: (previous: Prices) => Promise<Prices>) {
		this.#refreshed = refreshed;
	}

	async current(): Promise<Prices> {
		const age = Date.now() - this.#at;
		if (age <= FRESH_MILLISECONDS) return this.#prices;
		const refresh = this.#refresh();
		const hasPrices = Object.keys(this.#prices).length > 0;
		if (!hasPrices) await refresh;
		else if (Date.now() >= this.#noWaitUntil)
			await this.#waitFor(refresh, age > OLD_MILLISECONDS ? WAIT_FOR_OLD_MILLISECONDS : WAIT_MILLISECONDS);
		return this.#prices;
	}

	/** US dollars for one coin of each asset, in order; a refusal where one has no price that is young enough. */
	async usd<const Assets extends readonly AssetId[]>(
		...assets: Assets
	): Promise<{ readonly [Index in keyof Assets]: Decimal } | SignerRefusal> {
		const prices = await this.current();
		const now = Date.now();
		const usd = assets.flatMap((asset) => {
			const price = priceAt(prices, assetOf(asset).coin, now);
			return price === null ? [] : [decimal(price)];
		});
		if (usd.length < assets.length) return { kind: 'no-fresh-price' };
		return usd as { [Index in keyof Assets]: Decimal };
	}

	/** These prices may be wrong: the next signature waits for new ones. */
	doubt(): void {
		this.#at = 0;
		this.#noWaitUntil = 0;
	}

	async #waitFor(refresh: Promise<void>, milliseconds: number): Promise<void> {
		await within(refresh, milliseconds, () => {
			this.#noWaitUntil = Date.now() + FRESH_MILLISECONDS;
		});
	}

	#refresh(): Promise<void> {
		this.#refreshing ??= this.#refreshed(this.#prices)
			.then((prices) => {
				this.#prices = prices;
				this.#at = Date.now();
			})
			.catch((error) => logError('prices_not_refreshed', error))
			.finally(() => {
				this.#refreshing = null;
			});
		return this.#refreshing;
	}
}
