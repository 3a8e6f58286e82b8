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
	const NOW = 10_000_000_000;
	const HOUR = 3_600_000;
	const open = { txId: 'ours', settledTxId: null, finalAt: null } as const;
	const sweptAt = (plannedAt: number) => ({ ...open, kind: 'sweep', state: 'final', plannedAt, finalAt: 0 }) as const;
	/** It failed on chain so many hours ago. */
	const failed = (hours: number, kind: 'gas' | 'sweep' = 'sweep') =>
		({ ...sweptAt(NOW - hours * HOUR - 1), kind, settledTxId: 'ours', finalAt: NOW - hours * HOUR }) as const;
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
		[
			'not while a sweep is under way',
			{ sweeps: [{ ...open, kind: 'sweep', state: 'sent', plannedAt: 2_000 }] },
			'wait',
		],
		['not while gas is under way', { sweeps: [{ ...open, kind: 'gas', state: 'planned', plannedAt: 2_000 }] }, 'wait'],
		['after the gas for it is final', { sweeps: [{ ...sweptAt(2_000), kind: 'gas' }] }, 'sweep'],
		['once', { sweeps: [sweptAt(2_000)] }, 'done'],
		[
			'again for a later deposit',
			{ deposits: [deposit, { ...late, payoutId: 'payout' }], sweeps: [sweptAt(2_000)] },
			'sweep',
		],
		['again for a deposit first seen at the moment of the sweep', { sweeps: [sweptAt(1_000)] }, 'sweep'],
		['not when no balance remains', { deposits: [{ ...deposit, state: 'gone', payoutId: null }] }, 'done'],
	])('%s', (_, facts, step) => {
		expect(sweepStep({ ...done, ...facts }, NOW)).toBe(step);
	});

	it.each<[string, AddressFacts['sweeps'], ReturnType<typeof sweepStep>]>([
		['not within an hour after one failed', [failed(0.99)], 'wait'],
		['an hour after one failed', [failed(1)], 'sweep'],
		['an hour after gas failed', [failed(1, 'gas')], 'sweep'],
		['not within four hours after the second failed', [failed(9), failed(3.99)], 'wait'],
		['four hours after the second failed', [failed(9), failed(4)], 'sweep'],
		['not within 64 hours after the fourth failed', [99, 90, 80, 63.99].map((at) => failed(at)), 'wait'],
		['64 hours after the fourth failed', [99, 90, 80, 64].map((at) => failed(at)), 'sweep'],
		['not after five have failed', [500, 400, 300, 200, 100].map((at) => failed(at)), 'failing'],
		['once the first of five is 30 days old', [720, 400, 300, 200, 100].map((at) => failed(at)), 'sweep'],
		['no more once one has moved the coins', [failed(2), sweptAt(NOW)], 'done'],
		['not because one failed after another had moved the coins', [sweptAt(2_000), failed(2)], 'done'],
	])('after failures: %s', (_, sweeps, step) => {
		expect(sweepStep({ ...done, sweeps }, NOW)).toBe(step);
	});

	it.each<[string, AddressFacts['sweeps'], number, ReturnType<typeof sweepStep>]>([
		['after five have failed', [500, 400, 300, 200, 100].map((at) => failed(at)), 99, 'sweep'],
		['within an hour after one failed', [failed(0.5)], 0.4, 'sweep'],
		['once: one that failed since counts', [500, 400, 300, 200, 100].map((at) => failed(at)), 101, 'failing'],
		[
			'once: one that is under way is the one',
			[{ ...open, kind: 'sweep', state: 'sent', plannedAt: 2_000 }],
			1,
			'wait',
		],
		['not where the coins were moved', [failed(3), sweptAt(NOW)], 1, 'done'],
	])('when the operator asks for it: %s', (_, sweeps, hours, step) => {
		expect(sweepStep({ ...done, sweeps, candidate: { retriedAt: NOW - hours * HOUR } }, NOW)).toBe(step);
	});

	it('after failures only if it would be swept without them', () => {
		const five = [500, 400, 300, 200, 100].map((at) => failed(at));
		expect(sweepStep({ ...done, sweeps: five, order: { status: 'EMERGENCY' } }, NOW)).toBe('wait');
	});
});

describe('where only what is on record is swept, a sweep', () => {
	const deposit = { state: 'final', asset: 'ETH', amount: '100' } as const;
	const swept: Recorded['sweeps'][number] = {
		kind: 'sweep',
		state: 'final',
		asset: 'ETH',
		amount: '50',
		fee: '4',
		txId: '0x01',
		settledTxId: null,
	};
	/** The address holds 100. */
	const facts: Recorded = {
		asset: 'ETH',
		quote: { amount: 93n, fee: 7n, gas: 0n },
		feePayer: 'address',
		deposits: [deposit],
		sweeps: [],
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
		['subtracts the fee alone of one that failed on chain', { sweeps: [{ ...swept, settledTxId: '0x01' }] }, 89n, 96n],
		['does not subtract one that is not final', { sweeps: [{ ...swept, state: 'sent' }] }, 93n, 100n],
		['brings nothing where less is on record than it costs', { deposits: [{ ...deposit, amount: '6' }] }, -1n, 6n],
		['takes all of a token', { asset: 'USDTERC20', deposits: [] }, 93n, 93n],
	])('%s', (_, change, amount, planned) => {
		expect(recordedPart({ ...facts, ...change })).toEqual({ amount, planned });
	});
});
