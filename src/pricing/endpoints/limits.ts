/** `POST /api/v1/limits`: the limits of all pairs in one call. */
import * as z from 'zod/mini';
import { EMPTY_BODY, EMPTY_BODY_NOTE } from '../../catalog/endpoints/list.ts';
import { decimalTextOrNull } from '../../money/schema.ts';
import { endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { pairLimitsText } from '../pair-limits.ts';

const limitsSchema = /* @__PURE__ */ z.lazy(() =>
	z.object({
		from: z.string(),
		to: z.string(),
		open: z.boolean().check(z.describe('Create takes an order of this pair now.')),
		fromMin: decimalTextOrNull('Smallest deposit; null, like the others, without a quote.'),
		fromMax: decimalTextOrNull('Largest deposit.'),
		toMin: decimalTextOrNull('What the smallest deposit brings.'),
		toMax: decimalTextOrNull('What the largest deposit brings.'),
	}),
);

export const limits = endpoint({
	method: 'POST',
	path: '/api/v1/limits',
	auth: 'optional',
	admits: ['app', 'read', 'server'],
	weight: 5,
	isAddition: true,
	id: 'pairLimits',
	request: EMPTY_BODY,
	handle: async (call) => {
		const market = await call.market();
		if (!market) return { kind: 'no-market' };
		return { dataJson: await pairLimitsText(market, call.partner?.defaultAfftaxBps ?? 0, call.now) };
	},
});

export const limitsDocs: EndpointDocs = () => ({
	tag: 'Quotes',
	summary: 'List the limits of all pairs',
	description: ['Every active pair with the window of a `price` that names no afftax.', '', ...EMPTY_BODY_NOTE],
	example: {},
	response: {
		data: z.lazy(() => z.array(limitsSchema)),
		description: 'All active pairs.',
		example: [
			{
				from: 'LTC',
				to: 'ETH',
				open: true,
				fromMin: '0.47058824',
				fromMax: '588.23529411',
				toMin: '0.01296',
				toMax: '16.59967999',
			},
		],
	},
	errors: [11],
});
