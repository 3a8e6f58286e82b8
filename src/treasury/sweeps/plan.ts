/**
 * Planning sweeps: background work that brings paid-for deposits from their addresses to the payout wallet, where the
 * next payouts come from. What it plans goes the way of every transaction of our own (`pay.ts`); the signer judges it
 * for itself. An address that lacks gas gets a `gas` row first, and its sweep once that is final. A crash anywhere leaves
 * a candidate that is looked at again.
 */
import { and, eq, gte, isNull, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type AssetId, assetOf, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { isSent } from '../../catalog/settings.ts';
import type { Chain, SweepQuote } from '../../chains/port.ts';
import { runInBatches } from '../../d1/batches.ts';
import { log } from '../../log.ts';
import { type Decimal, usdCents } from '../../money/decimal.ts';
import { type Market, usdPrice } from '../../pricing/market.ts';
import type { Statement } from '../move-order.ts';
import { transactions } from '../table.ts';
import { dueCandidates, type LoadedCandidate, loadCandidates, putBack, takeOff } from './candidates.ts';
import { isWorthSweeping, sweepStep, usdValue } from './rules.ts';

/**
 * A planned sweep that the signer put off this often is given up and planned anew: prices and gas have changed. Nothing
 * is lost by it, since the signer, should he have signed, gives the same transaction again for the same address.
 */
const GIVE_UP_ATTEMPTS = 5;

const GAS_OVER_LACKING = 3n;

export interface Sweeping {
	readonly db: DrizzleD1Database;
	readonly network: NetworkName;
	readonly chain: Chain;
	/** The payout wallet's. */
	readonly hotAddress: string;
	/** Null while there is none: then nothing is planned, and asked again soon. */
	readonly market: Market | null;
	readonly now: number;
}

export async function planSweeps(sweeping: Sweeping): Promise<void> {
	const { db, network, chain, market, now } = sweeping;
	const due = await dueCandidates(db, network, now);
	if (due.length === 0) return;
	if (!chain.sweeping) {
		await runInBatches(
			db,
			due.map((candidate) => takeOff(db, candidate)),
		);
		return;
	}
	if (!market) return;
	await giveUp(sweeping);
	const loaded = await loadCandidates(db, network, due);
	const steps = loaded.map((each) => ({ ...each, step: sweepStep(each) }));
	const ready = steps.filter(
		({ step, order }) => step === 'sweep' && isSent(market.settings, assetOf(order.fromAsset)),
	);
	const quotes = await chain.sweeping.quote(
		ready.map(({ order }) => ({ address: order.payInAddress, asset: order.fromAsset })),
	);
	const planned = new Map(
		ready.flatMap((each, i): [LoadedCandidate['candidate'], Statement][] => {
			const quote = quotes[i];
			const statement = quote && planStatement(sweeping, market, each, quote);
			return statement ? [[each.candidate, statement]] : [];
		}),
	);
	await runInBatches(
		db,
		steps.flatMap(({ candidate, step }): Statement[] => {
			if (step === 'done') return [takeOff(db, candidate)];
			const statement = planned.get(candidate);
			return [...(statement ? [statement] : []), putBack(db, candidate, now)];
		}),
	);
}

/** Null where it is not worth its cost now, or cannot be valued. `payouts_one_sweep` lets one through per address. */
function planStatement(
	{ db, network, hotAddress, now }: Sweeping,
	market: Market,
	{ order, sweeps }: LoadedCandidate,
	quote: SweepQuote,
): Statement | null {
	const asset = order.fromAsset;
	const native = nativeAsset(network);
	const usd = usdPrice(market, assetOf(asset), now);
	const nativeUsd = usdPrice(market, assetOf(native), now);
	if (!usd || !nativeUsd || !isWorthSweeping({ asset, amount: quote.amount, fee: quote.fee, usd, nativeUsd }))
		return null;
	const what =
		quote.gas > 0n && !hasGas(sweeps, quote)
			? moved('gas', native, quote.gas, nativeUsd, order.payInAddress)
			: moved('sweep', asset, quote.amount, usd, hotAddress);
	const id = crypto.randomUUID();
	log('sweep_planned', { payoutId: id, orderId: order.id, kind: what.kind, asset: what.asset, amount: what.amount });
	return db
		.insert(transactions)
		.values({
			...what,
			id,
			network,
			payInAddress: order.payInAddress,
			payInIndex: order.payInIndex,
			sweepAsset: asset,
			state: 'planned',
			plannedAt: now,
			nextAttemptAt: now,
		})
		.onConflictDoNothing();
}

/**
 * Was gas sent that no sweep has used, and is what lacks by now at most a third of it? A sweep then offers less for its
 * gas than prices may rise to, and still what it costs today.
 */
function hasGas(sweeps: LoadedCandidate['sweeps'], quote: SweepQuote): boolean {
	const newest = sweeps.toSorted((a, b) => b.plannedAt - a.plannedAt)[0];
	return newest?.kind === 'gas' && BigInt(newest.amount) >= quote.gas * GAS_OVER_LACKING;
}

const moved = (kind: 'gas' | 'sweep', asset: AssetId, amount: bigint, usd: Decimal, toAddress: string) => ({
	...{ kind, asset, toAddress, amount: amount.toString() },
	usdCents: usdCents(usdValue(amount, asset, usd)),
});

/** What a person must look at stays. */
async function giveUp({ db, network }: Sweeping): Promise<void> {
	const given = await db
		.delete(transactions)
		.where(
			and(
				eq(transactions.network, network),
				// Literal, because SQLite takes a partial index only for the words that it was made with.
				sql`${transactions.state} <> 'final' and ${transactions.state} = 'planned' and ${transactions.kind} in ('gas', 'sweep')`,
				gte(transactions.attempts, GIVE_UP_ATTEMPTS),
				isNull(transactions.held),
			),
		)
		.returning({ id: transactions.id });
	for (const { id } of given) log('sweep_given_up', { payoutId: id });
}
