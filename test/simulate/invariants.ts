/** What must hold when everything has come to rest, and some of it at any time. Each broken one is a sentence. */
import type { Crowd } from './people/crowd.ts';
import { NETWORKS } from './service.ts';

type Row = Record<string, unknown>;

export function brokenAtAnyTime(crowd: Crowd): string[] {
	return [
		...crowd.wrong,
		...crowd.stories.flatMap(({ wrong, key }) => wrong.map((what) => `${key}: ${what}`)),
		...unbalanced(crowd),
		...paidWrongly(crowd),
		...wrongSteps(crowd),
		...sharedAddresses(crowd),
		...untrueAnswers(crowd),
	];
}

/** Once faults have ended for long enough. */
export function brokenAtRest(crowd: Crowd): string[] {
	return [...brokenAtAnyTime(crowd), ...unfinished(crowd), ...unansweredDeposits(crowd), ...untold(crowd)];
}

const rows = ({ service }: Crowd, statement: string): Row[] => service.d1.rows(statement);

/** Each order's entries sum to zero per asset. */
function unbalanced(crowd: Crowd): string[] {
	const sums = new Map<string, bigint>();
	for (const { order_id, asset, amount } of rows(crowd, 'SELECT order_id, asset, amount FROM ledger_entries')) {
		const key = `${order_id} ${asset}`;
		sums.set(key, (sums.get(key) ?? 0n) + BigInt(String(amount)));
	}
	return [...sums].filter(([, sum]) => sum !== 0n).map(([key, sum]) => `the books of ${key} are off by ${sum}`);
}

/** What left the hot wallets: each payment is one that is owed, of that amount, to that recipient, and left once. */
function paidWrongly(crowd: Crowd): string[] {
	const owed = new Map<string, Row>();
	const versions = `SELECT tx_id, id AS owner, asset, to_address, amount FROM transactions WHERE tx_id IS NOT NULL
		UNION SELECT v.tx_id, t.id AS owner, t.asset, t.to_address, t.amount FROM transaction_versions v JOIN transactions t ON t.id = v.transaction_id`;
	for (const row of rows(crowd, versions)) owed.set(String(row['tx_id']), row);
	const byOwner = new Map<unknown, number>();
	const wrong: string[] = [];
	for (const network of NETWORKS) {
		const { sqlite } = crowd.service.object('SANDBOX_LEDGER', network).disk;
		for (const paid of sqlite.prepare('SELECT tx_id, asset, recipient, amount FROM payouts').all()) {
			const row = owed.get(String(paid['tx_id']));
			if (!row) {
				wrong.push(`${network} has the payment ${paid['tx_id']}, which no transaction names`);
				continue;
			}
			byOwner.set(row['owner'], (byOwner.get(row['owner']) ?? 0) + 1);
			const isRight = row['asset'] === paid['asset'] && row['amount'] === paid['amount'] && row['to_address'] === paid['recipient'];
			if (!isRight) wrong.push(`the payment ${paid['tx_id']} is not what is owed`);
		}
	}
	for (const [owner, count] of byOwner) if (count > 1) wrong.push(`the transaction ${owner} was paid ${count} times`);
	return [...wrong, ...paidTwice(crowd)];
}

/** A deposit is answered by one payment; no order has more live payments than it has deposits. */
function paidTwice(crowd: Crowd): string[] {
	const counts = rows(
		crowd,
		`SELECT o.id, (SELECT count(*) FROM transactions t WHERE t.order_id = o.id AND t.tx_id IS NOT NULL) AS paid,
			(SELECT count(*) FROM deposits d WHERE d.order_id = o.id AND d.state = 'final') AS final FROM orders o`,
	);
	const more = counts.filter(({ paid, final }) => Number(paid) > Number(final));
	const exchanged = rows(
		crowd,
		"SELECT order_id, count(*) AS n FROM transactions WHERE kind = 'payout' GROUP BY order_id HAVING n > 1",
	);
	return [
		...more.map(({ id, paid, final }) => `order ${id} has ${final} final deposits and ${paid} payments`),
		...exchanged.map(({ order_id, n }) => `order ${order_id} has ${n} payouts`),
	];
}

