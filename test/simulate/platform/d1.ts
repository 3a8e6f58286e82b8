/** D1 on Node's SQLite in memory: a batch is one transaction, and an answer can be lost after it was committed. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { allAssets } from '../../../src/catalog/assets.ts';
import { migrate } from '../../support/sqlite-d1.ts';
import { AMOUNTS } from '../people/amounts.ts';
import type { Owner, World } from '../world.ts';

interface Bound {
	readonly statement: string;
	readonly values: readonly SQLInputValue[];
}

const lost = (): Error => new Error('D1_ERROR: Network connection lost.');

/** What is known of a statement by its text. */
interface Known {
	/** `insert orders`: what a table of effects names it by. */
	readonly label: string;
	readonly isRead: boolean;
	/** It is written while nothing happens. */
	readonly isIdle: boolean;
}

const IDLE = /status_|alerts|periodic_checks/;
const known = new Map<string, Known>();

function knownOf(statement: string): Known {
	const found = known.get(statement);
	if (found) return found;
	const label = labelOf(statement);
	const made = { label, isRead: /^\s*select\b/i.test(statement), isIdle: IDLE.test(label) };
	known.set(statement, made);
	return made;
}

function labelOf(statement: string): string {
	const [, verb = 'sql'] = /^\W*(\w+)/.exec(statement) ?? [];
	const [, table = ''] = /\b(?:from|into|update)\s+"?(\w+)/i.exec(statement) ?? [];
	return `${verb.toLowerCase()} ${table}`.trim();
}

let migrated: Uint8Array | null = null;

/** Applied once; each run begins with a copy. Of the assets those are on sale that the people use. */
function migratedOnce(): Uint8Array {
	if (migrated) return migrated;
	const sqlite = new DatabaseSync(':memory:');
	sqlite.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE, applied_at TIMESTAMP)');
	migrate(sqlite);
	const insert = sqlite.prepare('INSERT INTO asset_settings (code, active) VALUES (?, 0)');
	for (const { code } of allAssets()) if (!(code in AMOUNTS)) insert.run(code);
	migrated = sqlite.serialize();
	return migrated;
}

function databaseOf(saved: Uint8Array): DatabaseSync {
	const sqlite = new DatabaseSync(':memory:');
	sqlite.deserialize(saved);
	sqlite.exec('PRAGMA foreign_keys = ON');
	return sqlite;
}

export class SimulatedD1 {
	sqlite: DatabaseSync;
	readonly #world: World;
	readonly #statements = new Map<string, StatementSync>();
	readonly #rawStatements = new Map<string, StatementSync>();

	/** `saved`: what another run had. */
	constructor(world: World, saved: Uint8Array = migratedOnce()) {
		this.#world = world;
		this.sqlite = databaseOf(saved);
	}

	/** As the platform's own backup does it. */
	setBack(saved: Uint8Array): void {
		this.sqlite = databaseOf(saved);
		this.#statements.clear();
		this.#rawStatements.clear();
	}

	rows(statement: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
		return this.#prepared(statement).all(...values);
	}

	binding(owner: Owner): object {
		const one = <T>(bound: Bound, shape: (rows: Record<string, unknown>[]) => T): Promise<T> =>
			this.#world.effect(owner, `d1 ${knownOf(bound.statement).label}`, () => shape(this.#rowsOf(bound)), lost);
		const prepared = (bound: Bound): object => ({
			...bound,
			bind: (...values: SQLInputValue[]) => prepared({ ...bound, values: values.map(bindable) }),
			all: () => one(bound, (rows) => this.#result(bound.statement, rows)),
			run: () => one(bound, (rows) => this.#result(bound.statement, rows)),
			raw: () => this.#world.effect(owner, `d1 ${knownOf(bound.statement).label}`, () => this.#arraysOf(bound), lost),
			first: (column?: string) => one(bound, ([row]) => (column ? (row?.[column] ?? null) : (row ?? null))),
		});
		const d1 = {
			prepare: (statement: string) => prepared({ statement, values: [] }),
			batch: (statements: readonly Bound[]) => {
				const labels = [...new Set(statements.map(({ statement }) => knownOf(statement).label))].slice(0, 3).join(', ');
				return this.#world.effect(owner, `d1 batch ${labels}`, () => this.#batch(statements), lost);
			},
			withSession: () => ({ ...d1, getBookmark: () => null }),
		};
		return d1;
	}

	#prepared(statement: string): StatementSync {
		const known = this.#statements.get(statement);
		if (known) return known;
		const made = this.sqlite.prepare(statement);
		this.#statements.set(statement, made);
		return made;
	}

	/** Columns that have the same name are apart. */
	#arraysOf({ statement, values }: Bound): unknown[] {
		let prepared = this.#rawStatements.get(statement);
		if (!prepared) {
			prepared = this.sqlite.prepare(statement);
			prepared.setReturnArrays(true);
			this.#rawStatements.set(statement, prepared);
		}
		return this.#asD1(() => prepared.all(...values));
	}

	#rowsOf({ statement, values }: Bound): Record<string, unknown>[] {
		return this.#asD1(() => this.#prepared(statement).all(...values));
	}

	#asD1<T>(run: () => T): T {
		try {
			return run();
		} catch (error) {
			throw new Error(`D1_ERROR: ${(error as Error).message}: SQLITE_CONSTRAINT`, { cause: error });
		}
	}

	#result(statement: string, results: readonly Record<string, unknown>[]) {
		const { isRead, isIdle } = knownOf(statement);
		const changes = isRead ? 0 : this.#prepared('SELECT changes() AS changes').get()?.['changes'];
		if (Number(changes) > 0 && !isIdle) this.#world.changes += 1;
		return { results, success: true, meta: { changes, rows_read: 0, rows_written: 0 } };
	}

	#batch(statements: readonly Bound[]) {
		this.sqlite.exec('BEGIN');
		try {
			const results = statements.map((bound) => this.#result(bound.statement, this.#rowsOf(bound)));
			this.sqlite.exec('COMMIT');
			return results;
		} catch (error) {
			this.sqlite.exec('ROLLBACK');
			throw error;
		}
	}
}

/** As D1 takes them. */
const bindable = (value: unknown): SQLInputValue =>
	typeof value === 'boolean' ? Number(value) : value === undefined ? null : (value as SQLInputValue);
