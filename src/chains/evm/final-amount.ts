/**
 * The deposits that the signer counts: only what its own node proves. A token's transfer is proven by the log in its
 * receipt. Of the coin, a transaction that names the address and the amount counts when it is deep enough. Evidence
 * that names no such transaction (value from inside a call) counts as far as the address's balance at the depth of
 * finality covers it. No more is ever counted than that balance plus what our sweeps took from it up to that very
 * block. A sweep that is signed but not mined has taken nothing; otherwise one coin would count for two deposits. Gas
 * of ours that came to it is none. Full nodes of networks with slow finality no longer have that balance. Only there do
 * transactions that name address and amount count by themselves: each moved its own coins.
 */
import { greater, lesser, sumOf } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import type { DepositRef, Depth } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { SweepRef } from '../signing-port.ts';
import { isEvmAddress } from './address.ts';
import { balancesIfKept } from './balances.ts';
import {
	BALANCE,
	blockHeights,
	depthAt,
	INTERNAL,
	minedPlaces,
	NATIVE,
	requireRead,
	type Tips,
	tipsOf,
	transactionPlaces,
	transactionsOf,
} from './depth.ts';
import { isTokenOf } from './erc20.ts';
import type { EvmRpc } from './node.ts';
import { TRANSACTION_ID } from './shapes.ts';
import { transferHeights } from './transfers.ts';

type IsFinal = (depth: Depth) => boolean;

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

const POSITIONS = new Set([NATIVE, INTERNAL, BALANCE]);

/** `refs`: of the native coin, each once. @throws ChainUnavailable */
async function finalNative(
	rpc: JsonRpc,
	refs: readonly DepositRef[],
	isFinal: IsFinal,
	sweeps: readonly SweepRef[],
): Promise<bigint> {
	const ours = new Set(sweeps.map(({ txId }) => txId));
	const readable = refs.filter(({ position, txId }) => POSITIONS.has(position) && !ours.has(txId));
	if (readable.length === 0) return 0n;
	const placed = await provenHeights(rpc, readable);
	const takings = await takingsOf(rpc, sweeps);
	const tips = await tipsOf(rpc);
	const byAddress = new Map<string, { sum: bigint; lowest: number; named: boolean }>();
	for (const [ref, height] of placed) {
		if (!isFinal(depthAt(height, tips))) continue;
		const address = ref.address.toLowerCase();
		const { sum, lowest, named } = byAddress.get(address) ?? { sum: 0n, lowest: height, named: true };
		byAddress.set(address, {
			sum: sum + ref.amount,
			lowest: Math.min(lowest, height),
			named: named && ref.position === NATIVE,
		});
	}
	let total = 0n;
	for (const [address, { sum, lowest, named }] of byAddress) {
		const height = highestFinal(lowest, tips, isFinal);
		const kept = await balancesIfKept(rpc, [address], height);
		// Where finality is slow, a full node no longer has that balance. Deposits that transactions name need no
		// second proof.
		if (!kept && !named) throw new ChainUnavailable(`the node no longer knows the balance of ${address} at ${height}`);
		const [held] = kept ?? [];
		const taken = sumOf(takings.filter((taking) => taking.address === address && taking.height <= height));
		total += held === undefined ? sum : lesser(greater(held + taken, 0n), sum);
	}
	return total;
}

interface Taking {
	/** Lower case. */
	readonly address: string;
	readonly height: number;
	/** Negative of gas. */
	readonly amount: bigint;
}

/**
 * The sums that those sweeps which are in blocks of the best chain took from their addresses: a sweep its value and
 * fee, that of a token its fee alone; gas brought its value.
 */
async function takingsOf(rpc: JsonRpc, sweeps: readonly SweepRef[]): Promise<Taking[]> {
	const known = new Map(sweeps.map((sweep) => [sweep.txId, { ...sweep, address: sweep.address.toLowerCase() }]));
	const places = await transactionPlaces(rpc, known.keys());
	const mined = [...places].filter(([, { height }]) => height !== null);
	const transactions = await transactionsOf(
		rpc,
		mined.map(([txId]) => txId),
	);
	return mined.flatMap(([txId, { height, success, fee }]): Taking[] => {
		const transaction = transactions.get(txId);
		const sweep = known.get(txId);
		if (!sweep || !transaction || height === null || fee === null) return [];
		const { kind, address } = sweep;
		const value = success ? transaction.value : 0n;
		if (kind === 'gas') return transaction.to === address ? [{ address, height, amount: -value }] : [];
		return transaction.from === address ? [{ address, height, amount: value + fee }] : [];
	});
}

/** The height of each deposit that the best chain holds with these values; the others are left out. */
async function provenHeights(rpc: JsonRpc, refs: readonly DepositRef[]): Promise<Map<DepositRef, number>> {
	const txIdsOf = (...positions: readonly string[]): string[] =>
		refs.filter(({ position }) => positions.includes(position)).map(({ txId }) => txId);
	const blocks = await blockHeights(rpc, txIdsOf(BALANCE));
	const places = await transactionPlaces(rpc, txIdsOf(NATIVE));
	const transactions = await transactionsOf(rpc, txIdsOf(NATIVE, INTERNAL));
	// The balance proves what a call sends. The receipt is not read, because it may be of any size.
	const inside = await minedPlaces(rpc, transactions.values());
	const heightOf = ({ txId, position, address, amount }: DepositRef): number | null | undefined => {
		if (position === BALANCE) return blocks.get(txId);
		if (position === INTERNAL) return inside.get(txId)?.height;
		const [place, transaction] = [places.get(txId), transactions.get(txId)];
		const pays = transaction?.to === address.toLowerCase() && transaction.value === amount;
		return pays && place?.success ? place.height : undefined;
	};
	const proven = new Map<DepositRef, number>();
	for (const ref of refs) {
		const height = heightOf(ref);
		if (typeof height === 'number') proven.set(ref, height);
	}
	return proven;
}

/** The highest final block, by binary search: a block below a final one is final too. */
function highestFinal(knownFinal: number, tips: Tips, isFinal: IsFinal): number {
	let [low, high] = [knownFinal, tips.head];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if (isFinal(depthAt(middle, tips))) low = middle;
		else high = middle - 1;
	}
	return low;
}
