/**
 * What each seal is over, and for how long a replaced key's seals count (book: architecture, "Keys apart"). Sealed rows
 * outlive releases, so the sealed texts are written out here: they must never change.
 */
import { createHash, createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type KeyVariables, keyRing } from '../../src/crypto/key-ring.ts';
import { type AskedKeys, type SealAsker, sealKeysOf } from '../../src/crypto/seals.ts';
import {
	addressSealHolds,
	type EarnedTerms,
	earnedSealHolds,
	type OrderTerms,
	orderSealHolds,
	type PayoutTerms,
	type PoolTerms,
	payoutSealHolds,
	payoutTerms,
	requireSealed,
	type SettlementTerms,
	type StrayTerms,
	sealAddress,
	sealEarned,
	sealOrder,
	sealPayoutAddress,
	sealSettlement,
	sealStray,
	settlementSealHolds,
	strayClaim,
	straySealHolds,
	termsDigest,
} from '../../src/orders/seal.ts';
import { noteBroken, unsealedAmong } from '../../src/orders/sealed.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';

const [OLD, NEW] = ['A'.repeat(43), `${'E'.repeat(42)}A`];
const ringOf = (variables: KeyVariables) => keyRing(variables, 'SEAL_KEY');
const KEYS = ringOf({ SEAL_KEY: OLD });
/** When OLD was replaced, Unix milliseconds. */
const CHANGED = 1_790_000_000_000;
const AFTER = ringOf({
	SEAL_KEY: NEW,
	SEAL_KEY_NUMBER: '2',
	SEAL_KEY_PREVIOUS: OLD,
	SEAL_KEY_CHANGED_AT: String(CHANGED / 1000),
});

const sealOver = (text: string): string => `1.${createHmac('sha256', Buffer.alloc(32)).update(text).digest('hex')}`;

const order: OrderTerms = {
	id: 'an order',
	partnerId: 'a partner',
	fromAsset: 'LTC',
	toAsset: 'ETH',
	toAddress: 'to',
	refundAddress: 'back',
	payInAddress: 'in',
	payInIndex: 7,
	baseFeeBps: 50,
	leanBps: -20,
	afftaxBps: 30,
	fromAmount: '2',
	minToAmount: '1.9',
};
const address: PoolTerms = { network: 'Litecoin', derivationIndex: 7, address: 'in' };
const payoutAddress: PayoutTerms = { partnerId: 'a partner', asset: 'ETH', address: 'to', changedAt: CHANGED - 1 };
const deposit = { txId: 'tx', position: '0', address: 'in', asset: 'LTC', amount: '100' } as const;
const settlement: SettlementTerms = {
	payoutId: 'a payout',
	orderId: 'an order',
	kind: 'payout',
	asset: 'ETH',
	amount: '90',
	plannedAt: CHANGED - 1,
	deposits: [{ ...deposit, txId: 'ty' }, deposit],
};

const earned: EarnedTerms = { payoutId: 'a payout', orderId: 'an order', afftax: 5n, plannedAt: CHANGED - 1 };

const stray: StrayTerms = { orderId: 'an order', network: 'Polygon', asset: 'POL', to: 'to', at: CHANGED - 1 };

