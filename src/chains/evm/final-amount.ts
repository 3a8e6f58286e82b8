/**
 * What the signer believes of deposits: only what its own node proves. A transaction that names the address and the
 * amount counts when it is deep enough; evidence that names no such transaction (value from inside a call) counts as
 * far as the address's balance at the depth of finality bears it. No more than that balance is ever counted.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { JsonRpc } from '../json-rpc.ts';
import type { DepositRef, Depth } from '../port.ts';
import { isEvmAddress } from './address.ts';
import { balancesAt, lesser } from './balances.ts';
import { BALANCE, blockHeights, depthAt, INTERNAL, NATIVE, type Tips, tipsOf, transactionPlaces } from './depth.ts';
import { askEach } from './node.ts';
import { TRANSACTION_ID, TRANSACTION_OR_NONE } from './shapes.ts';

const POSITIONS = new Set([NATIVE, INTERNAL, BALANCE]);

/** @throws ChainUnavailable */
export async function finalAmount(
	rpc: JsonRpc,
	native: AssetId,
	refs: readonly DepositRef[],
	isFinal: (depth: Depth) => boolean,
): Promise<bigint> {
	const readable = refs.filter(
		({ asset, address, amount, txId, position }) =>
			asset === native && isEvmAddress(address) && amount > 0n && TRANSACTION_ID.test(txId) && POSITIONS.has(position),
	);
	const distinct = new Map(readable.map((ref) => [`${ref.txId}:${ref.position}:${ref.address.toLowerCase()}`, ref]));
	const placed = await provenHeights(rpc, [...distinct.values()]);
	const tips = await tipsOf(rpc);
	const byAddress = new Map<string, { sum: bigint; lowest: number }>();
	for (const [ref, height] of placed) {
		if (!isFinal(depthAt(height, tips))) continue;
		const address = ref.address.toLowerCase();
		const { sum, lowest } = byAddress.get(address) ?? { sum: 0n, lowest: height };
		byAddress.set(address, { sum: sum + ref.amount, lowest: Math.min(lowest, height) });
	}
	let total = 0n;
	for (const [address, { sum, lowest }] of byAddress) {
		const [held = 0n] = await balancesAt(rpc, null, [address], highestFinal(lowest, tips, isFinal));
		total += lesser(held, sum);
	}
	return total;
}

/** The height of each ref that the best chain holds as it is told; the others are left out. */
async function provenHeights(rpc: JsonRpc, refs: readonly DepositRef[]): Promise<Map<DepositRef, number>> {
	const inTransactions = refs.filter(({ position }) => position !== BALANCE);
	const blocks = await blockHeights(
		rpc,
		refs.filter(({ position }) => position === BALANCE).map(({ txId }) => txId),
	);
	const places = await transactionPlaces(
		rpc,
		inTransactions.map(({ txId }) => txId),
	);
	const calls = inTransactions.map(({ txId }) => ({ method: 'eth_getTransactionByHash', params: [txId] }));
	const told = new Map(
		(await askEach(rpc, TRANSACTION_OR_NONE, calls)).filter((each) => each !== null).map((each) => [each.hash, each]),
	);
	const proven = new Map<DepositRef, number>();
	for (const ref of refs) {
		const place = places.get(ref.txId);
		const transaction = told.get(ref.txId);
		const pays = transaction?.to === ref.address.toLowerCase() && transaction.value === ref.amount;
		const height = ref.position === BALANCE ? blocks.get(ref.txId) : place?.success ? place.height : undefined;
		if (typeof height === 'number' && (ref.position !== NATIVE || pays)) proven.set(ref, height);
	}
	return proven;
}

/** The highest block that is final, found by halving: whatever is deeper than a final block is final too. */
function highestFinal(knownFinal: number, tips: Tips, isFinal: (depth: Depth) => boolean): number {
	let [low, high] = [knownFinal, tips.head];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if (isFinal(depthAt(middle, tips))) low = middle;
		else high = middle - 1;
	}
	return low;
}
