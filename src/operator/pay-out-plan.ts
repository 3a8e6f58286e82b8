/** What `earnings pay-out` would have the operator pay: whether and where the partner can be paid, and how much. */
import { writeAudit } from '../audit/log.ts';
import { assetOf, isAssetId } from '../catalog/assets.ts';
import type { PartnerRow } from '../partners/table.ts';
import { convertEarnings, sumsByAsset } from '../treasury/earnings.ts';
import { planStatements, unpaidOrders } from '../treasury/partner-payouts.ts';
import type { PartnerPayoutRow } from '../treasury/table.ts';
import type { Statement } from '../treasury/transition.ts';
import { type Context, type Failure, fail } from './command.ts';
import { marketOrNull } from './market.ts';
import { payoutProblem } from './partner-input.ts';
import { isoTime } from './shown.ts';

/** As the audit log names it. */
export const PAY_OUT = 'earnings pay-out';
/** "A changed address waits 24 h" (decisions.md "Partner earnings"). */
const ADDRESS_WAITS_MILLISECONDS = 24 * 3_600_000;

/** Why the partner cannot be paid now, as one line. */
export function addressProblem({ env, now }: Context, partner: PartnerRow): string | null {
	const { id, payoutAsset, payoutAddress, payoutAddressChangedAt } = partner;
	if (payoutAsset === null || payoutAddress === null) {
		return `partner ${id} has no payout address; set one with partner update --payout-asset --payout-address`;
	}
	const usableAt = (payoutAddressChangedAt ?? 0) + ADDRESS_WAITS_MILLISECONDS;
	if (now < usableAt)
		return `the payout address of partner ${id} was changed; it can be used from ${isoTime(usableAt)}`;
	return payoutProblem(env, payoutAsset, payoutAddress);
}

/** At the live rate; once the statements are written, the amount stands. */
export async function makePlan(
	context: Context,
	{ id: partnerId, payoutAsset, payoutAddress }: PartnerRow,
): Promise<{ payout: PartnerPayoutRow; statements: Statement[] } | Failure> {
	const { db, now } = context;
	const [earned, market] = await Promise.all([unpaidOrders(db, partnerId), marketOrNull(context)]);
	if (earned.length === 0) return fail(409, `nothing is owed to partner ${partnerId}`);
	if (payoutAsset === null || payoutAddress === null || !isAssetId(payoutAsset)) {
		throw new TypeError(`partner ${partnerId} has no payout address`);
	}
	const asset = assetOf(payoutAsset);
	const sums = sumsByAsset(earned);
	const worth = market ? convertEarnings(sums, asset, market, now) : { unpriced: payoutAsset };
	if ('unpriced' in worth)
		return fail(503, `there is no price of ${worth.unpriced} to convert at now; try again later`);
	if (worth.amount === 0n) return fail(409, `what is owed to partner ${partnerId} is less than can be paid`);
	const payout: PartnerPayoutRow = {
		id: crypto.randomUUID(),
		partnerId,
		asset: payoutAsset,
		network: asset.network,
		address: payoutAddress,
		amount: worth.amount.toString(),
		usdCents: worth.usdCents,
		orderCount: earned.length,
		plannedAt: now,
		txId: null,
		paidAt: null,
	};
	const from = sums.map((sum) => ({ asset: sum.asset, amount: sum.amount.toString() }));
	const changes = { planned: payout.id, asset: payoutAsset, address: payoutAddress, amount: payout.amount, from };
	const audit = writeAudit(db, { at: now, command: PAY_OUT, subject: partnerId, changes });
	return { payout, statements: [...planStatements(db, payout, earned), audit] };
}
