/**
 * The deposits that the signer counts: only what its own node proves. A token's transfer is proven by the log in its
 * receipt. A native deposit is proven by its transaction or, where that does not name the payment, by the balance
 * (`final-native.ts`).
 */
import { sumOf } from '../../money/units.ts';
import type { DepositRef, Depth } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { SweepRef } from '../signing-port.ts';
import { isEvmAddress } from './address.ts';
import { depthAt, requireRead, tipsOf } from './depth.ts';
import { isTokenOf } from './erc20.ts';
import { finalNative } from './final-native.ts';
import type { EvmParams } from './params.ts';
import { TRANSACTION_ID } from './shapes.ts';
import type { AssetCheck } from './token-check.ts';
import { transferHeights } from './transfers.ts';

export type IsFinal = (depth: Depth) => boolean;

interface Prover {
	readonly rpc: JsonRpc;
	readonly params: EvmParams;
	readonly requireAsset: AssetCheck;
}

/** @throws ChainUnavailable */
export async function finalAmount(
	prover: Prover,
	refs: readonly DepositRef[],
	isFinal: IsFinal,
	sweeps: readonly SweepRef[],
): Promise<bigint> {
	const { rpc, params } = prover;
	const readable = refs.filter(
		({ address, amount, txId }) => isEvmAddress(address) && amount > 0n && TRANSACTION_ID.test(txId),
	);
	const distinct = new Map(readable.map((ref) => [`${ref.txId}:${ref.position}:${ref.address.toLowerCase()}`, ref]));
	const natives = [...distinct.values()].filter(({ asset }) => asset === params.native);
	const tokens = [...distinct.values()].filter(({ asset }) => asset !== params.native);
	const native = await finalNative(rpc, natives, isFinal, sweeps);
	return native + (await finalTransfers(prover, tokens, isFinal));
}

/** Each log names one recipient, so no log counts for two deposits. */
async function finalTransfers(
	{ rpc, params, requireAsset }: Prover,
	refs: readonly DepositRef[],
	isFinal: IsFinal,
): Promise<bigint> {
	for (const asset of new Set(refs.map((ref) => ref.asset))) if (isTokenOf(params, asset)) await requireAsset(asset);
	const { heights, unread } = await transferHeights(rpc, params, refs);
	requireRead(unread);
	if (heights.size === 0) return 0n;
	const tips = await tipsOf(rpc);
	const final = [...heights].filter(([, height]) => isFinal(depthAt(height, tips)));
	return sumOf(final.map(([ref]) => ref));
}
