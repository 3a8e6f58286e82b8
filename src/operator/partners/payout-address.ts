/**
 * The address that a partner's earnings are paid to: what a change of it writes, and whether it may be used. The signer
 * believes only the seal; where the seal is missing or does not match, somebody sets the address again.
 */
import { type PayoutTerms, payoutSealHolds, payoutTerms, sealPayoutAddress } from '../../orders/seal.ts';
import type { PartnerColumns } from '../../partners/changes.ts';
import type { PartnerRow } from '../../partners/table.ts';
import { logError } from '../../platform/log.ts';
import { isoTime } from '../../platform/time.ts';
import { payoutUsableAt } from '../../treasury/earnings/conversion.ts';
import { type Context, type Failure, fail } from '../command.ts';
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
	update: Pick<PartnerUpdate, 'payoutAsset' | 'payoutAddress'>,
	columns: PartnerColumns,
): Promise<Pick<PartnerColumns, 'payoutAddressChangedAt' | 'payoutSeal'> | Failure> {
	if (update.payoutAsset === undefined && update.payoutAddress === undefined) return {};
	const keys = env.askedKeys();
	const differs = columns.payoutAsset !== undefined || columns.payoutAddress !== undefined;
	const problem = await problemOf(env, before);
	if (problem === NOT_ASKED) return fail(503, problem);
	const isKnown = problem === null;
	const hasNone = before.payoutAddress === null && update.payoutAddress === undefined;
	if (!differs && (isKnown || hasNone)) return {};
	if (!isKnown && !hasNone) {
		if (update.payoutAddress === undefined)
			return fail(409, `the payout address of partner ${before.id} ${problem}; give the address as well`);
		if (update.payoutAsset === undefined)
			return fail(409, `the payout asset of partner ${before.id} ${problem}; give the asset as well`);
	}
	const { id: partnerId, payoutAsset: asset, payoutAddress: address } = { ...before, ...columns };
	if (asset === null || address === null) return { payoutAddressChangedAt: now, payoutSeal: null };
	const terms = { partnerId, asset, address, changedAt: now };
	// First, so that the address before is never paid again, wherever D1 is set back to.
	const isTaken = await isNewest(env, terms);
	if (isTaken === null) return fail(503, `nothing was changed: ${NOT_ASKED}`);
	if (!isTaken)
		return fail(400, `${address} is an address of this service, or another one was set meanwhile: nothing was changed`);
	return { payoutAddressChangedAt: now, payoutSeal: await sealPayoutAddress(keys, terms) };
}

/** Why the partner cannot be paid now, as one line; null when they can. */
export async function addressProblem({ env, now }: Context, partner: PartnerRow): Promise<string | null> {
	const { id, payoutAsset, payoutAddress, payoutAddressChangedAt } = partner;
	if (payoutAsset === null || payoutAddress === null) {
		return `partner ${id} has no payout address; set one with partner update --payout-asset --payout-address`;
	}
	const problem = await problemOf(env, partner);
	if (problem === NOT_ASKED) return problem;
	if (problem !== null) {
		return `the payout address of partner ${id} ${problem}; set the address again with partner update --payout-asset --payout-address`;
	}
	const usableAt = payoutUsableAt(payoutAddressChangedAt ?? now);
	if (now < usableAt)
		return `the payout address of partner ${id} was changed; it can be used from ${isoTime(usableAt)}`;
	return payoutProblem(env, payoutAsset, payoutAddress);
}

const NOT_ASKED = 'the signer, which remembers where earnings go, does not answer; try again';

/** The mistake in D1's address; null where earnings may go there. */
async function problemOf(env: Context['env'], partner: PartnerRow): Promise<string | null> {
	const terms = payoutTerms(partner.id, partner);
	if (!(terms && (await payoutSealHolds(env.askedKeys(), terms, terms.seal)))) return 'has no valid seal';
	const answer = await isNewest(env, terms);
	if (answer === null) return NOT_ASKED;
	return answer ? null : 'is not the one that was set last';
}

/** Null where the signer could not be asked. */
async function isNewest(env: Context['env'], { partnerId, asset, address, changedAt }: PayoutTerms) {
	try {
		return await env.SIGNER.takePayoutAddress({ partnerId, asset, address, changedAt });
	} catch (error) {
		logError('payout_address_not_taken', error, { partnerId });
		return null;
	}
}
