/** What the status page shows of now: nothing that is anybody's secret. */

/**
 * `silent`: its deposits are not seen. `deposits-paused` and the like: the operator switched it off. `stale`: coins
 * without a price that is young enough to deal on.
 */
export type SubjectState = 'ok' | 'silent' | 'paused' | 'deposits-paused' | 'payouts-paused' | 'stale';

export interface SubjectNow {
	/** A network, or `Prices`. */
	readonly subject: string;
	readonly state: SubjectState;
	/** Unix milliseconds: when it last worked, where it is silent and that is known. */
	readonly lastAt: number | null;
	/** Coins without a fresh price, or assets whose deposits are not seen while the rest of the network is. */
	readonly missing: readonly string[];
}

export interface ServiceStatus {
	/** Unix milliseconds. */
	readonly at: number;
	/** New orders are refused; those that exist go on. */
	readonly maintenance: boolean;
	readonly subjects: readonly SubjectNow[];
}

export const PRICES = 'Prices';
/** How far back the page shows. */
export const KEPT_DAYS = 90;
