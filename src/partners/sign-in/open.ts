/**
 * Does a link, a passkey or a session let its holder in? Its seal says that it was given, and the partner's gate that it has
 * not ended. The seal comes first: what somebody made up asks no gate.
 */
import { type KeyVariables, keyRing } from '../../crypto/key-ring.ts';
import { objectNamed } from '../../platform/region.ts';
import type { Access } from '../../ports/gates.ts';
import type { GateOwner } from '../changes.ts';
import { accessesOfSession, invitationAccess, passkeyAccess } from './access.ts';
import { invitationSealHolds, passkeySealHolds, type SessionTerms, sessionSealHolds } from './seal.ts';
import type { InvitationRow, PasskeyRow } from './table.ts';

type Env = GateOwner & KeyVariables;

export const gateOf = (env: GateOwner, partnerId: string) => objectNamed(env, env.PARTNER_GATE, partnerId);

const haveNotEnded = async (env: Env, partnerId: string, ...asked: Access[]): Promise<boolean> =>
	!(await gateOf(env, partnerId).hasEnded(asked)).includes(true);

export const isOpenInvitation = async (env: Env, row: InvitationRow): Promise<boolean> =>
	(await invitationSealHolds(keyRing(env, 'SEAL_KEY'), row, row.seal)) &&
	haveNotEnded(env, row.partnerId, invitationAccess(row));

export const isOpenPasskey = async (env: Env, row: PasskeyRow): Promise<boolean> =>
	(await passkeySealHolds(keyRing(env, 'SEAL_KEY'), row, row.seal)) &&
	haveNotEnded(env, row.partnerId, await passkeyAccess(row));

export const isOpenSession = async (env: Env, terms: SessionTerms, seal: string): Promise<boolean> =>
	(await sessionSealHolds(keyRing(env, 'SEAL_KEY'), terms, seal)) &&
	haveNotEnded(env, terms.partnerId, ...accessesOfSession(terms));
