/**
 * May this withdrawal be signed? Nothing proves that the operator asked for it, so the signer sends withdrawals to one
 * address only, which is in its own configuration and nowhere else. An attacker who writes to D1 can only send the
 * operator their own coins earlier. Pure.
 */
import { assetOf, isAssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { WithdrawalAddress } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import type { SignerEnv } from '../env.ts';

/**
 * `isAddress`: is it an address of the network? `isOurs`: is it one of this service? Then nothing would be withdrawn.
 */
export function configuredAddress(
	env: SignerEnv,
	network: NetworkName,
	{ isAddress, isOurs }: Readonly<Record<'isAddress' | 'isOurs', (text: string) => boolean>>,
): WithdrawalAddress {
	const variable = `WITHDRAW_TO_${network.toUpperCase() as Uppercase<NetworkName>}` as const;
	const address = env[variable]?.trim();
	if (!address) return { refused: { kind: 'withdraw-address-not-set', variable } };
	if (!isAddress(address)) return { refused: { kind: 'withdraw-address-invalid', variable, network } };
	if (isOurs(address)) return { refused: { kind: 'withdraw-address-ours', variable } };
	return { address };
}

/** Base units, more than zero. */
const AMOUNT = /^[1-9]\d{0,77}$/;

/** Why the row or the configuration forbids it; null if they allow it. */
export function withdrawalRefusal(
	row: Pick<TransactionRow, 'asset' | 'network' | 'toAddress' | 'amount'>,
	network: NetworkName,
	configured: WithdrawalAddress,
): SignerRefusal | null {
	const { asset, toAddress, amount } = row;
	if (!isAssetId(asset) || row.network !== network || assetOf(asset).network !== network)
		return { kind: 'other-network' };
	if ('refused' in configured) return configured.refused;
	if (toAddress !== configured.address) return { kind: 'other-recipient-than-configured' };
	return AMOUNT.test(amount) ? null : { kind: 'amount-invalid' };
}
