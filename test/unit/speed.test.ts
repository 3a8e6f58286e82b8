/** How fast orders were paid, by rows with known times (book: networks, "How fast it is"). */
import { drizzle } from 'drizzle-orm/d1';
import { expect, it } from 'vitest';
import { countSpeeds } from '../../src/status/speed.ts';
import { addOrders, addPartner } from '../support/database.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';

const DAY = 86_400_000;
const MIDNIGHT = Date.UTC(2026, 10, 20);
const YESTERDAY = MIDNIGHT - DAY / 2;
const ETHEREUM = { network: 'Ethereum', asset: 'ETH' } as const;

interface Paid {
	readonly kind?: 'payout' | 'refund';
	/** Milliseconds from its deposit's being final to its broadcast; null: it is not sent. */
	readonly took: number | null;
	readonly plannedAt?: number;
	/** A status that the order had. */
	readonly had?: string;
	readonly decidedBy?: 'service' | 'operator';
	readonly settledTxId?: string;
}

/** Orders that came on Ethereum: payouts are in Monero, refunds in Ether. The deposit was final when it was planned. */
async function counted(...payments: readonly Paid[]) {
	const { d1, run } = sqliteD1();
	await addPartner(run);
	const addresses = payments.map((_, i) => `address ${i}`);
	await addOrders(run, { ...ETHEREUM, addresses, expiresAt: YESTERDAY, status: 'DONE' });
	const orders = run('SELECT id FROM orders ORDER BY pay_in_index').map(({ id }) => String(id));
	for (const [i, { kind = 'payout', took, plannedAt = YESTERDAY, had, decidedBy, settledTxId }] of payments.entries()) {
		const [order, id] = [orders[i] ?? '', `payment ${i}`];
		const [network, asset] = kind === 'payout' ? ['Monero', 'XMR'] : ['Ethereum', 'ETH'];
		const sent = took === null ? null : plannedAt + took;
		run(
			`INSERT INTO transactions (id, order_id, kind, state, network, asset, to_address, amount, usd_cents, raw, tx_id, planned_at,
				signed_at, sent_at, final_at, next_attempt_at, settlement_seal, settled_tx_id)
			VALUES (?1, ?2, ?3, iif(?6 IS NULL, 'signed', iif(?8 IS NULL, 'sent', 'final')), ?4, ?5, 'to', '1', 1, 'raw', ?1, ?7, ?7, ?6,
				NULL, 1, '', ?8)`,
			id,
			order,
			kind,
			network ?? '',
			asset ?? '',
			sent,
			plannedAt,
			settledTxId ?? null,
		);
		// A second deposit of the same payment came earlier: the last one counts.
		for (const [position, at] of [
			['0', plannedAt - DAY],
			['1', plannedAt],
		] as const)
			run(
				`INSERT INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, payout_id, first_seen_at, last_seen_at)
				VALUES ('Ethereum', ?1, ?2, ?3, ?4, 'ETH', '1', 'final', ?5, 1, ?6)`,
				`deposit ${i}`,
				position,
				order,
				addresses[i] ?? '',
				id,
				at,
			);
		if (had) run("INSERT INTO order_changes VALUES (null, ?1, 2, ?2, 'PENDING', 'a cause', 1)", order, had);
		if (decidedBy)
			run(
				`INSERT INTO screenings (order_id, subject, tx_id, position, address, from_network, verdict, decided_by, at)
				VALUES (?1, 'recipient', '', '', 'to', 'Ethereum', 'accept', ?2, 1)`,
				order,
				decidedBy,
			);
	}
	const db = drizzle(d1);
	await countSpeeds(db, MIDNIGHT + 60_000);
	return { db, run, rows: () => run('SELECT * FROM speeds ORDER BY subject').map((row) => ({ ...row })) };
}

const NONE = { payout_half: null, payout_most: null, refund_half: null, refund_most: null, attended_bps: null };
const times = (count: number, more: Partial<Paid> = {}) =>
	Array.from({ length: count }, (_, i): Paid => ({ took: (count - i) * 1_000, ...more }));

