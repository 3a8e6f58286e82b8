/**
 * What the signer has done, in its own storage, where nobody else writes. Every key here is a promise: one transaction
 * per payout, one payout per order, one payout or refund per deposit, one order per pay-in address, one spending of each
 * coin or nonce.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { DepositRef } from '../../chains/port.ts';
import { encodeReservation } from '../../chains/reservations.ts';
import type { Payment, SignedTransaction } from '../../chains/signing-port.ts';
import type { TransactionKind } from '../../treasury/table.ts';
import { AddressOrders } from './address-orders.ts';
import { GivenUp, WasGivenUp } from './given-up.ts';
import { type Signing, SPENDS_NONCES, Spends } from './spends.ts';
import { Versions } from './versions.ts';

/** Which counter of the day a signature counts towards: refunds and withdrawals have one each, all else has the third. */
export type Purpose = 'payout' | 'refund' | 'withdrawal';

export interface Signature {
	readonly payoutId: string;
	readonly orderId: string;
	readonly network: NetworkName;
	readonly raw: string;
	readonly txId: string;
}

export interface NewSignature {
	readonly payoutId: string;
	/** Empty for what belongs to no order. */
	readonly orderId: string;
	readonly kind: TransactionKind;
	readonly network: NetworkName;
	readonly transaction: SignedTransaction;
	/** What the transaction pays; null for one whose fee is never raised. */
	readonly payment: Payment | null;
	/** Where the deposits lie, which no other payout may claim again. */
	readonly fromNetwork: NetworkName;
	readonly deposits: readonly DepositRef[];
	/** UTC day and value that count towards the signer's own daily cap. */
	readonly day: string;
	readonly usdCents: number;
	/** Unix milliseconds. */
	readonly now: number;
	/** Written in the same transaction. */
	readonly also?: () => void;
}

export interface NewVersion {
	readonly payoutId: string;
	readonly network: NetworkName;
	/** How many versions there are already. */
	readonly version: number;
	readonly transaction: SignedTransaction;
	/** UTC day and value of the higher fee. */
	readonly day: string;
	readonly usdCents: number;
	/** Unix milliseconds. */
	readonly now: number;
}

const DAYS: Readonly<Record<Purpose, string>> = {
	payout: 'days',
	refund: 'refund_days',
	withdrawal: 'withdrawal_days',
};

const purposeOf = (kind: string): Purpose => (kind === 'refund' || kind === 'withdrawal' ? kind : 'payout');

