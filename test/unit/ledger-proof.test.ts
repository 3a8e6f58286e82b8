/** What proves the kept balances: a piece's entries, added up again (book: architecture, "The ledger"). */
import { describe, expect, it } from 'vitest';
import {
	type Balance,
	balanceKey,
	balancesOf,
	differingOf,
	type EntryRow,
	openingText,
	sealedText,
	unbalancedOf,
} from '../../src/treasury/ledger/proof.ts';

const entry = (account: string, amount: string, more: Partial<EntryRow> = {}): EntryRow =>
	({ orderId: 'one', cause: 'settled', account, asset: 'LTC', amount, at: 1_000, ...more }) as EntryRow;
const balance = (account: string, amount: bigint, entries: number, asset: Balance['asset'] = 'LTC'): Balance => ({
	account,
	asset,
	amount,
	entries,
});

/** Two orders that each sum to zero. */
const ENTRIES = [
	entry('wallet', '100'),
	entry('market', '-100'),
	entry('wallet', '7', { orderId: 'two' }),
	entry('market', '-7', { orderId: 'two' }),
	entry('market', '9', { asset: 'ETH' }),
	entry('payable', '-9', { asset: 'ETH' }),
];
const KEPT = [
	balance('wallet', 107n, 2),
	balance('market', -107n, 2),
	balance('market', 9n, 1, 'ETH'),
	balance('payable', -9n, 1, 'ETH'),
];

describe('entries', () => {
	it('that sum to zero for each order and asset are balanced', () => {
		expect(unbalancedOf(ENTRIES)).toEqual([]);
	});

	it('are balanced by order and by asset: neither makes up for another', () => {
		const wrong = [
			entry('wallet', '5'),
			entry('market', '-5', { orderId: 'two' }),
			entry('wallet', '3', { asset: 'ETH' }),
		];
		expect(unbalancedOf([...ENTRIES, ...wrong])).toEqual([
			{ order: 'one', asset: 'LTC', sum: 5n },
			{ order: 'two', asset: 'LTC', sum: -5n },
			{ order: 'one', asset: 'ETH', sum: 3n },
		]);
	});

	it('add up by account and asset, and are counted', () => {
		expect([...balancesOf(ENTRIES).values()]).toEqual(KEPT);
		expect([...balancesOf(ENTRIES).keys()]).toEqual(KEPT.map(balanceKey));
		expect(balanceKey({ account: 'wallet', asset: 'ETH' })).toBe('wallet ETH');
	});
});

describe('kept balances', () => {
	const [first, ...others] = KEPT;
	it.each<[string, readonly (Balance | undefined)[], object[]]>([
		['that are what the entries say do not differ', KEPT, []],
		[
			'with another sum differ',
			[balance('wallet', 106n, 2), ...others],
			[{ account: 'wallet', kept: 106n, found: 107n }],
		],
		[
			'with another number of entries differ, also where the sum is right',
			[balance('wallet', 107n, 3), ...others],
			[{ account: 'wallet', kept: 107n, found: 107n }],
		],
		['that are missing count as zero', others, [{ account: 'wallet', kept: 0n, found: 107n }]],
		[
			'without entries count as wrong, also where they are zero',
			[...KEPT, balance('house', 4n, 1), balance('partner', 0n, 2)],
			[
				{ account: 'house', kept: 4n, found: 0n },
				{ account: 'partner', kept: 0n, found: 0n },
			],
		],
		['that are empty need no entries', [...KEPT, balance('house', 0n, 0)], []],
		['are compared by asset', [first, ...others, balance('wallet', 107n, 2, 'ETH')], [{ asset: 'ETH', found: 0n }]],
	])('%s', (_, kept, differing) => {
		const found = differingOf(
			3,
			kept.filter((one) => one !== undefined),
			ENTRIES,
		);
		expect(found).toHaveLength(differing.length);
		expect(found).toMatchObject(differing.map((one) => ({ piece: 3, asset: 'LTC', ...one })));
	});
});

it('a missing balance is found also where its entries sum to zero', () => {
	const entries = [entry('house', '5'), entry('house', '-5')];
	expect(differingOf(3, [], entries)).toEqual([{ piece: 3, account: 'house', asset: 'LTC', kept: 0n, found: 0n }]);
});

describe('what is sealed', () => {
	const piece = { number: 3, provenAt: 5_000, sealedUntil: 1_000 };
	const young = entry('house', '1', { at: 1_001 });

	it('is each entry up to the sealed time, in any order, and no younger one', () => {
		const text = sealedText(piece, ENTRIES.slice(0, 2));
		expect(JSON.parse(text)).toEqual([
			'ledger piece',
			3,
			5_000,
			1_000,
			['["one","settled","market","LTC","-100",1000]', '["one","settled","wallet","LTC","100",1000]'],
		]);
		expect(sealedText(piece, [young, ...ENTRIES.slice(0, 2).toReversed()])).toBe(text);
	});

	it('of the opening balance is each balance that has entries, in any order', () => {
		const opening = { orders: 2, provenAt: 5_000 };
		const text = openingText(opening, KEPT.slice(0, 2));
		expect(JSON.parse(text)).toEqual([
			'ledger opening',
			2,
			5_000,
			['["market","LTC","-107",2]', '["wallet","LTC","107",2]'],
		]);
		expect(openingText(opening, [balance('house', 0n, 0), ...KEPT.slice(0, 2).toReversed()])).toBe(text);
	});
});
