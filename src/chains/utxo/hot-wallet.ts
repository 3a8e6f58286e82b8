/**
 * The hot wallet's address in the wallets of the nodes. A node that does not watch it would show too little money and
 * lack our own change, so such a node is not used.
 *
 * An import reads no old blocks, so it is right only before the address has coins. It is therefore made while all nodes
 * answer, and at none of them otherwise. Where a node is down, it is enough that another one watches the address: the
 * one that comes back was there when the address was imported, or it is refused.
 */
import { ChainUnavailable } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { creditOf } from './depth.ts';
import { ask } from './node.ts';
import { ADDRESS_INFO, isWatched, registerAddresses } from './register.ts';
import { blockAt, tryList } from './scan.ts';

const watches = async (node: JsonRpc, address: string): Promise<boolean> =>
	isWatched(await ask(node, ADDRESS_INFO, 'getaddressinfo', address));

/** @throws ChainUnavailable */
export async function requireHotWallet(node: JsonRpc, address: string): Promise<void> {
	if (!(await watches(node, address))) throw new ChainUnavailable(`the node does not watch the hot wallet ${address}`);
}

/**
 * `requireChain` throws for a node of another chain.
 * @throws ChainUnavailable where one node is down and no other watches the address yet
 */
export async function registerHotWallet(
	nodes: readonly JsonRpc[],
	requireChain: (node: JsonRpc) => Promise<unknown>,
	address: string,
): Promise<void> {
	const found = await Promise.allSettled(nodes.map((node) => requireChain(node).then(() => watches(node, address))));
	const failed = found.find((each) => each.status === 'rejected');
	if (!failed) await Promise.all(nodes.map((node) => registerAddresses(node, [address])));
	else if (!found.some((each) => each.status === 'fulfilled' && each.value)) throw failed.reason;
}

/**
 * The sum at an address that cannot be spent yet and has fewer confirmations than this, base units. No list of unspent
 * outputs has it. `height`: of the best block. @throws ChainUnavailable
 */
export async function immatureAt(
	rpc: JsonRpc,
	address: string,
	height: number,
	confirmations: number,
): Promise<bigint> {
	const list = await tryList(rpc, (await blockAt(rpc, Math.max(0, height - confirmations + 1))).hash);
	if (!list) throw new ChainUnavailable('there are too many recent payments to read; wait for more blocks');
	return list.entries.reduce((sum, entry) => {
		const credit = creditOf(entry);
		const isFresh = credit?.immature && credit.address === address && entry.confirmations < confirmations;
		return isFresh ? sum + credit.amount : sum;
	}, 0n);
}
