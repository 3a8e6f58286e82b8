/**
 * Hostile calls of the operator API. Without the token each is refused. With it a call may change what it likes, but its
 * answer is `{ ok: true, data }` or `{ ok: false, error }`, and never says that the service failed.
 */
import { addressIn } from '../cast/networks.ts';
import { hostileBodies, hostileDraws } from '../support/hostile.ts';
import type { PlainAnswer } from '../support/hostile-calls.ts';
import type { HostileCase } from '../support/hostile-cases.ts';
import type { Command } from './operator-targets.ts';

const REFUSED = '401 {"code":3,"msg":"AUTH_INVALID"}';
const WRONG_TOKENS = [
	'',
	'Bearer',
	'Bearer ',
	'Bearer x',
	'bearer x',
	'Basic eDp4',
	'Bearer \xff\xfe',
	'Bearer null',
	'x',
	`Bearer ${'x'.repeat(43)}`,
	`Bearer ${'x'.repeat(7000)}`,
	'Bearer a b',
	'Bearer ;',
	'Bearer "',
	'Digest x=1',
];

export function commandCases(token: string, command: Command, numRuns: number): HostileCase[] {
	const { path, base, fields } = command;
	return hostileBodies(base, fields, { drawn: numRuns }).map(({ name, bytes }) => asOperator(token, path, name, bytes));
}

export const drawnCommandCases = (token: string, { path, base, fields }: Command, numRuns: number, seed: number) =>
	hostileDraws(base, fields, numRuns, seed).map(({ name, bytes }) => asOperator(token, path, name, bytes));

function asOperator(token: string, path: string, name: string, bytes: Uint8Array): HostileCase {
	const headers = { authorization: `Bearer ${token}` };
	const call = { name: `POST ${path}, ${name}`.slice(0, 400), method: 'POST', path, headers, bytes };
	return { call, faultOf: faultOfAnswer };
}

function faultOfAnswer({ status, text }: PlainAnswer): string | null {
	if (status === 500 || text.includes('"code":99')) return 'the service failed';
	const answer = parsed(text);
	if (answer?.['ok'] === true && 'data' in answer) return status === 200 ? null : 'done, under a wrong status';
	const isRefusal = answer?.['ok'] === false && typeof answer['error'] === 'string' && answer['error'] !== '';
	return isRefusal && status >= 400 ? null : 'no answer of the operator API';
}

function parsed(text: string): Record<string, unknown> | null {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

/** Each from a network of its own: one that guesses waits. `n`: of the command. */
export const strangerCases = ({ path, base }: Command, n: number): HostileCase[] =>
	[undefined, ...WRONG_TOKENS].map((authorization, i) => ({
		call: {
			name: `POST ${path}, authorization ${authorization?.slice(0, 60)}`,
			method: 'POST',
			path,
			headers: {
				'cf-connecting-ip': addressIn(n * (WRONG_TOKENS.length + 1) + i),
				...(authorization !== undefined && { authorization }),
			},
			bytes: Buffer.from(JSON.stringify(base)),
		},
		faultOf: ({ status, text }: PlainAnswer) => (`${status} ${text}` === REFUSED ? null : 'a stranger is not refused'),
	}));
