/** What an attacker writes into the database: any column of any row, rows again under another id, none at all, or all as it was. */
import type { Crowd } from '../simulate/people/crowd.ts';
import type { Pool } from './calls.ts';

/** What the signer reads to judge a payment. */
const TABLES = ['orders', 'transactions', 'deposits', 'strays', 'partners', 'partner_payouts'] as const;
const ADDRESSES = /address/;
const COPIED = 'eeeeeeee-0000-4000-a000-';

/** Where the schema refuses the row, nothing is written. */
export function writeRows(crowd: Crowd, pool: Pool): void {
	const { choices } = pool;
	try {
		choices.pick([change, change, change, takeBack, again, remove])(crowd, pool);
	} catch (error) {
		crowd.world.note(`the database refuses: ${String(error)}`);
	}
}

function rowOf({ service }: Crowd, { choices }: Pool) {
	const { d1 } = service;
	const table = choices.pick(TABLES.filter((name) => d1.rows(`SELECT 1 FROM ${name} LIMIT 1`).length > 0));
	const rows = d1.rows(`SELECT rowid AS place, * FROM ${table}`);
	return { d1, table, rows, row: choices.pick(rows) };
}

/** To what another row has there, or to what the attacker has. */
function change(crowd: Crowd, pool: Pool): void {
	const { d1, table, rows, row } = rowOf(crowd, pool);
	const { choices } = pool;
	const column = choices.pick(Object.keys(row).filter((name) => name !== 'place'));
	const own = ADDRESSES.test(column) ? pool.own : [pool.amount(), pool.time(), null];
	const value = choices.seldom(2) ? choices.pick(rows)[column] : choices.pick<unknown>(own);
	d1.rows(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`, value as string, row['place'] as number);
}

/** As if it had never been signed. */
function takeBack(crowd: Crowd, { choices }: Pool): void {
	const rows = crowd.service.d1.rows('SELECT id FROM transactions');
	crowd.service.d1.rows(
		"UPDATE transactions SET state = 'planned', tx_id = NULL, raw = NULL, signed_at = NULL, sent_at = NULL WHERE id = ?",
		String(choices.pick(rows)['id'] ?? ''),
	);
}

function again(crowd: Crowd, pool: Pool): void {
	const { d1, table, row } = rowOf(crowd, pool);
	const { place, ...columns } = row;
	const names = Object.keys(columns);
	const id = `${COPIED}${String(pool.choices.below(65_536)).padStart(12, '0')}`;
	const values = names.map((name) => (name === 'id' ? id : name === 'tx_id' ? null : columns[name]));
	const marks = names.map(() => '?').join();
	d1.rows(`INSERT INTO ${table} (${names.join()}) VALUES (${marks})`, ...(values as string[]));
}

function remove(crowd: Crowd, pool: Pool): void {
	const { d1, table, row } = rowOf(crowd, pool);
	d1.rows(`DELETE FROM ${table} WHERE rowid = ?`, row['place'] as number);
}
