/**
 * Proof that no block can hold a transaction any more. A block takes it only if the block before is older than its expiry.
 * So once a solidified block is younger, every block that could hold it is solidified, and a node that has kept those
 * blocks knows whether one does.
 */
import { ChainUnavailable, MayStillConfirm, PaymentImpossible } from '../errors.ts';
import type { SignedTransaction } from '../signing-port.ts';
import { blockAt, infoOf, isOnRecord, tipsOf } from './depth.ts';
import type { TronNode } from './node.ts';
import { referenceOf } from './transaction.ts';

/** A transaction names its reference block by the last two bytes of the height. */
const REFERENCE_HEIGHTS = 0x1_0000;
/** So many blocks of that name are looked at, a month in all. */
const MOST_REFERENCES = 14;

/** @throws MayStillConfirm, PaymentImpossible, ChainUnavailable */
export async function requireDead(node: TronNode, { raw, txId, spends }: SignedTransaction): Promise<void> {
	const taken = spends.find((each) => each.kind === 'until time' && each.txId === txId);
	const reference = referenceOf(raw);
	if (taken?.kind !== 'until time' || !reference) throw new PaymentImpossible('the earlier transaction cannot be read');
	const { solid } = await tipsOf(node);
	if (solid.timestamp <= taken.expiration)
		throw new MayStillConfirm(
			`it expires at ${new Date(taken.expiration).toISOString()}, and the solidified chain is at ${new Date(solid.timestamp).toISOString()}`,
		);
	if ((await infoOf(node, txId)) || (await isOnRecord(node, txId))) throw new MayStillConfirm(`the node knows ${txId}`);
	await requireKept(node, solid.height, reference);
}

/** A node that lacks the block on which the transaction was signed may lack the transaction as well. */
async function requireKept(
	node: TronNode,
	solidHeight: number,
	{ low, hash }: { readonly low: number; readonly hash: string },
): Promise<void> {
	let height = solidHeight - ((solidHeight - low) & (REFERENCE_HEIGHTS - 1));
	for (let tries = 0; tries < MOST_REFERENCES && height >= 0; tries++, height -= REFERENCE_HEIGHTS) {
		if ((await blockAt(node, height)).id.slice(16, 32) === hash) return;
	}
	throw new ChainUnavailable('the node has not kept the block on which the earlier transaction was signed');
}
