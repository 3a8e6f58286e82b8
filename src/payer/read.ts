/**
 * An order for the caller who has its token. A miss is answered alike whatever its cause, and takes the same time: an id that is
 * unknown, an order that is deleted, and a token that is wrong cannot be told apart.
 */
import type { ArchiveEnv } from '../archive/find.ts';
import { assetOf } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { networkSettings } from '../catalog/settings.ts';
import { explorerOf } from '../chains/explorer.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { sameDigest, sha256Hex, TOKEN_PATTERN } from '../crypto/tokens.ts';
import { decimal, usdText } from '../money/decimal.ts';
import { toBaseUnits } from '../money/units.ts';
import type { WaitingDeposit } from '../orders/progress.ts';
import { requireSealed } from '../orders/seal.ts';
import { settle } from '../orders/settlement.ts';
import { waitingOn } from '../orders/shown.ts';
import { isStatusTokenOf } from '../orders/status-token.ts';
import { straysView } from '../orders/strays.ts';
import type { OrderRow } from '../orders/table.ts';
import { newestThenNear } from '../platform/d1/session.ts';
import { Remembered } from '../platform/remembered.ts';
import type { Env } from '../ports/env.ts';
import type { Market } from '../pricing/market.ts';
import { readMarket } from '../pricing/market-reader.ts';
import { termsOf } from '../pricing/quote.ts';
import {
	type LiveQuote,
	type PayerOrder,
	type PayerRecord,
	type PayerStatus,
	payerOrder,
	payerStatus,
} from './order.ts';
import { type FoundRecord, readRecord } from './store.ts';

/** Longer than any read of a live order takes. */
const MISS_MILLISECONDS = 150;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface Reader {
	readonly env: Env & ArchiveEnv;
	readonly background: (work: Promise<unknown>) => void;
}

/** This isolate's own: an isolate without it reads more. */
const remembered = new Remembered<Remembrance>();

interface Remembrance {
	readonly record: FoundRecord | null;
	readonly waiting: WaitingDeposit | null;
}

/** Forgets what this isolate remembers of an order that it has just changed. */
export const forgetOrder = (id: string): void => remembered.forget(id);

/** For `frame-ancestors`: the record without a token. It shows nothing of the order. */
export async function findRecord(reader: Reader, id: string): Promise<FoundRecord | null> {
	return ID.test(id) ? (await remember(reader, id)).record : null;
}

/** Null: not found, or the token is not the order's own. @throws when the order's seal is broken */
export async function findForPayer(reader: Reader, id: string, token: string): Promise<PayerRecord | null> {
	const found = await findRemembered(reader, id, token);
	return found?.reads === 'all' ? found.record : null;
}

/** `status`: of who has the order's status token. */
export type ShownToPayer = { readonly shown: PayerOrder } | { readonly status: PayerStatus };

/** Null: not found, or the token is none of the order's two. @throws when the order's seal is broken */
export async function showToPayer(reader: Reader, id: string, token: string): Promise<ShownToPayer | null> {
	const found = await findRemembered(reader, id, token);
	if (!found) return null;
	const { record, waiting, reads } = found;
	if (reads === 'all') return { shown: await shownOf(reader, record, waiting) };
	// The status names three transactions at most, so these have an explorer.
	const named = { ...record, order: { ...record.order, strays: null }, deposits: [] };
	const beside = { explorers: explorersOf(reader.env, named), support: reader.env.SUPPORT_CONTACT || null };
	return { status: payerStatus(record, { ...beside, now: Date.now() }) };
}

/** The same for the operator, who needs no token. Whether it is the operator is the caller's to know. */
export async function showToOperator(reader: Reader, id: string): Promise<PayerOrder | null> {
	if (!ID.test(id)) return null;
	const { record, waiting } = await remember(reader, id);
	return record && shownOf(reader, record, waiting);
}

