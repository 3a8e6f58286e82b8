/** The memory behind "reusing a nonce returns code 3", compared with a plain map of times. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Fingerprint, fingerprintOf, NonceSet } from '../../src/partners/gate/nonce-set.ts';

const KEPT = 7 * 60_000;

it('a nonce is remembered for at least as long as asked, and a minute longer at most', () => {
	const calls = fc.array(
		fc.record({ nonce: fc.integer({ min: 0, max: 40 }), after: fc.integer({ min: 0, max: 90_000 }) }),
		{
			maxLength: 200,
		},
	);
	fc.assert(
		fc.property(calls, (list) => {
			const set = new NonceSet(KEPT);
			const spentAt = new Map<number, number>();
			let now = 1_795_000_000_000;
			for (const { nonce, after } of list) {
				now += after;
				const fingerprint = fingerprintOf(`nonce-number-${nonce}`);
				const age = now - (spentAt.get(nonce) ?? 0);
				const remembered = set.has(fingerprint, now);
				if (age <= KEPT) expect(remembered).toBe(true);
				if (age > KEPT + 60_000) expect(remembered).toBe(false);
				if (!remembered) {
					set.add(fingerprint, now);
					spentAt.set(nonce, now);
				}
			}
		}),
	);
});

it('distinguishes twenty thousand similar nonces', () => {
	const set = new NonceSet(KEPT);
	const now = 1_795_000_000_000;
	for (let i = 0; i < 20_000; i++) {
		const fingerprint = fingerprintOf(`00000000-0000-4000-8000-${i.toString(16).padStart(12, '0')}`);
		if (set.has(fingerprint, now)) throw new Error(`${i} is known before it is added`);
		set.add(fingerprint, now);
		if (!set.has(fingerprint, now)) throw new Error(`${i} is not known after it was added`);
	}
});

it.each([
	['a', 7_929_297_801_672_961],
	['b', 8_684_336_938_537_663],
	['revenge', 4_051_478_007_546_757],
	['revenue', 8_309_097_637_345_594],
])('the fingerprint of “%s” is the published one, before it is cut to 53 bits', (text, published) => {
	const [high, low] = fingerprintOf(text);
	expect([high, low].every((word) => word >= 0 && word < 2 ** 32)).toBe(true);
	expect((low % 2 ** 21) * 2 ** 32 + high).toBe(published);
});

it('fingerprints that begin at the same place of the table are told apart, also once it has grown', () => {
	const set = new NonceSet(KEPT);
	const last = 2 ** 32 - 1;
	const near: Fingerprint[] = [0, 1024, last].flatMap((high) => [1, 2, last].map((low): Fingerprint => [high, low]));
	for (const [i, fingerprint] of near.entries()) {
		expect(near.map((each) => set.has(each, 0))).toEqual(near.map((_, j) => j < i));
		set.add(fingerprint, 0);
	}
	for (let high = 1; high < 1024; high++) set.add([high, 7], 0);
	expect(near.every((each) => set.has(each, 0))).toBe(true);
	expect([set.has([0, 3], 0), set.has([1025, 7], 0), set.has([2048, 1], 0)]).toEqual([false, false, false]);
});

it('times are remembered to the minute', () => {
	const set = new NonceSet(60_000);
	set.add([1, 1], 59_999);
	set.add([2, 2], 60_000);
	set.add([3, 3], 30_000);
	expect([set.has([1, 1], 119_999), set.has([3, 3], 119_999), set.has([2, 2], 119_999)]).toEqual([true, true, true]);
	expect([set.has([1, 1], 120_000), set.has([3, 3], 120_000), set.has([2, 2], 120_000)]).toEqual([false, false, true]);
});
