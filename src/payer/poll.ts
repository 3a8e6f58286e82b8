/**
 * `GET /o/{id}/state` of an open page whose order is still the version that the page has: one row of D1, and no page is made.
 * Everything else is the pages Worker's to answer.
 */
import { and, eq, isNull } from 'drizzle-orm';
import { sameDigest, sha256Hex } from '../crypto/tokens.ts';
import { bearerOf } from '../http/bearer.ts';
import { waitingOn } from '../orders/shown.ts';
import { isStatusTokenOf } from '../orders/status-token.ts';
import { type OrderRow, orders } from '../orders/table.ts';
import { newestThenNear } from '../platform/d1/session.ts';
import { Remembered } from '../platform/remembered.ts';
import { spendOnPage } from './budget.ts';
import type { Reader } from './read.ts';
import { versionOf } from './version.ts';

const SEEN = /^"([\d.-]{1,40})"$/;
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

interface Newest {
	readonly row: Pick<OrderRow, 'id' | 'tokenHash' | 'sequence' | 'updatedAt'>;
	/** With the confirmations. */
	readonly version: string;
}

/** This isolate's own, like the whole orders that it remembers. */
const remembered = new Remembered<Newest | null>();

/** 304, or 429 where the client's network has asked too often; null where the pages Worker is to answer. */
export async function answerUnchanged(reader: Reader, headers: Headers, id: string): Promise<Response | null> {
	const seen = SEEN.exec(headers.get('if-none-match') ?? '')?.[1];
	if (seen === undefined) return null;
	const retryAfterSeconds = await spendOnPage(reader, headers);
	if (retryAfterSeconds !== null)
		return new Response(null, { status: 429, headers: { ...HEADERS, 'retry-after': String(retryAfterSeconds) } });
	const newest = await remembered.get(id, () => readNewest(reader, id), reader.background);
	if (!newest || !(await isVersionOf(newest, bearerOf(headers), seen))) return null;
	return new Response(null, { status: 304, headers: { ...HEADERS, etag: `"${seen}"` } });
}

/** Does who has this token see this version still? Who has the status token sees no confirmations. */
async function isVersionOf({ row, version }: Newest, token: string, seen: string): Promise<boolean> {
	if (seen === version && sameDigest(row.tokenHash, await sha256Hex(token))) return true;
	return seen === versionOf(row, null) && (await isStatusTokenOf(row, token));
}

/** Null for an order that is unknown, deleted or archived. */
async function readNewest({ env }: Reader, id: string): Promise<Newest | null> {
	const { sequence, updatedAt, status, fromNetwork, tokenHash } = orders;
	const columns = { id: orders.id, sequence, updatedAt, status, fromNetwork, tokenHash };
	const [row] = await newestThenNear(env.DB)
		.select(columns)
		.from(orders)
		.where(and(eq(orders.id, id), isNull(orders.deletedAt)));
	if (!row) return null;
	const waiting = row.status === 'PENDING' ? await waitingOn(env, row.fromNetwork, [id]) : {};
	return { row, version: versionOf(row, waiting[id]?.confirmations ?? null) };
}
