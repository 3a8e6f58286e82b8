/**
 * What signed payouts will still take from the payout wallet. An account on Tron has no nonce and no coins, and a token
 * payout that finds too little does not wait: it fails in a block and burns its fee. So each signature is remembered as
 * a text of what it takes, and counts until a block holds it or it has expired.
 */
import { type AssetId, isAssetId } from '../../catalog/assets.ts';
import type { SigningState } from '../signing-port.ts';
import { infoOf } from './depth.ts';
import { eachOf, type TronNode } from './node.ts';

/** Signatures that one signing asks the chain about; of more than that, the rest counts as not yet in a block. */
const MAX_ASKED = 200;

export interface Taking {
	readonly txId: string;
	readonly asset: AssetId;
	readonly amount: bigint;
	/** Sun, at most. */
	readonly fee: bigint;
	/** Unix milliseconds. */
	readonly expiration: number;
}

const TAKING = /^taking:([0-9a-f]{64}):(\w+):(\d{1,30}):(\d{1,30}):(\d{1,16})$/;

export const takingText = ({ txId, asset, amount, fee, expiration }: Taking): string =>
	['taking', txId, asset, amount, fee, expiration].join(':');

function takingOf(text: string): Taking[] {
	const [, txId, asset, amount, fee, expiration] = TAKING.exec(text) ?? [];
	if (!txId || !asset || !isAssetId(asset) || !amount || !fee || !expiration) return [];
	return [{ txId, asset, amount: BigInt(amount), fee: BigInt(fee), expiration: Number(expiration) }];
}

/**
 * `inBlocks` is this signer's memory of what it has seen in a block, so that nothing is asked for twice; that a
 * reorganisation may take one out again does no harm but what this file is to spare. `now`: the chain's, Unix milliseconds.
 * @throws ChainUnavailable
 */
export async function pendingTakings(
	node: TronNode,
	{ spent }: SigningState,
	inBlocks: Set<string>,
	now: number,
): Promise<Taking[]> {
	const alive = [...spent].flatMap(takingOf).filter(({ expiration }) => expiration > now);
	for (const txId of inBlocks) if (!alive.some((taking) => taking.txId === txId)) inBlocks.delete(txId);
	const unsure = alive.filter(({ txId }) => !inBlocks.has(txId));
	await eachOf(unsure.slice(0, MAX_ASKED), async ({ txId }) => {
		if (await infoOf(node, txId)) inBlocks.add(txId);
	});
	return unsure.filter(({ txId }) => !inBlocks.has(txId));
}

/** Of coins, the fees too. */
export const takenFrom = (takings: readonly Taking[], asset: AssetId, isNative: boolean): bigint =>
	takings.reduce((sum, each) => sum + (each.asset === asset ? each.amount : 0n) + (isNative ? each.fee : 0n), 0n);
