/**
 * Plans consolidations: background work that joins many small outputs of a wallet into one, while fees are low. On
 * chains where payouts spend the deposits themselves, small outputs pile up: a payment takes the largest outputs first,
 * and at most a hundred. A planned consolidation takes the path of every transaction (`transactions/advance.ts`), after
 * everything that is owed. The signer chooses the outputs and judges by itself. One at a time
 * (`transactions_one_consolidation`).
 */
import { assetOf, nativeAsset } from '../../catalog/assets.ts';
import { isSent } from '../../catalog/settings.ts';
import { usdCents } from '../../money/decimal.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { log } from '../../platform/log.ts';
import { usdPrice } from '../../pricing/market.ts';
import type { Planning } from '../connection.ts';
import { usdValue } from './rules.ts';
import { hasOpenConsolidation, planOnce } from './store.ts';

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
	const worth = usdCents(usdValue(quote.amount, asset, usd));
	const planned = {
		id,
		kind: 'consolidation',
		network,
		asset,
		toAddress: hotAddress,
		amount,
		usdCents: worth,
	} as const;
	await runBatch(db, [planOnce(db, planned, now)]);
}
