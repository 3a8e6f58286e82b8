/**
 * What the signer has done, in its own storage, where nobody else writes. Every key here is a promise: one transaction
 * per payout and per order, one payout per pay-in address and per deposit, one spending of each coin or nonce.
 */
import type { NetworkName } from '../catalog/networks.ts';
import type { DepositRef, SignedTransaction } from '../chains/port.ts';

export interface Signature {
	readonly payoutId: string;
	readonly orderId: string;
	readonly network: NetworkName;
	readonly raw: string;
	readonly txId: string;
}

export interface NewSignature {
	readonly payoutId: string;
	readonly orderId: string;
	readonly network: NetworkName;
	readonly transaction: SignedTransaction;
	/** Where the deposits lie, which no other payout may claim again. */
	readonly fromNetwork: NetworkName;
	readonly payInAddress: string;
	readonly deposits: readonly DepositRef[];
	/** UTC day and value that count towards the signer's own daily cap. */
	readonly day: string;
	readonly usdCents: number;
	/** Unix milliseconds. */
	readonly now: number;
}

export class Journal {
	readonly #storage: DurableObjectStorage;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		storage.sql.exec(`
			CREATE TABLE IF NOT EXISTS indexes (scope TEXT PRIMARY KEY, next INTEGER NOT NULL);
			CREATE TABLE IF NOT EXISTS addresses (network TEXT NOT NULL, address TEXT NOT NULL, derivation_index INTEGER NOT NULL, PRIMARY KEY (network, address)) WITHOUT ROWID;
			CREATE TABLE IF NOT EXISTS signatures (
				payout_id TEXT PRIMARY KEY, order_id TEXT NOT NULL UNIQUE, network TEXT NOT NULL, raw TEXT NOT NULL, tx_id TEXT NOT NULL,
				day TEXT NOT NULL, usd_cents INTEGER NOT NULL, at INTEGER NOT NULL
			);
			CREATE INDEX IF NOT EXISTS signatures_day ON signatures (day);
			CREATE TABLE IF NOT EXISTS spends (network TEXT NOT NULL, spend TEXT NOT NULL, payout_id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (network, spend)) WITHOUT ROWID;
			CREATE INDEX IF NOT EXISTS spends_at ON spends (network, at);
			CREATE TABLE IF NOT EXISTS claims (network TEXT NOT NULL, claim TEXT NOT NULL, payout_id TEXT NOT NULL, PRIMARY KEY (network, claim)) WITHOUT ROWID;
			CREATE TABLE IF NOT EXISTS days (day TEXT PRIMARY KEY, usd_cents INTEGER NOT NULL);
		`);
	}

	/** Reserves the next `count` derivation indexes of a scope; the first of them. */
	takeIndexes(scope: string, count: number): number {
		const row = this.#storage.sql
			.exec<{ next: number }>(
				'INSERT INTO indexes (scope, next) VALUES (?1, ?2) ON CONFLICT (scope) DO UPDATE SET next = next + ?2 RETURNING next',
				scope,
				count,
			)
			.one();
		return row.next - count;
	}

	rememberAddresses(
		network: NetworkName,
		addresses: readonly { readonly address: string; readonly index: number }[],
	): void {
		this.#storage.transactionSync(() => {
			for (const { address, index } of addresses) {
				this.#storage.sql.exec('INSERT OR IGNORE INTO addresses VALUES (?, ?, ?)', network, address, index);
			}
		});
	}

	indexesOf(network: NetworkName, addresses: readonly string[]): ReadonlyMap<string, number> {
		const rows = this.#storage.sql.exec<{ address: string; derivation_index: number }>(
			'SELECT address, derivation_index FROM addresses WHERE network = ? AND address IN (SELECT value FROM json_each(?))',
			network,
			JSON.stringify(addresses),
		);
		return new Map([...rows].map((row) => [row.address, row.derivation_index]));
	}

	signatureOf(payoutId: string): Signature | null {
		const [row] = this.#storage.sql
			.exec<{ [key in keyof Signature]: string }>(
				'SELECT payout_id AS payoutId, order_id AS orderId, network, raw, tx_id AS txId FROM signatures WHERE payout_id = ?',
				payoutId,
			)
			.toArray();
		return row ? (row as Signature) : null;
	}

	/** Has this order, its pay-in address or one of these deposits been paid for, under whatever payout id? */
	isClaimed(orderId: string, network: NetworkName, payInAddress: string, deposits: readonly DepositRef[]): boolean {
		const signed = this.#storage.sql.exec('SELECT 1 FROM signatures WHERE order_id = ?', orderId).toArray();
		const claimed = this.#storage.sql
			.exec(
				'SELECT 1 FROM claims WHERE network = ? AND claim IN (SELECT value FROM json_each(?))',
				network,
				JSON.stringify(claimsOf(payInAddress, deposits)),
			)
			.toArray();
		return signed.length + claimed.length > 0;
	}

	/** `since`: Unix milliseconds. */
	spentSince(network: NetworkName, since: number): ReadonlySet<string> {
		const rows = this.#storage.sql.exec<{ spend: string }>(
			'SELECT spend FROM spends WHERE network = ? AND at > ?',
			network,
			since,
		);
		return new Set([...rows].map(({ spend }) => spend));
	}

	/** USD cents signed for on a UTC day. */
	signedOn(day: string): number {
		const [row] = this.#storage.sql
			.exec<{ usd_cents: number }>('SELECT usd_cents FROM days WHERE day = ?', day)
			.toArray();
		return row?.usd_cents ?? 0;
	}

	/** Atomic: one transaction; a key that is taken already throws, and nothing is written. */
	record(signature: NewSignature): void {
		const { payoutId, orderId, network, transaction, fromNetwork, payInAddress, deposits, day, usdCents, now } =
			signature;
		this.#storage.transactionSync(() => {
			const { sql } = this.#storage;
			sql.exec(
				'INSERT INTO signatures VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
				...[payoutId, orderId, network, transaction.raw, transaction.txId, day, usdCents, now],
			);
			for (const spend of transaction.spends) {
				sql.exec('INSERT INTO spends VALUES (?, ?, ?, ?)', network, spend, payoutId, now);
			}
			for (const claim of claimsOf(payInAddress, deposits)) {
				sql.exec('INSERT INTO claims VALUES (?, ?, ?)', fromNetwork, claim, payoutId);
			}
			sql.exec(
				'INSERT INTO days VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET usd_cents = usd_cents + ?2',
				day,
				usdCents,
			);
		});
	}
}

const claimsOf = (payInAddress: string, deposits: readonly DepositRef[]): string[] => [
	`address ${payInAddress}`,
	...deposits.map(({ txId, position }) => `deposit ${txId} ${position}`),
];
