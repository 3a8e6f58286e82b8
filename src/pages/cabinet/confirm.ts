/** A fresh check of the reader's passkey, for one action: the form that is sent has the answer. */
import { sha256Hex } from '../../crypto/tokens.ts';
import { CONFIRMS, type Confirmed, type Purpose } from './challenges.ts';
import { type CabinetContext, placesOf } from './env.ts';
import { noteOwn } from './log.tsx';
import { type Ceremony, isOf, signingOptions, signingPasskey } from './passkeys.ts';
import { answerIn } from './sign-in.tsx';

export const NOT_CONFIRMED = 'Nothing was changed: your passkey did not confirm it. Try again.';

/** The fields that every form has. */
const NOT_SAID: ReadonlySet<string> = new Set(['form', 'confirms', 'answer']);

/**
 * Bound to this session and its partner, and to what the form says: which address, which secrets, which passkey. An
 * answer that was made in another session, or for other values, confirms nothing here.
 */
export async function ceremonyOf(c: CabinetContext, purpose: Purpose): Promise<Ceremony> {
	const { hash, partnerId } = c.var.session;
	const fields = Object.entries(await c.req.parseBody({ all: true })).filter(([name]) => !NOT_SAID.has(name));
	const said = fields.map(([name, value]) => JSON.stringify([name, ...[value].flat().map(String)])).toSorted();
	return {
		...placesOf(c),
		site: c.var.site,
		now: Date.now(),
		purpose,
		boundTo: `${hash} ${partnerId} ${await sha256Hex(JSON.stringify(said))}`,
	};
}

/** `POST /cabinet/confirm/options`: what the passkey is to sign for the form's `confirms`. */
export async function confirmOptions(c: CabinetContext): Promise<Response> {
	const { confirms } = await c.req.parseBody();
	const purpose = Object.entries(CONFIRMS).find(([name]) => name === confirms)?.[1];
	if (!purpose) return Response.json({ error: 'There is nothing to confirm.' }, { status: 400 });
	return Response.json(await signingOptions(await ceremonyOf(c, purpose), c.var.session));
}

/** Has a passkey of this member just signed for this action, in this session? Each answer counts once. */
export async function isConfirmed(c: CabinetContext, what: Confirmed): Promise<boolean> {
	const { partnerId } = c.var.session;
	const signed = await signingPasskey(await ceremonyOf(c, CONFIRMS[what]), { partnerId, answer: await answerIn(c) });
	if (!signed || !isOf(signed, c.var.session)) return false;
	await noteOwn(c);
	return true;
}
