/**
 * Planning consolidations: background work that joins many small outputs of a wallet into one, while fees are low. Where
 * deposits are spent from where they are, small ones pile up: a payment takes the largest coins first and at most a hundred.
 * What is planned goes the way of every transaction of our own (`pay.ts`), after all that is owed; the signer chooses the
 * coins and judges for itself. One at a time (`payouts_one_consolidation`); a crash anywhere leaves a row that goes on.
 */
import { and, eq, gte, isNull, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { assetOf, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { isSent } from '../../catalog/settings.ts';
import type { Chain } from '../../chains/port.ts';
import { log } from '../../log.ts';
import { usdCents } from '../../money/decimal.ts';
import { type Market, usdPrice } from '../../pricing/market.ts';
import { transactions } from '../table.ts';
import { usdValue } from './rules.ts';

/** A planned one that the signer put off this often is given up: fees have risen, or the coins went elsewhere. */
const GIVE_UP_ATTEMPTS = 5;

export interface Consolidating {
	readonly db: DrizzleD1Database;
	readonly network: NetworkName;
	readonly chain: Chain;
	/** The payout wallet's. */
	readonly hotAddress: string;
	/** Null while there is none: then nothing is planned. */
	readonly market: Market | null;
	readonly now: number;
}

export async function planConsolidation({ db, network, chain, hotAddress, market, now }: Consolidating): Promise<void> {
	if (!chain.consolidation) return;
	const asset = nativeAsset(network);
	const usd = market && usdPrice(market, assetOf(asset), now);
	if (!market || !usd || !isSent(market.settings, assetOf(asset))) return;
	if (await isOneOpen(db, network)) return;
	const quote = await chain.consolidation();
	if (!quote) return;
	const id = crypto.randomUUID();
	// What arrives the signer says; until then this is the plan's.
	const amount = quote.amount.toString();
	log('consolidation_planned', { payoutId: id, network, coins: quote.coins, amount, fee: quote.fee.toString() });
	await db
		.insert(transactions)
		.values({
			...{ id, kind: 'consolidation', network, asset, toAddress: hotAddress, amount },
			usdCents: usdCents(usdValue(quote.amount, asset, usd)),
			...{ state: 'planned', plannedAt: now, nextAttemptAt: now },
		})
		.onConflictDoNothing();
}

/** Literal, because SQLite takes a partial index only for the words that it was made with. */
const isOpen = sql`${transactions.kind} = 'consolidation' and ${transactions.state} <> 'final'`;

/** Gives up what the signer would not sign; what a person must look at stays. */
async function isOneOpen(db: DrizzleD1Database, network: NetworkName): Promise<boolean> {
	const ofNetwork = and(eq(transactions.network, network), isOpen);
	const given = await db
		.delete(transactions)
		.where(
			and(
				ofNetwork,
				eq(transactions.state, 'planned'),
				gte(transactions.attempts, GIVE_UP_ATTEMPTS),
				isNull(transactions.held),
			),
		)
		.returning({ id: transactions.id });
	for (const { id } of given) log('consolidation_given_up', { payoutId: id });
	return (await db.select({ id: transactions.id }).from(transactions).where(ofNetwork).limit(1)).length > 0;
}
