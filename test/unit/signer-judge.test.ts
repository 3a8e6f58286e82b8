/**
 * What the signer decides about a payout from rows with a valid seal. Each test is one forgery by an attacker who knows
 * the seal's key.
 */
import { describe, expect, it } from 'vitest';
import { NOT_RAISED } from '../../src/catalog/confirmations.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { decimal } from '../../src/money/decimal.ts';
import { sealOrder, sealSettlement } from '../../src/orders/seal.ts';
import type { DepositRow, OrderRow } from '../../src/orders/table.ts';
import {
	type Claim,
	contradiction,
	depositRefs,
	isAboveValue,
	isOrderPayment,
	type OrderPaymentRow,
	rowsRefusal,
} from '../../src/signer/payouts/judge.ts';
import { refusalText } from '../../src/treasury/signer-refusal.ts';
import type { TransactionRow } from '../../src/treasury/table.ts';

const PAY_IN = '0xpayin';

const order = {
	id: 'order',
	partnerId: 'partner',
	fromAsset: 'ETH',
	fromNetwork: 'Ethereum',
	toAsset: 'LTC',
	toAddress: 'ltc1to',
	refundAddress: '0xback',
	payInAddress: PAY_IN,
	payInIndex: 7,
	baseFeeBps: 100,
	afftaxBps: 50,
	fromAmount: '1',
	minToAmount: null,
} as OrderRow;
const payout = {
	id: 'payout',
	orderId: 'order',
	kind: 'payout',
	network: 'Litecoin',
	asset: 'LTC',
	toAddress: 'ltc1to',
	amount: '100',
} as OrderPaymentRow;
const deposit = {
	network: 'Ethereum',
	txId: '0x1',
	position: 'native',
	address: PAY_IN,
	asset: 'ETH',
	amount: '1000',
} as DepositRow;

interface Forged {
	readonly order?: Partial<OrderRow>;
	readonly payout?: Partial<OrderPaymentRow>;
	readonly deposits?: readonly DepositRow[];
}

const claimOf = (forged: Forged): Claim => ({
	payout: { ...payout, ...forged.payout },
	order: { ...order, ...forged.order },
	deposits: forged.deposits ?? [deposit],
	afftaxEntry: '0',
	raised: NOT_RAISED,
});

function refusalOf(forged: Forged): string | null {
	const refusal = contradiction(claimOf(forged), PAY_IN);
	return refusal && refusalText(refusal);
}

describe('sealed terms', () => {
	it('are accepted when they are possible', () => {
		expect(refusalOf({})).toBeNull();
		expect(refusalOf({ order: { baseFeeBps: 0, afftaxBps: 0 } })).toBeNull();
		expect(refusalOf({ order: { baseFeeBps: 2500, afftaxBps: 2000 } })).toBeNull();
	});

	it.each<[string, Partial<OrderRow>]>([
		['a negative base fee, which would pay more than was received', { baseFeeBps: -5000 }],
		['a negative share of the partner', { afftaxBps: -1 }],
		['a share of the partner that only a negative base fee allows', { baseFeeBps: -9000, afftaxBps: 9000 }],
		['a base fee that no lean explains', { baseFeeBps: 2501 }],
		['a discount that would deal below the market', { baseFeeBps: -1 }],
		['a share of the partner that nobody may set', { afftaxBps: 2001 }],
		['margins that take all', { baseFeeBps: 9000, afftaxBps: 1000 }],
		['a margin that is no whole number', { baseFeeBps: 0.5 }],
		['a margin that is text', { baseFeeBps: '1' as unknown as number }],
	])('with %s are refused, even under a valid seal', (_, terms) => {
		expect(refusalOf({ order: terms })).toBe('margins that are none');
		const back = { kind: 'refund', network: 'Ethereum', asset: 'ETH', toAddress: '0xback' } as const;
		expect(refusalOf({ order: terms, payout: back })).toBeNull();
	});
});

describe('an amount', () => {
	it.each<[string, Forged]>([
		['a negative payout', { payout: { amount: '-1' } }],
		['a payout of zero', { payout: { amount: '0' } }],
		['a payout with a fraction', { payout: { amount: '1.5' } }],
		['a payout that begins with zero', { payout: { amount: '01' } }],
		['a payout with a line feed', { payout: { amount: '1\n' } }],
		['a payout of 79 digits', { payout: { amount: '9'.repeat(79) } }],
	])('is refused: %s', (_, forged) => {
		expect(refusalOf(forged)).toBe('an amount that is none');
	});
});

it('an amount of 1 or of 78 digits is one', () => {
	expect(refusalOf({ payout: { amount: '1' } })).toBeNull();
	expect(refusalOf({ payout: { amount: '9'.repeat(78) } })).toBeNull();
});

