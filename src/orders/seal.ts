/**
 * Seals: HMAC under a secret that only the two Workers hold, over the terms of an order, over its settlement, over the rows
 * of the address pool, and over where a partner's earnings are paid (architecture.md "Keys apart"). Who can write D1 can change a row,
 * not its seal; an address is shown, and a payout signed, only where the seal holds.
 */

import type { NetworkName } from '../catalog/networks.ts';
import { hmacHex, hmacKey } from '../crypto/hmac.ts';
import { sameDigest } from '../crypto/tokens.ts';
import type { DepositRow, OrderRow } from './table.ts';

/** What is agreed at create and never changes. */
export type OrderTerms = Pick<
	OrderRow,
	| 'id'
	| 'partnerId'
	| 'fromAsset'
	| 'toAsset'
	| 'toAddress'
	| 'refundAddress'
	| 'payInAddress'
	| 'payInIndex'
	| 'baseFeeBps'
	| 'afftaxBps'
>;

export interface PoolTerms {
	readonly network: NetworkName;
	readonly derivationIndex: number;
	readonly address: string;
}

export type SealedAddress = PoolTerms & { readonly seal: string };

/** Where a partner is paid what he earned, and since when: the time is sealed as well, because a changed address waits. */
export interface PayoutTerms {
	readonly partnerId: string;
	readonly asset: string;
	readonly address: string;
	/** Unix milliseconds. */
	readonly changedAt: number;
}

/** What a payout or a refund pays, and the deposits that it answers for: fixed when it is planned. */
export interface SettlementTerms {
	readonly payoutId: string;
	readonly orderId: string;
	readonly kind: 'payout' | 'refund';
	readonly asset: string;
	/** Base units, decimal. */
	readonly amount: string;
	/** In any order. */
	readonly deposits: readonly SettledDeposit[];
}

export type SettledDeposit = Pick<DepositRow, 'txId' | 'position' | 'address' | 'asset' | 'amount'>;

/** A JSON array of named purpose and fields: no two different terms share a text. */
const orderText = (terms: OrderTerms): string =>
	JSON.stringify([
		'order',
		terms.id,
		terms.partnerId,
		terms.fromAsset,
		terms.toAsset,
		terms.toAddress,
		terms.refundAddress,
		terms.payInAddress,
		terms.payInIndex,
		terms.baseFeeBps,
		terms.afftaxBps,
	]);

const poolText = ({ network, derivationIndex, address }: PoolTerms): string =>
	JSON.stringify(['pool', network, derivationIndex, address]);

const payoutText = ({ partnerId, asset, address, changedAt }: PayoutTerms): string =>
	JSON.stringify(['payout', partnerId, asset, address, changedAt]);

function settlementText({ payoutId, orderId, kind, asset, amount, deposits }: SettlementTerms): string {
	const fields = deposits.map((each) => [each.txId, each.position, each.address, each.asset, each.amount]);
	const sorted = fields.map((each) => JSON.stringify(each)).toSorted();
	return JSON.stringify(['settlement', payoutId, orderId, kind, asset, amount, sorted]);
}

export const sealOrder = async (key: string, terms: OrderTerms): Promise<string> =>
	hmacHex(await hmacKey(key), orderText(terms));

export const orderSealHolds = async (key: string, terms: OrderTerms, seal: string): Promise<boolean> =>
	sameDigest(await sealOrder(key, terms), seal);

/**
 * For whoever is about to show the pay-in address: who can write rows must not lead a payer to his own.
 * @throws when the seal does not hold.
 */
export async function requireSealed(key: string, order: OrderTerms & { readonly seal: string }): Promise<void> {
	if (!(await orderSealHolds(key, order, order.seal))) throw new Error(`the seal of order ${order.id} is broken`);
}

export const sealAddress = async (key: string, terms: PoolTerms): Promise<string> =>
	hmacHex(await hmacKey(key), poolText(terms));

export const addressSealHolds = async (key: string, terms: PoolTerms, seal: string): Promise<boolean> =>
	sameDigest(await sealAddress(key, terms), seal);

export const sealPayoutAddress = async (key: string, terms: PayoutTerms): Promise<string> =>
	hmacHex(await hmacKey(key), payoutText(terms));

export const payoutSealHolds = async (key: string, terms: PayoutTerms, seal: string): Promise<boolean> =>
	sameDigest(await sealPayoutAddress(key, terms), seal);

export const sealSettlement = async (key: string, terms: SettlementTerms): Promise<string> =>
	hmacHex(await hmacKey(key), settlementText(terms));

export const settlementSealHolds = async (key: string, terms: SettlementTerms, seal: string): Promise<boolean> =>
	sameDigest(await sealSettlement(key, terms), seal);
