/** A stray as operators read it, and what a transaction that was named gave. */
import { assetOf } from '../../catalog/assets.ts';
import { isoTimesOf, pick } from '../../platform/pick.ts';
import { isoTime } from '../../platform/time.ts';
import type { Gave, Named, NamedOn } from '../../treasury/strays/named-answer.ts';
import type { StrayRow, UnlistedRow } from '../../treasury/strays/table.ts';
import { coins } from './record.ts';

export const strayRecord = ({ network, address, asset, counted, taken, waits, toAddress, foundAt }: StrayRow) => ({
	network,
	asset: assetOf(asset).code,
	address,
	came: coins(asset, counted),
	returned: coins(asset, taken),
	waits,
	to: toAddress,
	foundAt: isoTime(foundAt),
});

export const unlistedRecord = (row: UnlistedRow) => ({
	...pick(row, 'network', 'token', 'address'),
	smallestUnits: row.amount,
	...isoTimesOf(row, 'foundAt', 'keptAt', 'askedAt'),
	to: row.toAddress,
	waits: row.waits,
});

const NOTHING: Readonly<Record<Extract<NamedOn, string> | 'not answering', string>> = {
	unknown: 'the node knows no such transaction',
	pending: 'no block holds it yet',
	nothing: 'it failed, or gave the order’s address nothing that shows in it; `strays` says what lies there',
	listed: 'each payment on this network is listed by itself',
	'not answering': 'the network does not answer',
};

const GAVE: Readonly<Record<Gave['is'], string>> = {
	deposit: 'a payment of this order, which is recorded by itself',
	late: 'what the order asked for, after its address had stopped being watched: `beyondDeposits` counts it',
	stray: 'not what the order asked for',
};

interface NamedRecord {
	readonly network: string;
	readonly found: string;
	readonly asset: string | null;
	readonly token: string | null;
	readonly amount: string | null;
}

/** A line for each asset or token that it gave, or one that says why there is none. */
export const namedRecords = (named: readonly Named[]) =>
	named.flatMap(({ network, found }): NamedRecord[] => {
		if (typeof found === 'string') return [{ network, found: NOTHING[found], asset: null, token: null, amount: null }];
		return found.map(({ asset, token, amount, is }) => ({
			network,
			found: asset === null ? 'a token that this service does not know' : GAVE[is],
			asset,
			token,
			amount: asset === null ? `${amount} smallest units` : coins(asset, amount),
		}));
	});
