/**
 * What the status page shows: 90 days, with a bad day, a bad hour and a day on which nothing was checked; and how fast it
 * was, on one network with few refunds.
 */
import { NETWORK_NAMES } from '../../src/catalog/networks.ts';
import type { TestService } from './service.ts';

const DAY = 86_400_000;
const DAY_MINUTES = 1_440;
/** Minutes that did not work, by the part and how many days ago; null: not checked. */
const BAD: Readonly<Record<string, Readonly<Record<number, number | null>>>> = {
	Prices: { 12: 4 },
	Solana: { 3: 61, 40: 900, 41: 1_440 },
	Monero: { 70: 18, 71: null },
	Tron: { 25: 1 },
};

/** Milliseconds, and basis points; counted today already. */
const SPEEDS = [
	['All', 7_400, 41_200, 19_000, 150_500, 84],
	['Bitcoin', 9_100, 52_000, 31_000, 260_000, 120],
	['Ethereum', 6_800, 38_000, null, null, 60],
	['Solana', 2_300, 4_900, 3_100, 9_000, 31],
] as const;

export async function fillStatus({ sql }: Pick<TestService, 'sql'>, now = Date.now()): Promise<void> {
	const rows = ['Prices', ...NETWORK_NAMES].flatMap((subject) =>
		Array.from({ length: 89 }, (_, i) => i + 1).flatMap((ago) => {
			const bad = BAD[subject]?.[ago] ?? 0;
			if (BAD[subject]?.[ago] === null) return [];
			return [[new Date(now - ago * DAY).toISOString().slice(0, 10), subject, DAY_MINUTES - bad, bad]];
		}),
	);
	await sql(
		`INSERT INTO status_days (day, subject, minutes_ok, minutes_bad, last_minute)
		SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, 0 FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
		JSON.stringify(rows),
	);
	await sql(
		`INSERT INTO speeds SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, ?2
		FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING`,
		JSON.stringify(SPEEDS),
		now - (now % DAY),
	);
}
