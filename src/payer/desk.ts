/** What the pages Worker may ask of orders for a payer: each answer costs the client's network some of its budget. */
import type { PayerAnswer, PayerDeed, PayerFrame } from '../ports/desk.ts';
import { spendOnPage } from './budget.ts';
import { exchangeForPayer } from './exchange.ts';
import { nameForPayer } from './named.ts';
import { findRecord, type Reader, showToPayer } from './read.ts';

/** Which origins may frame the page of this order; none for an order that is unknown. */
export async function frameOf(reader: Reader, headers: Headers, id: string): Promise<PayerFrame> {
	const retryAfterSeconds = await spendOnPage(reader, headers);
	if (retryAfterSeconds !== null) return { origins: [], retryAfterSeconds };
	const record = await findRecord(reader, id);
	return { origins: record?.settings.frameOrigins ?? [], retryAfterSeconds: null };
}

interface Asked {
	readonly id: string;
	readonly token: string;
	readonly deed: PayerDeed | undefined;
}

export async function answerPayer(reader: Reader, headers: Headers, { id, token, deed }: Asked): Promise<PayerAnswer> {
	const retryAfterSeconds = await spendOnPage(reader, headers);
	if (retryAfterSeconds !== null) return { is: 'too many', retryAfterSeconds };
	if (deed === 'exchange') await exchangeForPayer(reader, id, token);
	const named = typeof deed === 'object' ? await nameForPayer(reader, id, token, deed.named) : null;
	const shown = await showToPayer(reader, id, token);
	if (!shown) return { is: 'unknown', frameOrigins: [] };
	const record = await findRecord(reader, id);
	return { is: 'shown', shown, named, frameOrigins: record?.settings.frameOrigins ?? [] };
}
