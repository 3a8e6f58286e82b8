/** The fields that the bodies of `price` and `create` share, as zod schemas: wire text in, domain types out. */
import * as z from 'zod/mini';
import { NumberText } from '../http/body.ts';
import { optional } from '../http/optional.ts';
import { type Amount, numberText, parseAmount } from '../money/amount.ts';
import { MAX_AFFTAX_BPS } from '../money/bps.ts';

/**
 * Text, or a JSON number's own decimal text; still without an asset, so without a precision. `NumberText` is how the
 * parsed body holds a number; to the reference it is one.
 */
const amountTextSchema = z.lazy(() =>
	z.union([
		z.string(),
		z.pipe(
			z.instanceof(NumberText).check(z.meta({ type: 'number' })),
			z.transform(({ text }, { issues }) => {
				const plain = numberText(text);
				if (plain === null) issues.push({ code: 'custom', message: 'not a plain number', input: text });
				return plain ?? '';
			}),
		),
	]),
);

export const quoteBody = z.lazy(() =>
	z.object({
		type: z.literal('float').check(z.describe('Only `float`.')),
		fromCcy: z
			.string()
			.check(z.describe('Source asset id, or its CAIP-19 name as `assets` has it; active and part of an active pair.')),
		toCcy: z.string().check(z.describe('Destination asset id, or its CAIP-19 name.')),
		fromNetwork: optional(z.string()).check(z.describe('Network hint for tie-breaking an ambiguous `fromCcy`.')),
		toNetwork: optional(z.string()).check(z.describe('Network hint for `toCcy`.')),
		direction: z
			.enum(['from', 'to'])
			.check(z.describe('`from`: `amount` is the deposit. `to`: `amount` is what is to be received.')),
		amount: amountTextSchema.check(
			z.describe('Decimal in the asset chosen by `direction`, of at most its `precision` places. Strings preferred.'),
		),
		afftax: optional(z.int().check(z.minimum(0), z.maximum(MAX_AFFTAX_BPS))).check(
			z.describe('Basis points added to the rate as your margin; out of range returns code 1 (never clamped).'),
		),
	}),
);

export const priceBody = z.lazy(() =>
	z.extend(quoteBody._zod.innerType, {
		with: optional(z.array(z.enum(['cost']))).check(
			z.describe('What the answer has beyond its usual fields; another name returns code 1.'),
		),
	}),
);

export type PriceInput = z.output<typeof priceBody>;

/** The amount in the asset that `direction` names; null when it is none. */
export function amountIn(
	direction: 'from' | 'to',
	text: string,
	from: { readonly precision: number },
	to: { readonly precision: number },
): Amount | null {
	return parseAmount(text, (direction === 'from' ? from : to).precision);
}
