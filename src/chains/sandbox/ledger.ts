/**
 * SandboxLedger: one embedded ledger per network, in place of its chain. It stores the deposits that the operator makes
 * and the payouts that are broadcast to it. Each call is one transaction.
 */
import { DurableObject } from 'cloudflare:workers';
import { type AssetId, isAssetId, type TokenId } from '../../catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../catalog/confirmations.ts';
import { sumOf } from '../../money/units.ts';
import type { UnlistedToken } from '../port.ts';

export interface SandboxDeposit {
	readonly txId: string;
	readonly address: string;
	readonly asset: AssetId | TokenId;
	/** Base units. */
	readonly amount: string;
	readonly confirmations: number;
}

export interface ChangedDeposit extends SandboxDeposit {
	/** Number of the last change. */
	readonly change: number;
}

/** A payout as `SignedTransaction.raw` carries it. */
export interface SandboxPayout {
	readonly txId: string;
	readonly asset: AssetId | TokenId;
	readonly to: string;
	readonly amount: string;
	readonly fee: string;
	/** The pay-in address that a token which is not listed leaves. All else leaves the hot wallet. */
	readonly from: string | null;
}

export class SandboxLedger extends DurableObject {
	constructor(ctx: DurableObjectState, env: unknown) {
		super(ctx, env as Record<string, never>);
		this.#rows(`
			CREATE TABLE IF NOT EXISTS deposits (
				tx_id TEXT PRIMARY KEY, address TEXT NOT NULL, asset TEXT NOT NULL, amount TEXT NOT NULL,
				confirmations INTEGER NOT NULL, change INTEGER NOT NULL
			);
			CREATE INDEX IF NOT EXISTS deposits_change ON deposits (change);
			CREATE INDEX IF NOT EXISTS deposits_address ON deposits (address);
			CREATE TABLE IF NOT EXISTS payouts (tx_id TEXT PRIMARY KEY, asset TEXT NOT NULL, recipient TEXT NOT NULL, amount TEXT NOT NULL, fee TEXT NOT NULL, sender TEXT);
			CREATE INDEX IF NOT EXISTS payouts_sender ON payouts (sender) WHERE sender IS NOT NULL;
			CREATE TABLE IF NOT EXISTS spent (asset TEXT PRIMARY KEY, amount TEXT NOT NULL);
			CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY CHECK (id = 1), change INTEGER NOT NULL);
			INSERT OR IGNORE INTO counter VALUES (1, 0);
		`);
	}

	deposit({ txId, address, asset, amount, confirmations }: SandboxDeposit): void {
		const row = [txId, address, asset, amount, confirmations, this.#nextChange()];
		this.#rows('INSERT INTO deposits VALUES (?, ?, ?, ?, ?, ?)', ...row);
	}

	/**
	 * The hot wallet's first coins: one deposit of each asset to it, like any other deposit, so that the books see it.
	 * Safe to repeat.
	 */
	open(address: string, coins: readonly { readonly asset: AssetId; readonly amount: string }[]): void {
		for (const { asset, amount } of coins) {
			const txId = `opening-balance-${asset}`;
			if (this.lookUp([txId]).length > 0) continue;
			this.deposit({ txId, address, asset, amount, confirmations: FINAL_CONFIRMATIONS });
		}
	}

	/** How many deposits the address has. */
	count(address: string): number {
		return this.#rows('SELECT 1 FROM deposits WHERE address = ?', address).length;
	}

	/** Makes every deposit to the address final. Returns their number. A deposit that is final never changes. */
	confirm(address: string): number {
		const confirming = 'UPDATE deposits SET confirmations = ?1, change = ?2 WHERE address = ?3 AND confirmations < ?1';
		this.#rows(confirming, FINAL_CONFIRMATIONS, this.#nextChange(), address);
		return this.count(address);
	}

	/** Drops unconfirmed deposits to the address. Returns their number. */
	drop(address: string): number {
		return this.#rows('DELETE FROM deposits WHERE address = ? AND confirmations = 0 RETURNING 1', address).length;
	}

	/**
	 * At most `limit` deposits that appeared or changed after `change`, and the number of the last change among them. Before
	 * them, as many that are not final.
	 */
	changes(change: number, limit: number): { deposits: ChangedDeposit[]; change: number } {
		const isWaiting = 'change <= ? AND confirmations < ? ORDER BY change LIMIT ?';
		const waiting = this.#deposits(isWaiting, change, FINAL_CONFIRMATIONS, limit);
		const changed = this.#deposits('change > ? ORDER BY change LIMIT ?', change, limit);
		return { deposits: [...waiting, ...changed], change: changed.at(-1)?.change ?? change };
	}

	/** The deposits of these transactions that were not dropped. */
	lookUp(txIds: readonly string[]): SandboxDeposit[] {
		const found = this.#deposits('tx_id IN (SELECT value FROM json_each(?))', JSON.stringify(txIds));
		return found.map(({ change: _, ...deposit }) => deposit);
	}

	/** Stores a payout once. Repeating it changes nothing. */
	broadcast({ txId, asset, to, amount, fee, from }: SandboxPayout): void {
		const storing = 'INSERT INTO payouts VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1';
		const stored = this.#rows(storing, txId, asset, to, amount, fee, from);
		if (stored.length === 0) return;
		const spent = this.spent(asset) + BigInt(amount) + BigInt(fee);
		this.#rows('INSERT OR REPLACE INTO spent VALUES (?, ?)', asset, spent.toString());
	}

	hasPayout(txId: string): boolean {
		return this.#rows('SELECT 1 FROM payouts WHERE tx_id = ?', txId).length > 0;
	}

	payoutsTo(recipients: readonly string[]): SandboxPayout[] {
		return this.#rows<SandboxPayout & Record<string, string | null>>(
			`SELECT tx_id AS txId, asset, recipient AS "to", amount, fee, sender AS "from"
			 FROM payouts WHERE recipient IN (SELECT value FROM json_each(?))`,
			JSON.stringify(recipients),
		);
	}

	/** Final deposits to these addresses, less what left them, base units by asset and address. */
	lying(addresses: readonly string[]): Map<string, bigint> {
		const held = new Map<string, bigint>();
		const moves = this.#rows<{ asset: string; address: string; amount: string }>(
			`SELECT asset, address, amount FROM deposits WHERE address IN (SELECT value FROM json_each(?1)) AND confirmations >= ?2
			 UNION ALL SELECT asset, sender, '-' || amount FROM payouts WHERE sender IN (SELECT value FROM json_each(?1))`,
			JSON.stringify(addresses),
			FINAL_CONFIRMATIONS,
		);
		for (const { asset, address, amount } of moves) {
			const name = `${asset} ${address}`;
			held.set(name, (held.get(name) ?? 0n) + BigInt(amount));
		}
		return held;
	}

	/** Tokens that are not listed, which lie there. */
	tokensAt(address: string): UnlistedToken[] {
		return [...this.lying([address])].flatMap(([name, amount]) => {
			const [token = ''] = name.split(' ');
			return amount > 0n && !isAssetId(token) ? [{ token, account: address, amount }] : [];
		});
	}

	/** The sum that payouts have taken from the hot wallet, fees included, base units. */
	spent(asset: AssetId | TokenId): bigint {
		const [row] = this.#rows<{ amount: string }>('SELECT amount FROM spent WHERE asset = ?', asset);
		return BigInt(row?.amount ?? '0');
	}

	/** The sum of all deposits, and the sum of what payouts gave to their recipients, base units. */
	flow(asset: AssetId): { deposited: bigint; paid: bigint } {
		return { deposited: this.#sum('deposits', asset), paid: this.#sum('payouts', asset) };
	}

	/** Added up here, because SQLite would turn a sum above 64 bits into a float. */
	#sum(table: 'deposits' | 'payouts', asset: AssetId): bigint {
		return sumOf(this.#rows<{ amount: string }>(`SELECT amount FROM ${table} WHERE asset = ?`, asset));
	}

	#nextChange(): number {
		return this.#rows<{ change: number }>('UPDATE counter SET change = change + 1 RETURNING change')[0]?.change ?? 0;
	}

	#deposits(where: string, ...values: (string | number)[]): ChangedDeposit[] {
		return this.#rows<ChangedDeposit & Record<string, SqlStorageValue>>(
			`SELECT tx_id AS txId, address, asset, amount, confirmations, change FROM deposits WHERE ${where}`,
			...values,
		);
	}

	#rows<Row extends Record<string, SqlStorageValue>>(query: string, ...values: (string | number | null)[]): Row[] {
		return this.ctx.storage.sql.exec<Row>(query, ...values).toArray();
	}
}
