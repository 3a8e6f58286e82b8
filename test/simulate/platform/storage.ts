/**
 * A Durable Object's storage on an SQLite of its own. What the object writes is durable a moment later: a crash before
 * that takes it back, and nothing that the object says leaves it sooner (`durableAt`).
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { World } from '../world.ts';

/** Milliseconds until a write is durable, at most. */
const SLOWEST = 6;
const ALARM = ' alarm';
const READS = /^\s*(?:select|with|pragma|explain)\b/i;

/** The durable part: it outlives every instance of the object. */
export class Disk {
	sqlite = new DatabaseSync(':memory:');
	readonly #world: World;
	readonly #statements = new Map<string, StatementSync>();
	#isDirty = false;
	#waiting: (() => void)[] = [];
	durableAt = 0;
	/** What the storage says of its size, by what it really has. */
	sizeOf: (bytes: number) => number = (bytes) => bytes;
	/** Told when a changed alarm is durable. */
	onAlarm: (at: number | null) => void = () => undefined;
	#alarmChanged = false;

	constructor(world: World) {
		this.#world = world;
		this.sqlite.exec('CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID');
	}

	prepared(statement: string): StatementSync {
		const known = this.#statements.get(statement);
		if (known) return known;
		const made = this.sqlite.prepare(statement);
		this.#statements.set(statement, made);
		return made;
	}

	/** Before each write. */
	touch(): void {
		if (this.#isDirty) return;
		this.#isDirty = true;
		this.sqlite.exec('BEGIN');
		this.durableAt = this.#world.now + this.#world.random.next() * SLOWEST;
		const due = this.durableAt;
		this.#world.at(due, () => {
			if (this.#isDirty && this.durableAt === due) this.#commit();
		});
	}

	#commit(): void {
		this.sqlite.exec('COMMIT');
		this.#isDirty = false;
		if (this.#alarmChanged) this.onAlarm(this.alarm());
		this.#alarmChanged = false;
		for (const done of this.#waiting.splice(0)) done();
	}

	/** All of it, as if time had passed. */
	save(): Uint8Array {
		if (this.#isDirty) this.#commit();
		return this.sqlite.serialize();
	}

	/** Into a connection of its own: one that has used `json_each` crashes after that. */
	load(saved: Uint8Array): void {
		this.#statements.clear();
		this.sqlite.close();
		this.sqlite = new DatabaseSync(':memory:');
		this.sqlite.deserialize(saved);
		this.onAlarm(this.alarm());
	}

	size(): number {
		const [row] = this.prepared(
			'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
		).all();
		return this.sizeOf(Number(row?.['bytes']));
	}

	durable(): Promise<void> {
		return this.#isDirty ? new Promise((done) => this.#waiting.push(done)) : Promise.resolve();
	}

	/** What was not durable is lost. */
	crash(): void {
		if (!this.#isDirty) return;
		this.sqlite.exec('ROLLBACK');
		this.#isDirty = false;
		this.#alarmChanged = false;
		this.#waiting = [];
	}

	read(key: string): unknown {
		const row = this.prepared('SELECT value FROM _cf_KV WHERE key = ?').get(key);
		return row ? decode(String(row['value'])) : undefined;
	}

	write(key: string, value: unknown): void {
		this.touch();
		if (value === undefined) this.prepared('DELETE FROM _cf_KV WHERE key = ?').run(key);
		else this.prepared('INSERT OR REPLACE INTO _cf_KV VALUES (?, ?)').run(key, encode(value));
	}

	keys(): string[] {
		return this.prepared('SELECT key FROM _cf_KV WHERE key <> ? ORDER BY key')
			.all(ALARM)
			.map(({ key }) => String(key));
	}

	alarm(): number | null {
		return (this.read(ALARM) as number | undefined) ?? null;
	}

	setAlarm(at: number | null): void {
		this.write(ALARM, at ?? undefined);
		this.#alarmChanged = true;
	}
}

/** Kept as text: integers beyond what JSON has and maps are marked. */
const encode = (value: unknown): string =>
	JSON.stringify(value, (_, each) =>
		typeof each === 'bigint' ? { $big: String(each) } : each instanceof Map ? { $map: [...each] } : each,
	);
const decode = (text: string): unknown =>
	JSON.parse(text, (_, each) => {
		if (!each || typeof each !== 'object') return each;
		return '$big' in each ? BigInt(each.$big) : '$map' in each ? new Map(each.$map) : each;
	});

/** The storage as an instance sees it; after the instance's death it writes nothing. */
export function storageOf(disk: Disk, isAlive: () => boolean) {
	const living = () => {
		if (!isAlive()) throw new Error('the object has been reset');
	};
	const exec = (statement: string, ...values: SQLInputValue[]) => {
		living();
		if (values.length === 0 && /;\s*\S/.test(statement)) {
			disk.touch();
			disk.sqlite.exec(statement);
			return cursorOf([]);
		}
		if (!READS.test(statement)) disk.touch();
		return cursorOf(disk.prepared(statement).all(...values));
	};
	const write = (key: string, value: unknown): void => {
		living();
		disk.write(key, value);
	};
	/** Nobody goes on who waits for the storage of an instance that has ended. */
	const later = (run: () => void): Promise<void> =>
		isAlive() ? new Promise((done) => done(run())) : new Promise(() => undefined);
	const kv = {
		get: (key: string) => disk.read(key),
		put: write,
		delete: (key: string) => write(key, undefined),
		list: () => disk.keys().map((key) => [key, disk.read(key)] as const),
	};
	return {
		sql: {
			exec,
			get databaseSize() {
				return disk.size();
			},
		},
		kv,
		get: async (key: string) => kv.get(key),
		put: (key: string, value: unknown) => later(() => kv.put(key, value)),
		delete: (key: string) => later(() => kv.delete(key)),
		list: async () => new Map(kv.list()),
		deleteAll: () =>
			later(() => {
				for (const key of disk.keys()) disk.write(key, undefined);
			}),
		setAlarm: (at: number | Date | null) => later(() => disk.setAlarm(at === null ? null : Number(at))),
		getAlarm: async () => disk.alarm(),
		deleteAlarm: () => later(() => disk.setAlarm(null)),
		sync: () => disk.durable(),
		transactionSync<T>(run: () => T): T {
			living();
			disk.touch();
			disk.sqlite.exec('SAVEPOINT turn');
			try {
				const value = run();
				disk.sqlite.exec('RELEASE turn');
				return value;
			} catch (error) {
				disk.sqlite.exec('ROLLBACK TO turn; RELEASE turn');
				throw error;
			}
		},
	};
}

const cursorOf = (rows: readonly Record<string, unknown>[]) => {
	let next = 0;
	const cursor = {
		toArray: () => rows.slice(next),
		one: () => rows[0],
		next: () => (next < rows.length ? { done: false, value: rows[next++] } : { done: true }),
		[Symbol.iterator]: () => cursor,
	};
	return cursor;
};
