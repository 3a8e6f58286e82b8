/** What the pages Worker may ask of orders for a payer: each answer costs the client's network some of its budget. */
import type { PayerAnswer, PayerFrame } from '../pages/desk.ts';
import { spendOnPage } from './budget.ts';
import { exchangeForPayer } from './exchange.ts';
import { findRecord, type Reader, showToPayer } from './read.ts';

/** Which origins may frame the page of this order; none for an order that is unknown. */
export async function frameOf(reader: Reader, headers: Headers, id: string): Promise<PayerFrame> {
	const retryAfterSeconds = await spendOnPage(reader, headers);
	if (retryAfterSeconds !== null) return { origins: [], retryAfterSeconds };
	const record = await findRecord(reader, id);
	return { origins: record?.settings.frameOrigins ?? [], retryAfterSeconds: null };
}

export async function answerPayer(
	reader: Reader,
	headers: Headers,
	{ id, token, exchange }: { readonly id: string; readonly token: string; readonly exchange: boolean },
): Promise<PayerAnswer> {
	const retryAfterSeconds = await spendOnPage(reader, headers);
	if (retryAfterSeconds !== null) return { is: 'too many', retryAfterSeconds };
	if (exchange) await exchangeForPayer(reader, id, token);
	const shown = await showToPayer(reader, id, token);
	if (!shown) return { is: 'unknown', frameOrigins: [] };
	const record = await findRecord(reader, id);
	return { is: 'shown', shown, frameOrigins: record?.settings.frameOrigins ?? [] };
}
