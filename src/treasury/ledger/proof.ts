/** The proof of the kept balances: the entries of one piece, added up again, against what the triggers kept for it. Pure. */
import type { AssetId } from '../../catalog/assets.ts';
import type { ledgerEntries, ledgerPieces } from './table.ts';

export type PieceRow = typeof ledgerPieces.$inferSelect;
export type EntryRow = Omit<typeof ledgerEntries.$inferSelect, 'number'>;

/** The sum of one account in one asset, base units. */
export interface Balance {
	readonly account: string;
	readonly asset: AssetId;
	readonly amount: bigint;
	readonly entries: number;
}

/** Entries of one order in one asset that do not sum to zero. */
export interface Unbalanced {
	readonly order: string;
	readonly asset: AssetId;
	readonly sum: bigint;
}

/** A kept balance that its rows do not add up to, base units. */
export interface Differing {
	readonly piece: number | null;
	readonly account: string;
	readonly asset: AssetId;
	readonly kept: bigint;
	readonly found: bigint;
}

export function unbalancedOf(entries: readonly EntryRow[]): Unbalanced[] {
	const sums = new Map<string, Unbalanced>();
	for (const { orderId: order, asset, amount } of entries) {
		const key = `${order} ${asset}`;
		sums.set(key, { order, asset, sum: (sums.get(key)?.sum ?? 0n) + BigInt(amount) });
	}
	return [...sums.values()].filter(({ sum }) => sum !== 0n);
}

export const balanceKey = ({ account, asset }: Pick<Balance, 'account' | 'asset'>): string => `${account} ${asset}`;

/** The entries added up by account and asset. */
export function balancesOf(entries: readonly EntryRow[]): Map<string, Balance> {
	const balances = new Map<string, Balance>();
	for (const { account, asset, amount } of entries) {
		const before = balances.get(balanceKey({ account, asset }));
		const sum = (before?.amount ?? 0n) + BigInt(amount);
		const more = { account, asset, amount: sum, entries: (before?.entries ?? 0) + 1 };
		balances.set(balanceKey({ account, asset }), more);
	}
	return balances;
}

/** Where what was kept is not what the entries say: another sum, or another number of entries. */
export function differingOf(piece: number, kept: readonly Balance[], entries: readonly EntryRow[]): Differing[] {
	const found = balancesOf(entries);
	const all = new Map([...found, ...kept.map((balance) => [balanceKey(balance), balance] as const)]);
	const keptByKey = new Map(kept.map((balance) => [balanceKey(balance), balance]));
	return [...all].flatMap(([key, { account, asset }]) => {
		const [ours, theirs] = [keptByKey.get(key), found.get(key)];
		const isSame = (ours?.amount ?? 0n) === (theirs?.amount ?? 0n) && (ours?.entries ?? 0) === (theirs?.entries ?? 0);
		return isSame ? [] : [{ piece, account, asset, kept: ours?.amount ?? 0n, found: theirs?.amount ?? 0n }];
	});
}

/**
 * The text that a piece's seal is over: each entry that was booked up to `sealedUntil`. Entries that are booked later
 * do not break it; an entry that was changed, removed, or added with an older time does.
 */
export function sealedText(
	{ number, provenAt, sealedUntil }: Pick<PieceRow, 'number' | 'provenAt' | 'sealedUntil'>,
	entries: readonly EntryRow[],
): string {
	const lines = entries
		.filter(({ at }) => at <= sealedUntil)
		.map(({ orderId, cause, account, asset, amount, at }) =>
			JSON.stringify([orderId, cause, account, asset, amount, at]),
		)
		.toSorted();
	return JSON.stringify(['ledger piece', number, provenAt, sealedUntil, lines]);
}

/** The opening balance has no entries; its seal is over the balances. */
export function openingText({ orders, provenAt }: Pick<PieceRow, 'orders' | 'provenAt'>, kept: readonly Balance[]) {
	const lines = kept
		.filter(({ entries }) => entries > 0)
		.map(({ account, asset, amount, entries }) => JSON.stringify([account, asset, amount.toString(), entries]))
		.toSorted();
	return JSON.stringify(['ledger opening', orders, provenAt, lines]);
}
