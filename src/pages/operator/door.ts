/** Which way leads into the console. Pure. */
import type { PagesEnv } from '../env.ts';
import type { Team } from './access.ts';

type Door =
	| { readonly kind: 'access'; readonly team: Team }
	| { readonly kind: 'token' }
	/** `why`: one sentence for the operator. */
	| { readonly kind: 'closed'; readonly why: string };

export function doorText(door: Door): string {
	if (door.kind === 'access') return `the console is behind Cloudflare Access, of ${new URL(door.team.origin).host}`;
	return door.kind === 'token' ? 'the console takes the operator token' : `the console is closed: ${door.why}`;
}

const closed = (why: string): Door => ({ kind: 'closed', why });

type Variables = Pick<PagesEnv, 'ACCESS_TEAM_DOMAIN' | 'ACCESS_AUDIENCE' | 'CONSOLE_TOKEN_SIGN_IN'>;

/**
 * Access wherever one of its variables is set: a half of them opens no other way. `host`: of the request; a team at
 * loopback, which tests play, counts only for requests to loopback, and no request from outside is one.
 */
export function doorOf(variables: Variables, host: string): Door {
	const team = (variables.ACCESS_TEAM_DOMAIN ?? '').trim();
	const audience = (variables.ACCESS_AUDIENCE ?? '').trim();
	if (team !== '' || audience !== '') {
		if (team === '') return closed('ACCESS_AUDIENCE is set and ACCESS_TEAM_DOMAIN is not.');
		if (audience === '') return closed('ACCESS_TEAM_DOMAIN is set and ACCESS_AUDIENCE is not.');
		const isLoopback = team.startsWith('http://127.0.0.1:');
		if (isLoopback && host !== '127.0.0.1') return closed('ACCESS_TEAM_DOMAIN names this machine.');
		return { kind: 'access', team: { origin: isLoopback ? team : `https://${team}`, audience } };
	}
	if (variables.CONSOLE_TOKEN_SIGN_IN?.trim() === 'on') return { kind: 'token' };
	return closed('Neither Cloudflare Access nor the sign-in by token is set up.');
}
