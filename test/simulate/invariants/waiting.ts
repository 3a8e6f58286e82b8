/** At rest nothing is under way: what waits has a reason, and `attention` names it. */
import type { Crowd } from '../people/crowd.ts';
import { rowsOf } from './rows.ts';

/** What is still on its way. An order whose payout was given up waits for a person. */
export function unfinished(crowd: Crowd): string[] {
	const orders = rowsOf(
		crowd,
		`SELECT o.id, o.status FROM orders o WHERE o.status IN ('NEW', 'PENDING', 'EXCHANGE') AND o.deleted_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM transactions t WHERE t.order_id = o.id AND (t.blocked_kind IS NOT NULL OR t.waits_kind IS NOT NULL))
			AND NOT (o.status = 'EXCHANGE' AND NOT EXISTS (SELECT 1 FROM transactions t WHERE t.order_id = o.id))`,
	);
	const transactions = rowsOf(
		crowd,
		"SELECT id, kind, state FROM transactions WHERE state <> 'final' AND blocked_kind IS NULL AND waits_kind IS NULL",
	);
	return [
		...orders.map(({ id, status }) => `order ${id} is still ${status}`),
		...transactions.map(({ id, kind, state }) => `the ${kind} ${id} is still ${state}, without a reason`),
	];
}

/**
 * Nobody presses a button any more, and still each coin of an order has its end: paid out, sent back, or booked by name.
 * What came after the payout began waits for that payout to end; `unnamed` sees that `attention` names it.
 */
export const undecided = (crowd: Crowd): string[] =>
	rowsOf(
		crowd,
		`SELECT d.tx_id, o.id, o.status FROM deposits d JOIN orders o ON o.id = d.order_id
			WHERE d.state = 'final' AND d.payout_id IS NULL AND d.dust = 0 AND NOT (o.status = 'EXCHANGE' AND EXISTS (
				SELECT 1 FROM transactions t WHERE t.order_id = o.id AND t.kind = 'payout' AND t.state <> 'final'))`,
	).map(({ tx_id, id, status }) => `the deposit ${tx_id} of ${id} (${status}) waits for somebody's decision`);

/** Nodes take it at a fee that the signer may pay, so nothing that was signed waits for that. */
export const unsent = (crowd: Crowd): string[] =>
	rowsOf(
		crowd,
		"SELECT id, kind, waits_kind FROM transactions WHERE state = 'signed' AND kind <> 'sweep' AND waits_kind IN ('underpriced', 'expired', 'fee-not-bumped', 'broadcast-failed', 'earlier-nonce')",
	).map(({ id, kind, waits_kind }) => `the ${kind} ${id} was signed, and no node takes it (${waits_kind})`);

/** Whatever is not over is named by `attention`. */
export const unnamed = (crowd: Crowd, attention: string): string[] =>
	[
		...rowsOf(crowd, "SELECT id, status AS what FROM orders WHERE status = 'EXCHANGE' AND deleted_at IS NULL"),
		...rowsOf(crowd, "SELECT coalesce(order_id, id) AS id, kind AS what FROM transactions WHERE state <> 'final'"),
	]
		.filter(({ id }) => !attention.includes(String(id)))
		.map(({ id, what }) => `the ${what} ${id} waits and attention does not say so`);

/** Each final deposit is paid for, dust, set aside, or `attention` names its order. */
export function unanswered(crowd: Crowd, attention: string): string[] {
	const open = rowsOf(
		crowd,
		`SELECT d.tx_id, o.id, o.status FROM deposits d JOIN orders o ON o.id = d.order_id
			WHERE d.state = 'final' AND d.payout_id IS NULL AND d.dust = 0 AND d.set_aside = 0 AND o.deleted_at IS NULL`,
	).filter(({ id }) => !attention.includes(String(id)));
	return [
		...open.map(({ tx_id, id, status }) => `the deposit ${tx_id} of ${id} (${status}) is answered by nothing`),
		...unseen(crowd),
	];
}

/** Payments that reached an address of ours and that nobody has recorded. */
export function unseen(crowd: Crowd): string[] {
	const rows = rowsOf(crowd, "SELECT tx_id, position, lower(address) AS address FROM deposits WHERE state <> 'gone'");
	const known = new Set(rows.map(({ tx_id }) => tx_id));
	// Of a node that shows no traces, or was not asked in time, the balance is the evidence, and no transaction is named.
	const byBalance = new Set(rows.filter(({ position }) => position === 'balance').map(({ address }) => address));
	return crowd.stories.flatMap(({ paid, id }) =>
		paid
			.filter(({ dropped, isMade }) => id && isMade && !dropped)
			.filter(({ txId, address }) => !known.has(txId) && !byBalance.has(address.toLowerCase()))
			.map(({ txId }) => `the deposit ${txId} of ${id} was never recorded`),
	);
}
