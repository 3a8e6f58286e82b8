/**
 * The signer's own look at the prices. A signature never waits for the slowest source: what is a few seconds old is
 * used as it is; for what is older a refresh is begun, and waited for a moment, or a little longer where it is old.
 * However many signatures ask, one refresh runs at a time. Old prices are not the caller's danger: each carries its
 * time, and whoever deals on it asks whether it is young enough (`priceAt`).
 */
import { logError } from '../log.ts';
import type { Prices } from '../pricing/prices.ts';

/** Used without asking anybody. */
const FRESH_MILLISECONDS = 5_000;
/** Old is what is older than RateBook's may be by decisions.md "Prices". */
const OLD_MILLISECONDS = 15_000;
/** Longest wait of one signature for a refresh, where there are prices at all: of these, and of old ones. */
const WAIT_MILLISECONDS = 250;
const WAIT_FOR_OLD_MILLISECONDS = 1_500;

export class PriceWatch {
	readonly #refreshed: (previous: Prices) => Promise<Prices>;
	#prices: Prices = {};
	/** Unix milliseconds when the last refresh had its answers; 0 before the first. */
	#at = 0;
	/** Unix milliseconds until which nobody waits again: the sources have just kept somebody waiting in vain. */
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

	/** These prices said something that may be wrong: whoever asks next waits for new ones. */
	doubt(): void {
		this.#at = 0;
		this.#noWaitUntil = 0;
	}

	async #waitFor(refresh: Promise<void>, milliseconds: number): Promise<void> {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const late = new Promise<'late'>((resolve) => {
			timer = setTimeout(() => resolve('late'), milliseconds);
		});
		const outcome = await Promise.race([refresh, late]).finally(() => clearTimeout(timer));
		if (outcome === 'late') this.#noWaitUntil = Date.now() + FRESH_MILLISECONDS;
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
