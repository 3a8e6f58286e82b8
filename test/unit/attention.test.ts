/** Why transactions, prices and networks wait, and which times `audit list` accepts, as tables. */
import { describe, expect, it } from 'vitest';
import { isNearlyUsed } from '../../src/operator/attention/caps.ts';
import { waitingNodes } from '../../src/operator/attention/nodes.ts';
import { waitingPrices } from '../../src/operator/attention/prices.ts';
import { whyWaiting } from '../../src/operator/attention/transactions.ts';
import { byCause, type Facts } from '../../src/operator/attention/waiting.ts';
import { momentOf } from '../../src/operator/topics/moment.ts';
import type { TransactionRow } from '../../src/treasury/table.ts';
import { blockedColumns, NOT_WAITING, waitingColumns } from '../../src/treasury/transactions/stop-reason.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const settings = {
	offered: ['LTC', 'ETH'],
	inactiveAssets: ['DAIPOL'],
	networks: { Tron: { send: false, receive: true } },
} as unknown as Facts['settings'];

const note = (text: string) => ({ kind: 'broadcast-failed', facts: { error: text } }) as const;
const blocked = (text: string) => blockedColumns(note(text));
const waiting = (text: string, since: number) => waitingColumns(NOT_WAITING, note(text), since);

describe('why a transaction waits', () => {
	const planned = {
		id: 'p',
		kind: 'payout',
		network: 'Polygon',
		asset: 'POL',
		sweepAsset: null,
		state: 'planned',
		...blockedColumns(null),
		...NOT_WAITING,
		plannedAt: NOW - MINUTE,
		sentAt: null,
	} as TransactionRow;

	it.each<[string, Partial<TransactionRow>, string | null, number | null]>([
		['it proceeds normally', {}, null, null],
		['it was refused a while ago', waiting('no fresh price', NOW - 9), 'no fresh price', NOW - 9],
		[
			'a person must look, whatever else is true',
			{ ...blocked('seal broken'), ...waiting('no fresh price', NOW - 9), network: 'Tron', asset: 'TRX' },
			'seal broken',
			NOW - 9,
		],
		['it was blocked without a wait', { ...blocked('lost'), state: 'sent', sentAt: NOW - 5 }, 'lost', NOW - 5],
		[
			'its network is off',
			{ network: 'Tron', asset: 'TRX', ...waiting('old', NOW) },
			'payouts on Tron are switched off; `network update Tron --send on` lets it go on',
			NOW - MINUTE,
		],
		[
			'its asset is off',
			{ asset: 'DAIPOL' },
			'DAIPOL is switched off; `asset update DAIPOL --active on` lets it go on',
			NOW - MINUTE,
		],
		[
			'the asset that is to be swept is off',
			{ kind: 'gas', sweepAsset: 'DAIPOL' },
			'DAIPOL is switched off; `asset update DAIPOL --active on` lets it go on',
			NOW - MINUTE,
		],
		['a signed transaction is sent, whatever is off', { state: 'signed', network: 'Tron', asset: 'TRX' }, null, null],
		['ten minutes are not slow', { plannedAt: NOW - 10 * MINUTE }, null, null],
		[
			'eleven are',
			{ plannedAt: NOW - 11 * MINUTE },
			'still planned after 11 minutes, for no reason on record',
			NOW - 11 * MINUTE,
		],
		['a sent transaction is followed, and needs nothing', { state: 'sent', plannedAt: NOW - 60 * MINUTE }, null, null],
	])('%s', (_, more, cause, since) => {
		const why = whyWaiting({ ...planned, ...more }, settings, NOW);
		expect(why).toEqual(cause === null ? null : { cause, since });
	});
});

const SILENT = { kraken: null, okx: 'HTTP 500', coinbase: 'no JSON' };

