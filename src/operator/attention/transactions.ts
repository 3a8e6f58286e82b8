/** Our own transactions of every kind that do not go on, each with the reason that was stored with it. */
import { asc, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { assetOf } from '../../catalog/assets.ts';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { networkSettings, type Settings } from '../../catalog/settings.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { usdOfCents } from '../shown.ts';
import { coinsText, type Facts, MOST_ROWS, type Waiting } from './waiting.ts';

/** Without a reason on record, a transaction that is not on its way this long after it was planned is slow. */
const SLOW_MILLISECONDS = 10 * 60_000;

export interface WaitingTransaction {
	readonly payout: TransactionRow;
	readonly cause: string;
	/** Unix milliseconds. */
	readonly since: number;
	readonly todo: string;
}

export async function waitingTransactions({ context: { db, now }, settings }: Facts): Promise<Waiting[]> {
	const found = await transactionsThatWait(db, settings, now);
	return found.map(({ payout, cause, since, todo }) => ({
		area: 'transaction',
		subject: payout.id,
		cause: `${payout.kind}${payout.orderId === null ? '' : ` of order ${payout.orderId}`} on ${payout.network}, ${payout.state}: ${cause}`,
		since,
		amount: coinsText(assetOf(payout.asset), BigInt(payout.amount)),
		usd: usdOfCents(payout.usdCents),
		todo,
	}));
}

/** Those that have waited the longest, at most `MOST_ROWS`. */
export async function transactionsThatWait(
	db: DrizzleD1Database,
	settings: Settings,
	now: number,
): Promise<WaitingTransaction[]> {
	const off = JSON.stringify(settings.inactiveAssets);
	const unsent = JSON.stringify(NETWORK_NAMES.filter((name) => !networkSettings(settings, name).send));
	// One list of ids, each part in the words of the partial index that serves it.
	const rows = await db
		.select()
		.from(transactions)
		.where(sql`${transactions.id} in (
			select ${transactions.id} from ${transactions} where ${transactions.held} is not null
			union all
			select ${transactions.id} from ${transactions} where ${transactions.waitsBecause} is not null and ${transactions.state} <> 'final'
			union all
			select ${transactions.id} from ${transactions}
			where ${transactions.state} <> 'final' and ${transactions.state} in ('planned', 'signed')
				and (${transactions.plannedAt} < ${now - SLOW_MILLISECONDS}
					or ${transactions.network} in (select value from json_each(${unsent}))
					or ${transactions.asset} in (select value from json_each(${off}))
					or coalesce(${transactions.sweepAsset}, '') in (select value from json_each(${off})))
		)`)
		.orderBy(asc(transactions.plannedAt), transactions.id)
		.limit(MOST_ROWS);
	return rows.flatMap((payout) => {
		const why = whyWaiting(payout, settings, now);
		return why === null ? [] : [{ payout, ...why, todo: todoOf(payout) }];
	});
}

/** What a person must look at comes before what a later try may heal. Null while it goes on. Pure. */
export function whyWaiting(
	payout: TransactionRow,
	settings: Settings,
	now: number,
): { readonly cause: string; readonly since: number } | null {
	const { held, waitsBecause, waitsSince, plannedAt, sentAt, state } = payout;
	if (held !== null) return { cause: held, since: waitsSince ?? sentAt ?? plannedAt };
	const stopped = stoppedBy(payout, settings);
	if (stopped !== null) return { cause: stopped, since: plannedAt };
	if (waitsBecause !== null) return { cause: waitsBecause, since: waitsSince ?? plannedAt };
	const isSlow = (state === 'planned' || state === 'signed') && now - plannedAt > SLOW_MILLISECONDS;
	const minutes = Math.floor((now - plannedAt) / 60_000);
	return isSlow
		? { cause: `still ${state} after ${minutes} minutes, for no reason on record`, since: plannedAt }
		: null;
}

/** What is signed is sent whatever the switches say. */
function stoppedBy({ state, asset, sweepAsset, network }: TransactionRow, settings: Settings): string | null {
	if (state !== 'planned') return null;
	const off = [asset, sweepAsset].find((code) => code !== null && settings.inactiveAssets.includes(code));
	if (off) return `${off} is switched off (\`asset update ${off} --active true\`)`;
	if (networkSettings(settings, network).send) return null;
	return `payouts on ${network} are switched off (\`network update ${network} --send true\`)`;
}

function todoOf({ id, kind, orderId, state, held }: TransactionRow): string {
	if (state === 'planned') {
		const after = orderId === null ? '' : `, then \`order refund ${orderId}\``;
		const canEnd = kind !== 'gas' && kind !== 'sweep' && kind !== 'consolidation';
		const end = canEnd ? `; \`payout give-up ${id}\` takes it back${after}` : '';
		return `it goes on by itself once the cause is gone${end}`;
	}
	if (held === null) return 'it is tried again by itself';
	return kind === 'payout' || kind === 'refund' || kind === 'earnings'
		? `do what the cause says; \`payout settle ${id}\` once you have paid it yourself`
		: 'do what the cause says';
}