/** Statuses go only forward, without a gap, and each is told by one event. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
	NEW: ['PENDING', 'EXPIRED', 'EMERGENCY'],
	PENDING: ['EXCHANGE', 'EMERGENCY', 'NEW', 'EXPIRED'],
	EXCHANGE: ['DONE', 'EMERGENCY'],
	EMERGENCY: ['EXCHANGE', 'EXPIRED', 'PENDING'],
	EXPIRED: ['EMERGENCY', 'PENDING'],
	DONE: [],
};

function wrongSteps(crowd: Crowd): string[] {
	const wrong: string[] = [];
	const last = new Map<unknown, Row>();
	for (const row of rows(crowd, 'SELECT * FROM order_changes ORDER BY order_id, sequence')) {
		const before = last.get(row['order_id']);
		last.set(row['order_id'], row);
		if (!before) continue;
		if (Number(row['sequence']) !== Number(before['sequence']) + 1) wrong.push(`order ${row['order_id']} has a gap`);
		if (row['previous_status'] !== before['status']) wrong.push(`order ${row['order_id']} jumped`);
		const isForward = row['status'] === before['status'] || NEXT[String(before['status'])]?.includes(String(row['status']));
		if (!isForward) wrong.push(`order ${row['order_id']} went from ${before['status']} to ${row['status']}`);
	}
	for (const { id, status, sequence } of rows(crowd, 'SELECT id, status, sequence FROM orders')) {
		const row = last.get(id);
		if (row && (row['status'] !== status || row['sequence'] !== sequence)) wrong.push(`the history of ${id} ends elsewhere`);
	}
	const events = `SELECT c.order_id, c.sequence FROM order_changes c
		LEFT JOIN webhook_events e ON e.order_id = c.order_id AND e.sequence = c.sequence
		WHERE e.id IS NULL AND c.previous_status IS NOT NULL AND c.previous_status <> c.status`;
	for (const { order_id, sequence } of rows(crowd, events)) wrong.push(`change ${sequence} of ${order_id} has no event`);
	return wrong;
}

/** Two orders never show one address, whatever was told to whom. */
function sharedAddresses({ stories }: Crowd): string[] {
	const owners = new Map<string, string>();
	return stories.flatMap(({ payIn, id }) => {
		if (!payIn || !id) return [];
		const other = owners.get(payIn);
		owners.set(payIn, id);
		return other && other !== id ? [`the orders ${other} and ${id} show one address`] : [];
	});
}

/** What a partner was told stays true. */
function untrueAnswers(crowd: Crowd): string[] {
	const stored = new Map(rows(crowd, 'SELECT * FROM orders').map((row) => [row['id'], row]));
	return crowd.stories.flatMap(({ id, told }) => {
		if (!id) return [];
		const row = stored.get(id);
		if (!row) return [`order ${id} was told and is not there`];
		const done = told.find(({ status }) => status === 'DONE');
		return done && (row['status'] !== 'DONE' || row['payout_tx_id'] !== done.to.tx.id)
			? [`order ${id} was told to be DONE and is ${row['status']}`]
			: [];
	});
}

/** At rest nothing is under way: what waits is an emergency, or has a reason that a person reads. */
function unfinished(crowd: Crowd): string[] {
	const orders = rows(crowd, "SELECT id, status FROM orders WHERE status IN ('NEW', 'PENDING', 'EXCHANGE')");
	const transactions = rows(
		crowd,
		"SELECT id, kind, state FROM transactions WHERE state <> 'final' AND blocked_kind IS NULL AND waits_kind IS NULL AND kind IN ('payout', 'refund', 'earnings')",
	);
	return [
		...orders.map(({ id, status }) => `order ${id} is still ${status}`),
		...transactions.map(({ id, kind, state }) => `the ${kind} ${id} is still ${state}, without a reason`),
	];
}

/** Each final deposit is paid for, dust, set aside, or its order waits for a decision. */
function unansweredDeposits(crowd: Crowd): string[] {
	const open = rows(
		crowd,
		`SELECT d.tx_id, o.id, o.status FROM deposits d JOIN orders o ON o.id = d.order_id
			WHERE d.state = 'final' AND d.payout_id IS NULL AND d.dust = 0 AND d.set_aside = 0
			AND o.status NOT IN ('EMERGENCY') AND o.deleted_at IS NULL`,
	);
	const known = new Set(rows(crowd, "SELECT tx_id FROM deposits WHERE state <> 'gone'").map(({ tx_id }) => tx_id));
	const missed = crowd.stories.flatMap(({ paid, id }) =>
		paid.filter(({ txId, dropped }) => id && !dropped && !known.has(txId)).map(({ txId }) => `the deposit ${txId} of ${id} was never recorded`),
	);
	return [...open.map(({ tx_id, id, status }) => `the deposit ${tx_id} of ${id} (${status}) is answered by nothing`), ...missed];
}

/** Each event arrived. */
function untold(crowd: Crowd): string[] {
	const received = new Set(crowd.received.map(({ id }) => id));
	return rows(crowd, 'SELECT id, state FROM webhook_events')
		.filter(({ id, state }) => state !== 'ended' && !received.has(String(id)))
		.map(({ id, state }) => `the event ${id} (${state}) never arrived`);
}
