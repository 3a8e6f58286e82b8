/**
 * The signer's deeds, in the storage of its Durable Object, where nobody else writes. The keys of its tables enforce:
 * one transaction for each id, one payout for each order, one payout or refund for each deposit, one order for each
 * pay-in address, one use of each coin or nonce.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { DepositRef } from '../../chains/port.ts';
import type { Reservation } from '../../chains/reservations.ts';
import type { Payment, SignedTransaction } from '../../chains/signing-port.ts';
import type { CapPurpose } from '../../treasury/over-cap.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { TransactionKind } from '../../treasury/table.ts';
import { AddressOrders } from './address-orders.ts';
import { Addresses } from './addresses.ts';
import { ConfirmedMoves } from './confirmed.ts';
import { CosignerMark } from './cosigner-mark.ts';
import { Days, purposeOf } from './days.ts';
import { EarningsJournal } from './earnings.ts';
import { countEntry, Entries } from './entries.ts';
import { GivenUp } from './given-up.ts';
import { isMoved, mustBeHere } from './moved.ts';
import { JournalPart } from './part.ts';
import { takeSteps } from './schema/steps.ts';
import { Spends, type SpendsQuery, take, takeIfFree, takeMore } from './spends.ts';
import { SweepJournal } from './sweeps.ts';
import { Versions } from './versions.ts';

export interface Signature {
	readonly payoutId: string;
	readonly orderId: string;
	readonly network: NetworkName;
	readonly raw: string;
	readonly txId: string;
}

export interface NewSignature {
	readonly payoutId: string;
	/** None of what belongs to no order. */
	readonly orderId?: string;
	readonly kind: TransactionKind;
	readonly network: NetworkName;
	readonly transaction: SignedTransaction;
	/** The transaction's payment; none of one whose fee is never bumped. */
	readonly payment?: Payment | null;
	/** The network of the deposits that it pays for, and those, which no other transaction may claim again. */
	readonly fromNetwork?: NetworkName;
	readonly deposits?: readonly DepositRef[];
	/** UTC day and value that count towards the signer's daily cap. */
	readonly day: string;
	readonly usdCents: number;
	/** Was it signed by another judge alone? Then it counts towards no cap. */
	readonly isOthers?: boolean;
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
	readonly now: number;
}

/** The platform gives an object 10 GB, and refuses every write beyond. */
const FULL_BYTES = 9.5e9;

const SIGNED = 'SELECT 1 FROM signatures WHERE tx_id = ?';
const VERSIONED = 'SELECT 1 FROM versions WHERE tx_id = ?';

export class Journal extends JournalPart {
	/** Why nothing may be read or written here; null where the schema is this version's. */
	readonly refusal: SignerRefusal | null;
	readonly addresses: Addresses;
	readonly addressOrders: AddressOrders;
	readonly entries: Entries;
	readonly confirmed: ConfirmedMoves;
	readonly cosigner: CosignerMark;
	readonly days: Days;
	readonly earnings: EarningsJournal;
	readonly givenUp: GivenUp;
	readonly sweeps: SweepJournal;
	readonly versions: Versions;

	constructor(storage: DurableObjectStorage) {
		super(storage);
		this.refusal = takeSteps(storage);
		this.addresses = new Addresses(storage);
		this.addressOrders = new AddressOrders(storage);
		this.entries = new Entries(storage);
		this.confirmed = new ConfirmedMoves(storage);
		this.cosigner = new CosignerMark(storage);
		this.days = new Days(storage);
		this.earnings = new EarningsJournal(storage);
		this.givenUp = new GivenUp(storage);
		this.sweeps = new SweepJournal(storage);
		this.versions = new Versions(storage);
	}

	signatureOf(payoutId: string): Signature | null {
		const columns = 'payout_id AS payoutId, order_id AS orderId, network, raw, tx_id AS txId';
		const query = `SELECT ${columns} FROM signatures WHERE payout_id = ?`;
		return this.first<Pick<Signature, keyof Signature>>(query, payoutId) ?? null;
	}

	/** Is this transaction on record, as any version of anything? */
	isSigned(txId: string): boolean {
		return [SIGNED, VERSIONED].some((query) => this.has(query, txId)) || isMoved(this.storage.sql, [`tx ${txId}`]);
	}

	/** Is it as it began: nothing written, no address derived? */
	isBlank(): boolean {
		return this.entries.number() === 0 && !this.has('SELECT 1 FROM indexes LIMIT 1');
	}

	/** Why nothing more is signed: its object is nearly full, because too little can move to volumes. */
	full(): SignerRefusal | null {
		const bytes = this.storage.sql.databaseSize;
		return bytes >= FULL_BYTES ? { kind: 'journal-full', bytes } : null;
	}