describe('rows that agree with themselves', () => {
	it.each<[string, Forged, string]>([
		['an order whose address is not ours', { order: { payInAddress: '0xother' } }, 'address-not-of-order'],
		['a payout in another asset', { payout: { asset: 'BTC' } }, 'other-asset'],
		['a payout on another network', { payout: { network: 'Bitcoin' } }, 'other-asset'],
		['a payout to another recipient', { payout: { toAddress: 'ltc1thief' } }, 'other-recipient'],
		['a payout to the refund address', { payout: { toAddress: '0xback' } }, 'other-recipient'],
		['a refund to the recipient', { payout: { ...refund(), toAddress: 'ltc1to' } }, 'other-recipient'],
		['a refund in the destination asset', { payout: { ...refund(), asset: 'LTC' } }, 'other-asset'],
		['a payout for nothing', { deposits: [] }, 'no-deposit'],
		['a deposit to another address', withDeposit({ address: '0xother' }), 'deposit-of-other-order'],
		['a deposit of another asset', withDeposit({ asset: 'USDTERC20' }), 'deposit-of-other-order'],
		['a deposit on another network', withDeposit({ network: 'BSC' }), 'deposit-of-other-order'],
		['a negative deposit beside a real one', withDeposit({ amount: '-999' }), 'deposit-of-other-order'],
		['a deposit of zero', withDeposit({ amount: '0' }), 'deposit-of-other-order'],
		['a deposit in another notation', withDeposit({ amount: '0x10' }), 'deposit-of-other-order'],
		[
			'an order whose asset is of another network',
			{ order: { fromNetwork: 'BSC' }, deposits: [{ ...deposit, network: 'BSC' }] },
			'deposit-of-other-order',
		],
	])('and not with the sealed order are refused: %s', (_, forged, kind) => {
		expect(contradiction(claimOf(forged), PAY_IN)).toEqual({ kind });
	});

	it('and with the sealed order are accepted, a refund too', () => {
		expect(contradiction(claimOf({ payout: refund() }), PAY_IN)).toBeNull();
	});

	function refund(): Partial<OrderPaymentRow> {
		return { kind: 'refund', network: 'Ethereum', asset: 'ETH', toAddress: '0xback' };
	}

	/** One right deposit, and one wrong. */
	function withDeposit(wrong: Partial<DepositRow>): Forged {
		return { deposits: [deposit, { ...deposit, txId: '0x2', ...wrong }] };
	}
});

describe('seals', () => {
	const KEYS = keyRing({ SEAL_KEY: 'A'.repeat(43) }, 'SEAL_KEY');
	const planned = { ...payout, plannedAt: 1 } as OrderPaymentRow;
	const settled = { payoutId: 'payout', orderId: 'order' };

	async function sealedClaim(): Promise<Claim> {
		const { kind, asset, amount, plannedAt } = planned;
		const settlementSeal = await sealSettlement(KEYS, {
			...settled,
			kind,
			asset,
			amount,
			plannedAt,
			deposits: [deposit],
		});
		return {
			...claimOf({ order: { seal: await sealOrder(KEYS, order), createdAt: 1 } }),
			payout: { ...planned, settlementSeal },
		};
	}

	it('that hold for order and settlement let a payout pass', async () => {
		expect(await rowsRefusal(await sealedClaim(), KEYS, PAY_IN)).toBeNull();
	});

	it('of the order do not hold once its recipient is changed, in the payout too', async () => {
		const claim = await sealedClaim();
		const changed = { toAddress: 'ltc1thief' };
		const forged = { ...claim, order: { ...claim.order, ...changed }, payout: { ...claim.payout, ...changed } };
		expect(await rowsRefusal(forged, KEYS, PAY_IN)).toEqual({ kind: 'order-seal-broken' });
	});

	it('that hold do not help rows that contradict the order', async () => {
		expect(await rowsRefusal(await sealedClaim(), KEYS, '0xother')).toEqual({ kind: 'address-not-of-order' });
	});

	it('of the settlement do not hold for another amount or another deposit, or where they were taken away', async () => {
		const claim = await sealedClaim();
		const more = { ...claim, payout: { ...claim.payout, amount: '101' } };
		const others = { ...claim, deposits: [{ ...deposit, txId: '0x2' }] };
		const refusal = { kind: 'settlement-changed', ...settled };
		const unsealed = { ...claim, payout: { ...claim.payout, settlementSeal: '' } };
		const never = { ...claim, payout: { ...claim.payout, settlementSeal: null } };
		for (const changed of [more, others, unsealed, never])
			expect(await rowsRefusal(changed, KEYS, PAY_IN)).toEqual(refusal);
	});
});

describe('the value', () => {
	const isAbove = (
		amount: string,
		{ kind = 'payout' as 'payout' | 'refund', toleranceBps = 0, received = 10n ** 18n } = {},
	) =>
		isAboveValue(
			claimOf({ payout: { kind, amount } }),
			received,
			{ fromUsd: decimal('2000'), toUsd: decimal('100') },
			toleranceBps,
		);

	it('of a payout is at most what was received is worth, less the margins', () => {
		// 1 ETH is 20 LTC; 1.5 % of that are the margins.
		expect([isAbove('1970000000'), isAbove('1970000001')]).toEqual([false, true]);
	});

	it('may be above that by the tolerance', () => {
		const toleranceBps = 100;
		expect([isAbove('1989700000', { toleranceBps }), isAbove('1989700001', { toleranceBps })]).toEqual([false, true]);
	});

	it('of a refund is at most what was received, without any tolerance', () => {
		const refund = { kind: 'refund', toleranceBps: 100, received: 1000n } as const;
		expect([isAbove('1000', refund), isAbove('1001', refund)]).toEqual([false, true]);
	});
});

it('only payouts and refunds pay an order', () => {
	const kinds = ['payout', 'refund', 'earnings', 'gas', 'sweep', 'withdrawal', 'consolidation'] as const;
	expect(kinds.filter((kind) => isOrderPayment({ kind } as TransactionRow))).toEqual(['payout', 'refund']);
});

it('a deposit is proven by its place on the chain, its address and its amount', () => {
	expect(depositRefs([deposit])).toEqual([
		{ txId: '0x1', position: 'native', address: PAY_IN, asset: 'ETH', amount: 1000n },
	]);
});
