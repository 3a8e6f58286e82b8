/**
 * Finds deposits by what accounts hold, a hundred accounts per request: the owner's own account for SOL, its token
 * account for tokens. Only if an account holds more than its record, its history is read (`explain.ts`). A deposit is
 * seen at `confirmed` and final at `finalized`. The cursor is the slot of the last scan, and only shows whether a node
 * has fallen behind.
 *
 * The record must be complete: `known` contains everything that was ever credited to an address and is still on the
 * chain.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { sumOf } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import type { Scan, Watched, WatchedAddress } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { type Account, accountsAt, tokenAccount } from './accounts.ts';
import { isSolanaAddress } from './address.ts';
import { accountOf, mintOf, positionOf } from './assets.ts';
import { statusesOf } from './depth.ts';
import { explain, type Grown, type Memory } from './explain.ts';
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
	const open = [...openAccounts(await watched('in turn'))];
	const { accounts, slot } = await accountsAt(
		rpc,
		open.map(([account]) => account),
		SEEN,
	);
	const from = cursor === null ? slot : slotOf(cursor);
	if (from - slot > MAX_SLOTS_BEHIND)
		throw new ChainUnavailable(`the node is ${from - slot} slots behind what it said before`);
	memory.seen = from;
	// This may be another node of a pool, which will soon catch up.
	if (slot < from) return { deposits: [], cursor: String(from), height: slot };

	const balances = new Map(
		open.map(([account, { address, asset }], at) => [account, heldIn(accounts[at] ?? null, address, asset)]),
	);
	const suspects = grownAmong(open, balances).map(({ owner }) => owner);
	// Asked for in turn, dust is only a sum. Asked for by address, each deposit has its own entry.
	const whole = suspects.length === 0 ? [] : [...openAccounts(await watched(suspects))];
	const grown = grownAmong(whole, balances);
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

/** The accounts that hold more than their record. `held`: balances by account; an account without one is left out. */
const grownAmong = (open: readonly (readonly [string, WatchedAddress])[], held: ReadonlyMap<string, bigint>): Grown[] =>
	open.flatMap(([account, { address, asset, known, swept }]): Grown[] => {
		const unexplained = (held.get(account) ?? 0n) + swept - sumOf(known);
		const txIds = new Set(known.map(({ txId }) => txId));
		return held.has(account) && unexplained > 0n ? [{ account, owner: address, asset, known: txIds, unexplained }] : [];
	});

/** By account, one entry each, even if it is watched more than once. */
function openAccounts(watched: readonly WatchedAddress[]): Map<string, WatchedAddress> {
	const open = new Map<string, WatchedAddress>();
	for (const { address, asset, known, swept } of watched) {
		if (!isSolanaAddress(address)) continue;
		const account = accountOf(address, asset);
		const before = open.get(account)?.known ?? [];
		open.set(account, { address, asset, swept, known: [...before, ...known.filter((ref) => ref.asset === asset)] });
	}
	return open;
}

function slotOf(cursor: string): number {
	if (!/^\d{1,13}$/.test(cursor)) throw new TypeError(`not a cursor of this family: ${cursor}`);
	return Number(cursor);
}