	/** The transaction of the order's payout, under whatever id it was signed; null where none was. */
	payoutOf(orderId: string): string | null {
		const query = "SELECT payout_id AS payoutId, tx_id AS txId FROM signatures WHERE order_id = ? AND kind = 'payout'";
		const row = this.first<{ payoutId: string; txId: string }>(query, orderId);
		return row ? (this.versions.standing(row.payoutId) ?? row).txId : null;
	}

	/**
	 * From now on nothing is signed for it. False, and nothing is written, where something is signed already.
	 * `orderId`: of an order's payout; null of everything else.
	 *
	 * Atomic: one synchronous turn, like `record`, which checks again. So of a signature and a give-up at the same
	 * time, one comes first and the other is refused.
	 */
	giveUp(payoutId: string, orderId: string | null, now: number): boolean {
		mustBeHere(this.storage.sql, [`payout ${payoutId}`, `order ${orderId ?? ''}`]);
		if (this.signatureOf(payoutId) || (orderId !== null && this.payoutOf(orderId) !== null)) return false;
		this.givenUp.note(payoutId, orderId, now);
		countEntry(this.storage.sql);
		return true;
	}

	/** Deposits to this address that signed payouts and refunds pay for. */
	claimsAt(network: NetworkName, address: string): DepositRef[] {
		type Row = { txId: string; position: string; address: string; asset: AssetId; amount: string };
		const query =
			'SELECT tx_id AS txId, position, address, asset, amount FROM claims WHERE network = ? AND address = ?';
		return this.rows<Row>(query, network, address).map((row) => ({ ...row, amount: BigInt(row.amount) }));
	}

	/** The coins and nonces that the stored transactions spend, for one signature. */
	spends(query: SpendsQuery): Spends {
		return new Spends(this.storage.sql, query);
	}

	/** Which counter the fees of a payment's later versions count towards. */
	purposeOf(payoutId: string): CapPurpose {
		const row = this.first<{ kind: string }>('SELECT kind FROM signatures WHERE payout_id = ?', payoutId);
		return purposeOf(row?.kind ?? 'payout');
	}

	/**
	 * Atomic: one transaction of the storage writes the signature, what it spends, the deposits it pays for and its
	 * share of the day's cap. Refuses what was given up while it was being signed. @throws where a key is taken; then
	 * nothing is written
	 */
	record(signature: NewSignature): SignerRefusal | null {
		const { payoutId, orderId = '', kind, network, transaction, payment, day, usdCents, now } = signature;
		const { fromNetwork = network, deposits = [] } = signature;
		return this.storage.transactionSync(() => {
			const { sql } = this.storage;
			if (this.givenUp.isNoted({ payoutId, orderId, kind })) return { kind: 'given-up' };
			mustBeHere(sql, [`payout ${payoutId}`, `order ${orderId}`]);
			signature.also?.();
			const number = countEntry(sql);
			const row = [number, payoutId, orderId, kind, network, transaction.raw, transaction.txId, day, now];
			sql.exec('INSERT INTO signatures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', ...row);
			if (deposits.length > 0) this.days.countLately(fromNetwork, usdCents, now, number);
			take(sql, signature, transaction.spends);
			if (payment) this.versions.begin(network, payment, transaction, now);
			for (const { txId, position, address, asset, amount } of deposits) {
				this.addressOrders.bind(orderId, fromNetwork, address);
				const row = [fromNetwork, txId, position, address, asset, amount.toString(), payoutId];
				this.rows('INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?, ?)', ...row);
			}
			if (!signature.isOthers) this.days.count(purposeOf(kind), day, usdCents);
			return null;
		});
	}

	/**
	 * Atomic: one more version of a payment, and what it spends beyond the others. @throws where another payment spent
	 * that
	 */
	recordVersion({ payoutId, network, version, transaction, day, usdCents, now }: NewVersion): void {
		this.storage.transactionSync(() => {
			const { sql } = this.storage;
			mustBeHere(sql, [`payout ${payoutId}`]);
			countEntry(sql);
			this.versions.add(payoutId, version, transaction, now);
			takeMore(sql, { network, payoutId, now }, transaction.spends);
			this.days.count(this.purposeOf(payoutId), day, usdCents);
		});
	}

	/** Atomic: what the chain shows as spent and no signature here has taken. */
	takeFromChain(network: NetworkName, spent: readonly Reservation[], now: number): void {
		this.storage.transactionSync(() => takeIfFree(this.storage.sql, network, spent, now));
	}
}