async function shownOf(reader: Reader, record: FoundRecord, waiting: WaitingDeposit | null): Promise<PayerOrder> {
	const now = Date.now();
	const live = await liveFacts(reader, record.order, now);
	const support = reader.env.SUPPORT_CONTACT || null;
	return payerOrder(record, { waiting, ...live, explorers: explorersOf(reader.env, record), support, now });
}

async function findRemembered(reader: Reader, id: string, token: string) {
	const startedAt = Date.now();
	const digest = await sha256Hex(TOKEN_PATTERN.test(token) ? token : '');
	const { record, waiting } = ID.test(id) ? await remember(reader, id) : { record: null, waiting: null };
	const reads = record && (await readsOf(record.order, token, digest));
	if (record && reads) {
		// Anyone who can write rows must not lead a payer to another address.
		if (!record.isArchived) await requireSealed(keyRing(reader.env, 'SEAL_KEY'), record.order);
		return { record, waiting, reads };
	}
	const left = startedAt + MISS_MILLISECONDS - Date.now();
	await new Promise((passed) => setTimeout(passed, left));
	return null;
}

/** Null where the token is none of the order's two. `digest`: its hash. */
async function readsOf(order: OrderRow, token: string, digest: string): Promise<'all' | 'status' | null> {
	if (sameDigest(order.tokenHash, digest)) return 'all';
	return (await isStatusTokenOf(order, token)) ? 'status' : null;
}

const remember = (reader: Reader, id: string): Promise<Remembrance> =>
	remembered.get(id, () => readRemembrance(reader.env, id), reader.background);

async function readRemembrance(env: Reader['env'], id: string): Promise<Remembrance> {
	const record = await readRecord(newestThenNear(env.DB), env, id);
	if (!record) return { record, waiting: null };
	const { order } = record;
	const waiting = order.status === 'PENDING' ? await waitingOn(env, order.fromNetwork, [id]) : {};
	return { record, waiting: waiting[id] ?? null };
}

/** Reads the market while the order goes on; without one there is no quote, and nothing counts as paused. */
async function liveFacts({ env, background }: Reader, order: OrderRow, now: number) {
	const isOver = order.status === 'DONE' || order.status === 'EXPIRED';
	const market = isOver ? null : await readMarket(env, now, background);
	return {
		quote: market && liveQuote(order, market, now),
		payoutsPaused: market !== null && !networkSettings(market.settings, order.toNetwork).send,
	};
}

/** While nothing is settled: what the order's amount, or what has arrived of it, would bring now. */
function liveQuote(order: OrderRow, market: Market, now: number): LiveQuote | null {
	if (order.status !== 'NEW' && order.status !== 'PENDING') return null;
	const [from, to] = [assetOf(order.fromAsset), assetOf(order.toAsset)];
	const settlement = settle(order, toBaseUnits(order.depositAmount ?? order.fromAmount, from.decimals), market, now);
	const terms = termsOf(market, { from, to }, order, now);
	if (!settlement || !terms) return null;
	const { toAmount, rate } = settlement;
	return { toAmount, rate, usd: usdText(decimal(toAmount).times(terms.toUsd)), ...terms.shown.from };
}

function explorersOf(env: Env, { order, deposits }: Pick<PayerRecord, 'order' | 'deposits'>): Record<string, string> {
	const { fromNetwork, toNetwork, depositTxId, payoutTxId, refundTxId } = order;
	const ours: readonly (readonly [NetworkName, string | null])[] = [
		...deposits.map(({ network, txId }) => [network, txId] as const),
		[fromNetwork, depositTxId],
		[toNetwork, payoutTxId],
		[fromNetwork, refundTxId],
		...straysView(order).map(({ network, back }) => [network, back.tx.id] as const),
	];
	return Object.fromEntries(
		ours.flatMap(([network, txId]) => {
			const page = explorerOf(env, { network, txId });
			return txId !== null && page !== null ? [[txId, page]] : [];
		}),
	);
}
