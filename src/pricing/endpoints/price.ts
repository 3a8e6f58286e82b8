/** `POST /api/v1/price`: a quote at the live rate. */
import { isPairActive, resolveAsset } from '../../catalog/settings.ts';
import { type Answer, answer, type Call, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { amountIn, type PriceInput, priceBody } from '../body.ts';
import { feesOf } from '../lean.ts';
import { datedNetworks } from '../market.ts';
import { quoteOf, quoteView, termsOf } from '../quote.ts';
import { quoteSchema } from '../schema.ts';

export const price = endpoint({
	method: 'POST',
	path: '/api/v1/price',
	auth: 'optional',
	admits: ['app', 'read', 'server'],
	weight: 1,
	id: 'price',
	request: { schema: priceBody },
	handle: answerQuote,
});

export const priceDocs: EndpointDocs = () => ({
	tag: 'Quotes',
	summary: 'Quote a swap',
	description: [
		'Every call recomputes against the latest rate snapshot; there is no response cache.',
		'',
		'- Signed callers get partner pricing, and `markupBps` echoes the applied value. Unsigned callers get the base rate',
		'  and `markupBps` 0, whatever their body says.',
		'- Afftax resolution, highest first: the body, the reference code in `X-API-KEY`, the partner default.',
		'- `fromCcy` and `toCcy` may be a coin symbol (`USDT`) with a network hint, as on create. A hint that contradicts an',
		'  exact id returns code 1.',
		'- `"with": ["cost"]` adds what the swap costs in all, against the price in the middle of the market.',
		'- Amounts outside the bounds are not rejected: read the deposit window in `from.min` and `from.max`.',
	],
	example: { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' },
	response: {
		data: quoteSchema,
		description: 'The quote.',
		example: {
			from: {
				code: 'LTC',
				coin: 'LTC',
				network: 'Litecoin',
				amount: '2',
				rate: '0.02822',
				precision: 8,
				usd: '170.00',
				min: '0.47058824',
				max: '588.23529411',
				btc: '0',
			},
			to: {
				code: 'ETH',
				coin: 'ETH',
				network: 'Ethereum',
				amount: '0.05612',
				rate: '0.02822',
				precision: 8,
				usd: '167.80',
				min: '0.01296',
				max: '16.59967999',
			},
			errors: [],
			markupBps: 50,
		},
	},
	errors: [1, 3, 5, 11, 99],
});

async function answerQuote(call: Call, input: PriceInput): Promise<Answer> {
	const from = resolveAsset(input.fromCcy, input.fromNetwork);
	if (!from) return { kind: 'unknown-asset', field: 'fromCcy' };
	const to = resolveAsset(input.toCcy, input.toNetwork);
	if (!to) return { kind: 'unknown-asset', field: 'toCcy' };
	const amount = amountIn(input.direction, input.amount, from, to);
	if (!amount) return { kind: 'amount-invalid' };
	const market = await call.market();
	if (!market) return { kind: 'no-market' };
	if (!isPairActive(market.settings, from, to)) return { kind: 'pair-inactive', from: from.code, to: to.code };
	for (const network of datedNetworks(market, { from, to }, call.now)) call.attend(network, 'quote');

	// Unsigned callers get the base rate, whatever their body says.
	const afftaxBps = call.partner ? (input.afftax ?? call.partner.defaultAfftaxBps) : 0;
	const terms = termsOf(market, { from, to }, feesOf(market, { from, to }, afftaxBps, call.now), call.now);
	if (!terms) return { kind: 'no-price', from: from.code, to: to.code };
	return answer(quoteView(quoteOf(terms, input.direction, amount), afftaxBps, input.with));
}