/** Of each kind: its terms, how they are sealed and checked, the text, and terms of which one thing differs. */
const KINDS = [
	{
		name: 'an order',
		text: '["order","an order","a partner","LTC","ETH","to","back","in",7,50,-20,30,"2","1.9"]',
		sealed: () => sealOrder(KEYS, order),
		holds: (change: object, sealed: string, keys = KEYS) =>
			orderSealHolds(keys, { ...order, createdAt: CHANGED - 1, ...change }, sealed),
		changes: [
			{ id: 'x' },
			{ partnerId: 'x' },
			{ fromAsset: 'BTC' },
			{ toAsset: 'BTC' },
			{ toAddress: 'x' },
			{ refundAddress: 'x' },
			{ payInAddress: 'x' },
			{ payInIndex: 8 },
			{ baseFeeBps: 51 },
			{ leanBps: 20 },
			{ afftaxBps: 31 },
			{ fromAmount: '3' },
			{ minToAmount: '1.8' },
			{ minToAmount: null },
		],
	},
	{
		name: 'a free address',
		text: '["pool","Litecoin",7,"in"]',
		sealed: () => sealAddress(KEYS, address),
		holds: (change: object, sealed: string, keys = KEYS) => addressSealHolds(keys, { ...address, ...change }, sealed),
		changes: [{ network: 'Dogecoin' }, { derivationIndex: 8 }, { address: 'x' }],
	},
	{
		name: 'a payout address',
		text: `["payout","a partner","ETH","to",${CHANGED - 1}]`,
		sealed: () => sealPayoutAddress(KEYS, payoutAddress),
		holds: (change: object, sealed: string, keys = KEYS) =>
			payoutSealHolds(keys, { ...payoutAddress, ...change }, sealed),
		changes: [{ partnerId: 'x' }, { asset: 'BTC' }, { address: 'x' }, { changedAt: 1 }],
	},
	{
		name: 'a settlement',
		text: JSON.stringify([
			'settlement',
			'a payout',
			'an order',
			'payout',
			'ETH',
			'90',
			['["tx","0","in","LTC","100"]', '["ty","0","in","LTC","100"]'],
		]),
		sealed: () => sealSettlement(KEYS, settlement),
		holds: (change: object, sealed: string, keys = KEYS) =>
			settlementSealHolds(keys, { ...settlement, ...change }, sealed),
		changes: [
			{ payoutId: 'x' },
			{ orderId: 'x' },
			{ kind: 'refund' },
			{ asset: 'BTC' },
			{ amount: '91' },
			{ deposits: [] },
			{ deposits: [deposit] },
			{ deposits: [...settlement.deposits, deposit] },
			...[{ txId: 'x' }, { position: '1' }, { address: 'x' }, { asset: 'BTC' }, { amount: '101' }].map((change) => ({
				deposits: [settlement.deposits[0], { ...deposit, ...change }],
			})),
		],
	},
	{
		name: 'what is earned',
		text: '["earned","a payout","an order","5"]',
		sealed: () => sealEarned(KEYS, earned),
		holds: (change: object, sealed: string, keys = KEYS) => earnedSealHolds(keys, { ...earned, ...change }, sealed),
		changes: [{ payoutId: 'x' }, { orderId: 'x' }, { afftax: 6n }, { afftax: -5n }],
	},
	{
		name: 'where a stray goes back to',
		text: '["stray","an order","Polygon","POL","to"]',
		sealed: () => sealStray(KEYS, stray),
		holds: (change: object, sealed: string, keys = KEYS) => straySealHolds(keys, { ...stray, ...change }, sealed),
		changes: [{ orderId: 'x' }, { network: 'BSC' }, { asset: 'BTC' }, { to: 'x' }],
	},
] as const;

describe.each(KINDS)('the seal of $name', ({ text, sealed, holds, changes }) => {
	it('is over this text, whatever release made it', async () => {
		expect(await sealed()).toBe(sealOver(text));
	});

	it('holds for these terms, and for no others', async () => {
		const made = await sealed();
		expect(await holds({}, made)).toBe(true);
		for (const change of changes) expect([change, await holds(change, made)]).toEqual([change, false]);
	});
});

describe('after the key was replaced', () => {
	it.each([
		['an order', KINDS[0], { createdAt: CHANGED }],
		['a settlement', KINDS[3], { plannedAt: CHANGED }],
		['what is earned', KINDS[4], { plannedAt: CHANGED }],
		['where a stray goes back to', KINDS[5], { at: CHANGED }],
	] as const)('the old seal of %s holds if it is older than the replacement', async (_, { sealed, holds }, younger) => {
		const made = await sealed();
		expect(await holds({}, made, AFTER)).toBe(true);
		expect(await holds(younger, made, AFTER)).toBe(false);
		expect(await holds(younger, made)).toBe(true);
	});

	it('the old seal of a payout address holds if it was set before', async () => {
		const younger = { ...payoutAddress, changedAt: CHANGED };
		expect(await payoutSealHolds(AFTER, payoutAddress, await sealPayoutAddress(KEYS, payoutAddress))).toBe(true);
		expect(await payoutSealHolds(AFTER, younger, await sealPayoutAddress(KEYS, younger))).toBe(false);
	});

	it('the old seal of a free address still holds: it may have waited for any time', async () => {
		expect(await addressSealHolds(AFTER, address, await sealAddress(KEYS, address))).toBe(true);
	});
});

