/**
 * The part that transactions of our own under way can explain of a difference between wallets and books. Rows of D1 are
 * not trusted: each explains at most its own amount and the highest fee that the signer ever pays, in the one direction
 * in which its coins can be missing or still there, and only for as long as its network needs to make it final.
 */
import { sql } from 'drizzle-orm';
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';
import { deepestConfirmations } from '../../chains/finality.ts';
import type { Db } from '../../platform/d1/database.ts';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../platform/time.ts';
import { type TransactionRow, transactions } from '../table.ts';

/** Base units: by so much the wallets may hold less (`low`, not positive) and more (`high`) than the books. */
export interface Explained {
	readonly low: bigint;
	readonly high: bigint;
	/** Transactions. */
	readonly count: number;
}

export const NOTHING_EXPLAINED: Explained = { low: 0n, high: 0n, count: 0 };

/** One that is signed, and neither final nor reverted for good. */
export type UnderWay = Pick<TransactionRow, 'network' | 'asset' | 'kind' | 'state' | 'amount' | 'signedAt'>;

/** Blocks may be late, and a fee may have to be bumped. */
const FINALITIES = 6;
/** It pays the lowest fee on purpose, so it may take days. It moves nothing: it explains its fee alone. */
const CONSOLIDATION_MILLISECONDS = 7 * DAY_MILLISECONDS;
/** More than the signer lets one transaction cost, base units; of EVM and UTXO networks the catalog says it. */
const HIGHEST_FEE = { monero: 100_000_000_000n, solana: 5_000_000n, tron: 110_000_000n } as const;

export function readUnderWay(db: Db): Promise<UnderWay[]> {
	const { network, asset, kind, state, amount, signedAt } = transactions;
	return db
		.select({ network, asset, kind, state, amount, signedAt })
		.from(transactions)
		.where(sql`${state} <> 'final' and ${state} in ('signed', 'sent') and ${transactions.finalAt} is null`);
}

/** For `ledger check`, whose books are without what was sent, final or not. By asset. */
export function explainedOf(rows: readonly UnderWay[], now: number): Map<AssetId, Explained> {
	const explained = new Map<AssetId, Explained>();
	for (const row of rows.filter((each) => isInTime(each, now))) {
		const amount = BigInt(row.amount);
		add(explained, nativeAsset(row.network), { low: -highestFee(row.network), high: 0n });
		add(explained, row.asset, { ...reachOf(row, amount), count: 1 });
	}
	return explained;
}

/** Money trap: of what was sent the books are without the amount already, so only its coins can still be there. */
function reachOf({ kind, state }: UnderWay, amount: bigint): { low: bigint; high: bigint } {
	if (kind === 'consolidation') return { low: 0n, high: 0n };
	if (kind === 'sweep') return { low: 0n, high: amount };
	if (kind === 'gas' || state === 'signed') return { low: -amount, high: 0n };
	return { low: 0n, high: amount };
}

/** For a hot wallet's own balance, whose books have only what is final. */
export function explainedAtHot(rows: readonly UnderWay[]): Map<AssetId, Explained> {
	const explained = new Map<AssetId, Explained>();
	for (const row of rows) {
		const amount = BigInt(row.amount);
		const moved = row.kind === 'sweep' ? { low: 0n, high: amount } : { low: -amount, high: 0n };
		add(explained, nativeAsset(row.network), { low: -highestFee(row.network), high: 0n });
		if (row.kind !== 'consolidation') add(explained, row.asset, { ...moved, count: 1 });
	}
	return explained;
}

function add(
	to: Map<AssetId, Explained>,
	asset: AssetId,
	{ low, high, count = 0 }: Omit<Explained, 'count'> & { count?: number },
) {
	const before = to.get(asset) ?? NOTHING_EXPLAINED;
	to.set(asset, { low: before.low + low, high: before.high + high, count: before.count + count });
}

export const explains = ({ low, high }: Explained, difference: bigint): boolean =>
	difference >= low && difference <= high;

/** A row that says that it was signed later than now says nothing. */
function isInTime({ network, kind, signedAt }: UnderWay, now: number): boolean {
	if (signedAt === null || signedAt > now + HOUR_MILLISECONDS) return false;
	const { blockSeconds } = networkNamed(network);
	const finality = deepestConfirmations(network) * blockSeconds * 1000;
	const longest =
		kind === 'consolidation' ? CONSOLIDATION_MILLISECONDS : Math.max(HOUR_MILLISECONDS, FINALITIES * finality);
	return now - signedAt <= longest;
}

/** Base units of the native coin: more than any transaction of ours costs. */
export function highestFee(name: NetworkName): bigint {
	const network = networkNamed(name);
	if (network.family === 'utxo') return network.params.maxFee;
	if (network.family !== 'evm') return HIGHEST_FEE[network.family];
	const { maxFeePerGas, maxGas, maxTokenGas } = network.params;
	return maxFeePerGas * (maxGas + maxTokenGas);
}
