/** When a transaction gets a fee bump, and when a person is called. */
import { describe, expect, it } from 'vitest';
import type { NetworkName } from '../../src/catalog/networks.ts';
import type { TransactionKind } from '../../src/treasury/table.ts';
import {
	isBumpDue,
	isLongUnconfirmed,
	MAX_FEE_BUMPS,
	patienceMilliseconds,
} from '../../src/treasury/transactions/stuck.ts';

const SENT = 1_800_000_000_000;
const MINUTE = 60_000;
const payout = (network: NetworkName, kind: TransactionKind = 'payout') => ({ network, kind, sentAt: SENT });

describe('the patience with an unconfirmed transaction', () => {
	it.each<[NetworkName, number]>([
		['Bitcoin', 60],
		['Litecoin', 15],
		['Ethereum', 10],
		['Arbitrum', 10],
	])('%s: %i minutes', (network, minutes) => {
		expect(patienceMilliseconds(network)).toBe(minutes * MINUTE);
		expect(isBumpDue(payout(network), [], SENT + minutes * MINUTE)).toBe(false);
		expect(isBumpDue(payout(network), [], SENT + minutes * MINUTE + 1)).toBe(true);
	});

	it('starts again with each fee bump, and is twice as long after the fifth', () => {
		const at = SENT + 20 * MINUTE;
		expect(isBumpDue(payout('Litecoin'), [at], at + 15 * MINUTE)).toBe(false);
		expect(isBumpDue(payout('Litecoin'), [at], at + 16 * MINUTE)).toBe(true);
		const bumps = Array.from({ length: MAX_FEE_BUMPS }, (_, i) => at + i);
		expect(isBumpDue(payout('Litecoin'), bumps.slice(1), at + 60 * MINUTE)).toBe(true);
		expect(isBumpDue(payout('Litecoin'), bumps, at + 30 * MINUTE)).toBe(false);
		expect(isBumpDue(payout('Litecoin'), bumps, at + 31 * MINUTE)).toBe(true);
	});

	it('bumps the fee of payments to others and of gas; a sweep can wait', () => {
		const isDue = (kind: TransactionKind) => isBumpDue(payout('Ethereum', kind), [], SENT + 60 * MINUTE);
		expect((['payout', 'refund', 'earnings', 'gas', 'sweep'] as const).map(isDue)).toEqual([
			true,
			true,
			true,
			true,
			false,
		]);
	});

	it('calls a person after four times as long', () => {
		expect(isLongUnconfirmed(payout('Litecoin'), SENT + 60 * MINUTE)).toBe(false);
		expect(isLongUnconfirmed(payout('Litecoin'), SENT + 61 * MINUTE)).toBe(true);
	});
});
