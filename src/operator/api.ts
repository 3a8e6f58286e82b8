/**
 * The operator API: one POST per command, `/operator/v1/<topic>/<verb>` or `/operator/v1/attention`, with its input as a JSON object, under the bearer token `OPERATOR_TOKEN` (operator.md). Without that secret it
 * is not there at all. Answers are `{ ok: true, data }` or `{ ok: false, error }`, the error one line for a person.
 */
import { drizzle } from 'drizzle-orm/d1';
import { Hono, type Context as HonoContext } from 'hono';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { sameDigest, sha256Hex } from '../crypto/tokens.ts';
import type { Env } from '../env.ts';
import { parseJson, readBody } from '../http/body.ts';
import { refusalResponse } from '../http/refusal.ts';
import { requestIdOf } from '../http/request-id.ts';
import { log, logError } from '../log.ts';
import { showAttention } from './attention/command.ts';
import { isFailure, type OperatorCommand } from './command.ts';
import { listAssets, updateAsset } from './commands/asset.ts';
import { listAudit } from './commands/audit.ts';
import { showEarnings } from './commands/earnings.ts';
import { finaliseOrder, refundOrder } from './commands/emergency.ts';
import { givePayoutUp } from './commands/give-up.ts';
import { resealKeys, showKeys } from './commands/keys.ts';
import { checkLedger } from './commands/ledger.ts';
import { listNetworks, updateNetwork } from './commands/network.ts';
import { deleteOrder, listOrders, showOrder } from './commands/order.ts';
import { listPairs, updatePair } from './commands/pair.ts';
import { createPartner, listPartners, replaceSecret, showPartner, updatePartner } from './commands/partner.ts';
import { payOutEarnings } from './commands/pay-out.ts';
import { listPrices } from './commands/price.ts';
import { sandboxConfirm, sandboxDeposit, sandboxDrop, sandboxPrice } from './commands/sandbox.ts';
import { settlePayout } from './commands/settle.ts';
import { showSite, updateSite } from './commands/site.ts';
import { showTreasury } from './commands/treasury.ts';
import { listWebhooks, redeliverWebhook } from './commands/webhook.ts';
import { withdraw } from './commands/withdraw.ts';
import { checkNetworks } from './network-check.ts';

type HonoEnv = { Bindings: Env };

const COMMANDS: Readonly<Record<string, OperatorCommand>> = {
	attention: showAttention,
	'partner/create': createPartner,
	'partner/list': listPartners,
	'partner/show': showPartner,
	'partner/update': updatePartner,
	'partner/replace-secret': replaceSecret,
	'order/list': listOrders,
	'order/show': showOrder,
	'order/finalise': finaliseOrder,
	'order/refund': refundOrder,
	'order/delete': deleteOrder,
	'pair/list': listPairs,
	'pair/update': updatePair,
	'asset/list': listAssets,
	'asset/update': updateAsset,
	'network/list': listNetworks,
	'network/update': updateNetwork,
	'network/check': checkNetworks,
	'site/show': showSite,
	'site/update': updateSite,
	'webhook/list': listWebhooks,
	'webhook/redeliver': redeliverWebhook,
	'earnings/show': showEarnings,
	'earnings/pay-out': payOutEarnings,
	'payout/settle': settlePayout,
	'payout/give-up': givePayoutUp,
	'treasury/show': showTreasury,
	'treasury/withdraw': withdraw,
	'ledger/check': checkLedger,
	'price/list': listPrices,
	'audit/list': listAudit,
	'keys/show': showKeys,
	'keys/reseal': resealKeys,
	'sandbox/deposit': sandboxDeposit,
	'sandbox/confirm': sandboxConfirm,
	'sandbox/drop': sandboxDrop,
	'sandbox/price': sandboxPrice,
};

export function operatorApi(): Hono<HonoEnv> {
	const api = new Hono<HonoEnv>();
	api.use(async (c, next) => {
		const token = c.env.OPERATOR_TOKEN;
		if (!token) return refusalResponse({ kind: 'operator-api-off' });
		if (await isBearer(c.req.header('authorization'), token)) return next();
		log('operator_refused', { requestId: requestIdOf(c.req.raw), path: c.req.path });
		return refusalResponse({ kind: 'operator-token-wrong' });
	});
	for (const [path, command] of Object.entries(COMMANDS)) api.post(`/${path}`, (c) => serve(c, command));
	api.all('*', () => answer(404, { ok: false, error: 'the service does not know this command' }));
	api.onError((error, c) => {
		if (error instanceof ConfigurationError) return answer(503, { ok: false, error: error.message });
		const requestId = requestIdOf(c.req.raw);
		logError('operator_command_failed', error, { requestId, path: c.req.path });
		return answer(500, { ok: false, error: `the service failed; its log has more under request id ${requestId}` });
	});
	return api;
}

/** Digests are compared, so that neither time nor length tells anything of the token. */
async function isBearer(header: string | undefined, token: string): Promise<boolean> {
	const given = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1] ?? '';
	return sameDigest(await sha256Hex(given), await sha256Hex(token));
}

async function serve(c: HonoContext<HonoEnv>, command: OperatorCommand): Promise<Response> {
	const { bytes } = await readBody(c.req.raw);
	const input = bytes && parseJson(bytes.length === 0 ? new TextEncoder().encode('{}') : bytes);
	if (!input) return answer(400, { ok: false, error: 'the body is not a JSON object of at most 16 KiB' });
	const outcome = await command({ env: c.env, db: drizzle(c.env.DB), now: Date.now() }, input);
	if (isFailure(outcome)) return answer(outcome.failed, { ok: false, error: outcome.error });
	return answer(200, { ok: true, data: outcome.data });
}

type Answered = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: string };

const answer = (status: number, body: Answered): Response =>
	new Response(JSON.stringify(body), {
		status,
		headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
	});
