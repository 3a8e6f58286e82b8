/** The `codes` endpoints and `POST /api/v1/keys/rotate` (spec): parse, one call, render. */
import { drizzle } from 'drizzle-orm/d1';
import { hmacHex, hmacKey } from '../crypto/hmac.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { type Answer, answer, type SignedCall } from '../endpoint.ts';
import { parseJson } from '../http/body.ts';
import { clientNetwork } from '../http/client-network.ts';
import { tellGate } from './changes.ts';
import { codeView, namedCodeBody, newCodeBody } from './codes.ts';
import { CODE_PATTERN, SECRET_NAMES } from './partner.ts';
import { rotateBody } from './schema.ts';
import { insertCode, newestCodes, setCodeEnabled } from './store.ts';
import type { ReferenceCodeRow } from './table.ts';

export async function createCode(call: SignedCall): Promise<Answer> {
	const parsed = newCodeBody.safeParse(parseJson(call.body));
	if (!parsed.success) return { kind: 'body-invalid', issues: parsed.error.message };
	const fresh = { ...parsed.data, id: crypto.randomUUID(), partnerId: call.partner.id, createdAt: call.now };
	const outcome = await insertCode(drizzle(call.env.DB), fresh);
	if (outcome === 'code taken') return { kind: 'code-taken' };
	if (outcome === 'limit') return { kind: 'code-limit' };
	return changed(call, outcome);
}

export async function listCodes({ env, partner }: SignedCall): Promise<Answer> {
	return answer((await newestCodes(drizzle(env.DB), partner.id)).map(codeView));
}

export const disableCode = (call: SignedCall): Promise<Answer> => setEnabled(call, false);

export const enableCode = (call: SignedCall): Promise<Answer> => setEnabled(call, true);

async function setEnabled(call: SignedCall, enabled: boolean): Promise<Answer> {
	const parsed = namedCodeBody.safeParse(parseJson(call.body));
	if (!parsed.success) return { kind: 'body-invalid', issues: parsed.error.message };
	const { code } = parsed.data;
	const row = CODE_PATTERN.test(code)
		? await setCodeEnabled(drizzle(call.env.DB), call.partner.id, code, enabled)
		: null;
	return row ? changed(call, row) : { kind: 'code-unknown' };
}

/**
 * The record is stored; it is answered only when the gate, too, admits by it. Where the gate could not be told, the
 * answer is 99 and the caller repeats: disabling and enabling tell the gate again, creating says 1 and the list has it.
 * The gate by itself reads the record anew within a minute.
 */
async function changed({ env, partner }: SignedCall, row: ReferenceCodeRow): Promise<Answer> {
	if (await tellGate(env.PARTNER_GATE, partner.id)) return answer(codeView(row));
	return { kind: 'gate-not-told' };
}

export async function rotateKeys(call: SignedCall): Promise<Answer> {
	const parsed = rotateBody.safeParse(parseJson(call.body));
	if (!parsed.success) return { kind: 'body-invalid', issues: parsed.error.message };
	const { id, secretsVersion } = call.partner;
	const secrets = await call.env.PARTNER_GATE.getByName(id).rotate(id, {
		verifiedBy: secretsVersion,
		names: SECRET_NAMES.filter((name) => parsed.data.rotate.includes(name)),
		clientNetworkHash: await networkHash(call),
	});
	return secrets ? answer(secrets) : { kind: 'rotation-conflict' };
}

/**
 * Source addresses are not stored in cleartext (spec, "keys/rotate" rule 4). There are few enough networks to try them
 * all against a plain hash; a keyed one tells only the holder of the key whether two rotations came from one network,
 * or whether one came from a network in question. The key is the one of the apiKeys' checksums, used as text instead of
 * the bytes that it encodes, so the two never meet.
 */
async function networkHash({ env, headers }: SignedCall): Promise<string> {
	const key = await hmacKey(keyRing(env, 'API_KEY_KEY').current.text);
	return hmacHex(key, `client network ${clientNetwork(headers.get('cf-connecting-ip'))}`);
}
