/**
 * `asset …`: the switch of one asset, the reserve that the feed shows, and orders larger than the hot wallet can pay.
 */
import * as z from 'zod/mini';
import { MAX_LEAN_BPS } from '../../money/bps.ts';
import { assetId, coinAmount, onOff, whole } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

/** Null removes the operator's figure. */
const coinsOrNone = (help: string) =>
	({ kind: 'text', value: 'AMOUNT|none', clearable: true, schema: z.nullish(coinAmount), help }) as const;

/** Empty leaves it out; null removes the operator's code. */
const monitorCode = (feed: string) =>
	({
		kind: 'text',
		value: 'CODE|out|none',
		clearable: true,
		schema: z.nullish(
			z.pipe(
				z.string().check(z.regex(/^(?:out|[A-Z0-9]{1,20})$/, 'must be a code of capitals and digits, out or none')),
				z.transform((text) => (text === 'out' ? '' : text)),
			),
		),
		help: `what \`${feed}\` calls the asset; out leaves its pairs out; none is the code of this version (at first none)`,
	}) as const;

export const asset = topicOf('assets: switch them on and off, set the reserve that the feed shows', {
	list: declare({
		summary: 'all assets with price, network fee, reserve and the hot wallet’s balance',
		button: 'See the assets',
		reads: true,
		columns: ['code', 'network', 'active', 'recv', 'send', 'priceUsd', 'balance', 'reserve'],
		wide: [
			'bestchangeCode',
			'fixedfloatCode',
			'networkFee',
			'target',
			'beyondReserve',
			'surchargeBps',
			'discountBps',
			'leanOutBps',
			'leanInBps',
		],
	}),
	update: declare({
		summary: 'change an asset; what is not named stays',
		button: 'Change the switch',
		arguments: { code: { name: 'CODE', schema: assetId, help: 'the asset, as `asset list` shows it' } },
		options: {
			active: onOff('off takes no new orders and makes no payouts; what is owed waits (at first on)'),
			reserve: coinsOrNone(
				'coins that the feed shows as reserve at most; none shows what the hot wallet has free (at first none)',
			),
			target: coinsOrNone(
				'coins that the hot wallet should have free, for treasury plan and prices that lean; none: what it paid in the last two days (at first none)',
			),
			beyondReserve: onOff(
				'on takes orders that the hot wallet cannot pay yet; they wait until it is filled (at first off)',
			),
			surchargeBps: whole(
				[0, MAX_LEAN_BPS],
				'basis points that the base fee rises at most for orders that lead away from the target (at first 0)',
			),
			discountBps: whole(
				[0, MAX_LEAN_BPS],
				'basis points that the base fee falls at most, to zero, for orders that lead back to it (at first 0)',
			),
			bestchangeCode: monitorCode('/rates/bestchange.xml'),
			fixedfloatCode: monitorCode('/rates/fixedfloat.xml'),
		},
		needsOption: true,
	}),
});
