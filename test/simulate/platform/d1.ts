/** D1 on Node's SQLite in memory: a batch is one transaction, and an answer can be lost after it was committed. */
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { sqliteD1 } from '../../support/sqlite-d1.ts';
import type { Owner, World } from '../world.ts';

interface Bound {
	readonly statement: string;
	readonly values: readonly SQLInputValue[];
}

const lost = (): Error => new Error('D1_ERROR: Network connection lost.');

/** `insert orders`: what a table of effects names it by. */
function labelOf(statement: string): string {
	const [, verb = 'sql'] = /^\W*(\w+)/.exec(statement) ?? [];
	const [, table = ''] = /\b(?:from|into|update)\s+"?(\w+)/i.exec(statement) ?? [];
	return `${verb.toLowerCase()} ${table}`.trim();
}

export class SimulatedD1 {
	readonly sqlite = sqliteD1().sqlite;
	readonly #world: World;
	readonly #statements = new Map<string, StatementSync>();

	constructor(world: World) {
		this.#world = world;
		this.sqlite.exec('PRAGMA foreign_keys = ON');
	}

	rows(statement: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
		return this.#prepared(statement).all(...values);
	}

	binding(owner: Owner): object {
		const one = <T>(bound: Bound, shape: (rows: Record<string, unknown>[]) => T): Promise<T> =>
			this.#world.effect(owner, `d1 ${labelOf(bound.statement)}`, () => shape(this.#rowsOf(bound)), lost);
		const prepared = (bound: Bound): object => ({
			...bound,
			bind: (...values: SQLInputValue[]) => prepared({ ...bound, values: values.map(bindable) }),
			all: () => one(bound, (rows) => this.#result(rows)),
			run: () => one(bound, (rows) => this.#result(rows)),
			raw: () => one(bound, (rows) => rows.map(Object.values)),
			first: (column?: string) =>
				one(bound, ([row]) => (column ? (row?.[column] ?? null) : (row ?? null))),
		});
		const d1 = {
			prepare: (statement: string) => prepared({ statement, values: [] }),
			batch: (statements: readonly Bound[]) => {
				const labels = [...new Set(statements.map(({ statement }) => labelOf(statement)))].slice(0, 3).join(', ');
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

	#rowsOf({ statement, values }: Bound): Record<string, unknown>[] {
		try {
			return this.#prepared(statement).all(...values);
		} catch (error) {
			throw new Error(`D1_ERROR: ${(error as Error).message}: SQLITE_CONSTRAINT`, { cause: error });
		}
	}

	#result(results: readonly Record<string, unknown>[]) {
		const [row] = this.#prepared('SELECT changes() AS changes').all();
		return { results, success: true, meta: { changes: row?.['changes'], rows_read: 0, rows_written: 0 } };
	}

	#batch(statements: readonly Bound[]) {
		this.sqlite.exec('BEGIN');
		try {
			const results = statements.map((bound) => this.#result(this.#rowsOf(bound)));
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
