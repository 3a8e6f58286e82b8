/**
 * Judges and signs withdrawals: coins of the hot wallet that the operator takes out. They have a daily cap of their
 * own, so that withdrawals never use up the cap of payouts, nor payouts that of withdrawals. Each address may have one as
 * well, which counts what it gets, without fees. Withdrawals of a network are signed one after the other, so what was read
 * of that counter holds until the signature is recorded.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import { usdCents } from '../../money/decimal.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import { isRefusal } from '../refusal.ts';
import { feeCents, type Signing, signPayment } from '../signing.ts';
import { addressCapRefusal, judgeWithdrawal } from './judge.ts';

export async function signWithdrawal(signing: Signing, row: TransactionRow): Promise<Signed | SignerRefusal> {
	const { network, journal, day } = signing;
	const to = judgeWithdrawal(row, network, signing.withdrawalAddresses());
	if (isRefusal(to)) return to;
	const usd = await signing.prices.usd(row.asset, nativeAsset(network));
	if (isRefusal(usd)) return usd;
	const [assetUsd, nativeUsd] = usd;
	const cents = usdCents(usdValue(BigInt(row.amount), row.asset, assetUsd));
	const aboveCap = addressCapRefusal(network, to, cents);
	if (aboveCap) return aboveCap;
	return signPayment(signing, {
		row,
		asset: row.asset,
		purpose: 'withdrawal',
		cents: (fee) => cents + feeCents(network, fee, nativeUsd),
		also: () => journal.days.countWithdrawn({ network, address: to.address }, day, cents),
	});
}
