/**
 * The account's API, asked directly where its answer decides something: it says with a status and a code what wrangler
 * says in words. An answer that is no success is a value.
 */
import { Stopped } from './talk.ts';

const API = 'https://api.cloudflare.com/client/v4';
const TIMEOUT_MILLISECONDS = 60_000;

export type Answer =
	| { readonly ok: true; readonly result: unknown }
	| { readonly ok: false; readonly status: number; readonly code: number | null; readonly problem: string };

export interface Account {
	readonly id: string;
	/** The token of another login than wrangler's own. */
	readonly token?: string | undefined;
	/** `path`: below the account, or from the API's root where it begins with a slash. */
	call(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Answer>;
}

export function accountOf(id: string, authorization: Readonly<Record<string, string>>, token?: string): Account {
	const base = process.env['CLOUDFLARE_API_BASE_URL'] || API;
	return {
		id,
		token,
		async call(method, path, body) {
			const url = `${base}${path.startsWith('/') ? path : `/accounts/${id}/${path}`}`;
			const response = await fetch(url, {
				method,
				headers: { ...authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
				...(body !== undefined && { body: JSON.stringify(body) }),
				signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
			}).catch((error: Error) => {
				throw new Stopped(
					`Cloudflare's API cannot be reached (${error.message}): check the connection, then run setup again`,
				);
			});
			return answerOf(response.status, (await response.json().catch(() => null)) as Envelope | null);
		},
	};
}

interface Envelope {
	readonly success?: boolean;
	readonly result?: unknown;
	readonly errors?: readonly { readonly code?: number; readonly message?: string }[];
}

function answerOf(status: number, envelope: Envelope | null): Answer {
	if (envelope?.success) return { ok: true, result: envelope.result };
	const [error] = envelope?.errors ?? [];
	return { ok: false, status, code: error?.code ?? null, problem: error?.message ?? `HTTP ${status}` };
}

/** @throws Stopped where it is no success. `what`: "list the databases". */
export function must<Result>(answer: Answer, what: string): Result {
	if (answer.ok) return answer.result as Result;
	const { status, code, problem } = answer;
	const rights = status === 401 || status === 403 ? ' The login lacks the right: see "Deploying" in the book.' : '';
	throw new Stopped(`Cloudflare refuses to ${what}: ${problem}${code === null ? '' : ` (code ${code})`}.${rights}`);
}

/** Reads what the account has at this path. @throws Stopped as `must` */
export const read = async <Result>(account: Account, path: string, what: string): Promise<Result> =>
	must(await account.call('GET', path), what);

/** The same; null where it has nothing there. */
export async function readIfThere<Result>(account: Account, path: string, what: string): Promise<Result | null> {
	const answer = await account.call('GET', path);
	return !answer.ok && answer.status === 404 ? null : must(answer, what);
}

/** The rows of a query of the deployment's database. */
export async function query<Row>(
	account: Account,
	databaseId: string,
	sql: string,
	params: readonly (string | number)[] = [],
): Promise<readonly Row[]> {
	const answer = await account.call('POST', `d1/database/${databaseId}/query`, { sql, params });
	const [first] = must<{ readonly results: readonly Row[] }[]>(answer, 'query the database');
	return first?.results ?? [];
}
