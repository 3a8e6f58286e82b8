/** The quote as partners read it, described (book: contract, "Quote"). `quote.ts` renders it. */
import * as z from 'zod/mini';
import { decimalText } from '../money/schema.ts';

const text = (description: string) => z.string().check(z.describe(description));

const sideFields = (side: string) => ({
	code: text(`${side} asset id.`),
	coin: text('Trading symbol.'),
	network: text('Network name.'),
	rate: decimalText('Effective rate after base fee margin and afftax; the same on both sides.'),
	precision: z.int().check(z.minimum(0), z.describe(`${side} decimal precision.`)),
	usd: decimalText('USD value of the amount, two decimal places.'),
});

export const quoteSchema = /* @__PURE__ */ z.lazy(() =>
	z
		.object({
			from: z.object({
				...sideFields('Source'),
				amount: decimalText('Deposit amount; echoes the input when direction is `from`, derived when `to`.'),
				min: decimalText('Smallest deposit that create accepts at this rate, in source units, inclusive.'),
				max: decimalText('Largest deposit that create accepts at this rate, in source units, inclusive.'),
				btc: z.literal('0').check(z.describe('Reserved; always `0`.')),
			}),
			to: z.object({
				...sideFields('Destination'),
				amount: decimalText('Amount received after rate and network fee; `0` when the result is not positive.'),
				min: decimalText('`from.min` in destination units.'),
				max: decimalText('`from.max` in destination units.'),
			}),
			errors: z.array(z.string()).check(z.maxLength(0), z.describe('Reserved; always empty.')),
			markupBps: z.int().check(z.minimum(0), z.maximum(2000), z.describe('Applied afftax; 0 for anonymous calls.')),
			cost: z
				.optional(
					z.object({
						midRate: decimalText('Destination units for one source unit, before any fee; rounded down.'),
						amount: decimalText('What `to.amount` has less than `from.amount` at `midRate`, in destination units; up.'),
						bps: decimalText('The same as a share of `from.amount`, in basis points of two places; up.'),
					}),
				)
				.check(z.describe('Where `with` asks for it: base fee, afftax, network fee and rounding together.')),
		})
		.register(z.globalRegistry, { id: 'Quote', description: 'A quote at the live rate.' }),
);
