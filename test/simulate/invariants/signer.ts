/** What the signer and the gates must never have done, by their own storage and by what they answered. */
import type { Crowd } from '../people/crowd.ts';
import type { Service } from '../service.ts';
import { EXCHANGE, EXCHANGE_CAP_USD } from '../settings.ts';
import { dollarsOf } from './prices.ts';

/** Cents: what a day's payouts are worth by the honest prices may differ from the signer's sum by its rounding. */
const ROUNDING_USD = 1;

/** By id, of the journal and its volumes: these keep a copy of what was brought back. */
function signed({ objects }: Service, query: string, ...values: string[]) {
	const disks = ['VAULT', 'JOURNAL_VOLUME'].flatMap((binding) => [...(objects[binding]?.byName.values() ?? [])]);
	// A volume that nobody has asked yet has no tables.
	const found = disks
		.filter(({ disk }) => disk.sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = 'signatures'").get())
		.flatMap(({ disk }) => disk.sqlite.prepare(query).all(...values));
	return new Map(found.map((row) => [String(row['payout_id']), row])).values();
}

/** Payouts of one UTC day, as the journal dates them, and the cap that the signer is configured with. */
export function aboveCap({ service, setting }: Crowd): string[] {
	if (setting.capUsd === null || service.node) return [];
	const byDay = new Map<string, number>();
	for (const { day, raw } of signed(service, "SELECT payout_id, day, raw FROM signatures WHERE kind = 'payout'")) {
		const { asset, amount } = JSON.parse(String(raw)) as { readonly asset: string; readonly amount: string };
		byDay.set(String(day), (byDay.get(String(day)) ?? 0) + dollarsOf(asset, amount));
	}
	return [...byDay]
		.filter(([, usd]) => usd > (setting.capUsd ?? 0) + ROUNDING_USD)
		.map(([day, usd]) => `payouts of ${usd} dollars were signed on ${day}, and the cap is ${setting.capUsd}`);
}

/** Withdrawals to the exchange of one UTC day, and its cap. */
export function aboveAddressCap({ service }: Crowd): string[] {
	const byDay = new Map<string, number>();
	const rows = signed(
		service,
		"SELECT payout_id, s.day, p.asset, p.amount FROM signatures s JOIN payments p USING (payout_id) WHERE s.kind = 'withdrawal' AND p.to_address = ?",
		EXCHANGE,
	);
	for (const { day, asset, amount } of rows)
		byDay.set(String(day), (byDay.get(String(day)) ?? 0) + dollarsOf(String(asset), String(amount)));
	return [...byDay]
		.filter(([, usd]) => usd > EXCHANGE_CAP_USD + ROUNDING_USD)
		.map(
			([day, usd]) =>
				`withdrawals of ${usd} dollars to the exchange were signed on ${day}, and its cap is ${EXCHANGE_CAP_USD}`,
		);
}

/** Of all signed calls, of every endpoint: an answer that was lost counts. */
export const nonceTwice = ({ service }: Crowd): string[] =>
	[...service.admitted].filter(([, times]) => times > 1).map(([nonce]) => `the nonce ${nonce} was admitted twice`);
