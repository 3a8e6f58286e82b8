/**
 * Cloudflare Access: who its token says is there. A token counts only with its signature by one of the team's keys
 * (RS256), its issuer, its audience, an end that is not past, and an e-mail. The team's keys are read again after some
 * minutes, and at once for a key that is not known. The groups that it names decide the role.
 */
import type { HonoJsonWebKey } from 'hono/utils/jwt/jws';
import { decodeHeader, verifyWithJwks } from 'hono/utils/jwt/jwt';
import * as z from 'zod/mini';
import type { Role } from '../partners/partner.ts';
import { MINUTE_MILLISECONDS } from '../platform/time.ts';
import { type GroupRoles, roleOf } from './roles.ts';

export interface Team {
	/** The team's domain, without a slash at its end: the issuer. */
	readonly origin: string;
	readonly audience: string;
	/** Null: whom Access admits is an admin. */
	readonly roles: GroupRoles | null;
}

export type Admitted = { readonly email: string; readonly role: Role } | { readonly refused: string };

const KEPT_MILLISECONDS = 5 * MINUTE_MILLISECONDS;
/** A token with a key that nobody knows makes us ask no more often than this. */
const AGAIN_MILLISECONDS = 30_000;
const TIMEOUT_MILLISECONDS = 5_000;
const MOST_KEYS = 20;

const certsSchema = z.lazy(() =>
	z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })).check(z.maxLength(MOST_KEYS)) }),
);
const claimsSchema = z.lazy(() => {
	// Anything but a list of names is no group.
	const groups = z.catch(z.array(z.string()), []);
	return z.object({
		email: z.string().check(z.minLength(3), z.maxLength(200)),
		exp: z.number(),
		groups,
		// Access puts the claims that an identity provider adds here.
		custom: z.catch(z.object({ groups }), { groups: [] }),
	});
});

/** An isolate without it asks. */
let known: { readonly origin: string; readonly at: number; readonly keys: readonly HonoJsonWebKey[] } | null = null;

/** The text of a refusal is for the log and the page: it has nothing of the token. */
export async function admittedByAccess(token: string | undefined, team: Team, now: number): Promise<Admitted> {
	if (!token) return { refused: 'the request did not come through Cloudflare Access' };
	const kid = keyIdOf(token);
	if (kid === null) return { refused: 'the token of Cloudflare Access cannot be read' };
	const keys = await keysOf(team.origin, kid, now).catch(() => null);
	if (!keys) return { refused: 'the keys of Cloudflare Access could not be read' };
	try {
		const claims = claimsSchema.parse(
			await verifyWithJwks(token, {
				keys: [...keys],
				allowedAlgorithms: ['RS256'],
				// Not `iat`: the clock of who issued it may be some seconds ahead.
				verification: { iss: team.origin, aud: team.audience, iat: false },
			}),
		);
		const role = roleOf([...claims.groups, ...claims.custom.groups], team.roles);
		return role ? { email: claims.email, role } : { refused: 'none of your groups has a role here' };
	} catch {
		return { refused: 'the token of Cloudflare Access is not valid here, or is over' };
	}
}

function keyIdOf(token: string): string | null {
	try {
		return decodeHeader(token).kid ?? null;
	} catch {
		return null;
	}
}

async function keysOf(origin: string, kid: string, now: number): Promise<readonly HonoJsonWebKey[]> {
	const young = known?.origin === origin ? known : null;
	const age = young ? now - young.at : Number.POSITIVE_INFINITY;
	const isNamed = young?.keys.some((key) => key.kid === kid) ?? false;
	if (young && age < (isNamed ? KEPT_MILLISECONDS : AGAIN_MILLISECONDS)) return young.keys;
	const response = await fetch(`${origin}/cdn-cgi/access/certs`, {
		// A redirect has no keys: it is refused where the answer is read.
		redirect: 'manual',
		signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
	});
	if (!response.ok) throw new Error(`HTTP ${response.status}`);
	const { keys } = certsSchema.parse(await response.json());
	known = { origin, at: now, keys: keys as unknown as HonoJsonWebKey[] };
	return known.keys;
}
