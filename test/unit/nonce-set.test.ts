/** The memory behind "reusing a nonce returns code 3", compared with a plain map of times. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fingerprintOf, NonceSet } from '../../src/partners/gate/nonce-set.ts';

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

it('distinguishes a hundred thousand similar nonces', () => {
	const set = new NonceSet(KEPT);
	const now = 1_795_000_000_000;
	for (let i = 0; i < 100_000; i++) {
		const fingerprint = fingerprintOf(`00000000-0000-4000-8000-${i.toString(16).padStart(12, '0')}`);
		expect(set.has(fingerprint, now)).toBe(false);
		set.add(fingerprint, now);
		expect(set.has(fingerprint, now)).toBe(true);
	}
});