it('half and 95 of 100 took at most these times, to the rank, by the network that paid', async () => {
	const { rows } = await counted(...times(40), ...times(21, { kind: 'refund' }));
	const [payout, refund] = [
		{ payout_half: 20_000, payout_most: 38_000 },
		{ refund_half: 11_000, refund_most: 20_000 },
	];
	expect(rows()).toEqual([
		{ ...NONE, subject: 'All', ...payout, ...refund, attended_bps: 0, until: MIDNIGHT },
		{ ...NONE, subject: 'Ethereum', ...refund, attended_bps: 0, until: MIDNIGHT },
		{ ...NONE, subject: 'Monero', ...payout, until: MIDNIGHT },
	]);
});

it('nineteen have no figure, twenty have one', async () => {
	const few = (await counted(...times(19))).rows();
	expect(few.map((row) => ({ ...row, subject: '' }))).toEqual(
		few.map(() => ({ ...NONE, subject: '', until: MIDNIGHT })),
	);
	const [all] = (await counted(...times(20))).rows();
	expect(all).toMatchObject({ payout_half: 10_000, payout_most: 19_000, attended_bps: 0 });
});

it('no payment at all is a row without a figure', async () => {
	expect((await counted()).rows()).toEqual([{ ...NONE, subject: 'All', until: MIDNIGHT }]);
});

it('one that is not sent yet has taken until midnight', async () => {
	const [all] = (await counted(...times(18), { took: null }, { took: null })).rows();
	expect(all).toMatchObject({ payout_half: 10_000, payout_most: MIDNIGHT - YESTERDAY });
});

it('only what was planned in the 30 days before midnight counts', async () => {
	const at = (plannedAt: number) => ({ took: 999_000, plannedAt });
	const first = MIDNIGHT - 30 * DAY;
	const [all] = (await counted(...times(20), at(first - 1), at(MIDNIGHT))).rows();
	expect(all).toMatchObject({ payout_most: 19_000 });
	const [more] = (await counted(...times(20), at(first), at(first + 1))).rows();
	expect(more).toMatchObject({ payout_most: 999_000 });
});

it.each<[string, Partial<Paid>, number]>([
	['an EMERGENCY', { had: 'EMERGENCY' }, 1],
	['an answer of the operator’s in screening', { decidedBy: 'operator' }, 1],
	['an answer of the service’s', { decidedBy: 'service' }, 0],
	['a payment by hand', { settledTxId: 'by hand' }, 1],
	['a refund after its exchange had begun', { kind: 'refund', had: 'EXCHANGE' }, 1],
	['a refund by itself', { kind: 'refund', had: 'PENDING' }, 0],
	['an exchange', { had: 'EXCHANGE' }, 0],
])('of 30 orders, one with %s: the share that needed a person, rounded up', async (_, one, attended) => {
	const { rows } = await counted(...times(29), { took: 1, ...one });
	const shares = rows().map(({ subject, attended_bps }) => [subject, attended_bps]);
	// A thirtieth is 333.3 basis points.
	expect(shares).toContainEqual(['Ethereum', attended * 334]);
	expect(shares).toContainEqual(['All', attended * 334]);
});

it('is counted once a day', async () => {
	const { db, run, rows } = await counted(...times(20));
	const before = rows();
	run('DELETE FROM deposits');
	run('DELETE FROM transactions');
	await countSpeeds(db, MIDNIGHT + 120_000);
	expect(rows()).toEqual(before);
	await countSpeeds(db, MIDNIGHT + DAY);
	expect(rows()).toEqual([{ ...NONE, subject: 'All', until: MIDNIGHT + DAY }]);
});

it('reads the payments of those days by an index, and nothing else but what belongs to them', async () => {
	const { d1, run } = sqliteD1();
	const asked: { query: string; params: unknown[] }[] = [];
	await countSpeeds(drizzle(d1, { logger: { logQuery: (query, params) => asked.push({ query, params }) } }), MIDNIGHT);
	const plans = asked
		.filter(({ query }) => query.includes('FROM transactions'))
		.map(({ query, params }) =>
			run(`EXPLAIN QUERY PLAN ${query}`, ...(params as number[])).map((row) => row['detail']),
		);
	expect(plans).toHaveLength(1);
	for (const plan of plans) {
		const steps = plan.filter((step) => /^(SEARCH|SCAN) (t|o|deposits|order_changes|screenings)\b/.test(String(step)));
		expect(steps[0]).toContain('SEARCH t USING INDEX transactions_by_time');
		expect(steps.filter((step) => String(step).startsWith('SCAN'))).toEqual([]);
	}
});
