/** A database of its own, migrated, for what needs no service; and orders in it by the thousand. */
import type { SQLInputValue } from 'node:sqlite';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { API_WORKER } from '../../src/local/workers.ts';
import { migratedDatabase } from './migrated.ts';
import { sqliteD1 } from './sqlite-d1.ts';

const PARTNER = 'partner';
const WATCH_MILLISECONDS = 30 * 24 * 3_600_000;
/** Orders that one statement inserts. */
const PER_INSERT = 1_000;

export interface NewOrders {
	/** Pay-in addresses, by derivation index from 0 on; the order's id is made of network, status and address. */
	readonly addresses: readonly string[];
	/** Unix milliseconds. */
	readonly expiresAt: number;
	readonly status?: string;
	readonly network?: string;
	readonly asset?: string;
}

export interface TestDatabase {
	readonly d1: D1Database;
	run(statement: string, ...values: unknown[]): Promise<Record<string, unknown>[]>;
	/** Inserts orders without seals, as an attacker would. */
	addOrders(orders: NewOrders): Promise<void>;
	stop(): Promise<void>;
}

export const orderIdOf = (network: string, status: string, address: string): string =>
	`${network} ${status} ${address}`;

type Run = (statement: string, ...values: (string | number)[]) => unknown;

/** The one whose orders `addOrders` adds. */
export async function addPartner(run: Run): Promise<void> {
	await run(
		`INSERT INTO partners (id, name, api_key, api_secret_sealed, webhook_secret_sealed, created_at, updated_at)
		VALUES (?1, ?1, ?1, '', '', 0, 0)`,
		PARTNER,
	);
}

/** The same for any database: `run` runs one statement. */
export async function addOrders(
	run: Run,
	{ addresses, expiresAt, status = 'NEW', network = 'Ethereum', asset = 'ETH' }: NewOrders,
): Promise<void> {
	for (let start = 0; start < addresses.length; start += PER_INSERT) {
		const part = addresses.slice(start, start + PER_INSERT).map((address, i) => [address, start + i]);
		await run(
			`INSERT INTO orders (id, partner_id, from_asset, from_network, to_asset, to_network, direction, to_address,
				refund_address, pay_in_address, pay_in_index, base_fee_bps, lean_bps, afftax_bps, seal, token_hash, request_hash,
				from_amount, to_amount, rate, network_fee, usd_cents, cap_day, dust_below, status, finished_at, payout_tx_id, created_at,
				expires_at, watch_until, updated_at)
			SELECT ?1 || ' ' || ?2 || ' ' || (value ->> 0), ?3, ?7, ?1, 'XMR', 'Monero', 'from', 'to', 'back', value ->> 0,
				value ->> 1, 0, 0, 0, '', '', '', '1', '1', '1', '0', 0, '2026-11-20', '0', ?2, iif(?2 = 'DONE', 1, NULL),
				iif(?2 = 'DONE', 't', NULL), 0, ?4, ?5, 0
			FROM json_each(?6)`,
			network,
			status,
			PARTNER,
			expiresAt,
			expiresAt + WATCH_MILLISECONDS,
			JSON.stringify(part),
			asset,
		);
	}
}

/** In memory (`sqlite-d1.ts`). */
export function databaseInMemory(): Omit<TestDatabase, 'stop'> {
	const { d1, run } = sqliteD1();
	// It answers at once.
	void addPartner(run);
	return {
		d1,
		run: async (statement, ...values) => run(statement, ...(values as SQLInputValue[])),
		addOrders: (orders) => addOrders(run, orders),
	};
}

/** The platform's own, in workerd, to measure. */
export async function startDatabase(): Promise<TestDatabase> {
	const migrated = await migratedDatabase();
	const worker = { name: API_WORKER, modules: true as const, script: 'export default {};', ...migrated.worker };
	const miniflare = new Miniflare(
		convertV4MiniflareOptions({ workers: [{ ...worker, compatibilityDate: '2026-11-01' }], ...migrated.shared }),
	);
	const local = await miniflare.getD1Database('DB', API_WORKER);
	const d1 = local as unknown as D1Database;
	const run = async (statement: string, ...values: unknown[]) =>
		(
			await d1
				.prepare(statement)
				.bind(...values)
				.all()
		).results;
	await addPartner(run);
	return { d1, run, addOrders: (orders) => addOrders(run, orders), stop: () => miniflare.dispose() };
}
