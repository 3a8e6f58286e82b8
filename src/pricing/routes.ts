/** `POST /api/v1/price`, and the public feed `GET /api/rates.xml`, `GET /rates/float.xml` (spec). */
import { isPairActive, resolveAsset } from '../catalog/settings.ts';
import { type Answer, answer, type Call, type OpenCall } from '../endpoint.ts';
import { parseJson } from '../http/body.ts';
import { isNotModified } from '../http/conditional.ts';
import { amountIn, priceBody } from './body.ts';
import { emptyFeed, isServable } from './feed.ts';
import { readFeed } from './feed-reader.ts';
import { quoteOf, quoteView, termsOf } from './quote.ts';

export async function price(call: Call): Promise<Answer> {
	const parsed = priceBody.safeParse(parseJson(call.body));
	if (!parsed.success) return { kind: 'body-invalid', issues: parsed.error.message };
	const { fromCcy, fromNetwork, toCcy, toNetwork, direction, amount: amountText, afftax } = parsed.data;
	const from = resolveAsset(fromCcy, fromNetwork);
	if (!from) return { kind: 'unknown-asset', field: 'fromCcy' };
	const to = resolveAsset(toCcy, toNetwork);
	if (!to) return { kind: 'unknown-asset', field: 'toCcy' };
	const amount = amountIn(direction, amountText, from, to);
	if (!amount) return { kind: 'amount-invalid' };
	const market = await call.market();
	if (!market) return { kind: 'no-market' };
	if (!isPairActive(market.settings, from, to)) return { kind: 'pair-inactive', from: from.code, to: to.code };

	// Unsigned callers get the base rate, whatever their body says (spec, "POST /api/v1/price").
	const afftaxBps = call.partner ? (afftax ?? call.partner.defaultAfftaxBps) : 0;
	const terms = termsOf(market, from, to, { baseFeeBps: market.settings.baseFeeBps, afftaxBps }, call.now);
	if (!terms) return { kind: 'no-price', from: from.code, to: to.code };
	return answer(quoteView(quoteOf(terms, direction, amount), afftaxBps));
}

/** Renders nothing: what RateBook rendered is sent, or the empty feed, always with 200 (decisions.md "Feeds"). */
export async function rates({ env, headers, now, background }: OpenCall): Promise<Response> {
	const feed = await readFeed(env, now, background);
	const { xml, etag } = feed && isServable(feed, now) ? feed : await emptyFeed(now);
	// Caches ask each time, which costs a 304: a rate is not to be shown after maintenance began.
	const always = { etag, 'cache-control': 'public, no-cache' };
	if (isNotModified(headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: always });
	return new Response(xml, { headers: { ...always, 'content-type': 'application/xml; charset=utf-8' } });
}
