/** A database whose history is chained, a signer that signs its heads, and a bucket: and who bends it. */
import { between } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { expect } from 'vitest';
import { writeAudit } from '../../src/audit/log.ts';
import { chainRows } from '../../src/operator/chained/append.ts';
import { signHeads } from '../../src/operator/chained/heads.ts';
import { mirrorHeads } from '../../src/operator/chained/mirrored.ts';
import { CHAINED, digestOf, lineOf, textOfLines } from '../../src/operator/chained/segment.ts';
import { chainedSegments } from '../../src/operator/chained/table.ts';
import type { OperatorEnv } from '../../src/operator/env.ts';
import type { Head, HeadKind, NewHead } from '../../src/ports/heads.ts';
import { Heads } from '../../src/signer/journal/heads.ts';
import { takeSteps } from '../../src/signer/journal/schema/steps.ts';
import { promiseKeysOf } from '../../src/signer/promises/keys.ts';
import { addOrders, addPartner } from './database.ts';
import { type SqliteD1, sqliteD1 } from './sqlite-d1.ts';
import { sqliteStorage } from './sqlite-storage.ts';

export const NOW = Date.UTC(2026, 10, 27);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const KEYS = promiseKeysOf({ DEPLOYMENT: 'history' }, new Uint8Array(64).fill(7));

/** A bucket as far as the chain uses it. */
export function chainBucket() {
	const objects = new Map<string, string>();
	return {
		objects,
		put: async (name: string, text: string, { onlyIf }: { onlyIf?: object } = {}) => {
			if (!onlyIf || !objects.has(name)) objects.set(name, text);
		},
		get: async (name: string) => {
			const text = objects.get(name);
			return text === undefined ? null : { json: async () => JSON.parse(text) };
		},
		list: async ({ prefix }: { prefix: string }) => ({
			objects: [...objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => ({ key })),
			truncated: false,
		}),
	};
}

export type ChainBucket = ReturnType<typeof chainBucket>;

/** The signer, as far as it signs heads. `now`: Unix milliseconds. */
function headSigner(now: () => number) {
	const entries = new Map<string, unknown>();
	const kv = {
		get: (name: string) => entries.get(name),
		put: (name: string, value: unknown) => void entries.set(name, value),
		delete: (name: string) => entries.delete(name),
	};
	const storage = Object.assign(sqliteStorage(), { kv }) as unknown as DurableObjectStorage;
	takeSteps(storage);
	const heads = new Heads(storage);
	return {
		storage,
		entries,
		signHead: async (head: NewHead) => heads.sign(KEYS, head, Math.floor(now() / 1000)),
		markHead: async (kind: HeadKind, marked: readonly Head[]) => heads.mark(kind, marked),
		heads: async (kind: HeadKind, after: number | null) => heads.after(kind, after),
		promiseKeys: async () => KEYS.published(),
	};
}

export class ChainedHistory {
	readonly store: SqliteD1 = sqliteD1();
	readonly signer = headSigner(() => this.now);
	readonly env: OperatorEnv;
	now = NOW;

	constructor(bucket: ChainBucket | undefined) {
		this.env = { SIGNER: this.signer, BACKUPS: bucket } as unknown as OperatorEnv;
	}

	/** Three orders before a signed head, and three after it. */
	static async begun(bucket: ChainBucket | undefined): Promise<ChainedHistory> {
		const history = new ChainedHistory(bucket);
		await addPartner(history.run);
		await addOrders(history.run, { addresses: Array.from({ length: 30 }, (_, i) => `${i + 1}`), expiresAt: NOW });
		history.run("UPDATE orders SET id = 'order-' || pay_in_address");
		await history.happen(1, 3);
		await history.sign();
		await history.happen(4, 3);
		return history;
	}

	readonly run = (statement: string, ...values: (string | number)[]) => this.store.run(statement, ...values);

	get means() {
		return { env: this.env, db: drizzle(this.store.d1), now: this.now };
	}

	/** A move, an entry and a line of the audit log for each of so many orders, a minute apart. */
	async happen(first: number, count: number): Promise<void> {
		for (let order = first; order < first + count; order++) {
			this.now += MINUTE;
			const id = `order-${order}`;
			this.run("INSERT INTO order_changes VALUES (null, ?1, 0, 'NEW', null, 'created', ?2)", id, this.now);
			this.run("INSERT INTO ledger_entries VALUES (null, ?1, 'settled', 'wallet', 'LTC', '5', ?2)", id, this.now);
			const line = { command: 'order show', subject: null, changes: { order } };
			await writeAudit({ ...this.means, actor: 'command' }, line);
			await chainRows(this.means.db, this.now);
		}
	}

	/** An hour ends: the head is signed. */
	async sign(): Promise<void> {
		this.now += HOUR;
		expect(await signHeads(this.means)).toBeNull();
		await mirrorHeads(this.env);
	}

	/** Past the triggers, as who writes D1 may. */
	attack(...statements: readonly string[]): void {
		const names = this.run(
			"SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('audit_log', 'ledger_entries')",
		);
		for (const { name } of names) this.run(`DROP TRIGGER ${name}`);
		for (const statement of statements) this.run(statement);
	}

	/** The database goes back to where it was; with `signer` its journal too. */
	keep({ signer = false } = {}): () => void {
		const database = this.store.sqlite.serialize();
		const entries = new Map(this.signer.entries);
		const { last } = this.signer.storage.sql
			.exec<{ last: number }>('SELECT coalesce(max(number), 0) AS last FROM heads')
			.one();
		return () => {
			this.store.sqlite.deserialize(database);
			if (!signer) return;
			this.signer.storage.sql.exec('DELETE FROM heads WHERE number > ?', last);
			this.signer.entries.clear();
			for (const [name, value] of entries) this.signer.entries.set(name, value);
		};
	}

	/** Who writes D1 makes the chain again, from the rows that they have changed. */
	async chainAgain(): Promise<void> {
		const { db } = this.means;
		let before = '';
		for (const segment of await db.select().from(chainedSegments)) {
			const table = CHAINED[segment.rowsOf] as (typeof CHAINED)['audit_log'];
			const rows = await db
				.select()
				.from(table)
				.where(between(table.number, segment.first, segment.last));
			const lines = textOfLines(await Promise.all(rows.map((row) => lineOf(segment.rowsOf, row))));
			before = await digestOf(before, { ...segment, lines });
			this.run('UPDATE chained_segments SET lines = ?, digest = ? WHERE position = ?', lines, before, segment.position);
		}
	}
}
