/** The pages Worker's questions about orders, for a payer: each answer costs the client's network some of its budget. */
import { keyRing } from '../crypto/key-ring.ts';
import { requireSealed } from '../orders/seal.ts';
import { chooseExchange, findOrder } from '../orders/store.ts';
import type { OrderRow } from '../orders/table.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { objectNamed } from '../platform/region.ts';
import type { PayerAnswer, PayerDeed, PayerFrame } from '../ports/desk.ts';
import { spendOnPage } from './budget.ts';
import { nameForPayer } from './named.ts';
import { mayExchange } from './order.ts';
import { findForPayer, findRecord, forgetOrder, type Reader, showToPayer } from './read.ts';

/** Which origins may frame the page of this order, and its fixed language; none for an order that is unknown. */
export async function frameOf(reader: Reader, headers: Headers, id: string): Promise<PayerFrame> {
	const retryAfterSeconds = await spendOnPage(reader, headers);
	if (retryAfterSeconds !== null) return { origins: [], language: null, retryAfterSeconds };
	const record = await findRecord(reader, id);
	const { frameOrigins = [], language = null } = record?.settings ?? {};
	return { origins: frameOrigins, language, retryAfterSeconds: null };
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

/**
 * The one choice of a payer: EXCHANGE at the live rate, where their partner lets payers decide. It is the partner's choice
 * in every other respect (book: contract, "POST /api/v1/emergency"). Refunds are the operator's, and go to the address that
 * was named at create. False where there is nothing to choose, or not any more. Atomic: one statement, on the condition
 * that it is EMERGENCY.
 */
async function exchangeForPayer(reader: Reader, id: string, token: string): Promise<boolean> {
	const record = await findForPayer(reader, id, token);
	return record && mayExchange(record) ? exchange(reader, record.order) : false;
}

/**
 * The same choice from the partner's cabinet, where a session stands for the token (book: contract, "POST
 * /api/v1/emergency"). False for an order that is not theirs, or that needs no choice. @throws when its seal is broken
 */
export async function exchangeForPartner(reader: Reader, partnerId: string, id: string): Promise<boolean> {
	const order = await findOrder(databaseOf(reader.env), id);
	if (order?.partnerId !== partnerId) return false;
	await requireSealed(keyRing(reader.env, 'SEAL_KEY'), order);
	return exchange(reader, order);
}

async function exchange({ env, background }: Reader, { id, fromNetwork }: OrderRow): Promise<boolean> {
	const isChosen = await chooseExchange(databaseOf(env), id, Date.now());
	forgetOrder(id);
	if (isChosen) background(objectNamed(env, env.CHAIN_AGENT, fromNetwork).wake(fromNetwork));
	return isChosen;
}
