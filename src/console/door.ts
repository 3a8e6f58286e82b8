/** Which way leads into the console. Pure. */
import { isInClear } from '../http/in-clear.ts';
import type { DoorVariables } from '../ports/env.ts';
import type { Team } from './access.ts';
import { groupRolesIn } from './roles.ts';

type Door =
	| { readonly kind: 'access'; readonly team: Team }
	| { readonly kind: 'token' }
	/** By the token, but this request shows on its way what it brings. */
	| { readonly kind: 'in clear' }
	/** `why`: one sentence for the operator. */
	| { readonly kind: 'closed'; readonly why: string };

/** For whom it is open, wherever they ask from. */
export function doorText(variables: DoorVariables): string {
	const door = doorOf(variables, HERE);
	if (door.kind === 'access') return `the console is behind Cloudflare Access, of ${new URL(door.team.origin).host}`;
	return door.kind === 'closed' ? `the console is closed: ${door.why}` : 'the console takes the operator token';
}

const HERE = new URL('http://127.0.0.1');

const closed = (why: string): Door => ({ kind: 'closed', why });

/**
 * Access wherever one of its variables is set: a half of them opens no other way. `url`: of the request; a team at
 * loopback, which tests play, counts only for requests to loopback, and no request from outside is one. The token, and a
 * session that it opened, count only where nobody on the way can read them.
 */
export function doorOf(variables: DoorVariables, url: URL): Door {
	const team = (variables.ACCESS_TEAM_DOMAIN ?? '').trim();
	const audience = (variables.ACCESS_AUDIENCE ?? '').trim();
	const roles = groupRolesIn(variables.ACCESS_ROLES ?? '');
	if (team !== '' || audience !== '' || roles !== null) {
		if (team === '') return closed('ACCESS_TEAM_DOMAIN is not set, and another variable of Access is.');
		if (audience === '') return closed('ACCESS_TEAM_DOMAIN is set and ACCESS_AUDIENCE is not.');
		if (roles === 'wrong')
			return closed('ACCESS_ROLES is no list such as admin=Owners; support=Help desk; view=Staff.');
		const isLoopback = team.startsWith('http://127.0.0.1:');
		if (isLoopback && url.hostname !== HERE.hostname) return closed('ACCESS_TEAM_DOMAIN names this machine.');
		return { kind: 'access', team: { origin: isLoopback ? team : `https://${team}`, audience, roles } };
	}
	if (variables.CONSOLE_TOKEN_SIGN_IN?.trim() === 'on') return { kind: isInClear(url) ? 'in clear' : 'token' };
	return closed('Neither Cloudflare Access nor the sign-in by token is set up.');
}
