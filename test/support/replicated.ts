/**
 * D1 with a replica that is behind. Locally every session reads the one database, so no test could see an older state.
 * Here the replica has the state of the moment when it was copied. It answers a session that begins anywhere as it is; in a
 * session that has seen the primary it catches up first, as the platform promises. Writes, and reads without a session, go
 * to the primary.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestService } from './service.ts';

type Queries = Pick<D1Database, 'prepare' | 'batch'>;
type Value = string | number | null;
const BUSY_MILLISECONDS = 10_000;
/** Of any state that the primary has shown. */
const BOOKMARK = 'a state of the primary';

export interface Replicated {
	/** `begins`: where sessions begin, whatever the code asks for. */
	database(begins?: D1SessionConstraint): D1Database;
	/** Who answered in sessions, since it was last asked. */
	served(): ('primary' | 'replica')[];
	close(): void;
}

function fileOf({ stateDirectory }: TestService): string {
	const data = join(stateDirectory, 'data');
	const found = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter(
		(name) => name.includes('D1DatabaseObject') && /[0-9a-f]{64}\.sqlite$/.test(name),
	);
	if (found.length !== 1) throw new Error(`${found.length} files of D1`);
	return join(data, found[0] ?? '');
}

/** What Drizzle asks of a statement. */
const statementOf = (copy: () => DatabaseSync, query: string, values: readonly Value[] = []): object => ({
	bind: (...bound: Value[]) => statementOf(copy, query, bound),
	raw: async () => {
		const statement = copy().prepare(query);
		statement.setReturnArrays(true);
		return statement.all(...values);
	},
	all: async () => ({
		success: true,
		results: copy()
			.prepare(query)
			.all(...values),
	}),
});

export async function replicate(service: TestService): Promise<Replicated> {
	const primary = service.database;
	// workerd may be writing: SQLite waits for it instead of failing at once.
	const live = new DatabaseSync(fileOf(service), { readOnly: true, timeout: BUSY_MILLISECONDS });
	let copies = 0;
	const copyNow = (): DatabaseSync => {
		const path = join(service.stateDirectory, `replica-${copies++}`);
		rmSync(path, { force: true });
		live.exec(`VACUUM INTO '${path}'`);
		return new DatabaseSync(path);
	};
	let copy = copyNow();
	let served: ('primary' | 'replica')[] = [];

	/** The copy that answers the next query: null for the primary. */
	function sessionFrom(begins: D1SessionConstraint | typeof BOOKMARK): Queries {
		let hasBookmark = begins === BOOKMARK;
		const next = (): Queries => {
			const isReplica = hasBookmark || begins === 'first-unconstrained';
			served.push(isReplica ? 'replica' : 'primary');
			if (hasBookmark) copy = copyNow();
			hasBookmark = true;
			return isReplica ? replica : primary;
		};
		return {
			prepare: (query: string) => next().prepare(query),
			batch: (statements) => next().batch(statements),
			getBookmark: () => (hasBookmark ? BOOKMARK : null),
		} as Queries;
	}

	const replica = { prepare: (query: string) => statementOf(() => copy, query) } as unknown as Queries;

	return {
		database: (begins) =>
			({
				prepare: (query: string) => primary.prepare(query),
				batch: (statements: D1PreparedStatement[]) => primary.batch(statements),
				withSession: (asked: D1SessionConstraint | typeof BOOKMARK) =>
					sessionFrom(asked === BOOKMARK ? asked : (begins ?? asked)),
			}) as unknown as D1Database,
		served: () => {
			const answered = served;
			served = [];
			return answered;
		},
		close: () => {
			live.close();
			copy.close();
		},
	};
}
