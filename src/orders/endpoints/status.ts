/** `GET /api/v1/status`: an order as it is now, for who has its status token. */
import * as z from 'zod/mini';
import { findArchived } from '../../archive/find.ts';
import { keyRing } from '../../crypto/key-ring.ts';
import { TOKEN_PATTERN } from '../../crypto/tokens.ts';
import { isRefusal } from '../../http/refusal.ts';
import type { Refusal } from '../../http/refusals.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { answer, type Call, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { EXAMPLE_DONE_ORDER, EXAMPLE_ORDER, EXAMPLE_STATUS_TOKEN } from '../example.ts';
import { orderSchema } from '../schema.ts';
import { requireSealed } from '../seal.ts';
import { isStatusTokenOf } from '../status-token.ts';
import { findOrder } from '../store.ts';
import type { OrderRow } from '../table.ts';
import { statusView } from '../view.ts';
import { orderId } from './with-token.ts';

const statusQuery = z.lazy(() =>
	z.object({
		id: orderId,
		token: z.string().check(z.meta({ pattern: TOKEN_PATTERN.source, description: 'The order’s status token.' })),
	}),
);

export const status = endpoint({
	method: 'GET',
	path: '/api/v1/status',
	auth: 'optional',
	admits: ['app', 'read', 'server'],
	weight: 1,
	isAddition: true,
	id: 'status',
	request: { schema: statusQuery, inQuery: true },
	handle: async (call, { id, token }) => {
		const found = await findByStatusToken(call, id.toLowerCase(), token);
		if (isRefusal(found)) return found;
		return answer(statusView(found, call.now));
	},
});

export const statusDocs: EndpointDocs = () => ({
	tag: 'Orders',
	summary: 'Read an order by its status link',
	description: [
		'The address that `"with": ["links"]` answers in `links.status`; `links.statusPage` shows the same to people. Anyone who has it reads the order, and nothing else: it',
		'decides nothing, and the token of the order does not follow from it. `markupBps` is null, and `externalId` is absent.',
		'An unknown id, a wrong status token and a deleted order return the same code 6.',
	],
	example: { id: EXAMPLE_ORDER.id, token: EXAMPLE_STATUS_TOKEN },
	response: {
		data: orderSchema,
		description: 'The order, without `token`.',
		example: { ...EXAMPLE_DONE_ORDER, markupBps: null },
	},
	errors: [1, 3, 5, 6, 99],
});

/**
 * A miss reads the same whatever its cause, and looks into the archive whatever its cause.
 * @throws when a seal is broken, or the archive does not answer
 */
async function findByStatusToken({ env }: Call, id: string, token: string): Promise<OrderRow | Refusal> {
	const db = databaseOf(env);
	const order = await findOrder(db, id);
	if (order && (await isNamedBy(order, token))) {
		await requireSealed(keyRing(env, 'SEAL_KEY'), order);
		return order;
	}
	const archived = (await findArchived(db, env, id))?.order;
	return archived && (await isNamedBy(archived, token)) ? archived : { kind: 'order-unknown' };
}

const isNamedBy = async (order: OrderRow, token: string): Promise<boolean> =>
	(await isStatusTokenOf(order, token)) && order.deletedAt === null;
