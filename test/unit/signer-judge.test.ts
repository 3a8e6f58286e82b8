/**
 * What the signer decides about a payout from rows with a valid seal. Each test is one forgery by an attacker who knows
 * the seal's key.
 */
import { describe, expect, it } from 'vitest';
import type { DepositRow, OrderRow } from '../../src/orders/table.ts';
import { contradiction, type OrderPaymentRow } from '../../src/signer/payouts/judge.ts';
import { refusalText } from '../../src/treasury/signer-refusal.ts';

const PAY_IN = '0xpayin';

const order = {
	...{ id: 'order', partnerId: 'partner', fromAsset: 'ETH', fromNetwork: 'Ethereum', toAsset: 'LTC' },
	...{ toAddress: 'ltc1to', refundAddress: '0xback', payInAddress: PAY_IN, payInIndex: 7 },
	...{ baseFeeBps: 100, afftaxBps: 50 },
} as OrderRow;
const payout = {
	...{ id: 'payout', orderId: 'order', kind: 'payout', network: 'Litecoin', asset: 'LTC' },
	...{ toAddress: 'ltc1to', amount: '100' },
} as OrderPaymentRow;
const deposit = {
	...{ network: 'Ethereum', txId: '0x1', position: 'native', address: PAY_IN, asset: 'ETH', amount: '1000' },
} as DepositRow;

interface Forged {
	readonly order?: Partial<OrderRow>;
	readonly payout?: Partial<OrderPaymentRow>;
	readonly deposits?: readonly DepositRow[];
}

function refusalOf(forged: Forged): string | null {
	const claim = {
		payout: { ...payout, ...forged.payout },
		order: { ...order, ...forged.order },
		deposits: forged.deposits ?? [deposit],
		afftaxEntry: '0',
	};
	const refusal = contradiction(claim, PAY_IN);
	return refusal && refusalText(refusal);
}

describe('sealed terms', () => {
	it('are accepted when they are possible', () => {
		expect(refusalOf({})).toBeNull();
		expect(refusalOf({ order: { baseFeeBps: 0, afftaxBps: 0 } })).toBeNull();
	});

	it.each<[string, Partial<OrderRow>]>([
		['a negative base fee, which would pay more than was received', { baseFeeBps: -5000 }],
		['a negative share of the partner', { afftaxBps: -1 }],
		['a share of the partner that only a negative base fee allows', { baseFeeBps: -9000, afftaxBps: 9000 }],
		['margins that take all', { baseFeeBps: 9000, afftaxBps: 1000 }],
		['a margin that is no whole number', { baseFeeBps: 0.5 }],
		['a margin that is text', { baseFeeBps: '1' as unknown as number }],
	])('with %s are refused, even under a valid seal', (_, terms) => {
		expect(refusalOf({ order: terms })).toBe('margins that are none');
	});
});

describe('an amount', () => {
	it.each<[string, Forged]>([
		['a negative deposit beside a real one', { deposits: [deposit, { ...deposit, txId: '0x2', amount: '-999' }] }],
		['a deposit of zero', { deposits: [{ ...deposit, amount: '0' }] }],
		['a deposit in another notation', { deposits: [{ ...deposit, amount: '0x10' }] }],
		['a negative payout', { payout: { amount: '-1' } }],
	])('is refused: %s', (_, forged) => {
		expect(refusalOf(forged)).toBe('an amount that is none');
	});
});
