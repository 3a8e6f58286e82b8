/** `POST /api/v1/create`: a new order with its pay-in address. What creating means is in `../create.ts`. */
import * as z from 'zod/mini';
import { archivedByKey, archivedByReference } from '../../archive/find.ts';
import { resolveAsset } from '../../catalog/settings.ts';
import { keyRing } from '../../crypto/key-ring.ts';
import { optional } from '../../http/optional.ts';
import { isRefusal } from '../../http/refusal.ts';
import type { Refusal } from '../../http/refusals.ts';
import { webhookUrlProblem } from '../../http/webhook-url.ts';
import { noteIncident } from '../../incidents/store.ts';
import { parseAmount } from '../../money/amount.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { objectNamed } from '../../platform/region.ts';
import { type Answer, answer, endpoint, type SignedCall } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { amountIn, quoteBody } from '../../pricing/body.ts';
import { appKeyOf, createOrder } from '../create.ts';
import type { CreateContext, CreateInput } from '../creation.ts';
import { EXAMPLE_ORDER, EXAMPLE_TOKEN } from '../example.ts';
import { type Floor, MAX_SLIPPAGE_BPS } from '../floor.ts';
import type { AddressSource } from '../pay-in-addresses.ts';
import { createdOrderSchema, externalIdSchema } from '../schema.ts';
import { shownOrders, withPromiseSchema } from '../shown.ts';

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{8,128}$/;

const createBody = z.lazy(() =>
	z.extend(quoteBody._zod.innerType, {
		amount: quoteBody._zod.innerType.shape.amount.check(
			z.describe('Decimal in the asset chosen by `direction`. Hint only: the server re-quotes. Strings preferred.'),
		),
		toAddress: z
			.string()
			.check(
				z.minLength(10),
				z.maxLength(200),
				z.describe(
					'Where the payout goes. Validated against the destination network; invalid returns code 1, and so does an address of this service, one that is known to burn coins, or a contract that a node shows to be a token, a pair, a router or a program.',
				),
			),
		tag: z
			.nullish(z.string().check(z.maxLength(200)))
			.check(z.describe('Memo or destination tag; reserved, no network needs it.')),
		refundAddress: z
			.string()
			.check(
				z.minLength(10),
				z.maxLength(200),
				z.describe(
					'Source-network address for returns, validated like `toAddress` against that network; omitting it returns code 1.',
				),
			),
		minToAmount: optional(z.string()).check(
			z.describe(
				'The floor under the rate, as text: the least that `from.amount` may bring, of at most `precision` places of `toCcy`. Less, and the deposit goes back. More than the quote, or beside `slippageBps`, returns code 1.',
			),
		),
		slippageBps: optional(z.int().check(z.minimum(0), z.maximum(MAX_SLIPPAGE_BPS))).check(
			z.describe('The same floor as basis points below the quote of this moment, rounded up to the precision.'),
		),
		externalId: z
			.nullish(externalIdSchema)
			.check(z.describe('A reference of your own, printable ASCII: every answer about the order has it.')),
		externalIdUnique: optional(z.boolean()).check(
			z.describe('Among your creates that ask for it, this `externalId` makes one order.'),
		),
		callbackUrl: z
			.nullish(z.string().check(z.maxLength(2048)))
			.check(
				z.describe(
					'The events of this order go here too, signed like all. https, on a public host name; anything else returns code 1.',
				),
			),
		with: withPromiseSchema,
	}),
);

export const create = endpoint({
	method: 'POST',
	path: '/api/v1/create',
	auth: 'required',
	admits: ['app', 'server'],
	weight: 50,
	id: 'create',
	request: { schema: createBody },
	takesIdempotencyKey: true,
	handle: createFromBody,
});

export const createDocs: EndpointDocs = () => ({
	tag: 'Orders',
	summary: 'Create an order with a pay-in address',
	description: [
		'Re-quotes at the live rate, reserves a pay-in address and answers the order with status `NEW`.',
		'',
		'- `token` is returned exactly once, on the first successful response for a given Idempotency-Key. The service does',
		'  not store it. A lost token makes the order unreachable through the API.',
		'- A replay with the same Idempotency-Key and the same body returns the existing order with `token` null and creates',
		'  no duplicate. "Same body" compares the parsed, normalised fields.',
		'- The same key with a different body returns code 1 with HTTP 409. A refused create does not spend its key.',
		'- Events of the order go to your webhook endpoints, and to its `callbackUrl` as well.',
		'- With `externalIdUnique` an `externalId` works like an Idempotency-Key.',
		'- Afftax resolution, highest first: the body, the reference code in `X-API-KEY`, the partner default.',
		'- Below the per-pair USD minimum, or where the payout would not be positive: code 7. Above the per-pair maximum,',
		'  the operator daily cap, or the share of it that your unpaid orders may hold together: code 8. Site in upgrade mode: code 10.',
		'- `fromCcy` and `toCcy` may be a coin symbol (`USDT`) with a network hint. A hint that contradicts an exact id',
		'  returns code 1.',
		'- `minToAmount`, or `slippageBps`, puts a floor under the rate: where the final deposit would bring less, it goes back to',
		'  `refundAddress` by itself, less its network fee. Above the quote of this moment: code 1, with `X-Quote-To-Amount`.',
		'- After code 99, or when no answer came: repeat with the same Idempotency-Key and a fresh nonce.',
	],
	example: {
		type: 'float',
		fromCcy: 'LTC',
		toCcy: 'ETH',
		direction: 'from',
		amount: '2',
		toAddress: EXAMPLE_ORDER.to.address,
		refundAddress: EXAMPLE_ORDER.back.address,
		afftax: 50,
	},
	response: {
		data: createdOrderSchema,
		description: 'The order. All `tx` fields are null.',
		example: { ...EXAMPLE_ORDER, token: EXAMPLE_TOKEN },
	},
	errors: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 99],
});

