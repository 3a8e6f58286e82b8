/** The memory behind "reusing a nonce returns code 3", compared with a plain map of times. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NonceSet } from '../../src/partners/gate/spent-nonces.ts';

const KEPT = 7 * 60_000;

it('a nonce is remembered for at least as long as asked, and a minute longer at most', () => {
	const calls = fc.array(
		fc.record({ nonce: fc.integer({ min: 0, max: 40 }), after: fc.integer({ min: 0, max: 90_000 }) }),
		{ maxLength: 200 },
	);
	fc.assert(
		fc.property(calls, (list) => {
			const set = new NonceSet(KEPT);
			const spentAt = new Map<number, number>();
			let now = 1_795_000_000_000;
			for (const { nonce, after } of list) {
				now += after;
				const text = `nonce-number-${nonce}`;
				const age = now - (spentAt.get(nonce) ?? 0);
				const remembered = set.has(text, now);
				if (age <= KEPT) expect(remembered).toBe(true);
				if (age > KEPT + 60_000) expect(remembered).toBe(false);
				if (!remembered) {
					set.add(text, now);
					spentAt.set(nonce, now);
				}
			}
		}),
	);
});

it('times are remembered to the minute', () => {
	const set = new NonceSet(60_000);
	set.add('one', 59_999);
	set.add('two', 60_000);
	set.add('three', 30_000);
	const known = (now: number) => ['one', 'two', 'three'].map((nonce) => set.has(nonce, now));
	expect([known(119_999), known(120_000)]).toEqual([
		[true, true, true],
		[false, true, false],
	]);
});
