/** The signer's rules for coins of another asset at an order's address, one forgery each. */
import { describe, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { sealOrder, sealStray, termsDigest } from '../../src/orders/seal.ts';
import type { OrderRow } from '../../src/orders/table.ts';
import { Journal } from '../../src/signer/journal/journal.ts';
import {
	addressRefusal,
	amountRefusal,
	isEntered,
	type Place,
	type ReturnFacts,
	returnRefusal,
	strayRefusal,
} from '../../src/signer/strays/judge.ts';
import type { StrayRow } from '../../src/treasury/strays/table.ts';
import type { TransactionRow } from '../../src/treasury/table.ts';
import { NOW, orderRow } from '../support/rows.ts';
import { sqliteStorage } from '../support/sqlite-storage.ts';

const KEYS = keyRing({ SEAL_KEY: 'A'.repeat(43) }, 'SEAL_KEY');
const [PAY_IN, BACK, ENTERED, STRANGER, HOT] = ['0xpayin', '0xback', '0xentered', '0xstranger', '0xhot'];
const PLACE: Place = { network: 'Polygon', address: PAY_IN, asset: 'POL' };

async function sealed(more: Partial<OrderRow> = {}): Promise<OrderRow> {
	const terms = orderRow({ fromAsset: 'ETH', toAsset: 'LTC', payInAddress: PAY_IN, refundAddress: BACK, ...more });
	return { ...terms, seal: await sealOrder(KEYS, terms) };
}
const order = await sealed();

/** The journal of a signer that has made the address, on both networks where its key moves coins. */
function journalWith({ of: owner, on = 'Ethereum' }: { readonly of?: string; readonly on?: 'Ethereum' | 'Polygon' }) {
	const storage = sqliteStorage();
	const { addressOrders } = new Journal(storage);
	storage.sql.exec('INSERT INTO addresses VALUES (?, ?, 7, NULL)', 'Ethereum', PAY_IN);
	if (owner !== undefined) storage.sql.exec('INSERT INTO address_orders VALUES (?, ?, ?)', on, PAY_IN, owner);
	return addressOrders;
}

const refusalOf = (place: Partial<Place>, row = order, addressOrders = journalWith({})) =>
	strayRefusal(row, { ...PLACE, ...place }, KEYS, addressOrders);

describe('what lies at an order’s address', () => {
	it('is a stray of the order if it is of another asset', async () => {
		expect(await refusalOf({})).toBeNull();
		expect(await refusalOf({ network: 'Ethereum', asset: 'USDTERC20' })).toBeNull();
		expect(await refusalOf({}, order, journalWith({ of: order.id }))).toBeNull();
	});

	it.each([
		['an asset of another network', { network: 'BSC' }, 'other-network'],
		['the asset that the order asked for', { network: 'Ethereum', asset: 'ETH' }, 'deposit-no-stray'],
		['coins at another address', { address: STRANGER }, 'pay-in-address-not-ours'],
	] as const)('is no stray: %s', async (_, place, kind) => {
		expect(await refusalOf(place)).toEqual({ kind });
	});

	it('is nobody’s by a row whose seal is broken', async () => {
		expect(await refusalOf({}, { ...order, refundAddress: STRANGER })).toEqual({ kind: 'order-seal-broken' });
	});

	it.each(['Ethereum', 'Polygon'] as const)(
		'is another order’s if that one was paid for the address on %s',
		async (on) => {
			const addressOrders = journalWith({ of: 'another order', on });
			expect(await refusalOf({}, order, addressOrders)).toEqual({ kind: 'address-not-of-order' });
		},
	);

	it('is not this order’s if the address was promised on other terms', async () => {
		const addressOrders = journalWith({});
		expect(addressOrders.promise('Ethereum', PAY_IN, await termsDigest(order))).toBe(true);
		expect(await refusalOf({}, order, addressOrders)).toBeNull();
		const other = await sealed({ toAddress: STRANGER });
		expect(await refusalOf({}, other, addressOrders)).toEqual({ kind: 'promised-otherwise' });
		expect(await addressRefusal(other, PLACE, KEYS, addressOrders)).toEqual({ kind: 'promised-otherwise' });
	});
});

const stray = { foundAt: NOW, toSeal: null } as StrayRow;
const row = { asset: 'POL', amount: '100', toAddress: BACK } as TransactionRow;
const terms = { orderId: order.id, network: 'Polygon', asset: 'POL', to: ENTERED, at: NOW } as const;

const factsOf = (more: { readonly row?: Partial<TransactionRow>; readonly toSeal?: string | null }): ReturnFacts => ({
	row: { ...row, ...more.row },
	order,
	stray: { ...stray, toSeal: more.toSeal ?? null },
	place: PLACE,
	sealKeys: KEYS,
	isOurs: (address) => address === HOT,
});

describe('a return', () => {
	it('goes to the sealed refund address, or to the one that the operator entered and sealed', async () => {
		const toSeal = await sealStray(KEYS, terms);
		expect(await returnRefusal(factsOf({}))).toBeNull();
		expect(await returnRefusal(factsOf({ row: { toAddress: ENTERED }, toSeal }))).toBeNull();
		expect(await returnRefusal(factsOf({ row: { amount: '9'.repeat(78) } }))).toBeNull();
	});

	it.each([
		['of another asset', { asset: 'USDTPOL' }, 'other-asset'],
		['of nothing', { amount: '0' }, 'amount-invalid'],
		['of less than nothing', { amount: '-1' }, 'amount-invalid'],
		['of a fraction', { amount: '1.5' }, 'amount-invalid'],
		['of 79 digits', { amount: '9'.repeat(79) }, 'amount-invalid'],
		['to one of our own addresses', { toAddress: HOT }, 'other-recipient'],
		['to a stranger', { toAddress: STRANGER }, 'other-recipient'],
	] as const)('%s is refused', async (_, changed, kind) => {
		expect(await returnRefusal(factsOf({ row: changed }))).toEqual({ kind });
	});

	it('to one of our own addresses is refused also where it is the refund address', async () => {
		const own = { ...factsOf({}), isOurs: () => true };
		expect(await returnRefusal(own)).toEqual({ kind: 'other-recipient' });
	});

	it.each([
		['of another order', { orderId: 'another order' }],
		['of another network', { network: 'BSC' }],
		['of another asset', { asset: 'USDTPOL' }],
		['of another address', { to: STRANGER }],
	] as const)('is not made to an address by a seal %s', async (_, changed) => {
		const toSeal = await sealStray(KEYS, { ...terms, ...changed });
		expect(await isEntered(factsOf({ row: { toAddress: ENTERED }, toSeal }))).toBe(false);
	});

	it('is made at most once for each sweep, and of no more than sweeps brought', () => {
		const refusal = (amount: bigint, returned: { amount: bigint; times: number }) =>
			amountRefusal(amount, { amount: 100n, times: 2 }, returned);
		expect(refusal(100n, { amount: 0n, times: 0 })).toBeNull();
		expect(refusal(40n, { amount: 60n, times: 1 })).toBeNull();
		expect(refusal(41n, { amount: 60n, times: 1 })).toEqual({ kind: 'above-stray' });
		expect(refusal(1n, { amount: 0n, times: 2 })).toEqual({ kind: 'stray-not-arrived' });
		expect(refusal(1n, { amount: 0n, times: 3 })).toEqual({ kind: 'stray-not-arrived' });
	});
});
