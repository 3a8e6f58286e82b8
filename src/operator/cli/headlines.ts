/**
 * The sentence above a card: what a person wants to know first, from the facts of the answer. An answer of another shape,
 * from an older service, has none. Pure.
 */
import * as z from 'zod/mini';
import { orderSentence } from '../reading/order-sentence.ts';
import type { CommandPath } from '../topics/table.ts';

const refundSchema = z.object({
	asset: z.string(),
	to: z.string(),
	amount: z.string(),
	networkFee: z.string(),
	waitsBecause: z.nullable(z.string()),
});

function refundSentence(data: unknown): string | null {
	const { data: refund } = refundSchema.safeParse(data);
	if (!refund) return null;
	const { asset, to, amount, networkFee, waitsBecause } = refund;
	const state =
		waitsBecause === null ? 'is planned and goes out with the next poll' : `is planned and waits: ${waitsBecause}`;
	return `A refund of ${amount} ${asset} to ${to} ${state}. The network fee is ${networkFee} ${asset}.`;
}

const HEADLINES: Readonly<Partial<Record<CommandPath, (data: unknown, now: number) => string | null>>> = {
	'order/show': orderSentence,
	'order/refund': refundSentence,
};

export const headline = (path: CommandPath, data: unknown, now: number): string | null =>
	HEADLINES[path]?.(data, now) ?? null;
