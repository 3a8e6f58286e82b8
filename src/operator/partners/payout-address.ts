/**
 * The address that a partner's earnings are paid to: what a change of it writes, and whether it may be used. The signer
 * believes only the seal; where the seal is missing or does not match, somebody sets the address again.
 */
import { type KeyRing, keyRing } from '../../crypto/key-ring.ts';
import { payoutSealHolds, sealPayoutAddress } from '../../orders/seal.ts';
import type { PartnerColumns } from '../../partners/changes.ts';
import type { PartnerRow } from '../../partners/table.ts';
import { payoutUsableAt } from '../../treasury/earnings/conversion.ts';
import { type Context, type Failure, fail } from '../command.ts';
import { isoTime } from '../shown.ts';
import type { PartnerUpdate } from '../topics/partner.ts';
import { payoutProblem } from './problems.ts';

/**
 * The further columns that an update of the payout asset or address writes. `columns`: those that the update changes. An
 * update that changes nothing still seals the address again where its seal is missing or does not match. Of asset and
 * address, the one that the update does not name comes from D1, and only with a seal that holds: who writes D1 could
 * have put another one there.
 */
export async function payoutColumns(
	{ env, now }: Context,
	before: PartnerRow,
	update: PartnerUpdate,
	columns: PartnerColumns,
): Promise<Pick<PartnerColumns, 'payoutAddressChangedAt' | 'payoutSeal'> | Failure> {
	if (update.payoutAsset === undefined && update.payoutAddress === undefined) return {};
	const keys = keyRing(env, 'SEAL_KEY');
	const differs = columns.payoutAsset !== undefined || columns.payoutAddress !== undefined;
	const isKnown = await isSealed(keys, before);
	const hasNone = before.payoutAddress === null && update.payoutAddress === undefined;
	if (!differs && (isKnown || hasNone)) return {};
	if (!isKnown && !hasNone) {
		if (update.payoutAddress === undefined)
			return fail(409, `the payout address of partner ${before.id} has no valid seal; give the address as well`);
		if (update.payoutAsset === undefined)
			return fail(409, `the payout asset of partner ${before.id} has no valid seal; give the asset as well`);
	}
	const { id: partnerId, payoutAsset: asset, payoutAddress: address } = { ...before, ...columns };
	const payoutSeal =
		asset === null || address === null
			? null
			: await sealPayoutAddress(keys, { partnerId, asset, address, changedAt: now });
	return { payoutAddressChangedAt: now, payoutSeal };
}

/** Why the partner cannot be paid now, as one line; null when they can. */
export async function addressProblem({ env, now }: Context, partner: PartnerRow): Promise<string | null> {
	const { id, payoutAsset, payoutAddress, payoutAddressChangedAt } = partner;
	if (payoutAsset === null || payoutAddress === null) {
		return `partner ${id} has no payout address; set one with partner update --payout-asset --payout-address`;
	}
	if (!(await isSealed(keyRing(env, 'SEAL_KEY'), partner))) {
		return `the payout address of partner ${id} has no valid seal; set the address again with partner update --payout-asset --payout-address`;
	}
	const usableAt = payoutUsableAt(payoutAddressChangedAt ?? now);
	if (now < usableAt)
		return `the payout address of partner ${id} was changed; it can be used from ${isoTime(usableAt)}`;
	return payoutProblem(env, payoutAsset, payoutAddress);
}

async function isSealed(keys: KeyRing, partner: PartnerRow): Promise<boolean> {
	const { id, payoutAsset, payoutAddress, payoutAddressChangedAt, payoutSeal } = partner;
	if (payoutAsset === null || payoutAddress === null || payoutAddressChangedAt === null || payoutSeal === null)
		return false;
	const terms = { partnerId: id, asset: payoutAsset, address: payoutAddress, changedAt: payoutAddressChangedAt };
	return payoutSealHolds(keys, terms, payoutSeal);
}
