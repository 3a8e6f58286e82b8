/**
 * Finds deposits by what accounts hold, a hundred accounts per request: the owner's own account for SOL, its token
 * account for tokens. Only if an account holds more than its record, its history is read (`explain.ts`). A deposit is
 * seen at `confirmed` and final at `finalized`. The cursor is the slot of the last scan, and only shows whether a node
 * has fallen behind.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { grownPlaces, numberIn, openPlaces, type PlaceOf } from '../by-balance.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Scan, Watched } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { type Account, accountsAt, tokenAccount } from './accounts.ts';
import { isSolanaAddress } from './address.ts';
import { accountOf, mintOf, positionOf } from './assets.ts';
import { statusesOf } from './depth.ts';
import { explain, type Memory } from './explain.ts';
import { SEEN } from './node.ts';

/**
 * Slots, about a minute. A node that is further behind the last scan is not asked further; for a smaller lag we wait.
 */
const MAX_SLOTS_BEHIND = 150;

/** A chain's memory between scans. After a restart it is empty, and the first scan sets `seen` from its cursor. */
export interface ScanMemory extends Memory {
	/** Slot of the last scan. A node below it may not know yet what that scan saw. */
	seen: number;
}

/** @throws ChainUnavailable; TypeError on a foreign cursor */
export async function scan(rpc: JsonRpc, memory: ScanMemory, cursor: string | null, watched: Watched): Promise<Scan> {
	const open = openPlaces(await watched('in turn'), accountAt);
	const { accounts, slot } = await accountsAt(rpc, [...open.keys()], SEEN);
	const from = cursor === null ? slot : numberIn(cursor);
	if (from - slot > MAX_SLOTS_BEHIND)
		throw new ChainUnavailable(`the node is ${from - slot} slots behind what it said before`);
	memory.seen = from;
	// This may be another node of a pool, which will soon catch up.
	if (slot < from) return { deposits: [], cursor: String(from), height: slot };

	const held = [...open.values()].map(({ address, asset }, at) => heldIn(accounts[at] ?? null, address, asset));
	const balances = new Map([...open.keys()].map((account, at) => [account, held[at] ?? 0n]));
	const grown = await grownPlaces(open, balances, watched, accountAt);
	// Starts at a different account each time, so that each is reached even where there are too many.
	const first = grown.length === 0 ? 0 : slot % grown.length;
	const credits = await explain(rpc, [...grown.slice(first), ...grown.slice(0, first)], memory);
	const statuses = await statusesOf(rpc, txIdsOf(credits));
	const deposits = credits.flatMap(({ txId, owner, asset, amount }) => {
		const status = statuses.get(txId);
		if (!status || status.failed) return [];
		return [{ txId, position: positionOf(asset), address: owner, asset, amount, ...status.depth }];
	});
	return { deposits, cursor: String(slot), height: slot };
}

/** Base units that the owner holds; 0 where the account belongs to another owner or mint. */
export function heldIn(account: Account | null, owner: string, asset: AssetId): bigint {
	const mint = mintOf(asset);
	if (mint === null) return account?.lamports ?? 0n;
	const tokens = tokenAccount(account);
	return tokens?.mint === mint && tokens.owner === owner ? tokens.amount : 0n;
}

const accountAt: PlaceOf = ({ address, asset }) => (isSolanaAddress(address) ? accountOf(address, asset) : null);
