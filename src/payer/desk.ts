/** The pages Worker's questions about orders, for a payer: each answer costs the client's network some of its budget. */
import { keyRing } from '../crypto/key-ring.ts';
import { type RefundAnswer, refundAnswer } from '../orders/refund-answer.ts';
import { askRefund } from '../orders/refund-request.ts';
import { requireSealed } from '../orders/seal.ts';
import { promiseOf } from '../orders/shown.ts';
import { chooseExchange, findOrder } from '../orders/store.ts';
import type { OrderRow, RefundAsker } from '../orders/table.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { objectNamed } from '../platform/region.ts';
import type { PayerAnswer, PayerDeed, PayerFrame, PayerPromise } from '../ports/desk.ts';
import { spendOnPage } from './budget.ts';
import { nameForPayer } from './named.ts';
import { brandOf, mayExchange, type PayerRecord } from './order.ts';
import { findForPayer, findRecord, forgetOrder, type Reader, showToPayer } from './read.ts';

/** Which origins may frame the page of this order, and whose it looks like; none for an order that is unknown. */
export async function frameOf(reader: Reader, headers: Headers, id: string): Promise<PayerFrame> {
	const retryAfterSeconds = await spendOnPage(reader, headers);
	if (retryAfterSeconds !== null) return { origins: [], brand: null, retryAfterSeconds };
	const { settings } = (await findRecord(reader, id)) ?? {};
	if (!settings) return { origins: [], brand: null, retryAfterSeconds: null };
	return { origins: settings.frameOrigins, brand: brandOf(settings, null), retryAfterSeconds: null };
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
	const refund = deed === 'refund' ? await askRefundForPayer(reader, id, token) : null;
	const found = await showToPayer(reader, id, token);
	if (!found) return { is: 'unknown', support: reader.env.SUPPORT_CONTACT || null, frameOrigins: [] };
	const record = await findRecord(reader, id);
	const frameOrigins = record?.settings.frameOrigins ?? [];
	if ('status' in found) return { is: 'status', status: found.status, frameOrigins };
	const promise = deed === 'promise' ? await promiseForPayer(reader, id, token) : null;
	return { is: 'shown', shown: found.shown, named, promise, refund, frameOrigins };
}

/** Null where the token is not the order's. */
async function promiseForPayer(reader: Reader, id: string, token: string): Promise<PayerPromise | null> {
	const record = await findForPayer(reader, id, token);
	return record && ((await promiseOf(reader.env, record.order)) ?? 'none');
}

/**
 * The one choice of a payer: EXCHANGE at the live rate, where their partner lets payers decide. It is the partner's choice
 * in every other respect (book: contract, "POST /api/v1/emergency"). False where there is nothing to choose, or not any more. Atomic: one statement, on the condition
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

/** Null where the token is not the order's. */
const askRefundForPayer = (reader: Reader, id: string, token: string): Promise<RefundAnswer | null> =>
	askedBy('payer', reader, id, () => findForPayer(reader, id, token));

/** The same from the partner's cabinet. @throws when its seal is broken */
export async function askRefundForPartner(reader: Reader, partnerId: string, id: string): Promise<RefundAnswer> {
	const find = async () => {
		const record = await findRecord(reader, id);
		if (record?.order.partnerId !== partnerId) return null;
		if (!record.isArchived) await requireSealed(keyRing(reader.env, 'SEAL_KEY'), record.order);
		return record;
	};
	return (await askedBy('partner', reader, id, find)) ?? 'nothing';
}

async function askedBy(
	by: RefundAsker,
	{ env, background }: Reader,
	id: string,
	find: () => Promise<PayerRecord | null>,
) {
	forgetOrder(id);
	const record = await find();
	const answer = record && refundAnswer(record);
	if (!record || answer !== 'asked' || record.order.refundAskedAt !== null) return answer;
	const isAsked = await askRefund(databaseOf(env), record.order, by, Date.now());
	forgetOrder(id);
	if (!isAsked) return 'moved';
	const { fromNetwork } = record.order;
	background(objectNamed(env, env.CHAIN_AGENT, fromNetwork).wake(fromNetwork));
	return answer;
}
