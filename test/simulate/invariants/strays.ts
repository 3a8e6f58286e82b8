/** What came of another asset than an order asked for goes back at most once, to its refund address, and stays nowhere unseen. */
import type { Crowd } from '../people/crowd.ts';
import { type Row, rowsOf } from './rows.ts';

const keyOf = ({ address, asset }: { readonly address: unknown; readonly asset: unknown }): string =>
	`${String(asset)} at ${String(address)}`;

/** Base units that came, by asset and address. */
function came({ strays }: Crowd): Map<string, bigint> {
	const sums = new Map<string, bigint>();
	for (const paid of strays) sums.set(keyOf(paid), (sums.get(keyOf(paid)) ?? 0n) + paid.amount);
	return sums;
}

/** At any time. What is planned counts, but where somebody wrote the order's rows: there the signer stops it. */
export function returnedTooMuch(crowd: Crowd): string[] {
	const sums = came(crowd);
	const stories = new Map(crowd.stories.map((story) => [story.payIn, story]));
	const returns = rowsOf(
		crowd,
		`SELECT id, pay_in_address AS address, sweep_asset AS asset, amount, to_address, tx_id FROM transactions
		 WHERE kind = 'stray'`,
	);
	const planned = new Map<string, bigint>();
	for (const row of returns)
		planned.set(keyOf(place(row)), (planned.get(keyOf(place(row))) ?? 0n) + BigInt(String(row['amount'])));
	return [
		...[...planned]
			.filter(([key, sum]) => sum > (sums.get(key) ?? 0n))
			.map(([key, sum]) => `${sum} of ${key} goes back, and ${sums.get(key) ?? 0n} came`),
		...returns
			.filter(({ address, to_address, tx_id }) => {
				const story = stories.get(String(address));
				return story?.refundAddress !== to_address && !(story?.isTampered && tx_id === null);
			})
			.map(({ id }) => `the stray ${id} goes to another address than that of its payer`),
	];
}

const place = ({ address, asset }: Row) => ({ address, asset });

/** At any time: a look that comes while coins move counts none of them twice. */
export function countedTooMuch(crowd: Crowd): string[] {
	const sums = came(crowd);
	return rowsOf(crowd, 'SELECT address, asset, counted FROM strays')
		.filter((row) => BigInt(String(row['counted'])) > (sums.get(keyOf(place(row))) ?? 0n))
		.map(
			(row) => `${row['counted']} of ${keyOf(place(row))} is counted, and ${sums.get(keyOf(place(row))) ?? 0n} came`,
		);
}

/** At rest: each that came is on record, and goes back or says why it does not. */
export function straysLeft(crowd: Crowd): string[] {
	const rows = rowsOf(crowd, 'SELECT address, asset, counted, taken, waits FROM strays');
	const byPlace = new Map(rows.map((row) => [keyOf(place(row)), row]));
	return [...came(crowd)].flatMap(([key, sum]) => {
		const row = byPlace.get(key);
		if (BigInt(String(row?.['counted'] ?? 0)) !== sum)
			return [`of ${sum} ${key} ${row?.['counted'] ?? 0} is on record`];
		const isOver = row?.['waits'] !== null || BigInt(String(row?.['taken'])) === sum;
		return isOver ? [] : [`${key} neither goes back nor says why`];
	});
}
