/** What a partner may set for themselves, within the operator's bounds. */
import { expect, it } from 'vitest';
import { boundsProblem } from '../../src/operator/partners/own.ts';

const BOUNDS = { ownMarginBps: 300, ownPayouts: 'weekly', ownPayoutMinUsd: 20 } as const;
const BEFORE = { afftaxBps: 100, autoPayout: 'none', autoPayoutMinUsd: 0, payoutAddress: 'ltc1' } as const;
const DAILY = { ...BEFORE, autoPayout: 'daily', autoPayoutMinUsd: 5 } as const;

it.each([
	['a margin at the bound', BOUNDS, BEFORE, { afftaxBps: 300 }, null],
	['a margin above it', BOUNDS, BEFORE, { afftaxBps: 301 }, 'at most 300 basis points'],
	['a margin above it that the operator has set', BOUNDS, { ...BEFORE, afftaxBps: 900 }, { afftaxBps: 900 }, null],
	['a margin of the widget above it', BOUNDS, BEFORE, { widgetBps: 301 }, 'at most 300 basis points'],
	['one that the operator has set', BOUNDS, { ...BEFORE, orderPage: { widgetBps: 900 } }, { widgetBps: 900 }, null],
	['payouts as often as allowed', BOUNDS, BEFORE, { autoPayout: 'weekly', autoPayoutMinUsd: 20 }, null],
	['rarer ones', BOUNDS, BEFORE, { autoPayout: 'monthly', autoPayoutMinUsd: 20 }, null],
	['ones too often', BOUNDS, BEFORE, { autoPayout: 'daily', autoPayoutMinUsd: 20 }, 'that are weekly or rarer'],
	['too small a minimum', BOUNDS, BEFORE, { autoPayout: 'weekly', autoPayoutMinUsd: 19 }, 'of 20 USD or more'],
	['a minimum that stands already and is too small', BOUNDS, BEFORE, { autoPayout: 'weekly' }, 'of 20 USD or more'],
	['what the operator has set beyond the bounds', BOUNDS, DAILY, { autoPayout: 'daily', autoPayoutMinUsd: 5 }, null],
	['its minimum, raised', BOUNDS, DAILY, { autoPayout: 'daily', autoPayoutMinUsd: 25 }, null],
	['an end of it', { ...BOUNDS, ownPayouts: 'none' }, DAILY, { autoPayout: 'none' }, null],
	[
		'payouts that the operator alone sets',
		{ ...BOUNDS, ownPayouts: 'none' },
		BEFORE,
		{ autoPayout: 'monthly' },
		'alone',
	],
	['payouts without an address', BOUNDS, { ...BEFORE, payoutAddress: null }, { autoPayout: 'weekly' }, 'need a payout'],
] as const)('%s', (_, bounds, before, change, problem) => {
	const found = boundsProblem(bounds, before, change);
	if (problem === null) expect(found).toBeNull();
	else expect(found).toContain(problem);
});
