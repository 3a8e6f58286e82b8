/**
 * Judges and signs withdrawals: coins of the hot wallet that the operator takes out. They have a daily cap of their
 * own, so that withdrawals never use up the cap of payouts, nor payouts that of withdrawals.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import { usdCents } from '../../money/decimal.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import { isRefusal } from '../refusal.ts';
import { feeCents, type Signing, signPayment } from '../signing.ts';
import { withdrawalRefusal } from './judge.ts';

export async function signWithdrawal(signing: Signing, row: TransactionRow): Promise<Signed | SignerRefusal> {
	const { network } = signing;
	const refusal = withdrawalRefusal(row, network, signing.withdrawalAddress());
	if (refusal) return refusal;
	const usd = await signing.prices.usd(row.asset, nativeAsset(network));
	if (isRefusal(usd)) return usd;
	const [assetUsd, nativeUsd] = usd;
	const cents = usdCents(usdValue(BigInt(row.amount), row.asset, assetUsd));
	return signPayment(signing, {
		row,
		orderId: '',
		asset: row.asset,
		purpose: 'withdrawal',
		fromNetwork: network,
		deposits: [],
		cents: (fee) => cents + feeCents(network, fee, nativeUsd),
	});
}
