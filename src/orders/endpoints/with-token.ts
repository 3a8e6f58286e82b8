/** How `order`, `qr` and `emergency` name an order: its id and its access token. */
import * as z from 'zod/mini';
import { findArchived } from '../../archive/find.ts';
import { keyRing } from '../../crypto/key-ring.ts';
import { sameDigest, sha256Hex, TOKEN_PATTERN } from '../../crypto/tokens.ts';
import type { Refusal } from '../../http/refusals.ts';
import { type Newest, nearFrom, readNewest } from '../../platform/d1/session.ts';
import { JoinedCalls } from '../../platform/joined.ts';
import type { SignedCall } from '../../ports/endpoint.ts';
import type { AdmittedPartner } from '../../ports/gates.ts';
import { requireSealed } from '../seal.ts';
import { findNamedOrders, type NamedOrder } from '../store.ts';
import type { OrderRow } from '../table.ts';

/**
 * Any UUID text, whatever version its digits name: an id that somebody made up is unknown (code 6), not malformed.
 */
export const orderId = z.lazy(() =>
	z
		.string()
		.check(
			z.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i),
			z.meta({ format: 'uuid', description: 'Order id from create.' }),
		),
);

/** Anything at all as a token, or none: what is not the right one is a wrong one, code 6. */
export const orderToken = z.lazy(() =>
	z
		.optional(z.unknown())
		.check(
			z.meta({
				type: 'string',
				pattern: TOKEN_PATTERN.source,
				description: 'Raw access token from create; a malformed or wrong one returns code 6.',
			}),
		),
);

export const orderBody = z.lazy(() =>
	z.object({ id: orderId, token: orderToken }).check(z.meta({ required: ['id', 'token'] })),
);

/**
 * Reads of this isolate that are under way. A read begins after each call that it answers, so nobody is shown an order as it
 * was before they asked.
 */
const reads = new JoinedCalls<NamedOrder, Newest<OrderRow | null>>();

/**
 * The order that id and token name. A miss reads the same whatever its cause: unknown id, another partner's order, wrong
 * token, deleted. It takes as long, too, so that nobody learns by time which ids exist. Which batch has an archived order,
 * a replica may say, because the batch that moved the order is part of the state in which the primary no longer had it.
 * @throws when a seal is broken, or the archive does not answer
 */
export async function findWithToken(
	{ env, partner, background }: SignedCall,
	{ id, token }: z.output<typeof orderBody>,
): Promise<OrderRow | Refusal> {
	const given = typeof token === 'string' && TOKEN_PATTERN.test(token) ? token : '';
	const tokenHash = await sha256Hex(given);
	const send = (named: readonly NamedOrder[]) => readAll(env.DB, named);
	const named = { id: id.toLowerCase(), tokenHash };
	const { found: read, bookmark } = await reads.ask('orders', named, { send, background });
	if (read && isOpenTo(partner, read) && sameDigest(read.tokenHash, tokenHash)) {
		await requireSealed(keyRing(env, 'SEAL_KEY'), read);
		return read;
	}
	const archived = (await findArchived(nearFrom(env.DB, bookmark), env, named.id))?.order;
	const isVisible = archived && isOpenTo(partner, archived) && archived.deletedAt === null;
	if (!archived || !isVisible || !sameDigest(archived.tokenHash, tokenHash)) return { kind: 'order-unknown' };
	// It is under the seal of its batch.
	return archived;
}

/** Anyone can take an app key out of its app, so it reads the orders that it made itself, and no others. */
const isOpenTo = ({ id, key }: AdmittedPartner, order: OrderRow): boolean =>
	order.partnerId === id && (key?.kind !== 'app' || order.appKey === key.id);

async function readAll(database: D1Database, named: readonly NamedOrder[]): Promise<Newest<OrderRow | null>[]> {
	const { found, bookmark } = await readNewest(database, (session) => findNamedOrders(session, named));
	return found.map((each) => ({ found: each, bookmark }));
}
