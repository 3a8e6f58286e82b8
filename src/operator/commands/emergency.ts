/** `order finalise`, `order refund` and `order screen`: the operator decides about an order that cannot go on by itself. */
import { and, eq } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { finalised } from '../../orders/lifecycle.ts';
import { findOrder } from '../../orders/store.ts';
import { deposits, type OrderRow } from '../../orders/table.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import { wakeWebhooks } from '../../ports/wake.ts';
import { setDepositsAside } from '../../treasury/deposits/settle-store.ts';
import { moveOrder } from '../../treasury/move-order.ts';
import { isScreeningOn } from '../../treasury/screening/service.ts';
import { decisionStatements, screeningsOf } from '../../treasury/screening/store.ts';
import type { Verdict } from '../../treasury/screening/table.ts';
import { refundAddressOf, type Subject, subjectsOfDecision } from '../../treasury/screening/verdict.ts';
import { refusalText } from '../../treasury/signer-refusal.ts';
import { isPlannedRefund, planRefund } from '../../treasury/transactions/refund.ts';
import { openTransactionOf } from '../../treasury/transactions/store.ts';
import { fromSigner } from '../asking.ts';
import { type Context, type Failure, fail, isFailure, type RunOf } from '../command.ts';
import { archivedOrNone } from '../orders/archived.ts';
import { orderLine, screeningRecord } from '../orders/record.ts';
import { currentSettings } from '../settings/changes.ts';
import type { order as topic } from '../topics/order.ts';

const load = async ({ db, env }: Context, orderId: string) =>
	(await findOrder(db, orderId)) ?? (await archivedOrNone(db, env, orderId));

const movedMeanwhile = (orderId: string, error: unknown): Failure => {
	logError('operator_lost_race', error, { orderId });
	return fail(409, `order ${orderId} moved meanwhile; check it with order show`);
};

/**
 * EMERGENCY → EXPIRED, for good. Atomic: the move, its webhook, the deposits set aside and the audit line are one
 * batch.
 */
export const finaliseOrder: RunOf<typeof topic, 'finalise'> = async (context, input) => {
	const order = await load(context, input.id);
	if ('failed' in order) return order;
	const { db, now, env } = context;
	if (order.status !== 'EMERGENCY') return fail(409, `order ${order.id} is ${order.status}, not EMERGENCY`);
	const move = { order, steps: [finalised(input.reason)], deposits: [] };
	const moved = moveOrder(db, move, now, () => crypto.randomUUID());
	const audit = { command: 'order finalise', subject: order.id, changes: { reason: input.reason } };
	try {
		await runBatch(db, [...moved.statements, setDepositsAside(db, order.id), writeAudit(context, audit)]);
	} catch (error) {
		return movedMeanwhile(order.id, error);
	}
	await wakeWebhooks(env.WEBHOOKS, moved.eventIds);
	return orderLine(moved.after);
};

/** Sends back deposits that no payout pays for, also those that came after the payout or to a deleted order. */
export const refundOrder: RunOf<typeof topic, 'refund'> = async (context, input) => {
	const order = await load(context, input.id);
	if ('failed' in order) return order;
	const refused = await paidBefore(context, order.id);
	if (refused) return refused;
	const planned = await plan(context, order);
	if ('failed' in planned) return planned;
	await objectNamed(context.env, context.env.CHAIN_AGENT, order.fromNetwork).wake(order.fromNetwork);
	return { order: order.id, asset: order.fromAsset, to: order.refundAddress, ...planned };
};

/** After a restore the chain may hold a payment of the order that nothing here knows: the signer looks. */
async function paidBefore({ env }: Context, orderId: string): Promise<Failure | null> {
	const refused = await fromSigner(() => env.SIGNER.refundRefusal(orderId), { orderId }, 'nothing was planned');
	return !refused || isFailure(refused) ? refused : fail(409, `nothing was planned: ${refusalText(refused)}`);
}

async function plan(context: Context, order: OrderRow) {
	const { db, env, now } = context;
	const switches = await currentSettings(context);
	const market = await objectNamed(env, env.RATE_BOOK, 'book').market();
	const changes = { to: order.refundAddress };
	const audit = writeAudit(context, { command: 'order refund', subject: order.id, changes });
	// The agent has the secret of the screening service.
	await objectNamed(env, env.CHAIN_AGENT, order.fromNetwork).screenForRefund(order.id);
	const means = { sealKeys: env.askedKeys(), market, switches, isScreening: isScreeningOn(env), now };
	try {
		const planned = await planRefund(db, order, means, [audit]);
		return isPlannedRefund(planned) ? planned : fail(409, planned.because);
	} catch (error) {
		return movedMeanwhile(order.id, error);
	}
}

/** Atomic: the verdicts, the order's next judgement and the audit line are one batch. */
export const screenOrder: RunOf<typeof topic, 'screen'> = async (context, { id, verdict, reason }) => {
	const { db, env, now } = context;
	const order = await findOrder(db, id);
	if (!order) return fail(404, `there is no order ${id}`);
	const open = await openTransactionOf(db, id);
	if (open)
		return fail(
			409,
			`the ${open.kind} of order ${id} is ${open.state}; \`payout give-up ${open.id} --reason R\` comes first`,
		);
	const subjects = await subjectsIn(context, order);
	if (isOver(order) && !subjects.some(({ kind }) => kind === 'deposit'))
		return fail(409, `order ${id} is ${order.status} and no deposit of it is left to decide about`);
	const audit = writeAudit(context, { command: 'order screen', subject: id, changes: { verdict, reason } });
	await runBatch(db, [
		...decisionStatements(db, order, { decisions: decisions(order, subjects, verdict), reason }, now),
		audit,
	]);
	await objectNamed(env, env.CHAIN_AGENT, order.fromNetwork).wake(order.fromNetwork);
	const rows = await screeningsOf(db, id);
	return { order: id, verdict, screening: rows.map(screeningRecord), next: nextOf(order, verdict) };
};

async function subjectsIn({ db }: Context, order: OrderRow): Promise<Subject[]> {
	const isFinal = and(eq(deposits.orderId, order.id), eq(deposits.state, 'final'));
	return subjectsOfDecision(order, await db.select().from(deposits).where(isFinal));
}

/** A refund that the operator decides also accepts the refund address, which is part of the order's sealed terms. */
const decisions = (order: OrderRow, subjects: readonly Subject[], verdict: Verdict) => [
	...subjects.map((subject) => ({ subject, verdict })),
	...(verdict === 'refund' ? [{ subject: refundAddressOf(order), verdict: 'accept' } as const] : []),
];

const isOver = ({ status }: Pick<OrderRow, 'status'>): boolean =>
	status === 'EXCHANGE' || status === 'DONE' || status === 'EXPIRED';

function nextOf({ id, status, deletedAt }: OrderRow, verdict: Verdict): string {
	if (verdict === 'hold') return 'nothing moves until you decide again';
	const byHand = deletedAt !== null || isOver({ status });
	if (byHand) return `\`order refund ${id}\` sends its deposits back`;
	return verdict === 'refund' ? 'the service sends its final deposits back by itself' : 'the order goes on by itself';
}
