/** `POST /api/v1/currencies` and `POST /api/v1/pairs` (spec). */
import type { Answer, Call } from '../endpoint.ts';
import type { Settings } from './settings.ts';
import { currenciesText, pairsText } from './view.ts';

export const currencies = (call: Call): Promise<Answer> => list(call, currenciesText);

export const pairs = (call: Call): Promise<Answer> => list(call, pairsText);

async function list(call: Call, text: (settings: Settings) => string): Promise<Answer> {
	if (!isEmptyObject(call.body)) return { kind: 'body-not-empty' };
	const market = await call.market();
	if (!market) return { kind: 'no-market' };
	return { dataJson: text(market.settings) };
}

/** `{}` or zero bytes only (decisions.md "Envelope and transport"). */
const isEmptyObject = (body: Uint8Array): boolean =>
	body.length === 0 || (body.length === 2 && body[0] === 0x7b && body[1] === 0x7d);
