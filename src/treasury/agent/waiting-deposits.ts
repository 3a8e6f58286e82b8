/**
 * The depth of orders' deposits as the last polls saw it, in memory alone: for partners who ask how far an order is. What
 * is lost with the object comes back with the next poll.
 */
import type { WaitingDeposit } from '../../orders/progress.ts';
import type { DepositDepth } from '../deposits/record.ts';

/** A deposit that no poll saw for so long is not shown. Where many are open, not every poll asks about each. */
const KEPT_MILLISECONDS = 300_000;

export class WaitingDeposits {
	readonly #orders = new Map<string, WaitingDeposit & { readonly at: number }>();

	/** Takes the deposits that one poll saw. */
	note(seen: readonly DepositDepth[], now: number): void {
		for (const [orderId, { at }] of this.#orders) if (at < now - KEPT_MILLISECONDS) this.#orders.delete(orderId);
		const noted = new Map<string, DepositDepth>();
		for (const depth of seen) {
			const other = noted.get(depth.orderId);
			if (!other || depth.confirmations < other.confirmations) noted.set(depth.orderId, depth);
		}
		for (const [orderId, { confirmations, usdCents, raisedBlocks }] of noted)
			this.#orders.set(orderId, { confirmations, usdCents, raisedBlocks, at: now });
	}

	/** The deposits of these orders that are known, by the order's id. */
	of(orderIds: readonly string[]): Record<string, WaitingDeposit> {
		return Object.fromEntries(
			orderIds.flatMap((orderId) => {
				const noted = this.#orders.get(orderId);
				if (!noted) return [];
				const { confirmations, usdCents, raisedBlocks } = noted;
				return [[orderId, { confirmations, usdCents, raisedBlocks }]];
			}),
		);
	}
}
