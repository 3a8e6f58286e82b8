/**
 * Counts the round trips of one call: to the gates, and to D1. It wraps the bindings and waits for nothing. What runs
 * after the answer is not counted. A trip that calls share (`joined.ts`) counts for the one that carries the others, and for
 * nobody else: the sum over all calls is what the platform was asked.
 */
import type { Env } from '../../ports/env.ts';

export interface RoundTrips {
	gate: number;
	database: number;
}

type Gates = DurableObjectNamespace<Rpc.DurableObjectBranded | undefined>;

/** The same environment; every use of its gates and its database adds to `trips`. */
export function countRoundTrips(env: Env): { readonly env: Env; readonly trips: RoundTrips } {
	const trips: RoundTrips = { gate: 0, database: 0 };
	const counted = {
		DB: countedDatabase(env.DB, trips) as unknown as D1Database,
		PARTNER_GATE: countedGates(env.PARTNER_GATE, trips),
		ANONYMOUS_GATE: countedGates(env.ANONYMOUS_GATE, trips),
	};
	return { env: { ...env, ...counted }, trips };
}

/** Each stub that is taken is asked once. What says where it is created goes with it (`region.ts`). */
const countedGates = <Namespace extends Pick<Gates, 'get' | 'getByName' | 'idFromName'>>(
	gates: Namespace,
	trips: RoundTrips,
): Namespace => {
	const counted = {
		idFromName: (name: string) => gates.idFromName(name),
		get: (...given: Parameters<Gates['get']>) => {
			trips.gate++;
			return gates.get(...given);
		},
		getByName: (...given: Parameters<Gates['getByName']>) => {
			trips.gate++;
			return gates.getByName(...given);
		},
	};
	return counted as unknown as Namespace;
};

/** Drizzle calls `prepare`, `batch`, and of a statement what `CountedStatement` has. */
const countedDatabase = (database: D1Database, trips: RoundTrips) => ({
	...countedQueries(database, trips),
	withSession: (start: D1SessionConstraint | D1SessionBookmark) => {
		const session = database.withSession(start);
		return { ...countedQueries(session, trips), getBookmark: () => session.getBookmark() };
	},
});

const countedQueries = (database: Pick<D1Database, 'prepare' | 'batch'>, trips: RoundTrips) => ({
	prepare: (query: string) => new CountedStatement(database.prepare(query), trips),
	batch: (statements: readonly CountedStatement[]) => {
		trips.database++;
		return database.batch(statements.map(({ statement }) => statement));
	},
});

class CountedStatement {
	readonly statement: D1PreparedStatement;
	readonly #trips: RoundTrips;

	constructor(statement: D1PreparedStatement, trips: RoundTrips) {
		this.statement = statement;
		this.#trips = trips;
	}

	bind(...values: unknown[]): CountedStatement {
		return new CountedStatement(this.statement.bind(...values), this.#trips);
	}

	all(): Promise<unknown> {
		return this.#counted().all();
	}

	run(): Promise<unknown> {
		return this.#counted().run();
	}

	raw(): Promise<unknown> {
		return this.#counted().raw();
	}

	#counted(): D1PreparedStatement {
		this.#trips.database++;
		return this.statement;
	}
}
