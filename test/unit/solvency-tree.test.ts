import { describe, expect, it } from 'vitest';
import { type Debt, ownDebt, partsOf, rootsOf, secretOf } from '../../src/treasury/solvency/report.ts';
import { blindedId, climbed, leafNode, pathOf, rootOf } from '../../src/treasury/solvency/tree.ts';

const NUMBER = 498_000;
const SALT = 'ab'.repeat(32);
const debt = (id: number, amount: bigint, more: Partial<Debt> = {}): Debt => ({
	creditor: 'order',
	id: `order${id}`,
	tokenHash: id.toString(16).padStart(64, '0'),
	asset: 'BTC',
	amount,
	...more,
});
const idOf = (of: Debt) => blindedId({ ...of, number: NUMBER, secret: secretOf(of, SALT) });

describe('the tree of the debts in an asset', () => {
	it.each([1, 2, 3, 255, 256, 257, 1000])('of %i leads from each leaf to the one root, which has the sum', (count) => {
		const debts = Array.from({ length: count }, (_, i) => debt(i, BigInt(i + 1)));
		const parts = partsOf(NUMBER, debts, SALT);
		const [root] = rootsOf(parts);
		expect(root?.sum).toBe(((BigInt(count) * BigInt(count + 1)) / 2n).toString());
		for (const each of [...debts.slice(0, 3), ...debts.slice(-3)]) {
			const id = idOf(each);
			const part = parts.find(({ first, last }) => first <= id && id <= last);
			const own = part && ownDebt(part, parts, id);
			expect(own?.amount).toBe(each.amount.toString());
			expect(climbed(leafNode('BTC', { id, amount: each.amount }), own?.path ?? [])).toMatchObject({
				hash: root?.hash,
				sum: root?.sum,
			});
		}
	});

	it('is the same in parts as in one', () => {
		const parts = partsOf(
			NUMBER,
			Array.from({ length: 700 }, (_, i) => debt(i, 1n)),
			SALT,
		);
		const leaves = parts.flatMap(({ leaves: own }) => own.map(([id]) => leafNode('BTC', { id, amount: 1n })));
		expect(parts).toHaveLength(3);
		expect(rootOf(leaves)?.hash).toBe(rootsOf(parts)[0]?.hash);
	});

	it('places leaves by ids that are other ones each hour, and tell nothing of whose they are', () => {
		const first = debt(1, 5n);
		const ids = [1, 2].map((hour) => blindedId({ ...first, number: hour, secret: secretOf(first, SALT) }));
		expect(new Set(ids).size).toBe(2);
		expect(ids.join()).not.toContain('order1');
	});

	it('has one for each asset', () => {
		const parts = partsOf(NUMBER, [debt(1, 5n), debt(1, 7n, { asset: 'ETH' }), debt(2, 1n)], SALT);
		expect(rootsOf(parts)).toEqual([
			{ asset: 'BTC', hash: expect.any(String), sum: '6' },
			{ asset: 'ETH', hash: expect.any(String), sum: '7' },
		]);
	});
});

describe('a way up', () => {
	const nodes = [1, 2, 3, 4, 5].map((i) => leafNode('BTC', { id: i.toString().repeat(64), amount: BigInt(i) }));
	const [leaf] = nodes;
	if (!leaf) throw new Error('no leaf');
	const path = pathOf(nodes, 0);
	const changed = (more: object) =>
		path.map((step, i) => (i === 0 ? { ...step, node: { ...step.node, ...more } } : step));

	it('leads to another root where anything of it is changed', () => {
		const root = rootOf(nodes)?.hash;
		expect(climbed(leaf, path)).toMatchObject({ hash: root });
		for (const other of [{ sum: '7' }, { hash: '0'.repeat(64) }, { last: '22'.repeat(32).replace(/2$/, '3') }])
			expect(climbed(leaf, changed(other))).not.toMatchObject({ hash: root });
	});

	it.each([
		['a negative sum', changed({ sum: '-1' }), 'sum-negative'],
		['an id that is there twice', changed({ first: leaf.first, last: leaf.first }), 'doubled'],
		['a branch that has the id within', changed({ first: '0'.repeat(64), last: '3'.repeat(64) }), 'doubled'],
		['a sum that is no whole number', changed({ sum: '1.5' }), 'malformed'],
		['a sum of more digits than there are coins', changed({ sum: '9'.repeat(37) }), 'malformed'],
		['a node that is none', [{ side: 'left', node: null }], 'malformed'],
		['a side that is none', [{ ...path[0], side: 'up' }], 'malformed'],
		['more steps than a tree has', Array.from({ length: 33 }, () => path[0]), 'malformed'],
	])('with %s is refused', (_, way, why) => {
		expect(climbed(leaf, way as never)).toBe(why);
	});
});
