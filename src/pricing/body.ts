/** What `price` and `create` have in common in their bodies, as zod schemas: wire text in, domain types out. */
import * as z from 'zod';
import { NumberText } from '../http/body.ts';
import { optional } from '../http/optional.ts';
import { type Amount, numberText, parseAmount } from '../money/amount.ts';

/** Basis points (book: contract, "Limits"). */
const MAX_AFFTAX_BPS = 2000;

/**
 * Text, or a JSON number's own decimal text; still without an asset, so without a precision. `NumberText` is how the
 * parsed body holds a number; to the reference it is one.
 */
const amountTextSchema = z.lazy(() =>
	z.union([
		z.string(),
		z
			.instanceof(NumberText)
			.meta({ type: 'number' })
			.transform(({ text }, context) => {
				const plain = numberText(text);
				if (plain === null) context.addIssue('not a plain number');
				return plain ?? '';
			}),
	]),
);

export const quoteBody = z.lazy(() =>
	z.object({
		type: z.literal('float').meta({ description: 'Only `float`.' }),
		fromCcy: z.string().meta({ description: 'Source asset id; active and part of an active pair.' }),
		toCcy: z.string().meta({ description: 'Destination asset id.' }),
		fromNetwork: optional(z.string()).meta({ description: 'Network hint for tie-breaking an ambiguous `fromCcy`.' }),
		toNetwork: optional(z.string()).meta({ description: 'Network hint for `toCcy`.' }),
		direction: z.enum(['from', 'to']).meta({
			description: '`from`: `amount` is the deposit. `to`: `amount` is what is to be received.',
		}),
		amount: amountTextSchema.meta({
			description: 'Decimal in the asset chosen by `direction`, of at most its `precision` places. Strings preferred.',
		}),
		afftax: optional(z.int().min(0).max(MAX_AFFTAX_BPS)).meta({
			description: 'Basis points added to the rate as your margin; out of range returns code 1 (never clamped).',
		}),
	}),
);

export type QuoteInput = z.output<typeof quoteBody>;

/** The amount in the asset that `direction` names; null when it is none. */
export function amountIn(
	direction: 'from' | 'to',
	text: string,
	from: { readonly precision: number },
	to: { readonly precision: number },
): Amount | null {
	return parseAmount(text, (direction === 'from' ? from : to).precision);
}
