/**
 * `asset …`: the switch of one asset, the reserve that the feed shows, and orders larger than the hot wallet can pay.
 */
import * as z from 'zod/mini';
import { assetId, coinAmount, NOTHING_TO_CHANGE } from '../input.ts';
import { declare, type Topic } from '../topic.ts';

export const asset = {
	about: 'assets: switch them on and off, set the reserve that the feed shows',
	commands: {
		list: declare({
			summary: 'all assets with price, network fee, reserve and the hot wallet’s balance',
			reads: true,
			input: z.strictObject({}),
			options: {},
			columns: ['code', 'network', 'active', 'recv', 'send', 'priceUsd', 'balance', 'reserve'],
			wide: ['networkFee', 'beyondReserve'],
		}),
		update: declare({
			summary: 'change an asset; what is not named stays',
			button: 'Change the switch',
			input: z
				.strictObject({
					code: assetId,
					active: z.optional(z.boolean()),
					/** Null removes the operator's figure. */
					reserve: z.nullish(coinAmount),
					beyondReserve: z.optional(z.boolean()),
				})
				.check(z.refine((input) => Object.keys(input).length > 1, NOTHING_TO_CHANGE)),
			arguments: { code: { name: 'CODE', help: 'the asset, as `asset list` shows it' } },
			options: {
				active: {
					kind: 'boolean',
					help: 'off takes no new orders and makes no payouts; what is owed waits (at first on)',
				},
				reserve: {
					kind: 'text',
					value: 'AMOUNT|none',
					clearable: true,
					help: 'coins that the feed shows as reserve at most; none shows what the hot wallet has free (at first none)',
				},
				beyondReserve: {
					kind: 'boolean',
					help: 'on takes orders that the hot wallet cannot pay yet; they wait until it is filled (at first off)',
				},
			},
			needsOption: true,
		}),
	},
} satisfies Topic;
