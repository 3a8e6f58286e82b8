/**
 * The limits of `POST /api/v1/create`: amounts, caps, maintenance. Sandbox prices: LTC 95, ETH 3200, BTC 95 000,
 * POL 0.25.
 */
import { describe, expect, it } from 'vitest';
import { createsForFile, REFUSED } from '../support/creates.ts';
import { createBody, ETH_RECIPIENT, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { signed } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';
import { LIMIT_MAX, LIMIT_MIN, MAINTENANCE, settingsOf } from '../support/site-settings.ts';

const service = sharedService();
const { partner, order, ordersCount } = createsForFile(service);
const { reload, withSql, withCap, withMaintenance } = settingsOf(service);

/** USD that count towards today's cap, rounded up to whole dollars. */
async function volumeUsd(): Promise<number> {
	const [row] = await service
		.current()
		.sql<{ cents: number }>('SELECT coalesce(sum(usd_cents), 0) AS cents FROM daily_volume');
	return Math.ceil((row?.cents ?? 0) / 100);
}

describe('limits', () => {
	interface Bounds {
		readonly from: { readonly min: string; readonly max: string };
		readonly to: { readonly min: string; readonly max: string };
	}
	/** One unit of the eighth decimal more or less. */
	const step = (text: string, units: bigint): string => {
		const [whole = '0', fraction = ''] = text.split('.');
		const digits = (BigInt(whole + fraction.padEnd(8, '0')) + units).toString().padStart(9, '0');
		return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
	};

	it.each([
		['LTC', 'ETH', LTC_REFUND, ETH_RECIPIENT],
		['BTC', 'POL', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', ETH_RECIPIENT],
		['POL', 'BTC', ETH_RECIPIENT, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
	])(
		'%s to %s: the min and max of price are accepted at the same rate, one unit beyond → 7 and 8',
		async (...names) => {
			const [fromCcy, toCcy, refundAddress, toAddress] = names;
			const terms = { type: 'float', fromCcy, toCcy, afftax: 50 };
			const quoted = await signed<Bounds>(service.current(), partner(), '/api/v1/price', {
				...terms,
				direction: 'from',
				amount: '1',
			});
			const place = (direction: 'from' | 'to', amount: string) =>
				order({ ...terms, direction, amount, toAddress, refundAddress });
			await withCap(100_000_000, async () => {
				const { from, to } = quoted.data;
				for (const [direction, { min, max }] of [
					['from', from],
					['to', to],
				] as const) {
					expect((await place(direction, min)).code).toBe(0);
					expect((await place(direction, max)).code).toBe(0);
				}
				const small = await place('from', step(from.min, -1n));
				expect(small.text).toBe(LIMIT_MIN);
				const shown = ['from-min', 'from-max', 'to-min', 'to-max'].map((name) => small.headers.get(`x-limit-${name}`));
				expect(shown).toEqual([from.min, from.max, to.min, to.max]);
				expect((await place('from', step(from.max, 1n))).text).toBe(LIMIT_MAX);
				// In the other direction a unit of the deposit may buy many of the payout.
				const { rate } = (await place('from', from.min)).data;
				const beyond = BigInt(Math.ceil(Number(rate)) + 1);
				expect((await place('to', step(to.min, -beyond))).text).toBe(LIMIT_MIN);
				expect((await place('to', step(to.max, beyond))).text).toBe(LIMIT_MAX);
			});
		},
	);

	it('a create whose payout would not be positive → 7', async () => {
		const insert =
			"INSERT INTO pair_settings (from_asset, to_asset, active, min_usd, max_usd) VALUES ('LTC', 'ETH', 1, 0, 50000)";
		await withSql(insert, 'DELETE FROM pair_settings', async () => {
			await reload();
			// 0.00005 ETH of network fee is 0.16 USD.
			expect((await order({ amount: '0.00000001' })).text).toBe(LIMIT_MIN);
			expect((await order({ amount: '0.00169' })).text).toBe(LIMIT_MIN);
			expect((await order({ amount: '0.0017' })).code).toBe(0);
		});
	});

	it('above the operator’s daily cap → 8, and a smaller order is still accepted', async () => {
		// An order of 2 LTC is worth 190 USD.
		await withCap((await volumeUsd()) + 200, async () => {
			expect((await order()).code).toBe(0);
			expect((await order()).text).toBe(LIMIT_MAX);
		});
		expect((await order()).code).toBe(0);
	});

	it('the cap holds for concurrent creates', async () => {
		await withCap((await volumeUsd()) + 3 * 190, async () => {
			const answers = await Promise.all(Array.from({ length: 12 }, () => order()));
			expect(answers.filter(({ code }) => code === 0).length).toBe(3);
			for (const { code, text } of answers) if (code !== 0) expect(text).toBe(LIMIT_MAX);
		});
	});

	it('unpaid, expired orders give their share of the cap back, funded ones do not', async () => {
		await withCap((await volumeUsd()) + 400, async () => {
			const [unpaid, funded] = [await order(), await order()];
			expect((await order()).text).toBe(LIMIT_MAX);
			await service.current().operator('sandbox/deposit', { orders: [funded.data.id] });
			await untilStatus(service.current(), partner(), funded.data, 'DONE');
			expect((await order()).text).toBe(LIMIT_MAX);
			await service.current().sql('UPDATE orders SET expires_at = ? WHERE id = ?', Date.now() - 1000, unpaid.data.id);
			await untilStatus(service.current(), partner(), unpaid.data, 'EXPIRED');
			expect((await order()).code).toBe(0);
			expect((await order()).text).toBe(LIMIT_MAX);
		});
	});
});

describe('site in upgrade mode', () => {
	it('→ 10 with HTTP 503, at once, and no order is made', async () => {
		const before = await ordersCount();
		await withMaintenance(async () => {
			const refused = await order();
			expect([refused.text, refused.status]).toEqual([MAINTENANCE, 503]);
			expect(refused.headers.get('retry-after')).toBe('60');
			await reload();
			expect((await order()).text).toBe(MAINTENANCE);
			// A wrong body is refused as usual, and quotes work.
			expect((await order({ amount: '0' })).text).toBe(REFUSED);
			const quoted = await signed(service.current(), partner(), '/api/v1/price', createBody());
			expect(quoted.code).toBe(0);
		});
		expect(await ordersCount()).toBe(before);
		expect((await order()).code).toBe(0);
	});
});
