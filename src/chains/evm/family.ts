/**
 * An EVM network as the service sees it: its coin and its tokens. Holds no key. No token is moved before its contract
 * was checked (`token-check.ts`).
 */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import { deepestConfirmations } from '../finality.ts';
import type { Chain, ChainFamily } from '../port.ts';
import { isEvmAddress } from './address.ts';
import { balancesAt, spendable } from './balances.ts';
import { broadcast } from './broadcast.ts';
import { checkNode } from './check.ts';
import { depositDepths } from './deposit-depths.ts';
import { depthOfPlace, requireHead, tipsOf, transactionPlaces } from './depth.ts';
import { contractOf } from './erc20.ts';
import { feeEstimate, houseCosts } from './fees.ts';
import { InternalDeposits } from './internal.ts';
import { Queued } from './next.ts';
import { ask, evmRpc } from './node.ts';
import { evmParams } from './params.ts';
import { depositsOf, type Looked } from './scan.ts';
import { QUANTITY } from './shapes.ts';
import { sweepQuotes } from './sweep.ts';
import { assetCheck } from './token-check.ts';

/** How far back the origin of a balance is looked for, seconds of blocks. */
const LOOK_BACK_SECONDS = 3_600;
/** Logs are cheap to ask for however old they are, and nothing else explains a token: up to 42 days of blocks. */
const TOKEN_DOUBLINGS = 10;
/** Below the cursor, this many times the deepest finality is looked through for what a reorganisation moved there. */
const OVERLAP_FINALITIES = 2;

export const evmFamily: ChainFamily<NetworkOf<'evm'>> = {
	isAddress: isEvmAddress,
	chain: evmChain,
};

export function evmChain(network: NetworkOf<'evm'>, node: NodeConfig, hotAddress: string): Chain {
	const params = evmParams(network, node.chain);
	const rpc = evmRpc(params, node.urls);
	const requireAsset = assetCheck(rpc, params);
	const internals = new InternalDeposits(rpc);
	const queued = new Queued();
	const overlap = OVERLAP_FINALITIES * deepestConfirmations(network.name);
	const lookBack = Math.ceil(LOOK_BACK_SECONDS / network.blockSeconds);

	const depths = [0, overlap, lookBack];
	// Each as far again as all before it: what came not long ago is found before the questions are used up.
	const tokenDepths = [...depths, ...Array.from({ length: TOKEN_DOUBLINGS }, (_, at) => lookBack * 2 ** (at + 1))];
	const floorsBelow = (cursor: number, head: number, blocks: readonly number[]): number[] =>
		blocks.map((depth) => Math.max(0, cursor - depth)).filter((height) => height < head);

	/** Of the best block that a scan saw. A memory only: after a restart the chain scans before it asks for depths. */
	let seen = 0;

	return {
		sequential: true,
		isAddress: isEvmAddress,

		/** Nothing to name to the node; but an address is shown only while a node of the right chain answers. */
		async register() {
			await ask(rpc, QUANTITY, 'eth_chainId');
		},

		async scan(cursor, watched) {
			const tips = await tipsOf(rpc);
			const from = cursor === null ? tips.head : heightOf(cursor);
			if (from - tips.head > overlap)
				throw new ChainUnavailable(`the node is ${from - tips.head} blocks behind what it said before`);
			// A reorganisation, or the next node of a pool: soon it is as far as it was.
			seen = from;
			if (tips.head < from) return { deposits: [], cursor: String(from), height: tips.head };

			const floors = floorsBelow(from, tips.head, depths);
			const tokenFloors = floorsBelow(from, tips.head, tokenDepths);
			const look = { rpc, params, tips, floors, tokenFloors, recordOf: watched };
			const byAsset = Map.groupBy(await watched('in turn'), ({ asset }) => asset);
			const looked: Looked[] = [];
			const failures = new Map<AssetId, ChainUnavailable>();
			for (const [asset, addresses] of byAsset) {
				if (assetOf(asset).network !== network.name) continue;
				try {
					await requireAsset(asset);
					looked.push(await depositsOf(look, asset, addresses));
				} catch (error) {
					if (!(error instanceof ChainUnavailable)) throw error;
					failures.set(asset, error);
				}
			}
			// One asset's trouble is its own: what comes in it is found by its balance once the node tells of it again.
			for (const failure of failures.values()) if (looked.length === 0) throw failure;
			const unread = looked.flatMap((each) => each.unread);
			for (const [asset, { message }] of failures) unread.push(`no deposit of ${asset} is seen: ${message}`);
			return {
				deposits: looked.flatMap(({ deposits }) => deposits),
				cursor: String(Math.min(tips.head, ...looked.map(({ reached }) => reached))),
				height: tips.head,
				...(unread.length > 0 && { unread }),
				...(failures.size > 0 && { unseen: [...failures.keys()] }),
			};
		},

		/** Of what is missing, a node that is behind what was scanned may only not know yet. */
		async depths(refs) {
			const found = await depositDepths(rpc, params, internals, refs);
			if (found.includes(null)) await requireHead(rpc, seen);
			return found;
		},

		async feeEstimate(asset) {
			await requireAsset(asset);
			return feeEstimate(rpc, params, hotAddress, asset);
		},

		async houseCosts(asset) {
			await requireAsset(asset);
			return houseCosts(rpc, params, hotAddress, asset);
		},

		broadcast: (raw) => broadcast(rpc, queued, raw, hotAddress),

		async transactionDepth(txId) {
			const place = (await transactionPlaces(rpc, [txId])).get(txId);
			return place ? { ...depthOfPlace(place, await tipsOf(rpc)), reverted: !place.success, fee: place.fee } : null;
		},

		async balance(asset) {
			await requireAsset(asset);
			return spendable(rpc, contractOf(params, asset), hotAddress);
		},

		async holdings(asset, addresses) {
			await requireAsset(asset);
			const { head } = await tipsOf(rpc);
			const balances = await balancesAt(rpc, contractOf(params, asset), [hotAddress, ...addresses], head);
			return balances.reduce((sum, balance) => sum + balance, 0n);
		},

		reserve: 'balance',

		sweeping: {
			feePayer: 'address',
			quote: (targets) => sweepQuotes({ rpc, params, hotAddress, requireAsset }, targets),
		},

		check: async () => (await Promise.all(node.urls.map((url) => checkNode(params, url, hotAddress)))).flat(),
	};
}

function heightOf(cursor: string): number {
	if (!/^\d{1,13}$/.test(cursor)) throw new TypeError(`not a cursor of this family: ${cursor}`);
	return Number(cursor);
}
