/** What `price` and `create` have in common in their bodies, as zod schemas: wire text in, domain types out. */
import { z } from 'zod';
import { NumberText } from '../http/body.ts';
import { type Amount, numberText, parseAmount } from '../money/amount.ts';

/** Basis points that a partner may add (spec, "Limits"). */
const afftaxSchema = z.int().min(0).max(2000);

/** Text, or a JSON number's own decimal text; still without an asset, so without a precision. */
const amountTextSchema = z.union([
	z.string(),
	z.instanceof(NumberText).transform(({ text }, context) => {
		const plain = numberText(text);
		if (plain === null) context.addIssue('not a plain number');
		return plain ?? '';
	}),
]);

export const quoteFields = {
	type: z.literal('float'),
	fromCcy: z.string(),
	toCcy: z.string(),
	direction: z.enum(['from', 'to']),
	amount: amountTextSchema,
	afftax: afftaxSchema.optional(),
};

/** The amount in the asset that `direction` names; null when it is none. */
export function amountIn(
	direction: 'from' | 'to',
	text: string,
	from: { readonly precision: number },
	to: { readonly precision: number },
): Amount | null {
	return parseAmount(text, (direction === 'from' ? from : to).precision);
}
