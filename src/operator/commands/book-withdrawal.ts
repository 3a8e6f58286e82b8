/**
 * `treasury withdraw --tx-id`: books a withdrawal that was made after the backup, or as the journal was lost. It is planned
 * in that amount, which the signer refuses to sign as long as nobody has confirmed what belongs to no order; then the signer
 * records it, if its own node shows it to have paid the configured address, and the row is as one that was signed.
 *
 * Atomic: each of these. After a crash in between the same command, or `restored paid` with the planned row, does the rest.
 */
import type { Asset } from '../../catalog/assets.ts';
import { decimal, usdCents } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdPrice } from '../../pricing/market.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { isOwnTransaction } from '../../treasury/transactions/version-store.ts';
import { planWithdrawal, unfinishedWithdrawal } from '../../treasury/transactions/withdrawal.ts';
import { type Context, fail, isFailure } from '../command.ts';
import { giveWay } from './journal-payment.ts';
import { adoptPlanned } from './restored-paid.ts';

export async function bookWithdrawal(
	context: Context,
	asset: Asset,
	{ amount, toAddress, txId }: { readonly amount: bigint; readonly toAddress: string; readonly txId: string },
) {
	const { env, db, now } = context;
	const state = await env.SIGNER.restored();
	if (!state || state.confirmedAt !== null)
		return fail(
			409,
			`only after a restore or a lost journal, before \`restored confirm --own\`; else \`ledger adjust ${asset.code} --amount AMOUNT --reason R\``,
		);
	if (await isOwnTransaction(db, txId)) return fail(409, `${txId} is known already`);
	const before = await unfinishedWithdrawal(db, asset.code);
	if (before && (before.state !== 'planned' || before.amount !== amount.toString())) {
		const isPlanned = before.state === 'planned' ? `; \`payout give-up ${before.id} --reason R\` takes it back` : '';
		return fail(409, `withdrawal ${before.id} of ${asset.code} is ${before.state}, and comes first${isPlanned}`);
	}
	if (!before) {
		const market = await marketOrNull(context.env);
		const price = market && usdPrice(market, asset, now);
		if (!price) return fail(503, `the price of ${asset.code} is not known now; try again later`);
		const cents = usdCents(price.times(decimal(fromBaseUnits(amount, asset.decimals))));
		const planned = { id: crypto.randomUUID(), asset: asset.code, toAddress, amount, usdCents: cents };
		await planWithdrawal(db, planned, now, []);
	}
	const row = await unfinishedWithdrawal(db, asset.code);
	if (!row) return fail(503, 'the withdrawal was not written; run it again');
	const reason = 'a withdrawal that the signer does not know';
	const booked = await adoptPlanned(context, row, txId, reason);
	const kept = isFailure(booked) && !before ? await giveWay(context, row, 'it was not that transaction') : null;
	return kept ?? booked;
}
