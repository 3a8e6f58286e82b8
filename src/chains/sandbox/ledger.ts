/**
 * SandboxLedger: one embedded ledger per network, in place of its chain. It stores the deposits that the operator makes
 * and the payouts that are broadcast to it. Each call is one transaction.
 */
import { DurableObject } from 'cloudflare:workers';
import { type AssetId, isAssetId, type TokenId } from '../../catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../catalog/confirmations.ts';
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

type DepositRow = {
	tx_id: string;
	address: string;
	asset: AssetId | TokenId;
	amount: string;
	confirmations: number;
	change: number;
};

export class SandboxLedger extends DurableObject {
	readonly #sql = this.ctx.storage.sql;

	constructor(ctx: DurableObjectState, env: unknown) {
		super(ctx, env as Record<string, never>);
		this.#sql.exec(`
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
		this.#sql.exec(
			'INSERT INTO deposits (tx_id, address, asset, amount, confirmations, change) VALUES (?, ?, ?, ?, ?, ?)',
			txId,
			address,
			asset,
			amount,
			confirmations,
			this.#nextChange(),
		);
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
		return this.#sql.exec('SELECT 1 FROM deposits WHERE address = ?', address).toArray().length;
	}

	/** Makes every deposit to the address final. Returns their number. A deposit that is final never changes. */
	confirm(address: string): number {
		this.#sql.exec(
			'UPDATE deposits SET confirmations = ?, change = ? WHERE address = ? AND confirmations < ?',
			FINAL_CONFIRMATIONS,
			this.#nextChange(),
			address,
			FINAL_CONFIRMATIONS,
		);
		return this.count(address);
	}

	/** Drops unconfirmed deposits to the address. Returns their number. */
	drop(address: string): number {
		return this.#sql.exec('DELETE FROM deposits WHERE address = ? AND confirmations = 0 RETURNING 1', address).toArray()
			.length;
	}

	/**
	 * At most `limit` deposits that appeared or changed after `change`, and the number of the last change among them. Before
	 * them, as many that are not final.
	 */
	changes(change: number, limit: number): { deposits: ChangedDeposit[]; change: number } {
		const waiting = this.#sql
			.exec<DepositRow>(
				'SELECT * FROM deposits WHERE change <= ? AND confirmations < ? ORDER BY change LIMIT ?',
				change,
				FINAL_CONFIRMATIONS,
				limit,
			)
			.toArray();
		const rows = this.#sql
			.exec<DepositRow>('SELECT * FROM deposits WHERE change > ? ORDER BY change LIMIT ?', change, limit)
			.toArray();
		const deposits = [...waiting, ...rows].map((row) => ({ ...depositOf(row), change: row.change }));
		return { deposits, change: rows.at(-1)?.change ?? change };
	}

	/** The deposits of these transactions that were not dropped. */
	lookUp(txIds: readonly string[]): SandboxDeposit[] {
		return this.#sql
			.exec<DepositRow>('SELECT * FROM deposits WHERE tx_id IN (SELECT value FROM json_each(?))', JSON.stringify(txIds))
			.toArray()
			.map(depositOf);
	}

	/** Stores a payout once. Repeating it changes nothing. */
	broadcast({ txId, asset, to, amount, fee, from }: SandboxPayout): void {
		const stored = this.#sql
			.exec(
				'INSERT INTO payouts (tx_id, asset, recipient, amount, fee, sender) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1',
				txId,
				asset,
				to,
				amount,
				fee,
				from,
			)
			.toArray();
		if (stored.length === 0) return;
		const spent = this.spent(asset) + BigInt(amount) + BigInt(fee);
		this.#sql.exec('INSERT OR REPLACE INTO spent (asset, amount) VALUES (?, ?)', asset, spent.toString());
	}

	hasPayout(txId: string): boolean {
		return this.#sql.exec('SELECT 1 FROM payouts WHERE tx_id = ?', txId).toArray().length > 0;
	}

	payoutsTo(recipients: readonly string[]): SandboxPayout[] {
		return this.#sql
			.exec<SandboxPayout & Record<string, string | null>>(
				'SELECT tx_id AS txId, asset, recipient AS "to", amount, fee, sender AS "from" FROM payouts WHERE recipient IN (SELECT value FROM json_each(?))',
				JSON.stringify(recipients),
			)
			.toArray();
	}

	/** Final deposits to these addresses, less what left them, base units by asset and address. */
	lying(addresses: readonly string[]): Map<string, bigint> {
		const held = new Map<string, bigint>();
		const moves = this.#sql.exec<Pick<DepositRow, 'asset' | 'address' | 'amount'>>(
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
		const [row] = this.#sql.exec<{ amount: string }>('SELECT amount FROM spent WHERE asset = ?', asset).toArray();
		return BigInt(row?.amount ?? '0');
	}

	/** The sum of all deposits, and the sum of what payouts gave to their recipients, base units. */
	flow(asset: AssetId): { deposited: bigint; paid: bigint } {
		return { deposited: this.#sum('deposits', asset), paid: this.#sum('payouts', asset) };
	}

	/** Added up here, because SQLite would turn a sum above 64 bits into a float. */
	#sum(table: 'deposits' | 'payouts', asset: AssetId): bigint {
		let sum = 0n;
		for (const { amount } of this.#sql.exec<{ amount: string }>(`SELECT amount FROM ${table} WHERE asset = ?`, asset)) {
			sum += BigInt(amount);
		}
		return sum;
	}

	#nextChange(): number {
		return this.#sql.exec<{ change: number }>('UPDATE counter SET change = change + 1 RETURNING change').one().change;
	}
}

const depositOf = ({ tx_id, address, asset, amount, confirmations }: DepositRow): SandboxDeposit => ({
	txId: tx_id,
	address,
	asset,
	amount,
	confirmations,
});
