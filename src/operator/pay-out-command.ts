/**
 * `earnings pay-out` (operator.md). The operator pays from a wallet of his own; this says what to pay and where, then
 * books it under his transaction and announces it. Run twice, or by two people at once, it books nothing twice.
 */
import { z } from 'zod';
import { writeAudit, writeAuditIf } from '../audit/log.ts';
import { assetOf, isAssetId } from '../catalog/assets.ts';
import { logError } from '../http/log.ts';
import { findPartner } from '../partners/store.ts';
import type { PartnerRow } from '../partners/table.ts';
import { runBatch } from '../treasury/batches.ts';
import { convertEarnings, sumsByAsset } from '../treasury/earnings.ts';
import {
	bookStatements,
	findPartnerPayout,
	isBooked,
	isPlanned,
	payoutPaidBy,
	plannedPayout,
	planStatements,
	unpaidOrders,
	withdrawStatements,
} from '../treasury/partner-payouts.ts';
import type { PartnerPayoutRow } from '../treasury/table.ts';
import type { Statement } from '../treasury/transition.ts';
import { kickWebhooks } from '../webhooks/kick.ts';
import { paidOutEvent } from '../webhooks/outbox.ts';
import type { NewWebhookEventRow } from '../webhooks/table.ts';
import { type Context, command, type Failure, fail, isFailure } from './command.ts';
import { marketOrNull } from './market.ts';
import { payoutProblem } from './partner-input.ts';
import { partnerPayoutRecord } from './partner-record.ts';
import { isoTime } from './shown.ts';

/** "A changed address waits 24 h" (decisions.md "Partner earnings"). */
const ADDRESS_WAITS_MILLISECONDS = 24 * 3_600_000;
const COMMAND = 'earnings pay-out';

/** Transaction ids in hexadecimal mean the same in either case; those in base58 do not. */
const txId = z
	.string()
	.regex(/^[\x21-\x7e]{1,128}$/, 'must be a transaction id: 1 to 128 characters without blanks')
	.transform((text) => (/^(0x)?[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : text));

export const payOutEarnings = command(
	z.strictObject({ partner: z.string().max(100), txId: txId.optional() }),
	async (context, input) => {
		const partner = await findPartner(context.db, input.partner);
		if (!partner) return fail(404, `there is no partner ${input.partner}`);
		const booked = input.txId === undefined ? null : await payoutPaidBy(context.db, input.txId);
		if (booked) return fail(409, `transaction ${booked.txId} is booked already, as payout ${booked.id}`);
		const planned = await plannedPayout(context.db, partner.id);
		if (planned && input.txId !== undefined) return book(context, partner, planned, input.txId, []);
		const problem = addressProblem(context, partner);
		if (problem) return fail(409, problem);
		if (planned?.asset === partner.payoutAsset && planned?.address === partner.payoutAddress) return payThis(planned);
		// It was to go where the partner is paid no more; had it been paid, it would be booked.
		if (planned) await withdraw(context, planned);
		const plan = await makePlan(context, partner);
		if (isFailure(plan)) return plan;
		if (input.txId !== undefined) return book(context, partner, plan.payout, input.txId, plan.statements);
		const stored = await write(context, plan.payout.id, plan.statements);
		return stored ? payThis(stored) : overtaken(partner);
	},
);

function addressProblem({ env, now }: Context, partner: PartnerRow): string | null {
	const { id, payoutAsset, payoutAddress, payoutAddressChangedAt } = partner;
	if (payoutAsset === null || payoutAddress === null) {
		return `partner ${id} has no payout address; set one with partner update --payout-asset --payout-address`;
	}
	const usableAt = (payoutAddressChangedAt ?? 0) + ADDRESS_WAITS_MILLISECONDS;
	if (now < usableAt)
		return `the payout address of partner ${id} was changed; it can be used from ${isoTime(usableAt)}`;
	return payoutProblem(env, payoutAsset, payoutAddress);
}

/** At the live rate; from here on the amount stands. */
async function makePlan(
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
	const audit = writeAudit(db, { at: now, command: COMMAND, subject: partnerId, changes });
	return { payout, statements: [...planStatements(db, payout, earned), audit] };
}

/** `before`: what plans the payout, in the same batch. */
async function book(
	context: Context,
	partner: PartnerRow,
	payout: PartnerPayoutRow,
	txId: string,
	before: readonly Statement[],
) {
	const { db, env, now } = context;
	const event = eventOf(partner, payout, txId, now);
	const changes = { paid: payout.id, network: payout.network, txId };
	const stored = await write(context, payout.id, [
		...before,
		...bookStatements(db, { payoutId: payout.id, txId, event, now }),
		writeAuditIf(db, { at: now, command: COMMAND, subject: partner.id, changes }, isBooked(payout.id, txId)),
	]);
	if (stored?.txId !== txId) return overtaken(partner);
	if (event) await kickWebhooks(env.WEBHOOKS, [event.id]);
	return { partnerId: partner.id, ...partnerPayoutRecord(stored) };
}

function eventOf(
	{ id: partnerId, webhookUrl, webhookEvents }: PartnerRow,
	payout: PartnerPayoutRow,
	txId: string,
	now: number,
): NewWebhookEventRow | null {
	if (webhookUrl === null || !webhookEvents.includes('partner.paid_out')) return null;
	const { payoutId, asset, network, amount, usd, address, orderCount } = partnerPayoutRecord(payout);
	const what = { payoutId, asset, network, amount, usd, address, txId, orderCount };
	return paidOutEvent({ id: crypto.randomUUID(), partnerId, ...what, now });
}

async function withdraw({ db, now }: Context, { id, partnerId, address }: PartnerPayoutRow): Promise<void> {
	const changes = { withdrawn: id, address };
	const entry = { at: now, command: COMMAND, subject: partnerId, changes };
	await runBatch(db, [writeAuditIf(db, entry, isPlanned(id)), ...withdrawStatements(db, id)]);
}

/**
 * The payout as it now is, null when there is none: D1's answer may be lost, and a batch that failed may have lost to
 * another.
 */
async function write({ db }: Context, payoutId: string, statements: readonly Statement[]) {
	try {
		await runBatch(db, statements);
	} catch (error) {
		logError('partner_payout_not_written', error, { payoutId });
	}
	return findPartnerPayout(db, payoutId);
}

const overtaken = ({ id }: PartnerRow): Failure =>
	fail(409, `the payout to partner ${id} was not written, another one may have come first; look with earnings show`);

function payThis(payout: PartnerPayoutRow): Failure {
	const { payoutId, asset, network, amount, usd, address, orderCount } = partnerPayoutRecord(payout);
	const what = `${amount} ${asset} (${usd} USD, ${orderCount} orders) to ${address} on ${network}`;
	return fail(409, `payout ${payoutId} is planned: pay ${what}, then run this again with --tx-id`);
}
