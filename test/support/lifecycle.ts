/** Facts for `advance`, and tables of what follows from them. */
import { expect, it } from 'vitest';
import { advance, type DepositFact, type Facts, type Step } from '../../src/orders/lifecycle.ts';
import type { Settlement } from '../../src/orders/settlement.ts';
import type { OrderRow } from '../../src/orders/table.ts';
import { NOW, orderRow } from './rows.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const IN_TIME = NOW + MINUTE;
export const CLOSED = NOW + HOUR;
export const LATE = CLOSED + 1;

/**
 * Orders from 100 to 1000 base units are within bounds. Less than 10 does not cover the payout's network fee. The signer
 * never signs more than 5000.
 */
export const priced = (received: bigint): Settlement => ({
	toAmount: received.toString(),
	rate: '1',
	networkFee: '0',
	received,
	owed: received < 10n ? 0n : received,
	fee: 0n,
	gross: received,
	afftax: 0n,
	usdCents: Number(received),
	pricedAt: NOW,
	beyondSigner: received > 5000n,
	belowFloor: false,
	bounds: received < 100n ? 'below' : received > 1000n ? 'above' : 'within',
});

/** As `priced`, for an order whose floor is 150: less goes back by itself. */
export const floored = (received: bigint): Settlement => ({ ...priced(received), belowFloor: received < 150n });

export const unpriced = (): null => null;

let transactions = 0;
export const deposit = (amount: number, state: DepositFact['state'], more: Partial<DepositFact> = {}): DepositFact => ({
	txId: `transaction ${++transactions}`,
	amount: BigInt(amount),
	state,
	dust: false,
	claimed: false,
	setAside: false,
	firstSeenAt: IN_TIME,
	lastSeenAt: more.firstSeenAt ?? IN_TIME,
	...more,
});
export const seen = (amount: number, more?: Partial<DepositFact>) => deposit(amount, 'seen', more);
export const final = (amount: number, more?: Partial<DepositFact>) => deposit(amount, 'final', more);
export const gone = (amount: number, more?: Partial<DepositFact>) => deposit(amount, 'gone', more);
export const dust = { dust: true } as const;
export const late = { firstSeenAt: LATE } as const;
export const setAside = { setAside: true } as const;

/** Steps as a row of the table shows them. */
export const shown = (steps: readonly Step[]): string =>
	steps
		.map(({ status, emergencyReasons, settlement }) =>
			[status, ...(emergencyReasons ?? []), ...(settlement ? [settlement.received] : [])].join(' '),
		)
		.join(', ');

export interface Row {
	readonly what: string;
	readonly order?: Partial<OrderRow>;
	readonly deposits?: readonly DepositFact[];
	readonly screened?: Facts['screened'];
	readonly settle?: Facts['settle'];
	readonly now?: number;
	readonly steps: string;
	/** Does the floor send the deposits back? */
	readonly returned?: boolean;
}

export function table(rows: readonly Row[]): void {
	it.each(rows)('$what → $steps', (row) => {
		const { order, deposits = [], screened = 'accept', settle = priced, now = IN_TIME, steps, returned = false } = row;
		const facts = { deposits, screened, settle };
		const advanced = advance(orderRow(order), facts, now);
		expect(shown(advanced.steps)).toBe(steps);
		expect(advanced.steps.length > 0).toBe(steps !== '');
		expect(advanced.forbidden !== null).toBe(returned);
	});
}
