/** `POST /api/v1/orders`: a partner's own orders, page by page. */
import * as z from 'zod/mini';
import { optional } from '../../http/optional.ts';
import { newestThenNear } from '../../platform/d1/session.ts';
import { type Answer, answer, endpoint, type SignedCall } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { EXAMPLE_DONE_ORDER } from '../example.ts';
import { ordersPage, pageEndOf, pageEndText } from '../page.ts';
import { externalIdSchema, orderSchema } from '../schema.ts';
import { noteBroken, unsealedAmong } from '../sealed.ts';
import { shownOrders, withSchema } from '../shown.ts';
import { ORDER_STATUSES } from '../status.ts';
import { orderId } from './with-token.ts';

const MAX_ORDERS = 100;
const USUAL_ORDERS = 50;

/** A partner's clock: seconds, as in the order. */
const moment = (description: string) =>
	optional(z.int().check(z.minimum(0), z.maximum(100_000_000_000))).check(
		z.meta({ description: `${description} Unix seconds of \`time.reg\`.` }),
	);

const listBody = z.lazy(() =>
	z.object({
		status: optional(z.enum(ORDER_STATUSES)).check(z.describe('Only orders that have it now.')),
		ids: optional(z.array(orderId).check(z.maxLength(MAX_ORDERS))).check(z.describe('Only these orders.')),
		since: moment('Orders made from then on.'),
		until: moment('Orders made before.'),
		externalId: optional(externalIdSchema).check(z.describe('Only orders with this reference of yours.')),
		limit: z
			.pipe(
				optional(z.int().check(z.minimum(1), z.maximum(MAX_ORDERS))),
				z.transform((limit) => limit ?? USUAL_ORDERS),
			)
			.check(z.describe('Most orders in the answer.')),
		cursor: optional(z.string().check(z.maxLength(200))).check(
			z.describe('Of the page before, with the same filters.'),
		),
		with: withSchema,
	}),
);

export const listOrders = endpoint({
	method: 'POST',
	path: '/api/v1/orders',
	auth: 'required',
	admits: ['read', 'server'],
	weight: 5,
	isAddition: true,
	id: 'orders',
	request: { schema: listBody },
	handle: listPage,
});

export const listOrdersDocs: EndpointDocs = () => ({
	tag: 'Orders',
	summary: 'List your orders',
	description: [
		'Your orders, newest first, without `token`: anyone who has your apiSecret can read them all.',
		'Deleted orders are not listed, nor those that the operator archived, at the earliest 31 days after their window.',
		'`completeSince` says from when on none is missing for that reason; `order` reads the others.',
	],
	example: { status: 'DONE', since: 1795132800, limit: 50 },
	response: {
		data: z.lazy(() =>
			z.object({
				orders: z.array(orderSchema).check(z.maxLength(MAX_ORDERS)),
				cursor: z.nullable(z.string()).check(z.describe('For the next page; null where there is none.')),
				completeSince: z
					.nullable(z.int())
					.check(
						z.describe(
							'Unix seconds: every order made from then on is listed, of earlier ones some are archived; null where none is.',
						),
					),
				unreadable: z
					.array(z.uuid())
					.check(
						z.maxLength(MAX_ORDERS),
						z.describe('Orders of this page that fail a check of the service: `order` answers them with code 99.'),
					),
			}),
		),
		description: 'One page.',
		example: { orders: [EXAMPLE_DONE_ORDER], cursor: null, completeSince: null, unreadable: [] },
	},
	errors: [1, 2, 3, 4, 5, 99],
});

async function listPage(call: SignedCall, input: z.output<typeof listBody>): Promise<Answer> {
	const { status, externalId, limit, cursor } = input;
	const ids = input.ids?.map((id) => id.toLowerCase());
	const after = cursor === undefined ? null : pageEndOf(cursor);
	if (cursor !== undefined && after === null) return { kind: 'cursor-invalid' };
	const [since, until] = [input.since, input.until].map((at) => (at === undefined ? undefined : at * 1000));
	const page = { partnerId: call.partner.id, status, externalId, ids, since, until, after, limit };
	const { rows, end, completeSince } = await ordersPage(newestThenNear(call.env.DB), page);
	const broken = await unsealedAmong(call.env, rows);
	if (broken.size > 0) call.background(noteBroken(call.env, broken));
	const sealed = rows.filter(({ id }) => !broken.has(id));
	const orders = await shownOrders(call, sealed, input.with);
	return answer({
		orders,
		cursor: end && pageEndText(end),
		completeSince: completeSince === null ? null : Math.ceil(completeSince / 1000),
		unreadable: [...broken],
	});
}
