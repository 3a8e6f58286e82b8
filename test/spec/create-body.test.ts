/**
 * What `POST /api/v1/create` takes in its body: assets, amounts, addresses, afftax. Sandbox prices: LTC 95, ETH 3200.
 */
import { describe, expect, it } from 'vitest';
import { createsForFile, REFUSED } from '../support/creates.ts';
import { create, createBody, ETH_RECIPIENT, LTC_REFUND, readOrder } from '../support/orders.ts';
import { createPartner, signed } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
const { partner, order, ordersCount } = createsForFile(service);
const without = (field: string) => {
	const { [field]: _, ...rest } = createBody();
	return signed(service.current(), partner(), '/api/v1/create', rest);
};

describe('the body', () => {
	it.each(['type', 'fromCcy', 'toCcy', 'direction', 'amount', 'toAddress', 'refundAddress'])(
		'without %s → 1',
		async (field) => {
			expect((await without(field)).text).toBe(REFUSED);
		},
	);

	it.each([
		['type', 'fixed'],
		['direction', 'FROM'],
		['fromCcy', 'DOGE'],
		['fromCcy', 'ltc'],
		['toCcy', 'LTC'],
		['toCcy', 'USDT'],
		['amount', '0'],
		['amount', '-2'],
		['amount', 'two'],
		['amount', '2.123456789'],
		['amount', null],
		['afftax', -1],
		['afftax', 2001],
		['afftax', 0.5],
		['afftax', '100'],
		['tag', 7],
		['tag', {}],
		['fromNetwork', 7],
		['toNetwork', []],
		['refundAddress', null],
		['toAddress', null],
	])('%s: %j → 1', async (field, value) => {
		expect((await order({ [field]: value })).text).toBe(REFUSED);
	});

	it('null for an optional field means absent', async () => {
		const absent = { fromNetwork: null, toNetwork: null, afftax: null, externalId: null };
		const { code, data } = await order({ ...absent, externalIdUnique: null, with: null });
		expect([code, data.markupBps, 'externalId' in data]).toEqual([0, 0, false]);
	});

	it('tag is reserved: null, absent or any text', async () => {
		for (const tag of [null, '', 'a memo']) expect((await order({ tag })).code).toBe(0);
	});

	it('a refused create makes no order', async () => {
		const before = await ordersCount();
		await order({ amount: '0.1' });
		await order({ toAddress: 'x' });
		await without('refundAddress');
		expect(await ordersCount()).toBe(before);
	});
});

describe('afftax: explicit, then the partner’s default', () => {
	it('is stored at creation and applied to the rate', async () => {
		const dear = await createPartner(service.current(), { weightPerMinute: 1_000_000, afftaxBps: 2000 });
		const byDefault = await create(service.current(), dear);
		expect([byDefault.data.markupBps, byDefault.data.rate]).toEqual([2000, '0.0236015625']);
		const explicit = await create(service.current(), dear, { afftax: 0 });
		expect([explicit.data.markupBps, explicit.data.rate]).toEqual([0, '0.0295390625']);
		await service.current().operator('partner/update', { id: dear.id, afftaxBps: 5 });
		expect((await readOrder(service.current(), dear, byDefault.data)).markupBps).toBe(2000);
	});
});

describe('network hints', () => {
	it.each([
		[{ fromNetwork: 'Litecoin', toNetwork: 'Ethereum' }],
		[{ fromNetwork: 'litecoin' }],
		[{ toNetwork: 'ETHEREUM' }],
	])('that agree are matched without regard to case: %j', async (hints) => {
		expect((await order(hints)).code).toBe(0);
	});

	it.each([
		[{ fromNetwork: 'Bitcoin' }],
		[{ toNetwork: 'Arbitrum' }],
		[{ toNetwork: 'Mars' }],
		[{ fromNetwork: '' }],
		[{ fromCcy: 'ETHARB', toCcy: 'LTC', fromNetwork: 'Ethereum', refundAddress: ETH_RECIPIENT, toAddress: LTC_REFUND }],
	])('that contradict an exact id → 1: %j', async (hints) => {
		expect((await order(hints)).text).toBe(REFUSED);
	});
});

