/** What Cloudflare lists for Workers Paid, US dollars; each allowance is of the account and of a month. */
export const PRICES_OF = '2026-11-22';
export const PLAN_USD = 5;

interface Price {
	readonly text: string;
	readonly included: number;
	/** For a million units, or for the unit itself where it is a gigabyte. */
	readonly usd: number;
	readonly per: number;
}

const MILLION = 1_000_000;

export const PRICES = {
	requests: { text: 'requests of Workers', included: 10 * MILLION, usd: 0.3, per: MILLION },
	cpu: { text: 'CPU, ms', included: 30 * MILLION, usd: 0.02, per: MILLION },
	objects: { text: 'requests of objects', included: MILLION, usd: 0.15, per: MILLION },
	duration: { text: 'duration of objects, GB-s', included: 400_000, usd: 12.5, per: MILLION },
	rowsRead: { text: 'D1 rows read', included: 25_000 * MILLION, usd: 0.001, per: MILLION },
	rowsWritten: { text: 'D1 rows written', included: 50 * MILLION, usd: 1, per: MILLION },
	storage: { text: 'D1 storage, GB', included: 5, usd: 0.75, per: 1 },
	objectRowsRead: { text: 'object rows read', included: 25_000 * MILLION, usd: 0.001, per: MILLION },
	objectRowsWritten: { text: 'object rows written', included: 50 * MILLION, usd: 1, per: MILLION },
	objectStorage: { text: 'object storage, GB', included: 5, usd: 0.2, per: 1 },
	kvReads: { text: 'KV reads', included: 10 * MILLION, usd: 0.5, per: MILLION },
	kvWrites: { text: 'KV writes', included: MILLION, usd: 5, per: MILLION },
	queue: { text: 'queue operations', included: MILLION, usd: 0.4, per: MILLION },
	logs: { text: 'logs, GB', included: 50, usd: 0.25, per: 1 },
	points: { text: 'metric points', included: 10 * MILLION, usd: 0.25, per: MILLION },
} as const satisfies Record<string, Price>;

export type Unit = keyof typeof PRICES;
export type Usage = Readonly<Record<Unit, number>>;

const UNITS = Object.keys(PRICES) as Unit[];

/** What these units cost where the allowance is used up. */
export const priceOf = (unit: Unit, units: number): number => (units / PRICES[unit].per) * PRICES[unit].usd;

/** What is beyond the allowance. */
export const beyondAllowance = (unit: Unit, units: number): number =>
	priceOf(unit, Math.max(0, units - PRICES[unit].included));

export const monthUsd = (usage: Usage): number =>
	UNITS.reduce((sum, unit) => sum + beyondAllowance(unit, usage[unit]), PLAN_USD);
