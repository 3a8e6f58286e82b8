/** How far an order is: confirmations needed by value, and the minutes that remain (book: contract, "Progress"). */
import { expect, it } from 'vitest';
import { type Progress, progressOf } from '../../src/orders/progress.ts';
import type { OrderStatus } from '../../src/orders/status.ts';

const DOLLARS = 100;
const PAID_TO = 'Litecoin';

type Row = [OrderStatus, 'Bitcoin' | 'Ethereum' | 'Dash' | 'Solana', number | null, number | null, Progress | null];

it.each<Row>([
	['NEW', 'Bitcoin', 5_000 * DOLLARS, null, { confirmations: 0, needed: 2, minutes: 21 }],
	['NEW', 'Bitcoin', 5_001 * DOLLARS, null, { confirmations: 0, needed: 3, minutes: 31 }],
	['PENDING', 'Bitcoin', 5_001 * DOLLARS, 1, { confirmations: 1, needed: 3, minutes: 21 }],
	// The strictest tier where the value is not known, and nothing is known of the deposit.
	['PENDING', 'Bitcoin', null, 0, { confirmations: 0, needed: 3, minutes: 31 }],
	['PENDING', 'Bitcoin', 100 * DOLLARS, null, { confirmations: null, needed: 2, minutes: 21 }],
	// More than enough and still waiting: some networks must call the block irreversible.
	['PENDING', 'Ethereum', 30_000 * DOLLARS, 40, { confirmations: 40, needed: 12, minutes: 9 }],
	['PENDING', 'Ethereum', 30_000 * DOLLARS, 200, { confirmations: 200, needed: 12, minutes: 1 }],
	['NEW', 'Dash', 100 * DOLLARS, null, { confirmations: 0, needed: 2, minutes: 6 }],
	['NEW', 'Solana', 100 * DOLLARS, null, { confirmations: 0, needed: 1, minutes: 1 }],
	['EXCHANGE', 'Bitcoin', 100 * DOLLARS, null, { confirmations: 2, needed: 2, minutes: 1 }],
	['DONE', 'Bitcoin', 100 * DOLLARS, 2, null],
	['EXPIRED', 'Bitcoin', 100 * DOLLARS, null, null],
	['EMERGENCY', 'Bitcoin', 100 * DOLLARS, 2, null],
])('%s on %s, worth %s cents, with %j confirmations: %j', (status, fromNetwork, usdCents, confirmations, expected) => {
	const order = { status, fromNetwork, toNetwork: PAID_TO, usdCents: usdCents ?? 0 } as const;
	expect(progressOf(order, confirmations === null ? null : { confirmations, usdCents, raisedBlocks: 0 })).toEqual(
		expected,
	);
});
