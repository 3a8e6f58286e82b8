/**
 * A Worker beside a service's own, on a socket of its own, that asks the platform what a test wants to know: of D1, of
 * Durable Objects and of KV. Miniflare's own way takes a thread for each service, and several requests for what is one
 * here, for most of which the test's thread stands still: five times as much.
 */
import {
	AGENTS_WORKER,
	API_WORKER,
	CACHE_ID,
	DATABASE_ID,
	type LocalWorkers,
	SIGNER_WORKER,
} from '../../src/local/workers.ts';

export type ObjectBinding =
	| 'PARTNER_GATE'
	| 'RATE_BOOK'
	| 'CHAIN_AGENT'
	| 'SANDBOX_LEDGER'
	| 'VAULT'
	| 'JOURNAL_VOLUME';

/** Of one service. What goes through it is what JSON has, and bigints and bytes. */
export interface TestWorker {
	readonly database: D1Database;
	/** The API Worker's KV, for texts. */
	readonly cache: Pick<KVNamespace, 'get' | 'put' | 'delete' | 'list'>;
	/** A Durable Object, whichever Worker runs it. `T` has those of its methods that the test calls. */
	object<T extends object>(binding: ObjectBinding, name: string): T;
	/** The object's id, by which its storage on disk is named. */
	objectId(binding: ObjectBinding, name: string): Promise<string>;
	/** Ends the object as the platform may at any time: the next call makes it again from its storage. */
	evict(binding: ObjectBinding, name: string): Promise<void>;
}

interface Question {
	readonly binding: string;
	/** Of a Durable Object. */
	readonly name?: string;
	readonly method: string;
	/** Arguments; of D1: statements. */
	readonly given: readonly unknown[];
}

type Given<T> = { readonly answer: T } | { readonly error: { readonly message: string; readonly cause?: string } };

interface Statement {
	readonly query: string;
	readonly values: readonly unknown[];
}

// These two are part of the Worker's script as well: they use nothing from outside.
function packed(_: string, value: unknown): unknown {
	if (typeof value === 'bigint') return { $bigint: String(value) };
	return value instanceof Uint8Array ? { $bytes: [...value] } : value;
}

function unpacked(_: string, value: unknown): unknown {
	const { $bigint, $bytes } = (value ?? {}) as { readonly $bigint?: string; readonly $bytes?: number[] };
	if ($bigint !== undefined) return BigInt($bigint);
	return $bytes === undefined ? value : new Uint8Array($bytes);
}

const SCRIPT = `
import unsafe from 'workerd:unsafe';
const packed = ${packed};
const unpacked = ${unpacked};

async function answerOf(target, { name, method, given }) {
	if (name !== undefined) {
		const id = target.idFromName(name);
		if (method === 'id') return String(id);
		return method === 'evict' ? unsafe.evict(target.get(id)) : target.get(id)[method](...given);
	}
	if (!target.prepare) return target[method](...given);
	const statements = given.map(({ query, values }) => target.prepare(query).bind(...values));
	return method === 'batch' ? target.batch(statements) : statements[0][method]();
}

export default {
	async fetch(request, env) {
		const question = JSON.parse(await request.text(), unpacked);
		const answer = await answerOf(env[question.binding], question).then(
			(answer) => ({ answer }),
			({ message, cause }) => ({ error: { message, cause: cause?.message } }),
		);
		return new Response(JSON.stringify(answer, packed));
	},
};`;

/** `workers`: as they run, which may be another release's. */
export const testWorker = (port: number, workers: LocalWorkers) => ({
	name: 'partner-exchange-test',
	modules: true as const,
	script: SCRIPT,
	compatibilityDate: '2026-11-01',
	compatibilityFlags: ['unsafe_module'],
	d1Databases: { DB: DATABASE_ID },
	kvNamespaces: { CACHE: CACHE_ID },
	durableObjects: objectsOf(workers),
	unsafeDirectSockets: [{ host: '127.0.0.1', port }],
	bindings: {},
});

const WITH_OBJECTS: readonly string[] = [API_WORKER, AGENTS_WORKER, SIGNER_WORKER];

/** Each object, at the Worker that runs it. */
function objectsOf(workers: LocalWorkers): Record<string, object> {
	const bindings = workers
		.filter(({ name }) => WITH_OBJECTS.includes(name))
		.flatMap((worker) => {
			const { durableObjects = {} } = worker as { readonly durableObjects?: Readonly<Record<string, object>> };
			return Object.entries(durableObjects).map(
				([binding, object]) => [binding, { scriptName: worker.name, ...object }] as const,
			);
		});
	return Object.fromEntries(bindings);
}

export function throughTestWorker(port: number): TestWorker {
	/** @throws Error with the message of what was thrown there, and of its cause */
	async function ask<T>(question: Question): Promise<T> {
		const body = JSON.stringify(question, packed);
		const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body }).catch((cause) => {
			throw new Error(`the service gives no answer to ${question.name ?? question.binding}.${question.method}`, {
				cause,
			});
		});
		const given = JSON.parse(await response.text(), unpacked) as Given<T>;
		if (!('error' in given)) return given.answer;
		const { message, cause } = given.error;
		throw new Error(message, cause === undefined ? {} : { cause: new Error(cause) });
	}
	/** Whatever method of it is called. Nobody who awaits it itself calls one. */
	const asked = <T extends object>(target: Pick<Question, 'binding' | 'name'>): T =>
		new Proxy({} as T, {
			get: (_, method) =>
				method === 'then' ? undefined : (...given: unknown[]) => ask({ ...target, method: String(method), given }),
		});
	return {
		database: databaseOf((method, given) => ask({ binding: 'DB', method, given })),
		cache: asked({ binding: 'CACHE' }),
		object: (binding, name) => asked({ binding, name }),
		objectId: (binding, name) => ask({ binding, name, method: 'id', given: [] }),
		evict: async (binding, name) => {
			await ask({ binding, name, method: 'evict', given: [] });
		},
	};
}

/** What Drizzle asks of a database. */
function databaseOf(ask: (method: string, statements: readonly Statement[]) => Promise<unknown>): D1Database {
	const statementOf = (statement: Statement) => ({
		statement,
		bind: (...values: unknown[]) => statementOf({ ...statement, values }),
		all: () => ask('all', [statement]),
		raw: () => ask('raw', [statement]),
		run: () => ask('run', [statement]),
	});
	return {
		prepare: (query: string) => statementOf({ query, values: [] }),
		batch: (statements: readonly { readonly statement: Statement }[]) =>
			ask(
				'batch',
				statements.map(({ statement }) => statement),
			),
	} as unknown as D1Database;
}