export class Journal {
	readonly versions: Versions;
	readonly addressOrders: AddressOrders;
	readonly givenUp: GivenUp;
	readonly #storage: DurableObjectStorage;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		this.versions = new Versions(storage);
		this.givenUp = new GivenUp(storage);
		storage.sql.exec(`
			CREATE TABLE IF NOT EXISTS indexes (scope TEXT PRIMARY KEY, next INTEGER NOT NULL);
			CREATE TABLE IF NOT EXISTS addresses (network TEXT NOT NULL, address TEXT NOT NULL, derivation_index INTEGER NOT NULL, PRIMARY KEY (network, address)) WITHOUT ROWID;
			CREATE TABLE IF NOT EXISTS signatures (
				payout_id TEXT PRIMARY KEY, order_id TEXT NOT NULL, kind TEXT NOT NULL, network TEXT NOT NULL, raw TEXT NOT NULL, tx_id TEXT NOT NULL,
				day TEXT NOT NULL, usd_cents INTEGER NOT NULL, at INTEGER NOT NULL
			);
			CREATE UNIQUE INDEX IF NOT EXISTS signatures_payout ON signatures (order_id) WHERE kind = 'payout';
			CREATE TABLE IF NOT EXISTS spends (network TEXT NOT NULL, spend TEXT NOT NULL, payout_id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (network, spend)) WITHOUT ROWID;
			CREATE INDEX IF NOT EXISTS spends_at ON spends (network, at);
			CREATE INDEX IF NOT EXISTS spends_payout ON spends (payout_id);
			${SPENDS_NONCES};
			CREATE TABLE IF NOT EXISTS claims (
				network TEXT NOT NULL, tx_id TEXT NOT NULL, position TEXT NOT NULL, address TEXT NOT NULL, asset TEXT NOT NULL,
				amount TEXT NOT NULL, payout_id TEXT NOT NULL, PRIMARY KEY (network, tx_id, position, address)
			) WITHOUT ROWID;
			CREATE INDEX IF NOT EXISTS claims_address ON claims (network, address);
			CREATE TABLE IF NOT EXISTS days (day TEXT PRIMARY KEY, usd_cents INTEGER NOT NULL);
			CREATE TABLE IF NOT EXISTS refund_days (day TEXT PRIMARY KEY, usd_cents INTEGER NOT NULL);
			CREATE TABLE IF NOT EXISTS withdrawal_days (day TEXT PRIMARY KEY, usd_cents INTEGER NOT NULL);
		`);
		this.addressOrders = new AddressOrders(storage);
	}

	/** Is there a counter of this scope? There is from the first address on. */
	hasIndexes(scope: string): boolean {
		return this.#has('SELECT 1 FROM indexes WHERE scope = ?', scope);
	}

	/** Reserves the next `count` derivation indexes of a scope, none below `atLeast`; the first of them. One statement. */
	takeIndexes(scope: string, count: number, atLeast: number): number {
		const row = this.#storage.sql
			.exec<{ next: number }>(
				`INSERT INTO indexes (scope, next) VALUES (?1, ?3 + ?2)
				 ON CONFLICT (scope) DO UPDATE SET next = max(next, ?3) + ?2 RETURNING next`,
				...[scope, count, atLeast],
			)
			.one();
		return row.next - count;
	}

	/** One above the highest derivation index that was derived for these networks; 0 before the first. */
	nextDerivedIndex(networks: readonly NetworkName[]): number {
		return this.#storage.sql
			.exec<{ next: number }>(
				`SELECT coalesce(max(derivation_index) + 1, 0) AS next FROM addresses
				 WHERE network IN (SELECT value FROM json_each(?))`,
				JSON.stringify(networks),
			)
			.one().next;
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

	/** Was a payout of this order signed, under whatever id? */
	hasPaid(orderId: string): boolean {
		return this.#has("SELECT 1 FROM signatures WHERE order_id = ? AND kind = 'payout'", orderId);
	}

	/**
	 * Nothing is signed for it from now on; false, and nothing noted, where something is signed already. `orderId`: of an
	 * order's payout; null of everything else. Atomic: one synchronous turn, as `record` is, which asks again; so of a
	 * signature and a giving up that meet, one comes first and the other is refused.
	 */
	giveUp(payoutId: string, orderId: string | null, now: number): boolean {
		if (this.signatureOf(payoutId) || (orderId !== null && this.hasPaid(orderId))) return false;
		this.givenUp.note(payoutId, orderId, now);
		return true;
	}

	/** Deposits to this address that signed payouts and refunds answer for. */
	claimsAt(network: NetworkName, address: string): DepositRef[] {
		const rows = this.#storage.sql.exec<{
			txId: string;
			position: string;
			address: string;
			asset: AssetId;
			amount: string;
		}>(
			'SELECT tx_id AS txId, position, address, asset, amount FROM claims WHERE network = ? AND address = ?',
			network,
			address,
		);
		return [...rows].map((row) => ({ ...row, amount: BigInt(row.amount) }));
	}

	#has(query: string, ...values: string[]): boolean {
		return this.#storage.sql.exec(query, ...values).next().done !== true;
	}

	/** What stored transactions take already, for one signature. */
	spends(signing: Signing): Spends {
		return new Spends(this.#storage.sql, signing);
	}

	/** USD cents signed for on a UTC day. */
	signedOn(purpose: Purpose, day: string): number {
		const [row] = this.#storage.sql
			.exec<{ usd_cents: number }>(`SELECT usd_cents FROM ${DAYS[purpose]} WHERE day = ?`, day)
			.toArray();
		return row?.usd_cents ?? 0;
	}

	/** Which counter the fees of a payment's later versions count towards. */
	purposeOf(payoutId: string): Purpose {
		const [row] = this.#storage.sql
			.exec<{ kind: string }>('SELECT kind FROM signatures WHERE payout_id = ?', payoutId)
			.toArray();
		return purposeOf(row?.kind ?? 'payout');
	}

	/**
	 * Atomic: one transaction; a key that is taken already throws, and nothing is written.
	 * @throws WasGivenUp where it was given up while it was being signed
	 */
	record(signature: NewSignature): void {
		const { payoutId, orderId, kind, network, transaction, payment, fromNetwork, deposits, day, usdCents, now } =
			signature;
		this.#storage.transactionSync(() => {
			const { sql } = this.#storage;
			if (this.givenUp.has(signature)) throw new WasGivenUp();
			signature.also?.();
			sql.exec(
				'INSERT INTO signatures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
				...[payoutId, orderId, kind, network, transaction.raw, transaction.txId, day, usdCents, now],
			);
			for (const spend of transaction.spends.map(encodeReservation)) {
				sql.exec('INSERT INTO spends VALUES (?, ?, ?, ?)', network, spend, payoutId, now);
			}
			if (payment) this.versions.begin(network, payment, transaction, now);
			for (const { txId, position, address, asset, amount } of deposits) {
				this.addressOrders.bind(orderId, fromNetwork, address);
				sql.exec(
					'INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?, ?)',
					...[fromNetwork, txId, position, address, asset, amount.toString(), payoutId],
				);
			}
			this.#count(purposeOf(kind), day, usdCents);
		});
	}

	/** Atomic: one more version of a payment, and what it takes beside the others; nothing that another payment took. */
	recordVersion({ payoutId, network, version, transaction, day, usdCents, now }: NewVersion): void {
		this.#storage.transactionSync(() => {
			const { sql } = this.#storage;
			this.versions.add(payoutId, version, transaction, now);
			const own = new Set(
				sql
					.exec<{ spend: string }>('SELECT spend FROM spends WHERE payout_id = ?', payoutId)
					.toArray()
					.map(({ spend }) => spend),
			);
			for (const spend of transaction.spends.map(encodeReservation).filter((each) => !own.has(each))) {
				sql.exec('INSERT INTO spends VALUES (?, ?, ?, ?)', network, spend, payoutId, now);
			}
			this.#count(this.purposeOf(payoutId), day, usdCents);
		});
	}

	#count(purpose: Purpose, day: string, usdCents: number): void {
		this.#storage.sql.exec(
			`INSERT INTO ${DAYS[purpose]} VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET usd_cents = usd_cents + ?2`,
			day,
			usdCents,
		);
	}
}
