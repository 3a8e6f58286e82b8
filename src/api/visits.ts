/**
 * How much a visitor of the public sandbox may still do. Each limit is read before the call: of calls at once, as many more may
 * pass as their weight in a minute allows.
 */
import { count, eq } from 'drizzle-orm';
import { auditLog } from '../audit/table.ts';
import type { Refusal } from '../http/refusals.ts';
import { orders } from '../orders/table.ts';
import { visitors } from '../partners/table.ts';
import { CHANGES_PER_VISIT, ORDERS_PER_VISIT } from '../partners/visitors.ts';
import type { Db } from '../platform/d1/database.ts';
import { DAY_SECONDS } from '../platform/time.ts';
import type { DeclaredEndpoint } from '../ports/endpoint-docs.ts';

/** Their calls leave lines in the audit log, which are never deleted. */
const AUDITED = ['/api/v1/keys', '/api/v1/keys/rotate', '/api/v1/webhooks', '/api/v1/webhooks/change'];

/** Why this partner may not call it any more; null for one that is no visitor. */
export async function visitUsedUp(
	db: Db,
	{ method, path }: Pick<DeclaredEndpoint, 'method' | 'path'>,
	partnerId: string,
): Promise<Refusal | null> {
	const { of, most } =
		path === '/api/v1/create'
			? { of: { table: orders, partner: orders.partnerId }, most: ORDERS_PER_VISIT }
			: { of: { table: auditLog, partner: auditLog.subject }, most: CHANGES_PER_VISIT };
	if (path !== '/api/v1/create' && (method === 'GET' || !AUDITED.includes(path))) return null;
	const [made] = await db
		.select({ rows: count() })
		.from(visitors)
		.innerJoin(of.table, eq(of.partner, visitors.partnerId))
		.where(eq(visitors.partnerId, partnerId));
	return (made?.rows ?? 0) < most ? null : { kind: 'visit-used-up', retryAfterSeconds: DAY_SECONDS };
}
