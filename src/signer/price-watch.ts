/**
 * The signer's own look at the prices. A signature never waits for the slowest source: what is a few seconds old is
 * used as it is, what is older is refreshed beside the signing, and only what is old is waited for, for a short time.
 * However many signatures ask, one refresh runs at a time. Old prices are not the caller's danger: each carries its
 * time, and whoever deals on it asks whether it is young enough (`priceAt`).
 */
import { logError } from '../http/log.ts';
import type { Prices } from '../pricing/prices.ts';

/** Used without asking anybody. */
const FRESH_MILLISECONDS = 5_000;
/** Used, while a refresh runs beside it; what is older is waited for. As old as RateBook's may be by decisions.md "Prices". */
const USABLE_MILLISECONDS = 15_000;
/** Longest wait of one signature for a refresh, where there are prices at all. */
const WAIT_MILLISECONDS = 1_500;

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
		else if (age > USABLE_MILLISECONDS && Date.now() >= this.#noWaitUntil) await this.#waitFor(refresh);
		return this.#prices;
	}

	/** These prices said something that may be wrong: whoever asks next waits for new ones. */
	doubt(): void {
		this.#at = 0;
		this.#noWaitUntil = 0;
	}

	async #waitFor(refresh: Promise<void>): Promise<void> {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const late = new Promise<'late'>((resolve) => {
			timer = setTimeout(() => resolve('late'), WAIT_MILLISECONDS);
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
