/** How deep transactions are by the coin book. The caller decides what is deep enough. */
import { equalBytes } from '@noble/curves/utils.js';
import type { AssetId } from '../../catalog/assets.ts';
import type { DepositRef, Depth, TransactionDepth } from '../port.ts';
import { scriptOf } from './address.ts';
import { type BookCoin, coinsAt, sendAt } from './book/reads.ts';
import type { Tip } from './source.ts';
import type { Outpoint } from './transaction-bytes.ts';
import type { Watching } from './watching.ts';

/** `locked`: the height up to which blocks are settled (`Locks`). */
export const depthAt = (
	{ height, matures }: Pick<BookCoin, 'height' | 'matures'>,
	last: Tip,
	locked: number,
): Depth & { readonly height: number } => ({
	confirmations: last.height - height + 1,
	height,
	irreversible: height <= locked,
	...(matures > last.height + 1 && { immature: true }),
});

export const IN_POOL: Depth = { confirmations: 0, height: null, irreversible: false };

const VOUT = /^(0|[1-9]\d{0,5})$/;

/** Null where the position is none of this family. */
export const outpointOf = ({ txId, position }: Pick<DepositRef, 'txId' | 'position'>): Outpoint | null =>
	VOUT.test(position) ? { txId, vout: Number(position) } : null;

/** As `Chain.depths`. What the book does not have may be in the mempool; while blocks are unread, nobody knows. */
export async function depths(watching: Watching, refs: readonly DepositRef[]): Promise<(Depth | null | 'unknown')[]> {
	const { last, tip } = await watching.keeper.read();
	const outpoints = refs.flatMap((ref) => outpointOf(ref) ?? []);
	const coins = new Map(coinsAt(watching.book, outpoints).map((coin) => [keyOf(coin), coin]));
	const locked = await watching.locks.upTo([...coins.values()].map(({ height }) => height));
	const found = refs.map((ref) => {
		const at = outpointOf(ref);
		const coin = at && coins.get(keyOf(at));
		return coin && isThat(coin, ref) ? depthAt(coin, last, locked) : null;
	});
	const missing = refs.filter((_, at) => found[at] === null);
	const pooled = last.height < tip.height ? null : await inPool(watching, missing);
	return refs.map((ref, at) => found[at] ?? (pooled ? (pooled.has(ref) ? IN_POOL : null) : 'unknown'));
}

export const keyOf = ({ txId, vout }: Outpoint): string => `${txId}:${vout}`;

export const isThat = ({ address, amount }: BookCoin, ref: DepositRef): boolean =>
	address === ref.address && amount === ref.amount;

/** Those that the mempool holds as they are recorded. */
async function inPool({ sources, params }: Watching, refs: readonly DepositRef[]): Promise<Set<DepositRef>> {
	const asked = refs.flatMap((ref) => {
		const outpoint = outpointOf(ref);
		return outpoint ? [{ ref, outpoint }] : [];
	});
	if (asked.length === 0) return new Set();
	const outputs = await sources.use((source) =>
		source.outputs(
			asked.map(({ outpoint }) => outpoint),
			'with pool',
		),
	);
	const held = asked.filter(({ ref }, at) => {
		const [output, script] = [outputs[at], scriptOf(ref.address, params)];
		return output && script && output.amount === ref.amount && equalBytes(output.script, script);
	});
	return new Set(held.map(({ ref }) => ref));
}

/** As `Chain.transactionDepth`. @throws ChainUnavailable */
export async function transactionDepth(watching: Watching, txId: string): Promise<TransactionDepth | null> {
	const inBlock = await sentDepth(watching, txId);
	if (inBlock) return inBlock;
	const [pooled] = await watching.sources.use((source) => source.pooled([txId]));
	if (pooled) return { ...IN_POOL, reverted: false, fee: null };
	// A block may have taken it from the mempool between the two questions.
	return sentDepth(watching, txId);
}

async function sentDepth({ keeper, book, locks }: Watching, txId: string): Promise<TransactionDepth | null> {
	const last = await keeper.current();
	const send = sendAt(book, txId);
	if (!send) return null;
	const { height, fee } = send;
	return { ...depthAt({ height, matures: 0 }, last, await locks.upTo([height])), reverted: false, fee };
}

/** The sum of the deposits that are deep enough now, base units, each counted once. @throws ChainUnavailable */
export async function finalAmount(
	{ keeper, book, locks }: Watching,
	asset: AssetId,
	refs: readonly DepositRef[],
	isFinal: (depth: Depth) => boolean,
): Promise<bigint> {
	const last = await keeper.current();
	const distinct = new Map(refs.map((ref) => [`${ref.txId}:${ref.position}`, ref]));
	const coins = coinsAt(
		book,
		[...distinct.values()].flatMap((ref) => outpointOf(ref) ?? []),
	);
	const locked = await locks.upTo(coins.map(({ height }) => height));
	return coins.reduce((sum, coin) => {
		const ref = distinct.get(keyOf(coin));
		const isCounted = ref?.asset === asset && isThat(coin, ref) && isFinal(depthAt(coin, last, locked));
		return isCounted ? sum + coin.amount : sum;
	}, 0n);
}
