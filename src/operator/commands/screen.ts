/** `order screen`: the operator decides instead of the screening service, also where that is off. */
import { and, eq } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { findOrder } from '../../orders/store.ts';
import { deposits, type OrderRow } from '../../orders/table.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { objectNamed } from '../../platform/region.ts';
import { decisionStatements, screeningsOf } from '../../treasury/screening/store.ts';
import type { Verdict } from '../../treasury/screening/table.ts';
import { refundAddressOf, type Subject, subjectsOfDecision } from '../../treasury/screening/verdict.ts';
import { openTransactionOf } from '../../treasury/transactions/store.ts';
import { type Context, fail, type RunOf } from '../command.ts';
import { screeningRecord } from '../orders/screening.ts';
import type { order as topic } from '../topics/order.ts';

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
