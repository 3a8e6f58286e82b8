/**
 * The money is booked as double entry: every order's entries sum to zero per asset, always (book: contract, "Orders").
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settle } from '../../src/orders/settlement.ts';
import {
	amountsOf,
	isUnreturned,
	type LedgerEntry,
	paidEntries,
	refundedEntries,
	restatedEntries,
	settledEntries,
	unreturnedEntries,
} from '../../src/treasury/ledger/entries.ts';
import { marketOf, NOW, orderRow } from '../support/rows.ts';

const ORDER = 'an order';

const sumsByAsset = (entries: readonly LedgerEntry[]): Record<string, bigint> =>
	Object.fromEntries(
		[...Map.groupBy(entries, ({ asset }) => asset)].map(([asset, rows]) => [
			asset,
			rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
		]),
	);

const amountsIn = (asset: string, entries: readonly LedgerEntry[]) =>
	amountsOf(entries.filter((entry) => entry.asset === asset));

const settlement = fc
	.record({
		received: fc.bigInt({ min: 10n ** 6n, max: 10n ** 14n }),
		ltc: fc.integer({ min: 1, max: 10 ** 9 }),
		eth: fc.integer({ min: 1, max: 10 ** 9 }),
		fee: fc.bigInt({ min: 0n, max: 10n ** 15n }),
		afftaxBps: fc.integer({ min: 0, max: 2000 }),
	})
	.map(({ received, ltc, eth, fee, afftaxBps }) => {
		const market = marketOf({ usd: { LTC: `${ltc / 1000}`, ETH: `${eth / 1000}` }, fees: { ETH: fee.toString() } });
		const found = settle(orderRow({ afftaxBps }), received, market, NOW);
		if (!found) throw new Error('no settlement');
		return found;
	});

describe('every order’s entries', () => {
	it('sum to zero per asset when settled, and still when paid', () => {
		fc.assert(
			fc.property(settlement, (found) => {
				fc.pre(found.owed > 0n);
				const settled = settledEntries(ORDER, { from: 'LTC', to: 'ETH' }, found, NOW);
				expect(sumsByAsset(settled)).toEqual({ LTC: 0n, ETH: 0n });
				const paid = paidEntries({ orderId: ORDER, to: 'ETH' }, amountsIn('ETH', settled), found.owed, NOW);
				expect(sumsByAsset(paid)).toEqual({ ETH: 0n });
			}),
		);
	});

	it('leave nothing payable or pending once paid; wallets gain the deposit and lose the payout', () => {
		fc.assert(
			fc.property(settlement, (found) => {
				fc.pre(found.owed > 0n);
				const settled = settledEntries(ORDER, { from: 'LTC', to: 'ETH' }, found, NOW);
				const paid = paidEntries({ orderId: ORDER, to: 'ETH' }, amountsIn('ETH', settled), found.owed, NOW);
				const { wallet, payable, partnerPending, housePending, partner, house } = amountsIn('ETH', [
					...settled,
					...paid,
				]);
				expect([payable ?? 0n, partnerPending ?? 0n, housePending ?? 0n]).toEqual([0n, 0n, 0n]);
				expect(wallet).toBe(-found.owed);
				expect(amountsIn('LTC', settled).wallet).toBe(found.received);
				// Negative, because it is owed to them.
				expect(partner ?? 0n).toBe(-found.afftax);
				expect((house ?? 0n) <= 0n).toBe(true);
			}),
		);
	});

	it('are one line per account and cause, and never zero', () => {
		fc.assert(
			fc.property(settlement, (found) => {
				fc.pre(found.owed > 0n);
				const settled = settledEntries(ORDER, { from: 'LTC', to: 'ETH' }, found, NOW);
				const entries = [
					...settled,
					...paidEntries({ orderId: ORDER, to: 'ETH' }, amountsIn('ETH', settled), found.owed, NOW),
				];
				const keys = entries.map(({ cause, account, asset }) => `${cause} ${account} ${asset}`);
				expect(new Set(keys).size).toBe(keys.length);
				for (const { amount } of entries) expect(amount).toMatch(/^-?[1-9]\d*$/);
			}),
		);
	});

	it('name each share: an example', () => {
		const market = marketOf({ usd: { LTC: '95', ETH: '3200' }, fees: { ETH: '50000000000000' } });
		const found = settle(orderRow({ afftaxBps: 100 }), 200_000_000n, market, NOW);
		if (!found) throw new Error('no settlement');
		const settled = settledEntries(ORDER, { from: 'LTC', to: 'ETH' }, found, NOW);
		expect(amountsIn('LTC', settled)).toEqual({ wallet: 200_000_000n, market: -200_000_000n });
		expect(amountsIn('ETH', settled)).toEqual({
			market: 59_375_000_000_000_000n,
			payable: -58_434_370_000_000_000n,
			networkFee: -50_000_000_000_000n,
			partnerPending: -593_750_000_000_000n,
			housePending: -296_880_000_000_000n,
		});
	});

	it('name order, cause and time: what is paid leaves the wallet, and pending shares become earned', () => {
		const settled = { market: 100n, payable: -90n, networkFee: -1n, partnerPending: -3n, housePending: -6n };
		const entry = { orderId: ORDER, cause: 'paid', asset: 'ETH', at: NOW };
		expect(paidEntries({ orderId: ORDER, to: 'ETH' }, settled, 90n, NOW)).toEqual([
			{ ...entry, account: 'wallet', amount: '-90' },
			{ ...entry, account: 'payable', amount: '90' },
			{ ...entry, account: 'partnerPending', amount: '3' },
			{ ...entry, account: 'partner', amount: '-3' },
			{ ...entry, account: 'housePending', amount: '6' },
			{ ...entry, account: 'house', amount: '-6' },
		]);
	});

	it('give the house the difference where another amount was paid than is owed', () => {
		fc.assert(
			fc.property(fc.bigInt({ min: 1n, max: 180n }), (paid) => {
				const settled = { market: 100n, payable: -90n, networkFee: -1n, partnerPending: -3n, housePending: -6n };
				const entries = paidEntries({ orderId: ORDER, to: 'ETH' }, settled, paid, NOW);
				expect(sumsByAsset(entries)).toEqual({ ETH: 0n });
				const { wallet, house } = amountsIn('ETH', entries);
				expect([wallet, house ?? 0n]).toEqual([-paid, -6n - 90n + paid]);
			}),
		);
	});

	it('of a refund keep its network fee, and name its transaction', () => {
		const entry = { orderId: ORDER, cause: 'refunded a refund', asset: 'LTC', at: NOW };
		expect(
			refundedEntries({ orderId: ORDER, payoutId: 'a refund', asset: 'LTC' }, { received: 100n, sent: 98n }, NOW),
		).toEqual([
			{ ...entry, account: 'wallet', amount: '2' },
			{ ...entry, account: 'networkFee', amount: '-2' },
		]);
		expect(
			refundedEntries({ orderId: ORDER, payoutId: 'a refund', asset: 'LTC' }, { received: 100n, sent: 100n }, NOW),
		).toEqual([]);
	});

	it('of another payout give the partner that one’s share, and the house the difference', () => {
		const entry = { orderId: ORDER, cause: 'restated a payout', asset: 'ETH', at: NOW };
		const restated = (settled: { partnerPending?: bigint }, afftax: bigint) =>
			restatedEntries({ orderId: ORDER, payoutId: 'a payout', to: 'ETH' }, settled, afftax, NOW);
		expect(restated({ partnerPending: -5n }, 3n)).toEqual([
			{ ...entry, account: 'partnerPending', amount: '2' },
			{ ...entry, account: 'housePending', amount: '-2' },
		]);
		expect(restated({}, 3n)).toEqual([
			{ ...entry, account: 'partnerPending', amount: '-3' },
			{ ...entry, account: 'housePending', amount: '3' },
		]);
		expect(restated({ partnerPending: -3n }, 3n)).toEqual([]);
	});

	it('of a receipt that stays owe it to nobody yet, and name its cause', () => {
		const cause = 'unreturned a payout' as const;
		const entry = { orderId: ORDER, cause, asset: 'LTC', at: NOW };
		expect(unreturnedEntries({ orderId: ORDER, cause }, 'LTC', 7n, NOW)).toEqual([
			{ ...entry, account: 'wallet', amount: '7' },
			{ ...entry, account: 'unreturned', amount: '-7' },
		]);
		const isStayed = [cause, 'unreturned ', 'a payout', 'unreturned', 'of unreturned ', null].map(isUnreturned);
		expect(isStayed).toEqual([true, true, false, false, false, false]);
	});
});
