/**
 * The service's rows for a signer in another house. The signer reads them and believes none by itself, so it asks over the
 * link as it would ask D1. The link reads for it and writes nothing: a house in wrong hands changes no row.
 */
import { RpcTarget } from 'capnweb';
import type { SandboxLedger } from '../chains/sandbox/ledger.ts';
import type { SandboxPrices } from '../chains/sandbox/prices.ts';
import { objectNamed, type Regional } from '../platform/region.ts';
import { callOver } from './call.ts';
import type { Other } from './post.ts';

type Value = string | number | null;

interface Reading {
	readonly sql: string;
	readonly values: readonly Value[];
}

/** Bindings of the service's account. */
export interface RowsBindings {
	readonly DB: D1Database;
	readonly SANDBOX_LEDGER: DurableObjectNamespace<SandboxLedger>;
	readonly SANDBOX_PRICES: DurableObjectNamespace<SandboxPrices>;
}

export type RowsEnv = RowsBindings & Regional;

/** One statement that reads: SQLite has no `SELECT` that writes, and D1 would execute what follows a semicolon. */
const READS = /^\s*select\b[^;]*$/i;

/** Reads for the house, in the service's own account. */
export class Rows extends RpcTarget {
	readonly #env: RowsEnv;

	constructor(env: RowsEnv) {
		super();
		this.#env = env;
	}

	/** The rows of each, from one moment. @throws what D1 throws */
	async read(readings: readonly Reading[]): Promise<Record<string, unknown>[][]> {
		const results = await this.#env.DB.batch<Record<string, unknown>>(readings.map((each) => this.#statement(each)));
		return results.map((each) => each.results);
	}

	/** The rows as lists of values: two columns of one name are two. */
	async readRaw(reading: Reading): Promise<unknown[][]> {
		return this.#statement(reading).raw();
	}

	/** A call to a ledger or the prices of the sandbox, where no coins are. No map crosses the link. */
	async sandbox(binding: SandboxBinding, name: string, method: string, given: readonly unknown[]): Promise<Sandboxed> {
		if (!SANDBOX_BINDINGS.includes(binding)) throw new TypeError('the link calls the sandbox, and nothing else');
		const object = objectNamed(this.#env, this.#env[binding] as RowsEnv['SANDBOX_LEDGER'], name) as unknown as Record<
			string,
			(...given: unknown[]) => unknown
		>;
		const answer = structuredClone(await object[method]?.(...given));
		return answer instanceof Map ? { pairs: [...answer] } : { answer };
	}

	#statement({ sql, values }: Reading): D1PreparedStatement {
		if (!READS.test(sql)) throw new TypeError('the link reads rows, and does nothing else');
		return this.#env.DB.prepare(sql).bind(...values);
	}
}

const SANDBOX_BINDINGS = ['SANDBOX_LEDGER', 'SANDBOX_PRICES'] as const;
type SandboxBinding = (typeof SANDBOX_BINDINGS)[number];
type Sandboxed = { readonly answer: unknown } | { readonly pairs: readonly (readonly [unknown, unknown])[] };

/** The bindings of the service's account, as the signer's code wants them, over the link. */
export function bindingsOver(other: Other): RowsBindings {
	return {
		DB: new LinkedDatabase(other) as unknown as D1Database,
		SANDBOX_LEDGER: linkedObjects(other, 'SANDBOX_LEDGER') as RowsEnv['SANDBOX_LEDGER'],
		SANDBOX_PRICES: linkedObjects(other, 'SANDBOX_PRICES') as RowsEnv['SANDBOX_PRICES'],
	};
}

const linkedObjects = (other: Other, binding: SandboxBinding): unknown => {
	const ask = async (name: string, method: string, given: readonly unknown[]) => {
		const sandboxed = (await callOver(other, 'sandbox', [binding, name, method, given])) as Sandboxed;
		return 'pairs' in sandboxed ? new Map(sandboxed.pairs) : sandboxed.answer;
	};
	const object = (name: string) =>
		new Proxy(
			{},
			{
				get: (_, method) =>
					typeof method === 'symbol' || method === 'then'
						? undefined
						: (...given: unknown[]) => ask(name, method, given),
			},
		);
	return { getByName: object };
};

/** As much of D1 as reads use (`platform/d1/database.ts`). */
class LinkedDatabase {
	readonly #other: Other;

	constructor(other: Other) {
		this.#other = other;
	}

	prepare(sql: string): LinkedStatement {
		return new LinkedStatement(this.#other, { sql, values: [] });
	}

	async batch(statements: readonly LinkedStatement[]) {
		const readings = statements.map(({ reading }) => reading);
		const read = (await callOver(this.#other, 'read', [readings])) as Record<string, unknown>[][];
		return read.map((results) => ({ results, success: true, meta: {} }));
	}
}

class LinkedStatement {
	readonly #other: Other;
	readonly reading: Reading;

	constructor(other: Other, reading: Reading) {
		this.#other = other;
		this.reading = reading;
	}

	bind(...values: Value[]): LinkedStatement {
		return new LinkedStatement(this.#other, { ...this.reading, values });
	}

	async all() {
		const [results = []] = (await callOver(this.#other, 'read', [[this.reading]])) as Record<string, unknown>[][];
		return { results, success: true, meta: {} };
	}

	async raw(): Promise<unknown> {
		return callOver(this.#other, 'readRaw', [this.reading]);
	}
}