describe('addresses', () => {
	/** From public documentation and BIP 173, BIP 350; both forms of Litecoin's P2SH stand for one script. */
	const VALID: Readonly<Record<string, readonly string[]>> = {
		BTC: [
			'1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
			'3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
			'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
			'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
			'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
		],
		LTC: [LTC_REFUND],
		DASH: ['XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5'],
		ETH: [ETH_RECIPIENT, ETH_RECIPIENT.toLowerCase(), '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
	};
	const INVALID: Readonly<Record<string, readonly string[]>> = {
		BTC: [
			'1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3',
			'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyv',
			'BC1SW50QGDZ25J',
			'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
			'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
			'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
		],
		LTC: ['ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wx', 'ltcmweb1qq'],
		DASH: ['XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf6'],
		ETH: [
			'0x9858EfFD232B4033E47d90003D41EC34EcaEdA94',
			`0x${'0'.repeat(40)}`,
			ETH_RECIPIENT.slice(2),
			`${ETH_RECIPIENT}0`,
			'vitalik.eth.example',
		],
	};
	const other = (code: string) => (code === 'AVAX' ? 'BNB' : 'AVAX');
	const recipient = (code: string, toAddress: string) =>
		order({ fromCcy: other(code), toCcy: code, amount: '10', toAddress, refundAddress: ETH_RECIPIENT });
	const refundee = (code: string, refundAddress: string) =>
		order({
			fromCcy: code,
			toCcy: other(code),
			amount: '10',
			direction: 'to',
			toAddress: ETH_RECIPIENT,
			refundAddress,
		});

	it.each(Object.entries(VALID).flatMap(([code, texts]) => texts.map((text) => [code, text] as const)))(
		'%s: %s is accepted for payouts and refunds',
		async (code, address) => {
			expect((await recipient(code, address)).data.to.address).toBe(address);
			expect((await refundee(code, address)).data.back.address).toBe(address);
		},
	);

	it.each(Object.entries(INVALID).flatMap(([code, texts]) => texts.map((text) => [code, text] as const)))(
		'%s: %s → 1',
		async (code, address) => {
			expect((await recipient(code, address)).text).toBe(REFUSED);
			expect((await refundee(code, address)).text).toBe(REFUSED);
		},
	);

	it('another network’s address → 1', async () => {
		for (const code of Object.keys(VALID)) {
			const foreign = Object.entries(VALID).flatMap(([name, texts]) => (name === code ? [] : texts.slice(0, 1)));
			for (const address of foreign) {
				expect((await recipient(code, address)).text).toBe(REFUSED);
				expect((await refundee(code, address)).text).toBe(REFUSED);
			}
		}
	});

	it('toAddress of fewer than 10 or more than 200 characters → 1', async () => {
		for (const toAddress of ['', '0x9858EfF', 'a'.repeat(201), `${ETH_RECIPIENT} `, ` ${ETH_RECIPIENT}`]) {
			expect((await order({ toAddress })).text).toBe(REFUSED);
		}
	});

	it('the pay-in address is one of the source network’s own', async () => {
		const forms: readonly [string, string, RegExp][] = [
			['BTC', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', /^bc1q[a-z0-9]{38}$/],
			['LTC', LTC_REFUND, /^ltc1q[a-z0-9]{38}$/],
			['DASH', 'XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5', /^X[1-9A-HJ-NP-Za-km-z]{33}$/],
			['ETH', ETH_RECIPIENT, /^0x[0-9a-fA-F]{40}$/],
			['POL', ETH_RECIPIENT, /^0x[0-9a-fA-F]{40}$/],
		];
		for (const [code, address, form] of forms) expect((await refundee(code, address)).data.from.address).toMatch(form);
	});
});
