/** `create`, `order`, `qr` and `emergency` (spec): parse, one call, render. */
import { drizzle } from 'drizzle-orm/d1';
import { resolveAsset } from '../catalog/settings.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { sameDigest, sha256Hex, TOKEN_PATTERN } from '../crypto/tokens.ts';
import { type Answer, answer, type SignedCall } from '../endpoint.ts';
import { parseJson } from '../http/body.ts';
import { isRefusal } from '../http/refusal.ts';
import type { Refusal } from '../http/refusals.ts';
import { amountIn } from '../pricing/body.ts';
import { createBody, emergencyBody, orderBody } from './body.ts';
import { type CreateInput, createOrder } from './create.ts';
import type { AddressSource } from './pay-in-addresses.ts';
import { orderQr } from './qr.ts';
import { requireSealed } from './seal.ts';
import { chooseExchange, findVisibleOrder } from './store.ts';
import type { OrderRow } from './table.ts';
import { orderView } from './view.ts';

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{8,128}$/;

export async function create(call: SignedCall): Promise<Answer> {
	const key = call.headers.get('idempotency-key');
	if (key !== null && !IDEMPOTENCY_KEY.test(key)) return { kind: 'idempotency-key-malformed' };
	const input = parseCreate(call);
	if (isRefusal(input)) return input;
	const { env, partner, market, isSameAddress, now, background } = call;
	const addresses: AddressSource = {
		draw: (network, count) => env.CHAIN_AGENT.getByName(network).drawAddresses(network, count),
		background,
	};
	const sealKeys = keyRing(env, 'SEAL_KEY');
	const context = { db: drizzle(env.DB), sealKeys, addresses, market, isSameAddress, now };
	const created = await createOrder(context, partner, input, key);
	return answer(isRefusal(created) ? created : { ...orderView(created.order, now), token: created.token });
}

function parseCreate({ isAddress, body }: SignedCall): CreateInput | Refusal {
	const parsed = createBody.safeParse(parseJson(body));
	if (!parsed.success) return { kind: 'body-invalid', issues: parsed.error.message };
	const { direction, toAddress, refundAddress, tag, afftax } = parsed.data;
	const from = resolveAsset(parsed.data.fromCcy, parsed.data.fromNetwork);
	const to = resolveAsset(parsed.data.toCcy, parsed.data.toNetwork);
	if (!from) return { kind: 'unknown-asset', field: 'fromCcy' };
	if (!to) return { kind: 'unknown-asset', field: 'toCcy' };
	if (from === to) return { kind: 'same-asset' };
	const amount = amountIn(direction, parsed.data.amount, from, to);
	if (!amount) return { kind: 'amount-invalid' };
	if (!isAddress(to.network, toAddress)) return { kind: 'address-invalid', field: 'toAddress' };
	if (!isAddress(from.network, refundAddress)) return { kind: 'address-invalid', field: 'refundAddress' };
	return { from, to, direction, amount, toAddress, refundAddress, tag: tag ?? null, afftax: afftax ?? null };
}

export async function order(call: SignedCall): Promise<Answer> {
	const found = await findWithToken(call);
	return answer(isRefusal(found) ? found : orderView(found, call.now));
}

/** `POST /api/v1/emergency`: the choice is persisted here and acted on by the network's agent. */
export async function emergency(call: SignedCall): Promise<Answer> {
	const parsed = emergencyBody.safeParse(parseJson(call.body));
	if (!parsed.success) return { kind: 'body-invalid', issues: parsed.error.message };
	if (parsed.data.choice !== 'EXCHANGE') return { kind: 'choice-invalid' };
	const found = await findWithToken(call);
	if (isRefusal(found)) return found;
	const chosen = await chooseExchange(drizzle(call.env.DB), found.id, call.now);
	if (!chosen) return { kind: 'order-not-in-emergency', status: found.status };
	call.kick(found.fromNetwork);
	return answer(true);
}

/** Ownership and visibility come first on every call; only then is the cache asked (spec, "POST /api/v1/qr"). */
export async function qr(call: SignedCall): Promise<Answer> {
	const found = await findWithToken(call);
	return answer(isRefusal(found) ? found : { qrPng: await orderQr(call.env, found, call.background) });
}

/** The order that id and token name; whatever the cause, a miss reads the same (spec, "POST /api/v1/order"). */
async function findWithToken({ env, partner, body }: SignedCall): Promise<OrderRow | Refusal> {
	const parsed = orderBody.safeParse(parseJson(body));
	if (!parsed.success) return { kind: 'body-invalid', issues: parsed.error.message };
	const { id, token } = parsed.data;
	const given = typeof token === 'string' && TOKEN_PATTERN.test(token) ? token : '';
	const tokenHash = await sha256Hex(given);
	const found = await findVisibleOrder(drizzle(env.DB), partner.id, id.toLowerCase());
	if (!found || !sameDigest(found.tokenHash, tokenHash)) return { kind: 'order-unknown' };
	await requireSealed(keyRing(env, 'SEAL_KEY'), found);
	return found;
}
