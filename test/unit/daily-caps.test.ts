/** The signer's daily caps as tables: the configuration, and what remains of a day. */
import { describe, expect, it } from 'vitest';
import { capRefusal, capsOf } from '../../src/signer/daily-caps.ts';
import { refusalText, type SignerRefusal } from '../../src/treasury/signer-refusal.ts';

const NODE = { NODE_URL_LITECOIN: 'http://node.test' };

describe('the caps of a day, USD cents', () => {
	it.each([
		['the sandbox alone has a default', {}, { payout: 100_000_000, refund: 500_000_000, withdrawal: 100_000_000 }],
		[
			'refunds have five times what payouts have',
			{ SIGNER_DAILY_CAP_USD: '300' },
			{ payout: 30_000, refund: 150_000, withdrawal: 30_000 },
		],
		[
			'refunds have what is set for them',
			{ SIGNER_DAILY_CAP_USD: '300.29', SIGNER_DAILY_REFUND_CAP_USD: '10' },
			{ payout: 30_029, refund: 1_000, withdrawal: 30_029 },
		],
		['on nodes it counts as well', { ...NODE, SIGNER_DAILY_CAP_USD: '0' }, { payout: 0, refund: 0, withdrawal: 0 }],
		[
			'withdrawals have what is set for them',
			{ SIGNER_DAILY_CAP_USD: '300', SIGNER_DAILY_WITHDRAW_CAP_USD: '7' },
			{ payout: 30_000, refund: 150_000, withdrawal: 700 },
		],
	])('%s', (_, env, caps) => {
		expect(capsOf(env)).toEqual(caps);
	});

	it.each([
		['is not set on nodes', NODE, /^SIGNER_DAILY_CAP_USD is not set/],
		['is empty on nodes', { ...NODE, SIGNER_DAILY_CAP_USD: ' ' }, /^SIGNER_DAILY_CAP_USD is not set/],
		['has a comma', { SIGNER_DAILY_CAP_USD: '1,000,000' }, /^SIGNER_DAILY_CAP_USD is not an amount/],
		['is negative', { SIGNER_DAILY_CAP_USD: '-1' }, /^SIGNER_DAILY_CAP_USD is not an amount/],
		['is Infinity', { SIGNER_DAILY_CAP_USD: 'Infinity' }, /^SIGNER_DAILY_CAP_USD is not an amount/],
		[
			'of refunds is no number',
			{ SIGNER_DAILY_REFUND_CAP_USD: 'none' },
			/^SIGNER_DAILY_REFUND_CAP_USD is not an amount/,
		],
	])('nothing is signed where the cap %s', (_, env, reason) => {
		expect(refusalText(capsOf(env) as SignerRefusal)).toMatch(reason);
	});
});

describe('what remains of a day', () => {
	const caps = { payout: 30_000, refund: 150_000, withdrawal: 700 };

	it.each([
		['payout', 0, 30_000, null],
		['payout', 30_000, 0, null],
		['refund', 30_000, 120_000, null],
		['payout', 1, 30_000, 'daily-cap'],
		['payout', 0, 30_001, 'above-daily-cap'],
		['refund', 100_000, 60_000, 'daily-cap'],
		['refund', 0, 150_001, 'above-daily-cap'],
		['payout', 40_000, 1, 'daily-cap'],
	] as const)('%s: %i used, %i more', (purpose, used, cents, kind) => {
		expect(capRefusal({ purpose }, caps[purpose], used, cents)?.kind ?? null).toBe(kind);
	});
});
