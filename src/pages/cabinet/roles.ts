/**
 * Who of a partner's team may do what: the least role for each action, and how the team's log says it. An action without
 * a row is for admins. Every member reads every page. Pure.
 */
import { ROLES, type Role } from '../../partners/partner.ts';

interface Action {
	readonly least: Role;
	/** Null: a step before the action, which is not in the log. */
	readonly says: string | null;
}

/** By the path after `/cabinet/`. */
export const ACTIONS: Readonly<Record<string, Action>> = {
	'sign-in': { least: 'view', says: 'Signed in' },
	invitation: { least: 'view', says: 'Made a passkey by an invitation' },
	'sign-out': { least: 'view', says: 'Signed out' },
	'confirm/options': { least: 'view', says: null },
	'access/passkeys/options': { least: 'view', says: null },
	'access/passkeys': { least: 'view', says: 'Added a passkey' },
	'access/passkeys/remove': { least: 'view', says: 'Removed a passkey' },
	'access/sessions/end': { least: 'view', says: 'Ended a session' },
	'access/sessions/end-others': { least: 'admin', says: 'Ended all other sessions' },
	'orders/exchange': { least: 'support', says: 'Had an order exchanged' },
	'orders/refund': { least: 'support', says: 'Asked for a refund' },
	'webhooks/test': { least: 'support', says: 'Sent a test event' },
	'webhooks/again': { least: 'support', says: 'Sent an event again' },
	webhooks: { least: 'admin', says: 'Changed the webhooks' },
	codes: { least: 'admin', says: 'Created a reference code' },
	'codes/disable': { least: 'admin', says: 'Switched a reference code off' },
	'codes/enable': { least: 'admin', says: 'Switched a reference code on' },
	earnings: { least: 'admin', says: 'Changed the payout address' },
	settings: { least: 'admin', says: 'Changed settings' },
	appearance: { least: 'admin', says: 'Changed the appearance' },
	'appearance/look': { least: 'admin', says: null },
	credentials: { least: 'admin', says: 'Replaced secrets' },
	'credentials/show': { least: 'admin', says: 'Viewed the secrets' },
	keys: { least: 'admin', says: 'Made a key' },
	'keys/revoke': { least: 'admin', says: 'Revoked a key' },
	'team/invite': { least: 'admin', says: 'Invited a member' },
	'team/cancel': { least: 'admin', says: 'Cancelled an invitation' },
	'team/remove': { least: 'admin', says: 'Removed a member' },
};

export function actionOf(path: string): Action & { readonly name: string } {
	const name = path.replace(/^\/cabinet\//, '');
	return { name, ...(ACTIONS[name] ?? { least: 'admin', says: name }) };
}

export const mayDo = (role: Role, path: string): boolean => ROLES.indexOf(role) >= ROLES.indexOf(actionOf(path).least);
