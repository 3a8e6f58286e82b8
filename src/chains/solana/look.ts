/** Watches Solana and sends to it, through its nodes' JSON-RPC. Holds no key. */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import type { DepositRef, Depth, Look, Looking } from '../port.ts';
import { ask } from '../rpc/answers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { accountsAt } from './accounts.ts';
import { isSolanaAddress } from './address.ts';
import { accountOf } from './assets.ts';
import { broadcast } from './broadcast.ts';
import { checkNodes } from './check.ts';
import { statusesOf, transactionDepth } from './depth.ts';
import { costsNow } from './fees.ts';
import { lying } from './lying.ts';
import { SEEN, solanaRpc } from './node.ts';
import { sentPayments } from './payments-to.ts';
import { received } from './received.ts';
import { walletProblem } from './recipient.ts';
import { heldIn, type ScanMemory } from './scan.ts';
import { SLOT } from './shapes.ts';
import { sweepQuotes } from './sweep.ts';
import { unlistedTokens } from './unlisted.ts';

/** The parts of the scan that other questions use too. */
interface Scanning {
	readonly rpc: JsonRpc;
	readonly memory: ScanMemory;
}

export function solanaLook(network: NetworkOf<'solana'>, node: NodeConfig, hotAddress: string): Looking<Scanning> {
	const rpc = solanaRpc(network, node);
	const memory: ScanMemory = { barren: new Set(), credited: new Set(), deep: new Map(), seen: 0 };
	const sent = sentPayments(rpc, hotAddress);

	const look: Look = {
		sequential: false,
		signaturesExpire: true,
		isAddress: isSolanaAddress,

		async recipientProblem(_asset, to) {
			const { accounts } = await accountsAt(rpc, [to], SEEN);
			return walletProblem(to, accounts[0] ?? null);
		},

		/** Nodes need no list of addresses. But an address is given out only while a node of the right cluster answers. */
		async register() {
			await accountsAt(rpc, [hotAddress], SEEN);
		},

		depths: (refs) => depths(rpc, memory, refs),
		costsNow: () => costsNow(rpc, hotAddress),
		broadcast: (raw) => broadcast(rpc, raw),
		transactionDepth: (txId) => transactionDepth(rpc, txId),

		async paymentsTo(asset, to, since) {
			await requireSeen(rpc, memory);
			return sent(asset, to, since);
		},

		/** The whole balance, so that it can be compared with the books. The signer never spends the last 0.00089 SOL. */
		async balance(asset) {
			const [balance = 0n] = await held(rpc, asset, [hotAddress]);
			return balance;
		},

		async holdings(asset, addresses) {
			const balances = await held(rpc, asset, [...new Set([hotAddress, ...addresses])]);
			return balances.reduce((sum, balance) => sum + balance, 0n);
		},

		lying: (owners) => lying(rpc, memory.seen, owners),
		received: (txId, owner) => received(rpc, txId, owner),
		unlisted: (owner) => unlistedTokens(rpc, owner),
		reserve: 'balance',

		sweeping: {
			feePayer: 'wallet',
			quote: (targets) => sweepQuotes(rpc, hotAddress, targets),
			balances: (asset, owners) => held(rpc, asset, owners),
		},

		check: () => checkNodes(network, node, hotAddress),
	};
	return { look, scanning: { rpc, memory } };
}

async function depths(rpc: JsonRpc, memory: ScanMemory, refs: readonly DepositRef[]): Promise<(Depth | null)[]> {
	const statuses = await statusesOf(
		rpc,
		refs.map(({ txId }) => txId),
	);
	// A missing status means nothing if the node is behind what was already scanned.
	if (refs.some(({ txId }) => !statuses.has(txId))) await requireSeen(rpc, memory);
	return refs.map(({ txId }) => {
		const status = statuses.get(txId);
		return status && !status.failed ? status.depth : null;
	});
}

/** @throws ChainUnavailable where the node is behind what was already scanned */
async function requireSeen(rpc: JsonRpc, memory: ScanMemory): Promise<void> {
	const slot = await ask(rpc, SLOT, 'getSlot', { commitment: SEEN });
	if (slot < memory.seen)
		throw new ChainUnavailable(`the node is at slot ${slot}, but slot ${memory.seen} was already seen`);
}

/** Base units of an asset that each owner holds. */
async function held(rpc: JsonRpc, asset: AssetId, owners: readonly string[]): Promise<bigint[]> {
	const addresses = owners.map((owner) => accountOf(owner, asset));
	const { accounts } = await accountsAt(rpc, addresses, SEEN);
	return owners.map((owner, at) => heldIn(accounts[at] ?? null, owner, asset));
}
