/** Shared by the two lists of the catalog: an empty body, and one cached text as the answer. */
import * as z from 'zod/mini';
import type { Answer, Call } from '../../ports/endpoint.ts';
import type { Settings } from '../settings.ts';

export const EMPTY_BODY = { schema: z.lazy(() => z.strictObject({})), isEmpty: true } as const;

export const EMPTY_BODY_NOTE = [
	'Send `{}` or no body at all; nothing else is accepted. Signed callers sign the bytes that they send: the two of `{}`,',
	'or none.',
	'',
	'Served from a 30-second server-side cache, which is the only freshness guarantee.',
];

/** `text`: the list's `data` for these settings, as JSON text. */
export async function answerList(call: Call, text: (settings: Settings) => string): Promise<Answer> {
	const market = await call.market();
	return market ? { dataJson: text(market.settings) } : { kind: 'no-market' };
}
