/** Orders that wait for the partner's choice, a refund, a price, or a deposit that was dropped or is slow; and what payers report. */
import { and, asc, sql } from 'drizzle-orm';
import { assetOf } from '../../catalog/assets.ts';
import { sumOf } from '../../money/units.ts';
import { countedTogether } from '../../orders/dust.ts';
import { type OrderRow, orders } from '../../orders/table.ts';
import { DOUBTED, orderReasons, screeningHolds, waiting } from '../orders/attention.ts';
import { doubtsOf, ONLY_SAFE } from '../orders/doubted.ts';
import { factsOfOrders, type OrderFacts } from '../orders/facts.ts';
import { newReports, waitingReports } from './reports.ts';
import { coinsText, type Facts, MOST_ROWS, type Waiting, worth } from './waiting.ts';

export async function waitingOrders(facts: Facts): Promise<Waiting[]> {
	const { db, now } = facts.context;
	const [found, reported] = await db.batch([
		db
			.select()
			.from(orders)
			.where(and(waiting(now)))
			.orderBy(asc(orders.updatedAt), sql`${orders.id}`)
			.limit(MOST_ROWS + 1),
		newReports(db, now),
	]);
	const named = found.slice(0, MOST_ROWS);
	const factsOf = await factsOfOrders(db, named);
	const doubts = await doubtsOf(facts.context, named);
	const rows = named.flatMap((order) => {
		const ofOrder = factsOf(order.id);
		const reasons = orderReasons(order, ofOrder, now);
		if (reasons.length === 0) return [];
		if (doubts.orders.has(order.id)) return [{ ...rowOf(facts, order, ofOrder, [DOUBTED]), todo: ONLY_SAFE }];
		return [rowOf(facts, order, ofOrder, reasons)];
	});
	const more = found.length > MOST_ROWS ? [MORE] : [];
	return [...rows, ...more, ...waitingReports(reported)];
}

const MORE: Waiting = {
	area: 'order',
	subject: 'more',
	cause: `more than ${MOST_ROWS} orders wait; those that have waited the longest are named`,
	todo: '`order list --attention --limit 500` names more',
};

function rowOf(facts: Facts, order: OrderRow, ofOrder: OrderFacts, reasons: readonly string[]): Waiting {
	const { deposits } = ofOrder;
	const asset = assetOf(order.fromAsset);
	// The deposits that no payout or refund pays for yet: that much is at stake.
	const open = countedTogether(deposits.filter(({ payoutId, state }) => payoutId === null && state !== 'gone'));
	const received = sumOf(open);
	const isLate = order.status !== 'PENDING' && order.status !== 'EMERGENCY';
	return {
		area: 'order',
		subject: order.id,
		cause: reasons.join('; '),
		since: isLate ? Math.max(0, ...open.map(({ lastSeenAt }) => lastSeenAt)) || order.updatedAt : order.updatedAt,
		amount: received === 0n ? null : coinsText(asset, received),
		usd: received === 0n ? null : worth(facts, asset, received),
		todo: screeningHolds(order, ofOrder)
			? `the screening service is asked again; \`order screen ${order.id} accept|hold|refund --reason R\` decides instead`
			: todoOf(order, ofOrder),
	};
}

function todoOf({ id, status, emergencyChoice, refundAskedAt }: OrderRow, { transactions }: OrderFacts): string {
	const planned = transactions.find(({ state }) => state === 'planned');
	if (refundAskedAt !== null)
		return planned
			? `\`payout give-up ${planned.id} --reason R\` takes the payout back, then \`order refund ${id}\`; or let the payout go on`
			: `\`order refund ${id}\``;
	if (status === 'PENDING') return `look for the deposit in an explorer: \`order show ${id}\` has its transaction`;
	if (status !== 'EMERGENCY') return `\`order refund ${id}\``;
	return emergencyChoice === 'EXCHANGE'
		? `nothing, if the cause passes; else \`order refund ${id}\``
		: `the partner may choose EXCHANGE; else \`order refund ${id}\`, or \`order finalise ${id} --reason R\` where nothing goes back`;
}
