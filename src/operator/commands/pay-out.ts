/**
 * `earnings pay-out`. The service pays what is owed from its hot wallet, on the path of every transaction: this plans
 * the payout and answers at once. With `--tx-id` it books what the operator has paid from their own wallet, and sends
 * the webhook. Run twice, or by two people at once, it pays and books nothing twice.
 */
import { writeAuditIf } from '../../audit/log.ts';
import { findPartner } from '../../partners/store.ts';
import type { PartnerRow } from '../../partners/table.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import { logError } from '../../platform/log.ts';
import { wakeWebhooks } from '../../ports/wake.ts';
import { paidOutEventOf } from '../../treasury/earnings/finish.ts';
import {
	bookStatements,
	isBooked,
	isNotSigned,
	isPlanned,
	notPaidStatement,
	payStatement,
	withdrawStatements,
} from '../../treasury/earnings/statements.ts';
import {
	findPartnerPayout,
	type PartnerPayout,
	paidOrderIds,
	payoutPaidBy,
	plannedPayout,
} from '../../treasury/earnings/store.ts';
import type { PartnerPayoutRow } from '../../treasury/earnings/table.ts';
import { isOwnTransaction } from '../../treasury/transactions/version-store.ts';
import { fromSigner, wakeAgent } from '../asking.ts';
import { type Context, type Failure, fail, isFailure, type RunOf } from '../command.ts';
import { type Automatic, makePlan, PAY_OUT } from '../partners/pay-out-plan.ts';
import { addressProblem } from '../partners/payout-address.ts';
import { partnerPayoutRecord } from '../partners/record.ts';
import type { earnings as topic } from '../topics/earnings.ts';

export const payOutEarnings: RunOf<typeof topic, 'pay-out'> = async (context, input) => {
	const partner = await findPartner(context.db, input.partner);
	if (!partner) return fail(404, `there is no partner ${input.partner}`);
	const planned = await plannedPayout(context.db, partner.id);
	return input.txId === undefined
		? payFromWallet(context, partner, planned)
		: bookByHand(context, partner, planned, input.txId);
};

/** `planned`: the payout that waits to be paid. `automatic`: for a payout that the service makes by itself. */
export async function payFromWallet(
	context: Context,
	partner: PartnerRow,
	planned: PartnerPayout | null,
	automatic: Automatic | null = null,
) {
	const { db } = context;
	if (planned?.own && planned.own.state !== 'planned') return underWay(planned);
	const problem = await addressProblem(context, partner);
	if (problem) return fail(409, problem);
	if (planned && isAsPlanned(planned, partner)) return underWay(planned);
	// The partner's asset or address has changed, or the plan could not go on. The signer gives up only what is not
	// signed.
	if (planned) {
		const failure = await withdraw(context, planned.plan);
		if (failure) return failure;
	}
	const plan = await makePlan(context, partner, 'service', automatic);
	if (isFailure(plan)) return plan;
	const { payout } = plan;
	const stored = await write(context, payout.id, [...plan.statements, payStatement(db, payout)]);
	if (!stored) return overtaken(partner);
	await wakeAgent(context, payout.network);
	return underWay(stored);
}

/** Is the plan still right? A payout that the signer refused once is planned again at today's prices. */
const isAsPlanned = ({ plan, own }: PartnerPayout, partner: PartnerRow): boolean =>
	plan.asset === partner.payoutAsset && plan.address === partner.payoutAddress && own?.attempts === 0;

const underWay = (payout: PartnerPayout) => ({
	partnerId: payout.plan.partnerId,
	...partnerPayoutRecord(payout),
	next: 'the service signs, sends and announces it by itself; earnings show says how far it is',
});

async function bookByHand(context: Context, partner: PartnerRow, planned: PartnerPayout | null, txId: string) {
	const { db } = context;
	const booked = await payoutPaidBy(db, txId);
	if (booked) return fail(409, `transaction ${booked.txId} is booked already, as payout ${booked.id}`);
	if (await isOwnTransaction(db, txId)) return fail(409, `transaction ${txId} is one that the service made itself`);
	if (planned) {
		const { id } = planned.plan;
		return book(context, partner, planned.plan, {
			txId,
			orderIds: await paidOrderIds(db, id),
			before: [notPaidStatement(db, id)],
		});
	}
	const problem = await addressProblem(context, partner);
	if (problem) return fail(409, problem);
	const plan = await makePlan(context, partner, 'operator');
	return isFailure(plan)
		? plan
		: book(context, partner, plan.payout, { txId, orderIds: plan.orderIds, before: plan.statements });
}

/**
 * `before`: the statements that make it a payout paid by hand. Atomic: they, the booking and its audit line are one
 * batch.
 */
async function book(
	context: Context,
	partner: PartnerRow,
	payout: PartnerPayoutRow,
	{
		txId,
		orderIds,
		before,
	}: { readonly txId: string; readonly orderIds: readonly string[]; readonly before: readonly Statement[] },
) {
	const { db, env, now } = context;
	// First, so that after a crash the signer never pays what the operator has paid.
	const failure = await giveUp(payout.id, () => env.SIGNER.earningsPaidByHand(payout.id, orderIds));
	if (failure) return failure;
	const event = paidOutEventOf(partner, payout, txId, now);
	const changes = { paid: payout.id, network: payout.network, txId };
	const stored = await write(context, payout.id, [
		...before,
		...bookStatements(db, { payoutId: payout.id, txId, condition: isNotSigned(payout.id), event, now }),
		writeAuditIf(context, { command: PAY_OUT, subject: partner.id, changes }, isBooked(payout.id, txId)),
	]);
	if (stored?.plan.txId !== txId) return overtaken(partner);
	if (event) await wakeWebhooks(env.WEBHOOKS, [event.id]);
	return { partnerId: partner.id, ...partnerPayoutRecord(stored) };
}

async function withdraw(context: Context, { id, partnerId, address }: PartnerPayoutRow) {
	const { db, env } = context;
	const failure = await giveUp(id, () => env.SIGNER.withdrawEarnings(id));
	if (failure) return failure;
	const entry = { command: PAY_OUT, subject: partnerId, changes: { withdrawn: id, address } };
	await runBatch(db, [writeAuditIf(context, entry, isPlanned(id)), ...withdrawStatements(db, id)]);
	return null;
}

/** Makes the signer give up a payout. A failure says why it does not; then nothing is written. */
async function giveUp(payoutId: string, ask: () => Promise<boolean>): Promise<Failure | null> {
	const isGivenUp = await fromSigner(ask, { payoutId });
	if (isGivenUp !== false) return isGivenUp === true ? null : isGivenUp;
	return fail(409, `the service has signed payout ${payoutId} and sends it itself; check it with earnings show`);
}

/** The stored payout, null when there is none: D1's answer may be lost, or another batch may have come first. */
async function write({ db }: Context, payoutId: string, statements: readonly Statement[]) {
	try {
		await runBatch(db, statements);
	} catch (error) {
		logError('partner_payout_not_written', error, { payoutId });
	}
	return findPartnerPayout(db, payoutId);
}

const overtaken = ({ id }: PartnerRow): Failure =>
	fail(
		409,
		`the payout to partner ${id} was not written, another one may have come first; check it with earnings show`,
	);
