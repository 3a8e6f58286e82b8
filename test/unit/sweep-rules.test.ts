/** When a pay-in address is swept, as tables (book: networks, "Sweeping"). */
import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/money/decimal.ts';
import {
	type AddressFacts,
	isWorthSweeping,
	type Recorded,
	recordedPart,
	sweepStep,
} from '../../src/treasury/sweeps/rules.ts';

const GWEI = 10n ** 9n;

describe('an address is not swept for less than three times the cost', () => {
	const usd = decimal('1');
	const nativeUsd = decimal('2000');
	/** 0.001 ETH at 2 000 USD. */
	const fee = 1_000_000n * GWEI;

	it.each([
		['three times its cost', 6_000_000n, true],
		['one base unit less', 5_999_999n, false],
		['zero, though the sweep is free', 0n, false],
	])('%s', (_, amount, worth) => {
		const cost = amount === 0n ? 0n : fee;
		expect(isWorthSweeping({ asset: 'USDTERC20', amount, fee: cost, usd, nativeUsd })).toBe(worth);
	});

	it('a native coin is compared with itself, whatever its price', () => {
		for (const price of ['0.01', '2000', '99999.99']) {
			const of = (amount: bigint) =>
				isWorthSweeping({ asset: 'ETH', amount, fee: 7n, usd: decimal(price), nativeUsd: decimal(price) });
			expect([of(20n), of(21n)]).toEqual([false, true]);
		}
	});
});

describe('an address is swept', () => {
	const paid = { id: 'payout', state: 'final' } as const;
	const deposit = { state: 'final', dust: false, payoutId: 'payout', lastSeenAt: 1_000 } as const;
	const done: AddressFacts = { order: { status: 'DONE' }, deposits: [deposit], payouts: [paid], sweeps: [] };
	const sweptAt = (plannedAt: number) => ({ kind: 'sweep', state: 'final', plannedAt }) as const;
	const late = { ...deposit, payoutId: null, lastSeenAt: 3_000 };
	const dust = { ...late, dust: true };

	it.each<[string, Partial<AddressFacts>, ReturnType<typeof sweepStep>]>([
		['once the payout is final', {}, 'sweep'],
		['once the refund is final', { order: { status: 'EXPIRED' } }, 'sweep'],
		['together with its dust', { deposits: [deposit, dust] }, 'sweep'],
		['not while the payout is not final', { payouts: [{ id: 'payout', state: 'sent' }] }, 'wait'],
		[
			'not while a refund is under way',
			{ payouts: [paid, { id: 'refund', state: 'planned' }], deposits: [deposit, { ...late, payoutId: 'refund' }] },
			'wait',
		],
		['not while the order is open', { order: { status: 'EMERGENCY' } }, 'wait'],
		['not before a late deposit was sent back', { deposits: [deposit, late] }, 'wait'],
		['not while a deposit may be dropped', { deposits: [deposit, { ...late, state: 'seen' }] }, 'wait'],
		['not while a sweep is under way', { sweeps: [{ kind: 'sweep', state: 'sent', plannedAt: 2_000 }] }, 'wait'],
		['not while gas is under way', { sweeps: [{ kind: 'gas', state: 'planned', plannedAt: 2_000 }] }, 'wait'],
		['after the gas for it is final', { sweeps: [{ kind: 'gas', state: 'final', plannedAt: 2_000 }] }, 'sweep'],
		['once', { sweeps: [sweptAt(2_000)] }, 'done'],
		[
			'again for a later deposit',
			{ deposits: [deposit, { ...late, payoutId: 'payout' }], sweeps: [sweptAt(2_000)] },
			'sweep',
		],
		['again for a deposit first seen at the moment of the sweep', { sweeps: [sweptAt(1_000)] }, 'sweep'],
		['not when no balance remains', { deposits: [{ ...deposit, state: 'gone', payoutId: null }] }, 'done'],
	])('%s', (_, facts, step) => {
		expect(sweepStep({ ...done, ...facts })).toBe(step);
	});
});

describe('where only what is on record is swept, a sweep', () => {
	const deposit = { state: 'final', asset: 'ETH', amount: '100' } as const;
	const swept = { kind: 'sweep', state: 'final', asset: 'ETH', amount: '50', fee: '4' } as const;
	/** The address holds 100. */
	const facts: Recorded = {
		...{ asset: 'ETH', quote: { amount: 93n, fee: 7n, gas: 0n }, feePayer: 'address' },
		...{ deposits: [deposit], sweeps: [] },
	};

	it.each<[string, Partial<Recorded>, bigint, bigint]>([
		['takes all of the coin where all is on record', {}, 93n, 100n],
		['leaves what is not', { quote: { amount: 133n, fee: 7n, gas: 0n } }, 93n, 100n],
		['takes no more than there is', { deposits: [deposit, deposit] }, 93n, 100n],
		[
			'counts a deposit that is not final as not there',
			{ deposits: [deposit, { ...deposit, state: 'seen' }] },
			93n,
			100n,
		],
		['subtracts what earlier sweeps took, and their fees', { sweeps: [swept] }, 39n, 46n],
		['does not subtract one that is not final', { sweeps: [{ ...swept, state: 'sent' }] }, 93n, 100n],
		['brings nothing where less is on record than it costs', { deposits: [{ ...deposit, amount: '6' }] }, -1n, 6n],
		['takes all of a token', { asset: 'USDTERC20', deposits: [] }, 93n, 93n],
	])('%s', (_, change, amount, planned) => {
		expect(recordedPart({ ...facts, ...change })).toEqual({ amount, planned });
	});
});
