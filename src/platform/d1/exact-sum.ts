/**
 * Exact sums of base units in SQL. SQLite adds in 64 bits and D1 returns numbers as doubles, and a wallet's ether may
 * exceed both. So amounts are cut into limbs of nine digits. Each limb is added up by itself and returned as text.
 * Numbers in the statements are literals, because D1 would bind them as floats. Pure.
 */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** Sums of 10⁹ rows fit 64 bits. */
const LIMB_DIGITS = 9;
const LIMBS = 4;
/** Amounts have at most this many digits; ten trillion coins of 18 decimals have 32. */
const DIGITS = LIMB_DIGITS * LIMBS;
const BASE = 10n ** BigInt(LIMB_DIGITS);

/** The sum of a column of base units in text, signed or not; zero of no rows. */
export const exactSum = (amount: SQLWrapper): SQL<bigint> =>
	sql
		.join([...limbSums(amount).map((sum) => sql`cast(${sum} as text)`), fits(amount)], sql` || ' ' || `)
		.mapWith(joined);

/** The four columns of a kept sum, the highest first. A trigger adds to each by itself. */
export type Limbs = readonly [SQLWrapper, SQLWrapper, SQLWrapper, SQLWrapper];

/** The sum of kept sums, exact; zero of no rows. */
export const keptSum = (limbs: Limbs): SQL<bigint> =>
	sql
		.join([...limbs.map((limb) => sql`cast(coalesce(sum(${limb}), 0) as text)`), sql`'fits'`], sql` || ' ' || `)
		.mapWith(joined);

/** The columns of a kept sum, the highest first: each limb has the amount's sign. @throws RangeError as below */
export function limbsOf(amount: bigint): readonly [number, number, number, number] {
	const [sign, digits] = amount < 0n ? [-1, -amount] : [1, amount];
	if (digits.toString().length > DIGITS) throw new RangeError(`an amount has more than ${DIGITS} digits`);
	const limb = (i: number) => sign * Number((digits / BASE ** BigInt(i)) % BASE);
	return [limb(3), limb(2), limb(1), limb(0)];
}

/** 1 for a group whose amounts do not add up to zero. Carries go from limb to limb, the lowest first. */
export function isNotZero(amount: SQLWrapper): SQL<0 | 1> {
	const base = sql.raw(BASE.toString());
	const conditions: SQL[] = [];
	let carried = sql`0`;
	for (const [i, sum] of limbSums(amount).reverse().entries()) {
		const total = sql`(${sum} + ${carried})`;
		conditions.push(i < LIMBS - 1 ? sql`${total} % ${base} <> 0` : sql`${total} <> 0`);
		carried = sql`(${total} / ${base})`;
	}
	return sql<0 | 1>`(${sql.join(conditions, sql` or `)})`;
}

/** The highest limb first. */
function limbSums(amount: SQLWrapper): SQL[] {
	const padded = sql`substr('${sql.raw('0'.repeat(DIGITS))}' || ltrim(${amount}, '-'), ${sql.raw(String(-DIGITS))})`;
	const sign = sql`case when substr(${amount}, 1, 1) = '-' then -1 else 1 end`;
	return Array.from({ length: LIMBS }, (_, i) => {
		const digits = sql`substr(${padded}, ${sql.raw(String(1 + i * LIMB_DIGITS))}, ${sql.raw(String(LIMB_DIGITS))})`;
		return sql`coalesce(sum((${sign}) * cast(${digits} as integer)), 0)`;
	});
}

const fits = (amount: SQLWrapper): SQL =>
	sql`case when max(length(ltrim(${amount}, '-'))) > ${sql.raw(String(DIGITS))} then 'long' else 'fits' end`;

/** A sum that a column has in the form that `exactSum` selects. @throws RangeError as below */
export const storedSum = (text: string): bigint => joined(text);

/** @throws RangeError where an amount is longer than the limbs: no sum at all is better than a wrong one. */
function joined(text: string): bigint {
	const parts = text.split(' ');
	if (parts.pop() !== 'fits') throw new RangeError(`an amount has more than ${DIGITS} digits`);
	return parts.reduce((sum, limb) => sum * BASE + BigInt(limb), 0n);
}