describe('which prices wait', () => {
	const facts = (market: unknown) => ({ market, settings, context: { now: NOW } }) as unknown as Facts;

	it('those of offered coins that are too old to use, each with its last price and time', () => {
		const prices = {
			LTC: { usd: '95', at: NOW - 181_000 },
			ETH: { usd: '3200', at: NOW - 180_000 },
			BTC: { usd: '1', at: 0 },
		};
		const market = { prices, at: NOW, sources: {} };
		expect(waitingPrices(facts(market))).toMatchObject([
			{ subject: 'LTC', since: NOW - 181_000, cause: expect.stringContaining('the last one was 95 USD') },
		]);
	});

	it.each([
		['too few sources answer', { at: NOW, sources: SILENT }, 'sources', /^1 of 3 price sources answer: no fresh/],
		['no prices are made', { at: NOW - 181_000, sources: {} }, 'all', /^the rate book has made no prices since 2027/],
	])('all in one row, where %s', (_, more, subject, cause) => {
		const prices = { LTC: { usd: '95', at: NOW - 200_000 }, ETH: { usd: '3200', at: NOW - 190_000 } };
		expect(waitingPrices(facts({ prices, ...more }))).toMatchObject([
			{ subject, since: NOW - 200_000, cause: expect.stringMatching(cause), of: ['ETH', 'LTC'] },
		]);
	});

	it('all, when the rate book does not answer', () => {
		expect(waitingPrices(facts(null))).toMatchObject([{ subject: 'all', cause: 'the rate book does not answer' }]);
	});
});

describe('which networks wait', () => {
	const iso = (age: number) => new Date(NOW - age).toISOString();
	const network = {
		name: 'Litecoin',
		mode: 'nodes',
		answers: true,
		lastScannedAt: iso(0),
		lastError: null,
		lastErrorAt: null,
	};
	const causes = (more: object) =>
		waitingNodes({ networks: [{ ...network, ...more }], context: { now: NOW } } as unknown as Facts).map(
			({ cause, since }) => [cause, since],
		);

	it.each<[string, object, unknown[]]>([
		['not one that is scanned', {}, []],
		['not one that this deployment does not run', { mode: 'off', answers: false }, []],
		['not one whose last error is over', { lastError: 'poll: no', lastErrorAt: iso(121_000) }, []],
		['not one whose last two polls failed', { lastError: 'poll: no', lastErrorAt: iso(1_000), failures: 2 }, []],
		[
			'one whose last three polls failed',
			{ lastError: 'poll: no', lastErrorAt: iso(1_000), failures: 3 },
			[['it is scanned, but: poll: no', NOW - 1_000]],
		],
		[
			'one that was not scanned lately, since its last scan',
			{ answers: false, lastScannedAt: iso(500_000), lastError: 'poll: no', lastErrorAt: iso(1_000) },
			[['not scanned lately, so it takes no new orders: poll: no', NOW - 500_000]],
		],
		[
			'one that was never scanned',
			{ answers: false, lastScannedAt: null },
			[['never scanned, so it takes no new orders: no error is on record', null]],
		],
	])('%s', (_, more, expected) => {
		expect(causes(more)).toEqual(expected);
	});

	it('all in one row, where none is scanned', () => {
		const silent = { ...network, answers: false, lastScannedAt: iso(500_000), lastError: 'poll: no' };
		const networks = ['Litecoin', 'Dash', 'Tron'].map((name) => ({ ...silent, name }));
		const rows = byCause(waitingNodes({ networks, context: { now: NOW } } as unknown as Facts));
		expect(rows).toMatchObject([
			{
				area: 'network',
				subject: 'several',
				cause: '3 of them: no network is scanned, so no order is taken',
				of: ['Litecoin', 'Dash', 'Tron'],
			},
		]);
		const [first, ...others] = networks;
		const scanned = [{ ...first, ...network }, ...others];
		expect(byCause(waitingNodes({ networks: scanned, context: { now: NOW } } as unknown as Facts))).toHaveLength(2);
	});
});

it.each([
	[89_999, 1_000, false],
	[90_000, 1_000, true],
	[0, 0, true],
])('%i cents of a cap of %i USD are nearly all of it: %s', (cents, cap, expected) => {
	expect(isNearlyUsed(cents, cap)).toBe(expected);
});

it.each<[string, number | null]>([
	['90m', NOW - 90 * MINUTE],
	['12h', NOW - 720 * MINUTE],
	['7d', NOW - 7 * 1440 * MINUTE],
	['2026-11-20', Date.UTC(2026, 10, 20)],
	['2026-11-20T08:30Z', Date.UTC(2026, 10, 20, 8, 30)],
	['2026-11-20T08:30:15.123Z', Date.UTC(2026, 10, 20, 8, 30, 15, 123)],
	['2026-13-20', null],
	['2026-11-20T08:30', null],
	['yesterday', null],
	['-5m', null],
	['', null],
])('a time of audit list: %s', (text, expected) => {
	expect(momentOf(text, NOW)).toBe(expected);
});
