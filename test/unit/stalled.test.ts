/** When the operator is told that a network has no new blocks (`src/treasury/deposits/stalled.ts`). */
import { describe, expect, it } from 'vitest';
import { bestOf, stalledText } from '../../src/treasury/deposits/stalled.ts';

const MINUTE = 60_000;

describe('a node that shows no new block', () => {
	it('is reported after five minutes on a quick network, and after twenty blocks of a slow one', () => {
		const best = { height: 7, since: 0 };
		expect(stalledText('Ethereum', best, 5 * MINUTE)).toBeNull();
		expect(stalledText('Ethereum', best, 6 * MINUTE)).toMatch(/^no block above 7 for 6 minutes: /);
		expect(stalledText('Bitcoin', best, 200 * MINUTE)).toBeNull();
		expect(stalledText('Bitcoin', best, 201 * MINUTE)).toMatch(/for 201 minutes/);
	});

	it('is counted from the first poll that saw its best block, which a reorganisation may lower', () => {
		const first = bestOf(null, 7, 10);
		expect(bestOf(first, 7, 20)).toEqual({ height: 7, since: 10 });
		expect(bestOf(first, 8, 20)).toEqual({ height: 8, since: 20 });
		expect(bestOf(first, 6, 20)).toEqual({ height: 6, since: 20 });
	});
});
