/**
 * Which transaction used a nonce of ours. Only one that the node shows counts. That the node does not know ours proves
 * nothing: nodes forget old transactions.
 */
import type { Overtaker } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { depthOfPlace, headOf, tipsOf, transactionPlaces, transactionsOf } from './depth.ts';
import { nonceOf } from './next.ts';
import { ask, askIfKept } from './node.ts';
import { FULL_BLOCK, HEIGHT, hexOf } from './shapes.ts';

interface Used {
	/** Lower case. */
	readonly account: string;
	readonly nonce: number;
}

/** As `Chain.overtaker`. @throws ChainUnavailable */
export async function overtaker(
	rpc: JsonRpc,
	raw: string,
	from: string,
	guess: string | null,
): Promise<Overtaker | null> {
	const used = { account: from.toLowerCase(), nonce: nonceOf(raw) };
	const txId = guess !== null && (await isUser(rpc, guess, used)) ? guess : await foundUser(rpc, used);
	const place = txId !== null && (await transactionPlaces(rpc, [txId])).get(txId);
	if (!txId || !place || place.height === null) return null;
	return { txId, ...depthOfPlace(place, await tipsOf(rpc)) };
}

async function isUser(rpc: JsonRpc, txId: string, { account, nonce }: Used): Promise<boolean> {
	const found = (await transactionsOf(rpc, [txId])).get(txId);
	return found?.from === account && found.nonce === BigInt(nonce);
}

/**
 * By the block in which the account's count of transactions went beyond the nonce. The search begins at the head, because
 * most nodes keep the states of the last blocks alone. Null where the node lacks one that is needed.
 */
async function foundUser(rpc: JsonRpc, { account, nonce }: Used): Promise<string | null> {
	const isUsedAt = async (height: number): Promise<boolean | null> => {
		const call = { method: 'eth_getTransactionCount', params: [account, hexOf(height)] };
		const counts = await askIfKept(rpc, HEIGHT, [call]);
		return counts && (counts[0] ?? 0) > nonce;
	};
	let { height: high } = await headOf(rpc);
	if (!(await isUsedAt(high))) return null;
	let low = high - 1;
	for (let step = 1; low > 0; step *= 2) {
		const isUsed = await isUsedAt(low);
		if (isUsed === null) return null;
		if (!isUsed) break;
		high = low;
		low = Math.max(0, low - step);
	}
	while (high - low > 1) {
		const middle = Math.floor((low + high) / 2);
		const isUsed = await isUsedAt(middle);
		if (isUsed === null) return null;
		if (isUsed) high = middle;
		else low = middle;
	}
	const { transactions } = await ask(rpc, FULL_BLOCK, 'eth_getBlockByNumber', hexOf(high), true);
	return transactions.find((each) => each.from === account && each.nonce === BigInt(nonce))?.hash ?? null;
}
