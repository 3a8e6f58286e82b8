/** The trees of an hour's debts, the text that the signer signs, and what a creditor is given of a tree. Pure. */
import type { AssetId } from '../../catalog/assets.ts';
import type { Creditor, DebtNode, DebtRoot, OwnDebt, SolvencyStatement } from '../../ports/solvency.ts';
import type { solvencyDebts } from './table.ts';
import { blindedId, digestOf, type Leaf, leafNode, pathOf, rootOf } from './tree.ts';

/** Leaves of one row of D1. A power of two, so that each part is a whole branch of its tree. */
const LEAVES_PER_PART = 256;

export type DebtPart = typeof solvencyDebts.$inferSelect;

export interface Debt {
	readonly creditor: Creditor;
	/** The order's or the partner's; empty for nobody. */
	readonly id: string;
	/** The SHA-256 of an order’s token. */
	readonly tokenHash: string | null;
	readonly asset: AssetId;
	/** Base units, above zero. */
	readonly amount: bigint;
}

/** Blinds a creditor's ids. Who has no token is told their own by us: it follows from a secret of the hour. */
export const secretOf = ({ creditor, id, tokenHash }: Pick<Debt, 'creditor' | 'id' | 'tokenHash'>, salt: string) =>
	tokenHash ?? digestOf(JSON.stringify([salt, creditor, id]));

/** The leaves of all trees, in parts: each asset's in the order of their ids. */
export function partsOf(number: number, debts: readonly Debt[], salt: string): DebtPart[] {
	return [...Map.groupBy(debts, ({ asset }) => asset)].flatMap(([asset, owed]) => {
		const leaves = owed
			.map((debt): Leaf => ({ id: blindedId({ ...debt, number, secret: secretOf(debt, salt) }), amount: debt.amount }))
			.toSorted((a, b) => (a.id < b.id ? -1 : 1));
		const count = Math.ceil(leaves.length / LEAVES_PER_PART);
		return Array.from({ length: count }, (_, i) =>
			partOf(number, asset, leaves.slice(i * LEAVES_PER_PART, (i + 1) * LEAVES_PER_PART)),
		);
	});
}

function partOf(number: number, asset: AssetId, leaves: readonly Leaf[]): DebtPart {
	const branch = rootOf(leaves.map((leaf) => leafNode(asset, leaf)));
	if (!branch) throw new RangeError('a part of a tree has no leaf');
	return { number, asset, ...branch, leaves: leaves.map(({ id, amount }) => [id, amount.toString()]) };
}

/** The root of each asset's tree. */
export function rootsOf(parts: readonly DebtPart[]): DebtRoot[] {
	return [...Map.groupBy(parts, ({ asset }) => asset)]
		.flatMap(([asset, own]) => {
			const root = rootOf(own.map(nodeOf));
			return root ? [{ asset, hash: root.hash, sum: root.sum }] : [];
		})
		.toSorted((a, b) => (a.asset < b.asset ? -1 : 1));
}

const nodeOf = ({ hash, sum, first, last }: Omit<DebtPart, 'leaves'>): DebtNode => ({ hash, sum, first, last });

/** Its names are in the order of RFC 8785. */
export const statementText = ({ debts, unshown, ...told }: Omit<SolvencyStatement, 'type'>): string =>
	JSON.stringify({
		at: told.at,
		debts: debts.map(({ asset, hash, sum }) => ({ asset, hash, sum })),
		deployment: told.deployment,
		number: told.number,
		reserves: told.reserves,
		type: 'partner-exchange/solvency/1',
		unshown: unshown.map(({ addresses, network }) => ({ addresses, network })),
	} satisfies SolvencyStatement);

/** A creditor's debt and its way to the root; null where the id is not in this part. `branches`: all parts of the asset's tree. */
export function ownDebt(part: DebtPart, branches: readonly Omit<DebtPart, 'leaves'>[], id: string): OwnDebt | null {
	const at = part.leaves.findIndex(([leaf]) => leaf === id);
	const [, amount] = part.leaves[at] ?? [];
	if (amount === undefined) return null;
	const { asset } = part;
	const leaves = part.leaves.map(([leaf, sum]) => leafNode(asset, { id: leaf, amount: BigInt(sum) }));
	const branch = branches.findIndex(({ first }) => first === part.first);
	return { asset, amount, path: [...pathOf(leaves, at), ...pathOf(branches.map(nodeOf), branch)] };
}
