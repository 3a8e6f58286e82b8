/**
 * `earnings pay-out` (operator.md). The operator pays from a wallet of his own; this says what to pay and where, then
 * books it under his transaction and announces it. Run twice, or by two people at once, it books nothing twice.
 */
import * as z from 'zod';
import { writeAuditIf } from '../audit/log.ts';
import { logError } from '../http/log.ts';
import { findPartner } from '../partners/store.ts';
import type { PartnerRow } from '../partners/table.ts';
import { runBatch } from '../treasury/batches.ts';
import {
	bookStatements,
	findPartnerPayout,
	isBooked,
	isPlanned,
	payoutPaidBy,
	plannedPayout,
	withdrawStatements,
} from '../treasury/partner-payouts.ts';
import type { PartnerPayoutRow } from '../treasury/table.ts';
import type { Statement } from '../treasury/transition.ts';
import { kickWebhooks } from '../webhooks/kick.ts';
import { paidOutEvent } from '../webhooks/outbox.ts';
import type { NewWebhookEventRow } from '../webhooks/table.ts';
import { type Context, command, type Failure, fail, isFailure } from './command.ts';
import { partnerPayoutRecord } from './partner-record.ts';
import { addressProblem, makePlan, PAY_OUT } from './pay-out-plan.ts';

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
		// It is to go where the partner is paid no more. Who has paid it already books it first.
		if (planned) await withdraw(context, planned);
		const plan = await makePlan(context, partner);
		if (isFailure(plan)) return plan;
		if (input.txId !== undefined) return book(context, partner, plan.payout, input.txId, plan.statements);
		const stored = await write(context, plan.payout.id, plan.statements);
		return stored ? payThis(stored) : overtaken(partner);
	},
);

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
		writeAuditIf(db, { at: now, command: PAY_OUT, subject: partner.id, changes }, isBooked(payout.id, txId)),
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
	const entry = { at: now, command: PAY_OUT, subject: partnerId, changes };
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
	const orders = orderCount === 1 ? '1 order' : `${orderCount} orders`;
	const what = `${amount} ${asset} (${usd} USD, ${orders}) to ${address} on ${network}`;
	return fail(409, `payout ${payoutId} is planned: pay ${what}, then run this again with --tx-id`);
}
