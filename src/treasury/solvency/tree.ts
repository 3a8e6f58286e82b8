/**
 * The Merkle sum tree of the debts in one asset (book: solvency, "The tree"). Its leaves stand in the order of their blinded ids,
 * which are other ones each hour, so no place says when an order was made. A node commits to both nodes below it: hash, sum, lowest
 * and highest id. So a way up shows that no debt is negative, and that no id is there twice. Pure.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import type { AssetId } from '../../catalog/assets.ts';
import type { Creditor, DebtNode, DebtStep } from '../../ports/solvency.ts';

/** A sum has at most this many digits: more than any asset has base units. */
const MOST_DIGITS = 36;
/** Two to its power is more leaves than a tree ever has. */
export const MOST_STEPS = 32;

export interface Leaf {
	/** Blinded, 64 hexadecimal digits. */
	readonly id: string;
	/** Base units, above zero. */
	readonly amount: bigint;
}

/** Whose debt it is, and in which hour. */
export interface Owed {
	readonly number: number;
	readonly asset: AssetId;
	readonly creditor: Creditor;
	readonly id: string;
	readonly secret: string;
}

export const digestOf = (text: string): string => hex.encode(sha256(new TextEncoder().encode(text)));

const hashOf = (word: 'id' | 'leaf' | 'node', ...values: readonly (string | number)[]): string =>
	digestOf(JSON.stringify([`partner-exchange/solvency/${word}/1`, ...values]));

export const blindedId = ({ number, asset, creditor, id, secret }: Owed): string =>
	hashOf('id', number, asset, creditor, id, secret);

export const leafNode = (asset: AssetId, { id, amount }: Leaf): DebtNode => ({
	hash: hashOf('leaf', asset, id, amount.toString()),
	sum: amount.toString(),
	first: id,
	last: id,
});

export function joined(left: DebtNode, right: DebtNode): DebtNode {
	const parts = [left, right].flatMap(({ hash, sum, first, last }) => [hash, sum, first, last]);
	const sum = (BigInt(left.sum) + BigInt(right.sum)).toString();
	return { hash: hashOf('node', ...parts), sum, first: left.first, last: right.last };
}

/** Neighbours are joined; the last one of an odd number goes up as it is. */
const above = (nodes: readonly DebtNode[]): DebtNode[] =>
	nodes.flatMap((left, i) => {
		if (i % 2 === 1) return [];
		const right = nodes[i + 1];
		return [right ? joined(left, right) : left];
	});

/** Null without nodes. */
export function rootOf(nodes: readonly DebtNode[]): DebtNode | null {
	let level = nodes;
	while (level.length > 1) level = above(level);
	return level[0] ?? null;
}

/** The way up from the node at `index`, the lowest step first. */
export function pathOf(nodes: readonly DebtNode[], index: number): DebtStep[] {
	const path: DebtStep[] = [];
	let [level, at] = [nodes, index];
	while (level.length > 1) {
		const side = at % 2 === 1 ? 'left' : 'right';
		const node = level[side === 'left' ? at - 1 : at + 1];
		if (node) path.push({ side, node });
		[level, at] = [above(level), Math.floor(at / 2)];
	}
	return path;
}

/** Why a way up proves nothing. */
export type PathFault = 'malformed' | 'sum-negative' | 'doubled';

/** The root to which a way leads. */
export function climbed(leaf: DebtNode, path: readonly DebtStep[]): DebtNode | PathFault {
	if (path.length > MOST_STEPS) return 'malformed';
	let node = leaf;
	for (const step of path) {
		const { side, node: beside }: DebtStep = Object(step);
		if (side !== 'left' && side !== 'right') return 'malformed';
		const fault = faultOf(Object(beside));
		if (fault) return fault;
		const [left, right] = side === 'left' ? [beside, node] : [node, beside];
		// Every id on the left is below every id on the right, so an id has one place.
		if (left.last >= right.first) return 'doubled';
		node = joined(left, right);
	}
	return node;
}

function faultOf({ hash, sum, first, last }: DebtNode): PathFault | null {
	if (typeof sum === 'string' && sum.startsWith('-')) return 'sum-negative';
	if (!isAmount(sum) || ![hash, first, last].every(isDigest) || first > last) return 'malformed';
	return null;
}

export const isDigest = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);

/** Base units, not negative, in the one form that a number has. */
export const isAmount = (text: unknown): text is string =>
	typeof text === 'string' && /^(?:0|[1-9]\d*)$/.test(text) && text.length <= MOST_DIGITS;
