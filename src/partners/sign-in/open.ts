/**
 * Does a link, a passkey or a session let its holder in? Its seal says that it was given, and the partner's gate that it has
 * not ended. The seal comes first: what somebody made up asks no gate.
 */
import { type KeyVariables, keyRing } from '../../crypto/key-ring.ts';
import { objectNamed } from '../../platform/region.ts';
import type { Access } from '../../ports/gates.ts';
import type { GateOwner } from '../changes.ts';
import { accessesOfSession, invitationAccess, passkeyAccess } from './access.ts';
import { type AccessTerms, accessSealHolds } from './seal.ts';

type Env = GateOwner & KeyVariables;

export const gateOf = (env: GateOwner, partnerId: string) => objectNamed(env, env.PARTNER_GATE, partnerId);

/** The accesses that must not have ended. A challenge is used up by the deletion of its row. */
const ACCESSES: {
	readonly [Kind in keyof AccessTerms]: (terms: AccessTerms[Kind]) => readonly Access[] | Promise<readonly Access[]>;
} = {
	invitation: (terms) => [invitationAccess(terms)],
	challenge: () => [],
	passkey: async (terms) => [await passkeyAccess(terms)],
	session: accessesOfSession,
};

export async function isOpen<Kind extends keyof AccessTerms>(
	env: Env,
	kind: Kind,
	terms: AccessTerms[Kind],
	seal: string,
): Promise<boolean> {
	if (!(await accessSealHolds(keyRing(env, 'SEAL_KEY'), kind, terms, seal))) return false;
	if (!('partnerId' in terms)) return true;
	const ended = await gateOf(env, terms.partnerId).hasEnded(await ACCESSES[kind](terms));
	return !ended.includes(true);
}
