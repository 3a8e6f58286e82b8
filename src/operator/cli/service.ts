/** The request to the service: its address, the token, and every way to fail as one line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AskedPersons } from '../../ports/persons.ts';
import type { BACKUP_STEPS } from '../backup/backup-steps.ts';
import type { RESTORE_STEPS } from '../backup/restore-steps.ts';
import type { CommandPath } from '../topics/table.ts';
import type { Input } from './parse.ts';

/** The slowest command, many deposits at once, takes a fraction of this. */
const TIMEOUT_MILLISECONDS = 60_000;
const DEFAULT_PORT = '8787';
export const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

export type Environment = Readonly<Record<string, string | undefined>>;

/** A message for the operator. Any other error that is thrown is a bug. */
export class ServiceError extends Error {}

/** @throws ServiceError */
export function readJson(file: string): unknown {
	try {
		return JSON.parse(readFileSync(file, 'utf8'));
	} catch (error) {
		throw new ServiceError(`${file} cannot be read as JSON: ${(error as Error).message}`);
	}
}

/** The command waits for persons, who sign what `asks` says. */
export class Unconfirmed extends ServiceError {
	readonly asks: AskedPersons;

	constructor(message: string, asks: AskedPersons) {
		super(message);
		this.asks = asks;
	}
}

/** A step of a procedure that the command line goes through by itself. */
type StepPath = `backup/${keyof typeof BACKUP_STEPS}` | `restore/${keyof typeof RESTORE_STEPS}`;

/** The answer's data. @throws ServiceError */
export async function send(path: CommandPath | StepPath, input: Input, environment: Environment): Promise<unknown> {
	const service = serviceUrl(environment);
	const token = operatorToken(service, environment);
	const url = `${service.href.replace(/\/+$/, '')}/operator/v1/${path}`;
	const response = await post({ url, token, input, user: environment['USER'] ?? '' }, service);
	const answer: unknown = await response.json().catch(() => null);
	if (typeof answer === 'object' && answer !== null && 'ok' in answer) {
		if (answer.ok === true && 'data' in answer) return answer.data;
		if (response.status === 428 && 'asks' in answer)
			throw new Unconfirmed(String(Object(answer).error), answer.asks as AskedPersons);
		if ('error' in answer) throw new ServiceError(String(answer.error));
	}
	throw new ServiceError(unexpected(response.status, service));
}

/** @throws ServiceError */
export function serviceUrl({ SERVICE_URL, PORT }: Environment): URL {
	const text = SERVICE_URL || `http://127.0.0.1:${PORT || DEFAULT_PORT}`;
	const url = URL.parse(text);
	if (url && /^https?:$/.test(url.protocol)) return url;
	throw new ServiceError(`${SERVICE_URL ? 'SERVICE_URL' : 'PORT'} names no service: ${text} is not an http(s) URL`);
}

/** The token of the local service is only sent to this machine. */
function operatorToken(service: URL, { OPERATOR_TOKEN, STATE_DIR }: Environment): string {
	if (OPERATOR_TOKEN) return OPERATOR_TOKEN;
	if (!LOOPBACK.has(service.hostname)) {
		throw new ServiceError(`no operator token; set OPERATOR_TOKEN to the one of ${service.origin}`);
	}
	const path = join(STATE_DIR || '.state', 'secrets.json');
	try {
		const secrets: unknown = JSON.parse(readFileSync(path, 'utf8'));
		const isThere = typeof secrets === 'object' && secrets !== null && 'OPERATOR_TOKEN' in secrets;
		if (isThere && typeof secrets.OPERATOR_TOKEN === 'string') return secrets.OPERATOR_TOKEN;
	} catch {
		// No such file, or not one that npm start wrote: the error below says so.
	}
	throw new ServiceError(
		`no operator token in ${path}; set OPERATOR_TOKEN, or STATE_DIR to where npm start keeps its state`,
	);
}

interface Posted {
	readonly url: string;
	readonly token: string;
	readonly input: Input;
	/** The user of this machine; empty where nobody says. */
	readonly user: string;
}

async function post({ url, token, input, user }: Posted, service: URL): Promise<Response> {
	try {
		return await fetch(url, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${token}`,
				'content-type': 'application/json',
				// For `doctor`, which compares the clocks.
				'x-caller-time': String(Date.now()),
				// For the audit log.
				'x-operator': encodeURIComponent(user),
			},
			body: JSON.stringify(input),
			// The token must not follow a redirect.
			redirect: 'manual',
			signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
		});
	} catch (error) {
		const why = error instanceof Error && error.name === 'TimeoutError' ? 'does not answer' : 'cannot be reached';
		throw new ServiceError(`the service at ${service.origin} ${why}; is it running, and is SERVICE_URL or PORT right?`);
	}
}

function unexpected(status: number, { origin }: URL): string {
	if (status === 401) return `the service at ${origin} refuses this operator token; check OPERATOR_TOKEN`;
	if (status === 404)
		return `the service at ${origin} has no operator API; its secret OPERATOR_TOKEN is not set, or shorter than 32 random bytes`;
	if (status === 429)
		return `too many wrong operator tokens came to ${origin} from your network; try again in a minute`;
	if (status >= 300 && status < 400)
		return `the service at ${origin} redirects elsewhere; set SERVICE_URL to where it is`;
	return `the service at ${origin} gave no answer that makes sense (HTTP ${status})`;
}
