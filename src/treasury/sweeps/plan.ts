/**
 * Plans sweeps: background work that moves deposits whose payout is final from their addresses to the hot wallet, which
 * pays the next payouts. A planned sweep takes the path of every transaction (`transactions/advance.ts`), and the
 * signer judges it by itself. An address that lacks gas gets a `gas` transaction first, and its sweep once that is
 * final. After a crash the candidate is judged again. A sweep waits for cheap hours, within bounds (`cheap-hours.ts`).
 */
import { assetOf, nativeAsset } from '../../catalog/assets.ts';
import { isSent } from '../../catalog/settings.ts';
import type { SweepQuote } from '../../chains/sweeping-port.ts';
import { incidentNow } from '../../incidents/store.ts';
import { usdCents } from '../../money/decimal.ts';
import { runBatch, runInBatches, type Statement } from '../../platform/d1/batches.ts';
import { log } from '../../platform/log.ts';
import { type Market, usdPrice } from '../../pricing/market.ts';
import type { Planning } from '../connection.ts';
import { hasFailed } from '../transactions/blocked.ts';
import { mayGoNow, type SweepPlanning } from './cheap-hours.ts';
import { planMove } from './move.ts';
import { recordedPart, sweepStep, usdValue } from './rules.ts';
import {
	dueCandidates,
	hasOpenConsolidation,
	type LoadedCandidate,
	loadCandidates,
	planOnce,
	putBack,
	takeOff,
	waitForCheap,
} from './store.ts';

export async function planSweeps(planning: SweepPlanning): Promise<void> {
	const { db, network, chain, market, timing, now } = planning;
	const due = await dueCandidates(db, network, timing, now);
	if (due.length === 0) return;
	if (!chain.sweeping) {
		await runInBatches(
			db,
			due.map((candidate) => takeOff(db, candidate)),
		);
		return;
	}
	if (!market) return;
	const loaded = await loadCandidates(db, network, due);
	const steps = loaded.map((each) => ({ ...each, step: sweepStep(each, now) }));
	const sent = steps.filter(({ step, order }) => step === 'sweep' && isSent(market.settings, assetOf(order.fromAsset)));
	const ready = sent.filter((each) => mayGoNow(each, timing, now));
	const early = sent.filter((each) => !ready.includes(each));
	const quotes = await chain.sweeping.quote(
		ready.map(({ order }) => ({ address: order.payInAddress, asset: order.fromAsset })),
	);
	const planned = new Map(
		ready.flatMap((each, i): [LoadedCandidate['candidate'], Statement][] => {
			const quote = quotes[i];
			const statement = quote && planStatement(planning, market, each, quote);
			return statement ? [[each.candidate, statement]] : [];
		}),
	);
	await runInBatches(
		db,
		steps.flatMap((each): Statement[] => {
			const { candidate, step } = each;
			if (step === 'done') return [takeOff(db, candidate)];
			if (early.includes(each)) return [waitForCheap(db, candidate, now)];
			const statement = step === 'failing' ? failingNow(planning, each) : planned.get(candidate);
			return [...(statement ? [statement] : []), putBack(db, candidate, now)];
		}),
	);
}

/** Each judgement of the candidate, at least once a day, keeps the incident open. */
function failingNow({ db, now }: SweepPlanning, { order, sweeps }: LoadedCandidate): Statement {
	const failed = sweeps.filter(hasFailed).toSorted((a, b) => b.plannedAt - a.plannedAt);
	const detail = `${order.fromAsset} at ${order.payInAddress}, last ${failed[0]?.txId}`;
	return incidentNow(db, { kind: 'sweep-failing', subject: order.id, detail }, now);
}

/** Null where the sweep is not worth its cost now, or has no price. */
function planStatement(
	planning: SweepPlanning,
	market: Market,
	{ order, deposits, sweeps }: LoadedCandidate,
	quote: SweepQuote,
): Statement | null {
	const { chain, now } = planning;
	const asset = order.fromAsset;
	const { amount, planned } = chain.sweeping?.onlyRecorded
		? recordedPart({ asset, quote, deposits, sweeps, feePayer: chain.sweeping.feePayer })
		: { amount: quote.amount, planned: quote.amount };
	const usd = usdPrice(market, assetOf(asset), now);
	const nativeUsd = usdPrice(market, assetOf(nativeAsset(planning.network)), now);
	if (!usd || !nativeUsd) return null;
	return planMove(planning, { order, asset, quote, moves: sweeps, planned, amount, usd, nativeUsd });
}

/**
 * Plans consolidations: background work that joins many small outputs of a wallet into one, while fees are low. On
 * chains where payouts spend the deposits themselves, small outputs pile up: a payment takes the largest outputs first,
 * and at most a hundred. A planned consolidation takes the path of every transaction (`transactions/advance.ts`), after
 * everything that is owed. The signer chooses the outputs and judges by itself. One at a time
 * (`transactions_one_consolidation`).
 */
export async function planConsolidation({ db, network, chain, hotAddress, market, now }: Planning): Promise<void> {
	if (!chain.consolidation) return;
	const asset = nativeAsset(network);
	const usd = market && usdPrice(market, assetOf(asset), now);
	if (!market || !usd || !isSent(market.settings, assetOf(asset))) return;
	if (await hasOpenConsolidation(db, network)) return;
	const quote = await chain.consolidation();
	if (!quote) return;
	const id = crypto.randomUUID();
	// The signer decides what arrives. Until then the row has the amount of the quote.
	const amount = quote.amount.toString();
	log('consolidation_planned', { payoutId: id, network, coins: quote.coins, amount, fee: quote.fee.toString() });
	const worth = { amount, usdCents: usdCents(usdValue(quote.amount, asset, usd)) };
	const planned = { id, kind: 'consolidation', network, asset, toAddress: hotAddress, ...worth } as const;
	await runBatch(db, [planOnce(db, planned, now)]);
}
