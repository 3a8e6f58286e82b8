/** A fresh check of the reader's passkey, for one action: the form that is sent has the answer. */
import { drizzle } from 'drizzle-orm/d1';
import type { Purpose } from './challenges.ts';
import type { CabinetContext } from './env.ts';
import { type Ceremony, signingOptions, signingPasskey } from './passkeys.ts';
import { answerIn } from './sign-in.tsx';

export const CONFIRMS = {
	credentials: 'confirm credentials',
	secrets: 'show secrets',
	payout: 'confirm payout address',
	passkeys: 'confirm passkeys',
} as const satisfies Record<string, Purpose>;

export type Confirmed = keyof typeof CONFIRMS;

export const NOT_CONFIRMED = 'Nothing was changed: your passkey did not confirm it. Try again.';

/** Bound to this session and its partner: an answer that was made in another one confirms nothing here. */
export const ceremonyOf = (c: CabinetContext, purpose: Purpose): Ceremony => ({
	...{ db: drizzle(c.env.DB), desk: c.env.desk, site: c.var.site, now: Date.now() },
	...{ purpose, boundTo: `${c.var.session.hash} ${c.var.session.partnerId}` },
});

/** `POST /cabinet/confirm/options`: what the passkey is to sign for the form's `confirms`. */
export async function confirmOptions(c: CabinetContext): Promise<Response> {
	const { confirms } = await c.req.parseBody();
	const purpose = Object.entries(CONFIRMS).find(([name]) => name === confirms)?.[1];
	if (!purpose) return Response.json({ error: 'There is nothing to confirm.' }, { status: 400 });
	return Response.json(await signingOptions(ceremonyOf(c, purpose), c.var.session.partnerId));
}

/** Has a passkey of this partner just signed for this action, in this session? Each answer counts once. */
export async function isConfirmed(c: CabinetContext, what: Confirmed): Promise<boolean> {
	const { partnerId } = c.var.session;
	const signed = await signingPasskey(ceremonyOf(c, CONFIRMS[what]), { partnerId, answer: await answerIn(c) });
	return signed !== null;
}
