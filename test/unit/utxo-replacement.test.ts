/** What a fee bump must pay (BIP125, Bitcoin Core's mempool rules 3 and 4), as a table. */
import { describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { bumpedFee, type FeeBump } from '../../src/chains/utxo/replace.ts';

/** Lowest rate 1 sat/vB, dust 546, ceiling 1 000 000. */
const BITCOIN = utxoParams(NETWORKS.Bitcoin, 'main');
const P2WPKH = new Uint8Array(22);
/** 11 + 68 + 31, and one more output of 31. */
const ALONE = 110n;
const WITH_CHANGE = 141n;

const coinsOf = (...amounts: bigint[]) => amounts.map((amount) => ({ amount }));
const bump = (more: Partial<FeeBump> = {}): FeeBump => ({
	amount: 100_000n,
	recipientScript: P2WPKH,
	changeScript: P2WPKH,
	fee: WITH_CHANGE,
	virtualBytes: Number(WITH_CHANGE),
	rate: 1_000n,
	ancestors: { virtualBytes: 0, fee: 0n },
	...more,
});

describe('a bumped fee', () => {
	test.each<[string, Partial<FeeBump>, bigint]>([
		['is higher by the relay fee of the whole size, when the present rate is no higher', {}, 2n * WITH_CHANGE],
		['is the present rate when that is more', { rate: 20_000n }, 20n * WITH_CHANGE],
		['is above every earlier rate, also that of a smaller version', { fee: 10_000n, virtualBytes: 110 }, 12_819n],
		[
			'pays what unconfirmed ancestors lack of the present rate',
			{ rate: 10_000n, ancestors: { virtualBytes: 200, fee: 300n } },
			10n * (WITH_CHANGE + 200n) - 300n,
		],
		[
			'gains nothing from ancestors that pay more than that',
			{ rate: 2_000n, ancestors: { virtualBytes: 200, fee: 9_000n } },
			2n * WITH_CHANGE,
		],
	])('%s', (_, more, fee) => {
		const chosen = bumpedFee(coinsOf(500_000n), [], bump(more), BITCOIN);
		expect(chosen).toEqual({ coins: coinsOf(500_000n), fee, change: 400_000n - fee });
	});

	test('takes the whole change when the remainder would be dust', () => {
		const change = 2n * WITH_CHANGE - WITH_CHANGE + BITCOIN.dust - 1n;
		const total = 100_000n + WITH_CHANGE + change;
		expect(bumpedFee(coinsOf(total), [], bump(), BITCOIN)).toMatchObject({ fee: total - 100_000n, change: 0n });
		expect(bumpedFee(coinsOf(total + 1n), [], bump(), BITCOIN)).toMatchObject({ change: BITCOIN.dust });
	});

	test('adds coins only when the change is not enough, and only coins that bring more than they cost', () => {
		const bare = bump({ fee: ALONE, virtualBytes: Number(ALONE) });
		const total = 100_000n + ALONE;
		expect(bumpedFee(coinsOf(total), [], bare, BITCOIN)).toBeNull();
		expect(bumpedFee(coinsOf(total), coinsOf(68n), bare, BITCOIN)).toBeNull();
		expect(bumpedFee(coinsOf(total), coinsOf(50_000n, 40_000n), bare, BITCOIN)?.coins).toEqual(coinsOf(total, 50_000n));
		expect(bumpedFee(coinsOf(500_000n), coinsOf(50_000n), bump(), BITCOIN)?.coins).toHaveLength(1);
	});

	test('never exceeds the ceiling', () => {
		const rich = coinsOf(50_000_000n);
		const atCeiling = bump({ rate: 300_000n, ancestors: { virtualBytes: 100_000, fee: 0n } });
		expect(bumpedFee(rich, [], atCeiling, BITCOIN)).toMatchObject({ fee: BITCOIN.maxFee });
		expect(bumpedFee(rich, [], bump({ fee: BITCOIN.maxFee - 141n }), BITCOIN)).toMatchObject({ fee: BITCOIN.maxFee });
		expect(bumpedFee(rich, [], bump({ fee: BITCOIN.maxFee - 140n }), BITCOIN)).toBeNull();
	});
});
