/**
 * The deposits that the signer counts: only what its own node proves. A token's transfer is proven by the log in its
 * receipt. A native deposit is proven by its transaction or, where that does not name the payment, by the balance
 * (`final-native.ts`).
 */
import { sumOf } from '../../money/units.ts';
import type { DepositRef, Depth } from '../port.ts';
import type { SweepRef } from '../signing-port.ts';
import { isEvmAddress } from './address.ts';
import { depthAt, requireRead, tipsOf } from './depth.ts';
import { isTokenOf } from './erc20.ts';
import { finalNative } from './final-native.ts';
import type { EvmRpc } from './node.ts';
import { TRANSACTION_ID } from './shapes.ts';
import { transferHeights } from './transfers.ts';

export type IsFinal = (depth: Depth) => boolean;

/** @throws ChainUnavailable */
export async function finalAmount(
	rpc: EvmRpc,
	refs: readonly DepositRef[],
	isFinal: IsFinal,
	sweeps: readonly SweepRef[],
): Promise<bigint> {
	const { params } = rpc;
	const readable = refs.filter(
		({ address, amount, txId }) => isEvmAddress(address) && amount > 0n && TRANSACTION_ID.test(txId),
	);
	const distinct = new Map(readable.map((ref) => [`${ref.txId}:${ref.position}:${ref.address.toLowerCase()}`, ref]));
	const natives = [...distinct.values()].filter(({ asset }) => asset === params.native);
	const tokens = [...distinct.values()].filter(({ asset }) => asset !== params.native);
	const native = await finalNative(rpc, natives, isFinal, sweeps);
	return native + (await finalTransfers(rpc, tokens, isFinal));
}

/** Each log names one recipient, so no log counts for two deposits. */
async function finalTransfers(rpc: EvmRpc, refs: readonly DepositRef[], isFinal: IsFinal): Promise<bigint> {
	const tokens = [...new Set(refs.map(({ asset }) => asset))].filter((asset) => isTokenOf(rpc.params, asset));
	for (const asset of tokens) await rpc.requireAsset(asset);
	const { heights, unread } = await transferHeights(rpc, refs);
	requireRead(unread);
	if (heights.size === 0) return 0n;
	const tips = await tipsOf(rpc);
	const final = [...heights].filter(([, height]) => isFinal(depthAt(height, tips)));
	return sumOf(final.map(([ref]) => ref));
}
