/**
 * May this withdrawal be signed? Nothing proves that the operator asked for it, so the signer sends withdrawals only to the
 * addresses in its own configuration, which are nowhere else, and to each no more in a day than its cap. An attacker who
 * writes to D1 can only send the operator their own coins earlier. Pure.
 */
import { assetOf, isAssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { WithdrawalAddress, WithdrawalAddresses } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import { capRefusal } from '../daily-caps.ts';
import { withdrawVariable } from './addresses.ts';

/** Base units, more than zero. */
const AMOUNT = /^[1-9]\d{0,77}$/;

/** The address that it goes to, or why the row or the configuration forbids it. */
export function judgeWithdrawal(
	row: Pick<TransactionRow, 'asset' | 'network' | 'toAddress' | 'amount'>,
	network: NetworkName,
	configured: WithdrawalAddresses,
): WithdrawalAddress | SignerRefusal {
	const { asset, toAddress, amount } = row;
	if (!isAssetId(asset) || row.network !== network || assetOf(asset).network !== network)
		return { kind: 'other-network' };
	if ('refused' in configured) return configured.refused;
	const to = configured.addresses.find(({ address }) => address === toAddress);
	if (!to) return { kind: 'other-recipient-than-configured' };
	return AMOUNT.test(amount) ? to : { kind: 'amount-invalid' };
}

/** Why the day's cap of the address does not allow `cents` more; null where it does, or there is none. */
export function addressCapRefusal(
	network: NetworkName,
	{ name, capCents, usedCents }: WithdrawalAddress,
	cents: number,
): SignerRefusal | null {
	const to = { name, variable: withdrawVariable(network) };
	return capCents === null ? null : capRefusal({ purpose: 'withdrawal', to }, capCents, usedCents, cents);
}
