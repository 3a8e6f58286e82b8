/** The databases of `years.ts`: how one is filled, and what is kept so that a later run needs not fill it again. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { copyOrder } from '../support/copies.ts';
import type { CreatedOrder } from '../support/orders.ts';
import type { Credentials } from '../support/partner.ts';

export interface Seeded {
	/** How many copies of each. */
	readonly copies: { readonly finished: number; readonly open: number };
	readonly madeSeconds: number;
	readonly partner: Credentials;
	readonly done: CreatedOrder;
}

const HOUR = 3_600_000;
/** Three years of a million orders. */
const APART = 90_000;
const DAY_CAP_USD = 1_000_000_000_000;
/** A large part of the database, so that filling it does not read the disk. */
const CACHE_KILOBYTES = 6_000_000;

const pathOf = (folder: string): string => join(folder, 'seed.json');

export const readSeed = (folder: string): Seeded | null =>
	existsSync(pathOf(folder)) ? (JSON.parse(readFileSync(pathOf(folder), 'utf8')) as Seeded) : null;

export const writeSeed = (folder: string, seeded: Seeded): void =>
	writeFileSync(pathOf(folder), JSON.stringify(seeded), { mode: 0o600 });

export function databaseIn(state: string): string {
	const folder = join(state, 'data/d1/miniflare-D1DatabaseObject');
	const name = readdirSync(folder).find((one) => one.endsWith('.sqlite') && one !== 'metadata.sqlite');
	if (!name) throw new Error(`no database in ${folder}`);
	return join(folder, name);
}

/** Adds copies of both orders. Triggers and foreign keys are as in the service, so that what they keep is right. */
export async function lengthen(
	path: string,
	{ finished, open: opened }: { readonly finished: number; readonly open: number },
	{ done, open }: { readonly done: CreatedOrder; readonly open: CreatedOrder },
): Promise<void> {
	const sqlite = new DatabaseSync(path);
	sqlite.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF');
	sqlite.exec(`PRAGMA cache_size = -${CACHE_KILOBYTES}; PRAGMA temp_store = MEMORY`);
	const run = async (statement: string, ...values: (string | number)[]) => sqlite.prepare(statement).all(...values);
	await copyOrder(run, { id: done.id, copies: finished, age: HOUR, apart: APART });
	await copyOrder(run, { id: open.id, copies: opened, age: 0, apart: 1 });
	sqlite.exec('PRAGMA journal_mode = WAL');
	sqlite.close();
}

/** As if the open orders were made just now: an older run left them, and the first poll would close them all. */
export function prepare(path: string): void {
	const sqlite = new DatabaseSync(path);
	const now = Date.now();
	sqlite
		.prepare("UPDATE orders SET expires_at = ?, watch_until = ? WHERE status = 'NEW'")
		.run(now + 24 * HOUR, now + 31 * 24 * HOUR);
	sqlite.exec(`UPDATE site SET daily_cap_usd = ${DAY_CAP_USD}`);
	sqlite.close();
}
