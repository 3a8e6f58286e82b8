/**
 * Finds deposits by the balances of the watched addresses, asset by asset. Value that a contract sends leaves neither a
 * recipient nor a log to search for, so transactions alone would not show it. One call asks for 500 open addresses. Only
 * where a balance is larger than the record are blocks or logs read (`explain.ts`, `explain-token.ts`).
 */
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import type { NetworkOf } from '../../catalog/networks.ts';
import { grownPlaces, numberIn, openPlaces } from '../by-balance.ts';
import { ChainUnavailable } from '../errors.ts';
import { deepestConfirmations } from '../finality.ts';
import type { ObservedDeposit, Scan, Watched, WatchedAddress } from '../port.ts';
import { isEvmAddress } from './address.ts';
import { balancesAt } from './balances.ts';
import { depthAt, type Tips, tipsOf } from './depth.ts';
import { contractOf } from './erc20.ts';
import { BalanceSearch } from './explain.ts';
import { TokenSearch } from './explain-token.ts';
import type { EvmRpc } from './node.ts';
import type { Explanation } from './remainders.ts';

/** How far back the search for the origin of a native balance goes, seconds of blocks. */
const LOOK_BACK_SECONDS = 3_600;
/** Logs are cheap to query however old they are, and nothing else explains a token: up to 42 days of blocks. */
const TOKEN_DOUBLINGS = 10;
/** A reorganisation may move a deposit below the cursor: so many times the deepest finality is searched again there. */
const OVERLAP_FINALITIES = 2;

/** A chain's memory between scans. After a restart it is empty, and the chain scans before it asks for depths. */
export interface ScanMemory {
	/** Best height that a scan saw. */
	seen: number;
}

export interface Scanner {
	readonly rpc: EvmRpc;
	readonly network: NetworkOf<'evm'>;
	readonly memory: ScanMemory;
}

interface Search {
	readonly rpc: EvmRpc;
	readonly tips: Tips;
	/** Heights down to which to search, one after the other; the first is the cursor. */
	readonly floors: readonly number[];
	/** The same for tokens. */
	readonly tokenFloors: readonly number[];
	/** The whole record of these addresses: of the watched ones, dust is known only as a sum. */
	readonly recordOf: Watched;
}

interface AssetScan extends Pick<Explanation, 'reached' | 'unread'> {
	readonly deposits: readonly ObservedDeposit[];
}

/** @throws ChainUnavailable; TypeError on a foreign cursor */
export async function scan({ rpc, network, memory }: Scanner, cursor: string | null, watched: Watched): Promise<Scan> {
	const overlap = OVERLAP_FINALITIES * deepestConfirmations(network.name);
	const tips = await tipsOf(rpc);
	const from = cursor === null ? tips.head : numberIn(cursor);
	if (from - tips.head > overlap)
		throw new ChainUnavailable(`the node is ${from - tips.head} blocks behind what it said before`);
	memory.seen = from;
	// A reorganisation, or another node of a pool, which will soon catch up.
	if (tips.head < from) return { deposits: [], cursor: String(from), height: tips.head };

	const search = { rpc, tips, ...floorsOf(network, overlap, from, tips.head), recordOf: watched };
	const byAsset = Map.groupBy(await watched('in turn'), ({ asset }) => asset);
	const scans: AssetScan[] = [];
	const failures = new Map<AssetId, ChainUnavailable>();
	for (const [asset, addresses] of byAsset) {
		if (assetOf(asset).network !== network.name) continue;
		try {
			await rpc.requireAsset(asset);
			scans.push(await depositsOf(search, asset, addresses));
		} catch (error) {
			if (!(error instanceof ChainUnavailable)) throw error;
			failures.set(asset, error);
		}
	}
	// One asset's failure does not stop the others. Its deposits are found by balance once the node answers for it again.
	for (const failure of failures.values()) if (scans.length === 0) throw failure;
	const unread = scans.flatMap((each) => each.unread);
	for (const [asset, { message }] of failures) unread.push(`no deposit of ${asset} is seen: ${message}`);
	return {
		deposits: scans.flatMap(({ deposits }) => deposits),
		cursor: String(Math.min(tips.head, ...scans.map(({ reached }) => reached))),
		height: tips.head,
		...(unread.length > 0 && { unread }),
		...(failures.size > 0 && { unseen: [...failures.keys()] }),
	};
}

function floorsOf(
	{ blockSeconds }: NetworkOf<'evm'>,
	overlap: number,
	cursor: number,
	head: number,
): Pick<Search, 'floors' | 'tokenFloors'> {
	const lookBack = Math.ceil(LOOK_BACK_SECONDS / blockSeconds);
	const depths = [0, overlap, lookBack];
	// Each range is as long as all before it together, so recent transfers are found before the calls are used up.
	const tokenDepths = [...depths, ...Array.from({ length: TOKEN_DOUBLINGS }, (_, at) => lookBack * 2 ** (at + 1))];
	const below = (blocks: readonly number[]): number[] =>
		blocks.map((depth) => Math.max(0, cursor - depth)).filter((height) => height < head);
	return { floors: below(depths), tokenFloors: below(tokenDepths) };
}

/** The new deposits of one asset, and the height up to which they are complete. @throws ChainUnavailable */
async function depositsOf(
	{ rpc, tips, floors, tokenFloors, recordOf }: Search,
	asset: AssetId,
	watched: readonly WatchedAddress[],
): Promise<AssetScan> {
	const contract = contractOf(rpc.params, asset);
	const placeOf = ({ address, ...each }: WatchedAddress) =>
		each.asset === asset && isEvmAddress(address) ? address.toLowerCase() : null;
	const open = openPlaces(watched, placeOf);
	const held = await balancesAt(rpc, contract, [...open.keys()], tips.head);
	const balances = new Map([...open.keys()].map((address, at) => [address, held[at] ?? 0n]));
	const grown = await grownPlaces(open, balances, recordOf, placeOf);
	if (grown.length === 0) return { deposits: [], reached: tips.head, unread: [] };
	const { head } = tips;
	const { found, ...rest } =
		contract === null
			? await new BalanceSearch(rpc, grown).explain({ head, floors })
			: await new TokenSearch(rpc, contract, grown).explain({ head, floors: tokenFloors });
	const deposits = found.map(({ txId, position, amount, address, height }) => ({
		txId,
		position,
		amount,
		asset,
		address: open.get(address)?.address ?? address,
		...depthAt(height, tips),
	}));
	return { deposits, ...rest };
}
