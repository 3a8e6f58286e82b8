/**
 * The lock of a deployment, a row in its own database: two setups on two machines would both make a SEED, and the later
 * one would replace the earlier. It does not run out. After a setup that died, the same clone goes on by itself, another
 * one with `--take-over`.
 */
import { hostname } from 'node:os';
import { type Account, query } from './account.ts';
import { Stopped } from './talk.ts';

/** Not part of the service's schema: it must be there before the first migration. */
const TABLE =
	'CREATE TABLE IF NOT EXISTS setup_lock (id INTEGER PRIMARY KEY CHECK (id = 1), holder TEXT NOT NULL, host TEXT NOT NULL, since TEXT NOT NULL)';
/** Atomic: one statement. It returns no row where somebody else holds the lock. */
const TAKE =
	'INSERT INTO setup_lock (id, holder, host, since) VALUES (1, ?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET host = excluded.host, since = excluded.since WHERE holder = excluded.holder RETURNING holder';
const TAKE_OVER = 'INSERT OR REPLACE INTO setup_lock (id, holder, host, since) VALUES (1, ?1, ?2, ?3) RETURNING holder';

interface Held {
	readonly holder: string;
	readonly host: string;
	readonly since: string;
}

export class Lock {
	readonly #account: Account;
	readonly #databaseId: string;
	readonly #holder: string;

	constructor(account: Account, databaseId: string, holder: string) {
		this.#account = account;
		this.#databaseId = databaseId;
		this.#holder = holder;
	}

	/** @throws Stopped where another setup has it */
	async take(takeOver: boolean): Promise<void> {
		const values = [this.#holder, hostname(), new Date().toISOString()];
		await query(this.#account, this.#databaseId, TABLE);
		const taken = await query(this.#account, this.#databaseId, takeOver ? TAKE_OVER : TAKE, values);
		if (taken.length === 0) throw await this.#taken();
	}

	/** Asked again before each step that cannot be undone. @throws Stopped where another setup took it over */
	async verify(): Promise<void> {
		const [held] = await this.#held();
		if (held?.holder !== this.#holder) throw await this.#taken();
	}

	async release(): Promise<void> {
		await query(this.#account, this.#databaseId, 'DELETE FROM setup_lock WHERE holder = ?1', [this.#holder]);
	}

	#held = () => query<Held>(this.#account, this.#databaseId, 'SELECT holder, host, since FROM setup_lock');

	async #taken(): Promise<Stopped> {
		const [held] = await this.#held();
		const who = held ? ` on ${held.host}, since ${held.since}` : '';
		return new Stopped(
			`another setup of this deployment runs${who}: let it end. If it does not run any more, run setup with --take-over`,
		);
	}
}
