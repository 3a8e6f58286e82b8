/**
 * Seals: HMAC under a secret that only the API Worker, the agents Worker and the signer hold, over the terms of an order, over its settlement, over the
 * addresses of the stock, and over where a partner's earnings are paid (book: architecture, "Keys apart"). Someone who
 * can write D1 can change a row, but not make its seal; an address is shown, and a payout signed, only where the seal
 * holds. Every seal names the number of its key (`crypto/seals.ts`).
 */
import type { NetworkName } from '../catalog/networks.ts';
import { type SealKeys, sealsOf } from '../crypto/seals.ts';
import { sha256Hex } from '../crypto/tokens.ts';
import type { DepositRow, OrderRow } from './table.ts';

/** The terms that are agreed at create and never change, in the order in which they are sealed. */
export const ORDER_TERMS = [
	'id',
	'partnerId',
	'fromAsset',
	'toAsset',
	'toAddress',
	'refundAddress',
	'payInAddress',
	'payInIndex',
	'baseFeeBps',
	'leanBps',
	'afftaxBps',
	'fromAmount',
	'minToAmount',
] as const;

export type OrderTerms = Pick<OrderRow, (typeof ORDER_TERMS)[number]>;

export interface PoolTerms {
	readonly network: NetworkName;
	readonly derivationIndex: number;
	readonly address: string;
}

export type SealedAddress = PoolTerms & { readonly seal: string };

/** Where a partner's earnings are paid, and since when: the time is sealed as well, because a changed address waits. */
export interface PayoutTerms {
	readonly partnerId: string;
	readonly asset: string;
	readonly address: string;
	readonly changedAt: number;
}

/** As a partner's row has them. */
export interface PayoutColumns {
	readonly payoutAsset: string | null;
	readonly payoutAddress: string | null;
	readonly payoutAddressChangedAt: number | null;
	readonly payoutSeal: string | null;
}

/**
 * The terms of a payout or a refund: what it pays, and the deposits that it answers for. They are fixed when it is
 * planned.
 */
export interface SettlementTerms {
	readonly payoutId: string;
	readonly orderId: string;
	readonly kind: 'payout' | 'refund';
	readonly asset: string;
	/** Base units, decimal. */
	readonly amount: string;
	/** Not sealed, it tells which key may have sealed. */
	readonly plannedAt: number;
	/** In any order. */
	readonly deposits: readonly SettledDeposit[];
}

export type SettledDeposit = Pick<DepositRow, 'txId' | 'position' | 'address' | 'asset' | 'amount'>;

/** The partner's earnings with a payout. They are fixed when it is planned. */
export interface EarnedTerms {
	readonly payoutId: string;
	readonly orderId: string;
	/** Base units of the payout's asset. */
	readonly afftax: bigint;
	/** As in `SettlementTerms`. */
	readonly plannedAt: number;
}

/** Where the operator has a stray go back to, instead of the refund address. */
export interface StrayTerms {
	readonly orderId: string;
	readonly network: NetworkName;
	readonly asset: string;
	readonly to: string;
	/** When it was found; not sealed, it tells which key may have sealed. */
	readonly at: number;
}

/** A JSON array of named purpose and fields: no two different terms share a text. */
const orderText = (terms: OrderTerms): string => JSON.stringify(['order', ...ORDER_TERMS.map((name) => terms[name])]);

const poolText = ({ network, derivationIndex, address }: PoolTerms): string =>
	JSON.stringify(['pool', network, derivationIndex, address]);

const payoutText = ({ partnerId, asset, address, changedAt }: PayoutTerms): string =>
	JSON.stringify(['payout', partnerId, asset, address, changedAt]);

function settlementText({ payoutId, orderId, kind, asset, amount, deposits }: SettlementTerms): string {
	const fields = deposits.map((each) => [each.txId, each.position, each.address, each.asset, each.amount]);
	const sorted = fields.map((each) => JSON.stringify(each)).toSorted();
	return JSON.stringify(['settlement', payoutId, orderId, kind, asset, amount, sorted]);
}

const earnedText = ({ payoutId, orderId, afftax }: EarnedTerms): string =>
	JSON.stringify(['earned', payoutId, orderId, afftax.toString()]);

const strayText = ({ orderId, network, asset, to }: StrayTerms): string =>
	JSON.stringify(['stray', orderId, network, asset, to]);

/** Names all that is sealed of an order: other terms have another digest. */
export const termsDigest = (terms: OrderTerms): Promise<string> => sha256Hex(orderText(terms));

const plannedAtOf = ({ plannedAt }: { readonly plannedAt: number }): number => plannedAt;

export const {
	seal: sealOrder,
	claim: orderClaim,
	holds: orderSealHolds,
} = sealsOf(orderText, ({ createdAt }: Pick<OrderRow, 'createdAt'>) => createdAt);

/**
 * Call it before the pay-in address is shown: someone who can write rows must not lead a payer to another address.
 * @throws when the seal does not hold.
 */
export async function requireSealed(keys: SealKeys, order: OrderTerms & Pick<OrderRow, 'createdAt' | 'seal'>) {
	if (!(await orderSealHolds(keys, order, order.seal))) throw new Error(`the seal of order ${order.id} is broken`);
}

/** A free address waits in the stock for any time: it may have been sealed with the previous key. */
export const { seal: sealAddress, holds: addressSealHolds } = sealsOf(poolText, () => 0);

/** As D1 has them, with the partner's id; null where there is no address, or no seal. */
export function payoutTerms(partnerId: string, row: PayoutColumns): (PayoutTerms & { readonly seal: string }) | null {
	const { payoutAsset: asset, payoutAddress: address, payoutAddressChangedAt: changedAt, payoutSeal } = row;
	if (asset === null || address === null || changedAt === null || payoutSeal === null) return null;
	return { partnerId, asset, address, changedAt, seal: payoutSeal };
}

export const {
	seal: sealPayoutAddress,
	claim: payoutClaim,
	holds: payoutSealHolds,
} = sealsOf(payoutText, ({ changedAt }: PayoutTerms) => changedAt);

const settlementSeals = sealsOf(settlementText, plannedAtOf);
export const sealSettlement = settlementSeals.seal;
export const { claim: settlementClaim, holds: settlementSealHolds } = settlementSeals;

export const { seal: sealEarned, holds: earnedSealHolds } = sealsOf(earnedText, plannedAtOf);

export const {
	seal: sealStray,
	claim: strayClaim,
	holds: straySealHolds,
} = sealsOf(strayText, ({ at }: StrayTerms) => at);
