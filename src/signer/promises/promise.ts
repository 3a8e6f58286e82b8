/**
 * A signed promise: the order that a pay-in address belongs to, on which terms, and what was paid for its deposits. All of it
 * is what the signer judges itself: the terms are under the order's seal, the address is derived by its own keys and stands in
 * its own journal, and so do the payments. From the first promise on the address belongs to these terms alone: the journal
 * refuses a promise on others, and payouts and refunds on others.
 */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { orderSealHolds, termsDigest } from '../../orders/seal.ts';
import { log } from '../../platform/log.ts';
import type { PromisedOrder, PromisedPayment, PromiseStatement, SignedStatement } from '../../ports/promises.ts';
import { refusalText, type SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { Journal } from '../journal/journal.ts';
import type { EntryName } from '../journal/moved.ts';
import { isRefusal } from '../refusal.ts';
import type { Restored } from '../restored.ts';
import type { PromiseKeys } from './keys.ts';

interface Promising {
	readonly journal: Journal;
	readonly restored: Restored;
	readonly sealKeys: KeyRing;
	readonly keys: PromiseKeys;
	/** At the order's index, by the signer's own keys. */
	readonly payInAddress: string;
	/** Why entries of these names cannot be had; null where they are in the journal now. */
	readonly bring: (names: readonly EntryName[]) => Promise<SignerRefusal | null>;
}

/** A refusal is a line of the log. */
export async function promiseOf(promising: Promising, order: PromisedOrder): Promise<SignedStatement | SignerRefusal> {
	const promised = await judgedPromise(promising, order);
	if (isRefusal(promised))
		log('promise_refused', { orderId: order.id, kind: promised.kind, refused: refusalText(promised) });
	return promised;
}

/** Atomic: what the journal says, its new entry and the signature are one synchronous turn. */
async function judgedPromise(promising: Promising, order: PromisedOrder): Promise<SignedStatement | SignerRefusal> {
	const { journal, restored, sealKeys, payInAddress: address, keys, bring } = promising;
	if (!(await orderSealHolds(sealKeys, order, order.seal))) return { kind: 'order-seal-broken' };
	const { id, payInIndex: index, toAddress } = order;
	const { network } = assetOf(order.fromAsset);
	const isOurs = journal.addresses.indexesOf(network, [address]).get(address) === index;
	if (order.payInAddress !== address || !isOurs) return { kind: 'pay-in-address-not-ours' };
	const digest = await termsDigest(order);
	const moved = await bring([`order ${id}`, `address ${network} ${address}`]);
	if (moved) return moved;
	const doubted = restored.orderRefusal({ id, payInIndex: index, fromNetwork: network });
	if (doubted) return doubted;
	const { addressOrders } = journal;
	const contradiction = addressOrders.contradictionOf({ id, network, address, index, toAddress });
	if (contradiction || !addressOrders.promise(network, address, digest)) return { kind: 'promised-otherwise' };
	const at = Math.floor(Date.now() / 1000);
	return keys.sign(JSON.stringify(statementOf(order, paymentsFor(journal, order), at)), at);
}

/** Its names are in the order of RFC 8785, and its texts have no character that JSON escapes. */
function statementOf(order: PromisedOrder, payments: PromisedPayment[], at: number): PromiseStatement {
	const { id, fromAsset, toAsset, payInAddress, toAddress, refundAddress, baseFeeBps, afftaxBps } = order;
	const { fromAmount, minToAmount } = order;
	return {
		at,
		back: { address: refundAddress },
		...(minToAmount !== null && { floor: { fromAmount, minToAmount } }),
		from: { address: payInAddress, code: fromAsset, network: assetOf(fromAsset).network },
		id,
		marginBps: baseFeeBps + afftaxBps,
		payments,
		to: { address: toAddress, code: toAsset, network: assetOf(toAsset).network },
		type: 'partner-exchange/promise/1',
	};
}

const decimalOf = (asset: AssetId, units: bigint): string => fromBaseUnits(units, assetOf(asset).decimals);

function paymentsFor(journal: Journal, { fromAsset, payInAddress }: PromisedOrder): PromisedPayment[] {
	const { network } = assetOf(fromAsset);
	const claims = journal.claimsAt(network, payInAddress);
	return journal.addressOrders
		.paymentsFor(network, payInAddress)
		.map(({ asset, amount, kind, txId, deposits }) => ({
			amount: asset && amount !== null ? decimalOf(asset, BigInt(amount)) : null,
			code: asset,
			deposits: claims
				.filter((claim) => deposits.some((each) => each.txId === claim.txId && each.position === claim.position))
				.map((claim) => ({ amount: decimalOf(claim.asset, claim.amount), txId: claim.txId })),
			kind,
			txId,
		}));
}
