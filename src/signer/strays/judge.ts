/**
 * Coins of another asset or network at an order's pay-in address. An address belongs to one order, so whatever of another
 * asset lies there is of the order's payer. The signer lets it be swept to the hot wallet, and lets go back at most what its
 * own journal and node show to have arrived by that, once for each sweep, to the sealed refund address or to one that the
 * operator sealed. Nothing of it is ever a deposit of the order, nor is a deposit ever a stray. Pure but for the HMAC.
 */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { orderSealHolds, straySealHolds, termsDigest } from '../../orders/seal.ts';
import type { OrderRow } from '../../orders/table.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { AddressOrders } from '../journal/address-orders.ts';
import type { StrayClaim } from './claim.ts';

export interface Place {
	readonly network: NetworkName;
	/** By the signer's own keys. */
	readonly address: string;
	readonly asset: AssetId;
}

/** Why what lies there is no stray of this order; null where it is one. */
export async function strayRefusal(
	order: OrderRow,
	{ network, address, asset }: Place,
	sealKeys: KeyRing,
	addressOrders: AddressOrders,
): Promise<SignerRefusal | null> {
	if (assetOf(asset).network !== network) return { kind: 'other-network' };
	if (asset === order.fromAsset) return { kind: 'deposit-no-stray' };
	return addressRefusal(order, { network, address }, sealKeys, addressOrders);
}

/** Why the address is not this order's; null where it is. */
export async function addressRefusal(
	order: OrderRow,
	{ network, address }: Omit<Place, 'asset'>,
	sealKeys: KeyRing,
	addressOrders: AddressOrders,
): Promise<SignerRefusal | null> {
	if (!(await orderSealHolds(sealKeys, order, order.seal))) return { kind: 'order-seal-broken' };
	if (order.payInAddress !== address) return { kind: 'pay-in-address-not-ours' };
	const home = assetOf(order.fromAsset).network;
	const isOfAnother = [network, home].some((each) => addressOrders.isOfAnother(order.id, each, address));
	if (isOfAnother) return { kind: 'address-not-of-order' };
	const isOtherwise = addressOrders.isPromisedOtherwise(home, address, await termsDigest(order));
	return isOtherwise ? { kind: 'promised-otherwise' } : null;
}

/** Base units, more than zero. */
const AMOUNT = /^[1-9]\d{0,77}$/;

export interface Arrived {
	/** Base units that arrived, and how many sweeps brought them. */
	readonly amount: bigint;
	readonly times: number;
}

export interface ReturnFacts extends StrayClaim {
	readonly place: Place;
	readonly sealKeys: KeyRing;
	readonly isOurs: (address: string) => boolean;
}

/** Why the row may not be signed, by itself, its order and the address that the operator entered. */
export async function returnRefusal(facts: ReturnFacts): Promise<SignerRefusal | null> {
	const { row, order, place, isOurs } = facts;
	if (row.asset !== place.asset) return { kind: 'other-asset' };
	if (!AMOUNT.test(row.amount)) return { kind: 'amount-invalid' };
	if (isOurs(row.toAddress)) return { kind: 'other-recipient' };
	return row.toAddress === order.refundAddress || (await isEntered(facts)) ? null : { kind: 'other-recipient' };
}

/** Has the operator entered the address for this stray? */
export async function isEntered({
	row: { toAddress: to },
	order,
	stray,
	place: { network, asset },
	sealKeys,
}: Omit<ReturnFacts, 'isOurs'>): Promise<boolean> {
	const terms = { orderId: order.id, network, asset, to, at: stray.foundAt };
	return stray.toSeal !== null && straySealHolds(sealKeys, terms, stray.toSeal);
}

/** `returned`: what was signed to go back before. */
export function amountRefusal(amount: bigint, arrived: Arrived, returned: Arrived): SignerRefusal | null {
	if (returned.times >= arrived.times) return { kind: 'stray-not-arrived' };
	return returned.amount + amount > arrived.amount ? { kind: 'above-stray' } : null;
}
