/** `POST /api/v1/price` (spec). */
import { isPairActive, resolveAsset } from '../catalog/settings.ts';
import { type Answer, answer, type Call } from '../endpoint.ts';
import { parseJson } from '../http/body.ts';
import { refuse } from '../http/refusal.ts';
import { amountIn, priceBody } from './body.ts';
import { quoteOf, quoteView, termsOf } from './quote.ts';

export async function price(call: Call): Promise<Answer> {
	const parsed = priceBody.safeParse(parseJson(call.body));
	if (!parsed.success) return refuse('INVALID_REQUEST', parsed.error.message);
	const { fromCcy, toCcy, direction, amount: amountText, afftax } = parsed.data;
	const [from, to] = [resolveAsset(fromCcy, undefined), resolveAsset(toCcy, undefined)];
	const amount = from && to ? amountIn(direction, amountText, from, to) : null;
	if (!from || !to || !amount) return refuse('INVALID_REQUEST', 'asset or amount');
	const market = await call.market();
	if (!market) return refuse('UPSTREAM_ERROR', 'no market snapshot');
	if (!isPairActive(market.settings, from, to)) return refuse('INVALID_REQUEST', 'pair not active');

	// Unsigned callers get the base rate, whatever their body says (spec, "POST /api/v1/price").
	const afftaxBps = call.partner ? (afftax ?? call.partner.defaultAfftaxBps) : 0;
	const terms = termsOf(market, from, to, { baseFeeBps: market.settings.baseFeeBps, afftaxBps }, call.now);
	if (!terms) return refuse('UPSTREAM_ERROR', 'price too old or network silent');
	return answer(quoteView(quoteOf(terms, direction, amount), afftaxBps));
}
