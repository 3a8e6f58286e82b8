/**
 * An EVM network as the service sees it. Holds no key. Watches by balance, because value that a contract sends leaves
 * neither a recipient nor a log to look for: one question per 500 open addresses and poll, and only a balance that is
 * larger than what is on record is looked into (explain.ts). Today for the native coin.
 *
 * The record must be whole: `known` names everything that was ever credited to an address and is still there.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { Network } from '../../catalog/networks.ts';
import { deepestConfirmations } from '../finality.ts';
import { type Chain, ChainUnavailable, type DepositRef, type NetworkCheck, type WatchedAddress } from '../port.ts';
import { isEvmAddress } from './address.ts';
import { balancesAt, spendable } from './balances.ts';
import { broadcast } from './broadcast.ts';
import { sumOf } from './credits.ts';
import { depositDepths, depthAt, depthOfPlace, tipsOf, transactionPlaces } from './depth.ts';
import { explain } from './explain.ts';
import { gasPrices, l1Fee } from './fees.ts';
import { ask, evmRpc } from './node.ts';
import { type EvmParams, evmParams } from './params.ts';
import { QUANTITY } from './shapes.ts';

export interface EvmNode {
	/** One or more node URLs, the preferred first. */
	readonly urls: readonly string[];
	/** Address of the payout wallet. */
	readonly hotAddress: string;
}

/** How far back the origin of a balance is looked for, seconds of blocks. */
const LOOK_BACK_SECONDS = 3_600;
/** Below the cursor, this many times the deepest finality is looked through for what a reorganisation moved there. */
const OVERLAP_FINALITIES = 2;

export function evmChain(network: Network, node: EvmNode): Chain {
	const params = evmParams(network);
	const rpc = evmRpc(params, node.urls);
	const overlap = OVERLAP_FINALITIES * deepestConfirmations(network.name);
	const lookBack = Math.ceil(LOOK_BACK_SECONDS / network.blockSeconds);

	const floorsBelow = (cursor: number, head: number): number[] =>
		[cursor, cursor - overlap, cursor - lookBack]
			.map((height) => Math.max(0, height))
			.filter((height) => height < head);

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
			if (tips.head < from) return { deposits: [], cursor: String(from), height: tips.head };

			const open = openAddresses(await watched(), params.native);
			const balances = await balancesAt(rpc, [...open.keys()], tips.head);
			const grown = [...open].flatMap(([address, each], at) => {
				const balance = balances[at] ?? 0n;
				const unexplained = balance + each.swept - sumOf(each.known);
				return unexplained > 0n ? [{ address, known: each.known, unexplained, balance }] : [];
			});
			const { found, reached } = await explain(rpc, {
				targets: grown,
				balances: grown.map(({ balance }) => balance),
				head: tips.head,
				floors: grown.length > 0 ? floorsBelow(from, tips.head) : [],
			});
			const deposits = found.map(({ txId, position, amount, address, height }) => ({
				...{ txId, position, amount, asset: params.native },
				address: open.get(address)?.address ?? address,
				...depthAt(height, tips),
			}));
			return { deposits, cursor: String(reached), height: tips.head };
		},

		depths: (refs) => depositDepths(rpc, refs),

		async feeEstimate(asset) {
			requireNative(params, asset);
			const { baseFee } = await tipsOf(rpc);
			const transfer = { from: node.hotAddress, to: node.hotAddress, value: '0x0' };
			const gas = await ask(rpc, QUANTITY, 'eth_estimateGas', transfer);
			const { likelyPerGas } = await gasPrices(rpc, params, baseFee);
			return { asset: params.native, amount: gas * likelyPerGas + (await l1Fee(rpc, params)) };
		},

		broadcast: (raw) => broadcast(rpc, raw),

		async transactionDepth(txId) {
			const place = (await transactionPlaces(rpc, [txId])).get(txId);
			return place ? { ...depthOfPlace(place, await tipsOf(rpc)), reverted: !place.success, fee: place.fee } : null;
		},

		async balance(asset) {
			requireNative(params, asset);
			return spendable(rpc, node.hotAddress);
		},

		async holdings(asset, addresses) {
			requireNative(params, asset);
			const { head } = await tipsOf(rpc);
			const balances = await balancesAt(rpc, [node.hotAddress, ...addresses], head);
			return balances.reduce((sum, balance) => sum + balance, 0n);
		},

		reserve: 'balance',

		check: () => Promise.all(node.urls.map((url) => checkNode(params, url))),
	};
}

/** By address in lower case, one entry each however often it is watched. */
function openAddresses(
	watched: readonly WatchedAddress[],
	native: AssetId,
): Map<string, { readonly address: string; readonly known: DepositRef[]; readonly swept: bigint }> {
	const open = new Map<string, { readonly address: string; readonly known: DepositRef[]; readonly swept: bigint }>();
	for (const { address, asset, known, swept } of watched) {
		if (asset !== native || !isEvmAddress(address)) continue;
		const entry = open.get(address.toLowerCase()) ?? { address, known: [], swept };
		entry.known.push(...known.filter((ref) => ref.asset === native));
		open.set(address.toLowerCase(), entry);
	}
	return open;
}

function heightOf(cursor: string): number {
	if (!/^\d{1,13}$/.test(cursor)) throw new TypeError(`not a cursor of this family: ${cursor}`);
	return Number(cursor);
}

/** Credentials are no part of what is shown. */
async function checkNode(params: EvmParams, url: string): Promise<NetworkCheck> {
	const what = `node ${new URL(url).host}`;
	try {
		const { head } = await tipsOf(evmRpc(params, [url]));
		return { what, ok: true, detail: `chain ${params.chainId}, height ${head}` };
	} catch (error) {
		return { what, ok: false, detail: String(error) };
	}
}

function requireNative(params: EvmParams, asset: AssetId): void {
	if (asset !== params.native) throw new TypeError(`${asset} is not the coin of chain ${params.chainId}`);
}
