/** The floor under an order's rate (book: contract, "A floor under the rate"). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { NOT_RAISED } from '../../src/catalog/confirmations.ts';
import { parseAmount } from '../../src/money/amount.ts';
import { decimal, plain } from '../../src/money/decimal.ts';
import { fromBaseUnits } from '../../src/money/units.ts';
import { floorOf, isBelowFloor, MAX_SLIPPAGE_BPS } from '../../src/orders/floor.ts';
import { settle } from '../../src/orders/settlement.ts';
import type { OrderRow } from '../../src/orders/table.ts';
import { mayExchange, type PayerRecord } from '../../src/payer/order.ts';
import { contradiction } from '../../src/signer/payouts/judge.ts';
import { marketOf, NOW, orderRow } from '../support/rows.ts';

const LTC = 100_000_000n;
const ETH = 10n ** 18n;
const order = orderRow({ fromAmount: '2', minToAmount: '1.9' });

describe('the least that an order pays', () => {
	it.each([
		['exactly the floor for its own amount', 2n * LTC, (19n * ETH) / 10n, false],
		['a unit less', 2n * LTC, (19n * ETH) / 10n - 1n, true],
		['the floor for less than its own amount', LTC, (19n * ETH) / 10n, false],
		['less than the floor for less than its own amount, at the same rate', LTC, (95n * ETH) / 100n, true],
		['the floor alone for twice its own amount', 4n * LTC, (19n * ETH) / 10n, true],
		['twice the floor for twice its own amount', 4n * LTC, (38n * ETH) / 10n, false],
		['nothing', 2n * LTC, 0n, true],
	])('%s: below it is %#', (_, received, owed, below) => {
		expect(isBelowFloor(order, received, owed)).toBe(below);
	});

	it('is nothing without a floor', () => {
		expect(isBelowFloor(orderRow(), 2n * LTC, 0n)).toBe(false);
	});
});

describe('a floor in basis points', () => {
	it.each([
		['0.06', 0, '0.06'],
		['0.06', 100, '0.0594'],
		['0.00000003', 100, '0.00000003'],
		['0.00000003', MAX_SLIPPAGE_BPS, '0.00000002'],
	])('of the quote %s less %i is %s, rounded up to the precision', (quoted, slippageBps, floor) => {
		expect(plain(floorOf({ slippageBps }, decimal(quoted), assetOf('ETH')))).toBe(floor);
	});

	it('is never above its quote, nor zero', () => {
		const units = fc.bigInt({ min: 1n, max: 10n ** 12n });
		fc.assert(
			fc.property(units, fc.integer({ min: 0, max: MAX_SLIPPAGE_BPS }), (quoted, slippageBps) => {
				const amount = decimal(fromBaseUnits(quoted, 8));
				const floor = floorOf({ slippageBps }, amount, assetOf('ETH'));
				expect([floor.gt(amount), floor.gt('0')]).toEqual([false, true]);
			}),
		);
	});
});

it('whatever the price and the deposits do: what is settled and what the signer signs are at or above the floor, or neither', () => {
	const cents = fc.integer({ min: 1_000, max: 100_000 });
	const some = { from: cents, to: cents, received: fc.bigInt({ min: LTC / 2n, max: 10n * LTC }), slippage: cents };
	fc.assert(
		fc.property(fc.record(some), ({ from, to, received, slippage }) => {
			const quoted = settle(orderRow({ fromAmount: '2' }), 2n * LTC, marketOf(), NOW);
			if (!quoted) throw new Error('there is no quote');
			const floor = floorOf(
				{ slippageBps: slippage % (MAX_SLIPPAGE_BPS + 1) },
				decimal(quoted.toAmount),
				assetOf('ETH'),
			);
			const made = orderRow({ fromAmount: '2', minToAmount: plain(floor) });
			const usd = { LTC: String(from / 100), ETH: String(to / 100) };
			const settled = settle(made, received, marketOf({ usd }), NOW);
			if (!settled) throw new Error('it is not settled');
			// By decimals, and not by the rule under test.
			const paid = decimal(settled.toAmount);
			const least = received > 2n * LTC ? floor.times(fromBaseUnits(received, 8)) : floor.times('2');
			expect(settled.belowFloor).toBe(paid.times('2').lt(least));
			expect(refusedBySigner(made, received, settled.owed)).toBe(settled.belowFloor && settled.owed > 0n);
		}),
	);
});

it.each<[string, Partial<OrderRow>, boolean]>([
	['which has none', { minToAmount: null }, true],
	['which its payout reaches', { minToAmount: '0.01' }, true],
	['which would send it back', { minToAmount: '0.0100001' }, false],
])('a payer may choose the exchange of an EMERGENCY order with a floor %s: %#', (_, more, may) => {
	const waiting = orderRow({ status: 'EMERGENCY', toAmount: '0.01', ...more });
	expect(mayExchange({ order: waiting, settings: { payerDecides: true } as PayerRecord['settings'] })).toBe(may);
});

function refusedBySigner(made: typeof order, received: bigint, owed: bigint): boolean {
	const { payInAddress: address, fromAsset: asset, fromNetwork: network } = made;
	const deposits = [
		{ address, asset, network, amount: (received - 1n).toString() },
		{ address, asset, network, amount: '1' },
	] as never;
	const what = { id: 'payout', orderId: made.id, kind: 'payout', asset: 'ETH', network: 'Ethereum' } as const;
	const payout = { ...what, toAddress: made.toAddress, amount: owed.toString() } as never;
	const refusal = contradiction({ payout, order: made, deposits, afftaxEntry: '0', raised: NOT_RAISED }, address);
	return refusal?.kind === 'below-floor';
}

it('a refund of an order with a floor is signed at any rate: it is the way out', () => {
	const { payInAddress: address, fromAsset: asset, fromNetwork: network } = order;
	const deposits = [{ address, asset, network, amount: '1000' }] as never;
	const what = { id: 'refund', orderId: order.id, kind: 'refund', asset, network } as const;
	const payout = { ...what, toAddress: order.refundAddress, amount: '900' } as never;
	expect(contradiction({ payout, order, deposits, afftaxEntry: '0', raised: NOT_RAISED }, address)).toBeNull();
});

it.each(['1e3', '-1', ' 1', '', '0', '1.0000000000000000001'])('a floor of %j is none', (text) => {
	expect(parseAmount(text, assetOf('ETH').precision)).toBeNull();
});