async function createFromBody(call: SignedCall, body: z.output<typeof createBody>): Promise<Answer> {
	const given = call.headers.get('idempotency-key');
	if (given !== null && !IDEMPOTENCY_KEY.test(given)) return { kind: 'idempotency-key-malformed' };
	const appKey = appKeyOf(call.partner);
	// Names that make one order of a request are the partner's: an app key must neither learn nor take them. Nor may a
	// stranger have signed events sent somewhere: who took the key out of an app, or a visitor of the public sandbox.
	if (appKey !== null && body.externalIdUnique) return { kind: 'key-not-permitted' };
	if ((appKey !== null || call.sandbox) && body.callbackUrl) return { kind: 'key-not-permitted' };
	const key = given !== null && appKey !== null ? `${appKey}\n${given}` : given;
	const input = createInput(call, body);
	if (isRefusal(input)) return input;
	const { env, partner, market, isSameAddress, recipientProblem, now, background } = call;
	const addresses: AddressSource = {
		draw: (network, count) => objectNamed(env, env.CHAIN_AGENT, network).drawAddresses(network, count),
		background,
		broken: (network, addresses) =>
			background(noteIncident(env.DB, 'pool-address-seal-broken', network, `${addresses} addresses`)),
	};
	const sealKeys = keyRing(env, 'SEAL_KEY');
	const archived: CreateContext['archived'] = async (batches, partnerId, by) => {
		const found = await ('idempotencyKey' in by
			? archivedByKey(env, batches, partnerId, by.idempotencyKey)
			: archivedByReference(env, batches, partnerId, by.externalId));
		return found?.order ?? null;
	};
	const known = { db: databaseOf(env), sealKeys, addresses, archived, market, isSameAddress };
	const context = { ...known, recipientProblem, now, background };
	const created = await createOrder(context, partner, input, key);
	if (isRefusal(created)) return created;
	call.attend(created.order.fromNetwork, 'order');
	const [shown] = await shownOrders(call, [created.order], body.with, created.token);
	return answer({ ...shown, token: created.token });
}

function createInput({ env, isAddress }: SignedCall, body: z.output<typeof createBody>): CreateInput | Refusal {
	const { direction, toAddress, refundAddress, tag, afftax, externalId, externalIdUnique: isUnique = false } = body;
	if (isUnique && !externalId) return { kind: 'reference-missing' };
	const callbackUrl = body.callbackUrl ?? null;
	const loopbackAllowed = env.WEBHOOK_LOOPBACK === 'allowed';
	const problem = callbackUrl === null ? null : webhookUrlProblem(callbackUrl, { loopbackAllowed });
	if (problem !== null) return { kind: 'body-invalid', issue: `callbackUrl ${problem}` };
	const reference = externalId ? { externalId, isUnique } : null;
	const from = resolveAsset(body.fromCcy, body.fromNetwork);
	if (!from) return { kind: 'unknown-asset', field: 'fromCcy' };
	const to = resolveAsset(body.toCcy, body.toNetwork);
	if (!to) return { kind: 'unknown-asset', field: 'toCcy' };
	if (from === to) return { kind: 'same-asset' };
	const amount = amountIn(direction, body.amount, from, to);
	if (!amount) return { kind: 'amount-invalid' };
	if (!isAddress(to.network, toAddress)) return { kind: 'address-invalid', field: 'toAddress' };
	if (!isAddress(from.network, refundAddress)) return { kind: 'address-invalid', field: 'refundAddress' };
	const floor = floorIn(body, to);
	if (isRefusal(floor)) return floor;
	const given = { direction, amount, toAddress, refundAddress, tag: tag ?? null, afftax: afftax ?? null };
	return { from, to, ...given, floor, reference, callbackUrl };
}

/** Null where none is asked for. */
function floorIn(
	{ minToAmount, slippageBps }: z.output<typeof createBody>,
	to: { readonly precision: number },
): Floor | Refusal | null {
	if (minToAmount === undefined) return slippageBps === undefined ? null : { slippageBps };
	if (slippageBps !== undefined) return { kind: 'floor-two-ways' };
	const amount = parseAmount(minToAmount, to.precision);
	return amount ? { amount } : { kind: 'amount-invalid' };
}
