/**
 * Base units: the integers in which chains, deposits, payouts and the ledger count (satoshi, wei, …).
 * Text is the form in which they cross D1 and JSON. Pure; nothing here knows an asset.
 */

const PLAIN_DECIMAL = /^\d+(\.\d+)?$/;

/**
 * Exact base units of a plain decimal text, for an asset of `decimals` places.
 * @throws RangeError when the text is no plain decimal, or names a fraction of a base unit: nothing is ever rounded here.
 */
export function toBaseUnits(text: string, decimals: number): bigint {
	if (!PLAIN_DECIMAL.test(text)) throw new RangeError(`not a plain decimal: ${text}`);
	const [whole = '0', fraction = ''] = text.split('.');
	const significant = fraction.replace(/0+$/, '');
	if (significant.length > decimals) throw new RangeError(`${text} has more than ${decimals} decimals`);
	return BigInt(whole + significant.padEnd(decimals, '0'));
}

/** Plain decimal text of base units: no exponent, no trailing zeros, no trailing dot (book: contract, "Amounts"). */
export function fromBaseUnits(units: bigint, decimals: number): string {
	const negative = units < 0n;
	const digits = (negative ? -units : units).toString().padStart(decimals + 1, '0');
	const whole = digits.slice(0, digits.length - decimals);
	const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
	return `${negative ? '-' : ''}${whole}${fraction ? `.${fraction}` : ''}`;
}

/** `Math.min` and `Math.max` take no bigint. */
export function lesser(first: bigint, ...others: readonly bigint[]): bigint {
	let least = first;
	for (const each of others) if (each < least) least = each;
	return least;
}

export function greater(first: bigint, ...others: readonly bigint[]): bigint {
	let most = first;
	for (const each of others) if (each > most) most = each;
	return most;
}

export const sumOf = (parts: readonly { readonly amount: bigint | string }[]): bigint =>
	parts.reduce((sum, { amount }) => sum + BigInt(amount), 0n);

export function amountsByAsset<Asset>(
	parts: Iterable<{ readonly asset: Asset; readonly amount: bigint }>,
): Map<Asset, bigint> {
	const sums = new Map<Asset, bigint>();
	for (const { asset, amount } of parts) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
	return sums;
}