it.each(['', 'x', '1.', `1.${'0'.repeat(63)}`, `1.${'0'.repeat(65)}`, `x1.${'0'.repeat(64)}`, `9.${'0'.repeat(64)}`])(
	'a text that is no seal, or of no key of ours, holds for nothing: %s',
	async (wrong) => {
		expect(await addressSealHolds(KEYS, address, wrong)).toBe(false);
	},
);

it('who has the number of the key alone asks the one who has the key, with the text and the time', async () => {
	const asked: unknown[] = [];
	const asker: SealAsker = {
		seal: async (text) => `sealed ${asked.push(text)}`,
		holds: async (claim) => asked.push(claim) === 2,
		resealed: async () => null,
	};
	const keys = { ...ringOf({ SEAL_KEY: OLD }), deployment: 'one', asker } as unknown as AskedKeys;
	expect(sealKeysOf({ askedKeys: () => keys })).toBe(keys);
	expect(await sealAddress(keys, address)).toBe('sealed 1');
	expect(await straySealHolds(keys, stray, 'a seal')).toBe(true);
	expect(asked).toEqual(['["pool","Litecoin",7,"in"]', strayClaim(stray, 'a seal')]);
	expect(strayClaim(stray, 'a seal')).toEqual({ text: KINDS[5].text, at: CHANGED - 1, sealed: 'a seal' });
});

it('who has the key seals with it', async () => {
	expect(await sealAddress(sealKeysOf({ SEAL_KEY: OLD }), address)).toBe(sealOver('["pool","Litecoin",7,"in"]'));
});

it('the digest of an order’s terms is the SHA-256 of what is sealed', async () => {
	expect(await termsDigest(order)).toBe(createHash('sha256').update(KINDS[0].text).digest('hex'));
});

it('a partner who has no payout address, or one without a time or a seal, has no terms of it', () => {
	const columns = {
		payoutAsset: 'ETH',
		payoutAddress: 'to',
		payoutAddressChangedAt: CHANGED - 1,
		payoutSeal: 'a seal',
	};
	expect(payoutTerms('a partner', columns)).toEqual({ ...payoutAddress, seal: 'a seal' });
	for (const name of Object.keys(columns)) expect(payoutTerms('a partner', { ...columns, [name]: null })).toBeNull();
});

it('the deposits of a settlement are sealed in any order', async () => {
	const made = await sealSettlement(KEYS, settlement);
	const turned = { ...settlement, deposits: settlement.deposits.toReversed() };
	expect(await settlementSealHolds(KEYS, turned, made)).toBe(true);
});

it('an order whose seal is broken is named, and its address is not shown', async () => {
	const made = { ...order, createdAt: 0, seal: await sealOrder(KEYS, order) };
	await expect(requireSealed(KEYS, made)).resolves.toBeUndefined();
	await expect(requireSealed(KEYS, { ...made, payInAddress: 'x' })).rejects.toThrow(
		'the seal of order an order is broken',
	);
});

describe('in a list', () => {
	afterEach(() => void vi.restoreAllMocks());

	it('only the orders whose seal is broken are left out', async () => {
		const orders = ['a', 'b', 'c'].map(async (id) => {
			const terms = { ...order, id, createdAt: 0 };
			return { ...terms, seal: await sealOrder(KEYS, terms) };
		});
		const [a, b, c] = await Promise.all(orders);
		if (!a || !b || !c) throw new Error('there are three orders');
		expect(await unsealedAmong({ SEAL_KEY: OLD }, [a, b, c])).toEqual(new Set());
		expect(await unsealedAmong({ SEAL_KEY: OLD }, [a, { ...b, toAddress: 'x' }, c])).toEqual(new Set(['b']));
	});

	it('those are noted for the operator: their number, and the first twenty in the log', async () => {
		const lines = vi.spyOn(console, 'error').mockReturnValue();
		const { d1, run } = sqliteD1();
		const ids = Array.from({ length: 21 }, (_, i) => `order ${i}`);
		await noteBroken({ DB: d1 }, new Set(ids));
		expect(run('select kind, subject, detail from incidents')).toEqual([
			{ kind: 'order-seal-broken', subject: 'order 0', detail: '21 of one list' },
		]);
		expect(JSON.parse(String(lines.mock.calls[0]?.[0]))).toMatchObject({
			event: 'order_seal_broken',
			count: 21,
			orders: ids.slice(0, 20),
		});
	});
});
