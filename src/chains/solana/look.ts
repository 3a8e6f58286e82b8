/** Watches Solana and sends to it, through its nodes' JSON-RPC. Holds no key. */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Looking } from '../looking.ts';
import type { Look } from '../port.ts';
import { ask } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { accountsAt } from './accounts.ts';
import { accountOf } from './assets.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { transactionDepth } from './depth.ts';
import { SEEN, solanaRpc } from './node.ts';
import { heldIn, type ScanMemory } from './scan.ts';
import { SLOT } from './shapes.ts';
import { sweepQuotes, tokenQuote } from './sweep.ts';

/** The parts of the scan that other questions use too. */
interface Scanning {
	readonly rpc: JsonRpc;
	readonly memory: ScanMemory;
}

export function solanaLook(network: NetworkOf<'solana'>, node: NodeConfig, hotAddress: string): Looking<Scanning> {
	const rpc = solanaRpc(network, node);
	const memory: ScanMemory = { barren: new Set(), credited: new Set(), deep: new Map(), seen: 0 };

	const look: Look = {
		/** Nodes need no list of addresses. But an address is given out only while a node of the right cluster answers. */
		async register() {
			await accountsAt(rpc, [hotAddress], SEEN);
		},
		broadcast: (raw) => broadcast(rpc, raw),
		transactionDepth: (txId) => transactionDepth(rpc, txId),
		quoteToken: (target) => tokenQuote(rpc, hotAddress, target),
		sweeping: {
			feePayer: 'wallet',
			quote: (targets) => sweepQuotes(rpc, hotAddress, targets),
			balances: (asset, owners) => held(rpc, asset, owners),
		},
		check: () => checkNodes(network, node, hotAddress),
	};
	return { look, scanning: { rpc, memory } };
}

/** @throws ChainUnavailable where the node is behind what was already scanned */
export async function requireSeen(rpc: JsonRpc, memory: ScanMemory): Promise<void> {
	const slot = await ask(rpc, SLOT, 'getSlot', { commitment: SEEN });
	if (slot < memory.seen)
		throw new ChainUnavailable(`the node is at slot ${slot}, but slot ${memory.seen} was already seen`);
}

/** Base units of an asset that each owner holds. */
export async function held(rpc: JsonRpc, asset: AssetId, owners: readonly string[]): Promise<bigint[]> {
	const addresses = owners.map((owner) => accountOf(owner, asset));
	const { accounts } = await accountsAt(rpc, addresses, SEEN);
	return owners.map((owner, at) => heldIn(accounts[at] ?? null, owner, asset));
}
