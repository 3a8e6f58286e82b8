/** All entries of one order: its payments with their versions, what they spend and claim, and the moves at its pay-in address. */
import type { NetworkName } from '../../catalog/networks.ts';
import type { EntryName } from './moved.ts';

type Row = Record<string, SqlStorageValue>;
type Table = keyof typeof OF_ORDER | keyof typeof OF_PAYMENTS | 'address_orders';

export interface OrderEntries {
	readonly orderId: string;
	/** By table, in its columns' order. */
	readonly rows: Readonly<Record<Table, readonly Row[]>>;
}

/** Which rows of a table are an order's. The earnings of one that are not paid yet stay with the partner's others. */
const OF_ORDER = {
	earnings: 'order_id = ? AND order_id IN (SELECT order_id FROM earnings_paid)',
	earnings_paid: 'order_id = ?',
	claims: '(network, address) IN (SELECT network, address FROM address_orders WHERE order_id = ?)',
} as const;

/** The same by the ids of its payments and moves. */
const OF_PAYMENTS = {
	movements: 'id',
	signatures: 'payout_id',
	payments: 'payout_id',
	versions: 'payout_id',
	decided: 'payout_id',
	spends: 'payout_id',
} as const;

const AMONG = 'IN (SELECT value FROM json_each(?))';
const ADDRESSES = 'order_id = ?';

const list = (names: object) => Object.entries(names) as [Table, string][];

/** The ids of its payouts, refunds and moves, as a JSON array. */
function idsOf(sql: SqlStorage, orderId: string): string {
	const query = `SELECT payout_id AS id FROM signatures WHERE order_id = ?1
		UNION SELECT id FROM movements JOIN address_orders USING (network, address) WHERE address_orders.order_id = ?1`;
	return JSON.stringify([...sql.exec<{ id: string }>(query, orderId)].map(({ id }) => id));
}

export function entriesOf(sql: SqlStorage, orderId: string): OrderEntries {
	const ids = idsOf(sql, orderId);
	const select = (table: Table, where: string, value: string) =>
		sql.exec<Row>(`SELECT * FROM ${table} WHERE ${where}`, value).toArray();
	const found = [
		...list(OF_ORDER).map(([table, where]) => [table, select(table, where, orderId)]),
		...list(OF_PAYMENTS).map(([table, column]) => [table, select(table, `${column} ${AMONG}`, ids)]),
		['address_orders', select('address_orders', ADDRESSES, orderId)],
	];
	return { orderId, rows: Object.fromEntries(found) };
}

/** Only inside a transaction. `kept`: a condition in SQL for spends that stay. */
export function removeEntries(sql: SqlStorage, orderId: string, kept = '0'): void {
	const ids = idsOf(sql, orderId);
	for (const [table, where] of list(OF_ORDER)) sql.exec(`DELETE FROM ${table} WHERE ${where}`, orderId);
	for (const [table, column] of list(OF_PAYMENTS))
		sql.exec(`DELETE FROM ${table} WHERE ${column} ${AMONG}${table === 'spends' ? ` AND NOT (${kept})` : ''}`, ids);
	sql.exec(`DELETE FROM address_orders WHERE ${ADDRESSES}`, orderId);
}

/** Only inside a transaction. `spends`: which row stays where there is one already. @throws where any other key is taken */
export function insertEntries(sql: SqlStorage, { rows }: OrderEntries, spends: 'IGNORE' | 'REPLACE'): void {
	for (const [table, each] of Object.entries(rows)) {
		for (const values of each.map((row) => Object.values(row))) {
			const places = values.map(() => '?').join();
			sql.exec(`INSERT ${table === 'spends' ? `OR ${spends} ` : ''}INTO ${table} VALUES (${places})`, ...values);
		}
	}
}

/** All names that a lookup may use for them. */
export function namesOf({ orderId, rows }: OrderEntries): EntryName[] {
	const { signatures, versions, movements, address_orders: addresses, earnings_paid: paid, spends } = rows;
	const ids = [...signatures.map((row) => row['payout_id']), ...movements.map(({ id }) => id)];
	const names: EntryName[] = [
		`order ${orderId}`,
		...ids.map((id): EntryName => `payout ${id}`),
		...[...signatures, ...versions].map((row): EntryName => `tx ${row['tx_id']}`),
		...addresses.map(({ network, address }): EntryName => `address ${network as NetworkName} ${address}`),
		...(paid.length > 0 ? [`earned ${orderId}` as const] : []),
		...spends.flatMap(({ network, spend }) => spendName(network as NetworkName, String(spend)) ?? []),
	];
	return [...new Set(names)];
}

/** A coin or key image. Null for anything else: a chain counts its nonces, and what expires needs no memory. */
export const spendName = (network: NetworkName, spend: string): EntryName | null =>
	/^[0-9a-f]{64}(?::\d+)?$/.test(spend) ? `spend ${network} ${spend}` : null;

/** The order that entries of this name belong to; null where there are none. */
export function orderNamed(sql: SqlStorage, name: EntryName): string | null {
	const [kind = '', network] = name.split(' ');
	const rest = name.slice(kind.length + 1);
	const words = kind === 'address' ? [network, rest.slice(String(network).length + 1)] : [rest];
	const query = {
		order: 'SELECT order_id AS id FROM address_orders WHERE order_id = ?',
		earned: 'SELECT order_id AS id FROM earnings_paid WHERE order_id = ?',
		address: 'SELECT order_id AS id FROM address_orders WHERE network = ? AND address = ?',
		payout: `SELECT order_id AS id FROM signatures WHERE payout_id = ?1 AND order_id <> ''
			UNION SELECT order_id FROM movements JOIN address_orders USING (network, address) WHERE movements.id = ?1`,
	}[kind];
	return query ? (sql.exec<{ id: string }>(query, ...words).toArray()[0]?.id ?? null) : null;
}
