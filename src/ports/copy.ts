/**
 * The calls of a backup and a restore to the signer, over the service binding. Like the other calls, these can only
 * stop the signer or make it pay less, but for two: a restore gives an empty journal its memory, and `confirmOrders`
 * and `confirmOwn` say that a person has looked.
 */
import type { Page, Place } from '../backup/object-storage.ts';
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { Unread } from '../treasury/refusal-texts.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';

/** The journal was restored from a backup; it is gone; it is older than what the networks' agents remember of it. */
export type MarkCause = 'restored' | 'lost' | 'older';

/** The state of a signer whose journal was restored, lost or set back. Unix milliseconds. */
export interface RestoredState {
	readonly cause: MarkCause;
	/** Null where there was no backup. */
	readonly backupAt: number | null;
	readonly restoredAt: number;
	/** When the operator confirmed what belongs to no order; null until then. */
	readonly confirmedAt: number | null;
	/** When the operator closed the case with `alert clear`; null until then. */
	readonly endedAt: number | null;
}

/** Where an order's pay-in address comes from. */
export interface OrderPlace {
	readonly id: string;
	readonly fromNetwork: NetworkName;
	readonly payInIndex: number;
}

export interface Doubted {
	/** Ids. */
	readonly orders: readonly string[];
	readonly own: boolean;
}

/** A payment to an order's recipient or refund address since the backup that nothing on record accounts for. */
export interface OlderPayment {
	readonly kind: 'payout' | 'refund';
	readonly network: NetworkName;
	readonly asset: AssetId;
	readonly amount: string;
	readonly txId: string;
}

/** The journal's signatures for deposits at a pay-in address. */
export interface JournalPayment {
	/** The id under which it was signed. */
	readonly payoutId: string;
	readonly kind: 'payout' | 'refund';
	readonly network: NetworkName;
	readonly asset: AssetId | null;
	/** Base units. Null, like the asset, where `restored paid` recorded it. */
	readonly amount: string | null;
	/** The partner's earnings with the order, base units; null where there are none on record. */
	readonly afftax: string | null;
	/** The final version, else the newest. */
	readonly txId: string;
	/** The deposits that it pays for. */
	readonly deposits: readonly { readonly txId: string; readonly position: string }[];
}

/** An order that is older than the restore. */
export interface OlderOrder {
	readonly orderId: string;
	readonly payments: readonly OlderPayment[];
	/** The networks that cannot tell. */
	readonly unread: readonly Unread[];
}

/** A payment that a person has seen on the chain. */
export interface Said {
	/** That an order was not paid where the network cannot tell. */
	readonly looked: boolean;
	/** Transactions that pay none of the named orders, although they pay an address of one. */
	readonly not: readonly string[];
}

export interface JournalFacts {
	/** The schema step of the journal. */
	readonly step: number;
	readonly world: 'main' | 'test' | null;
	/** Rows of each table; `journal-1.signatures` is one of the oldest volume. */
	readonly rows: Readonly<Record<string, number>>;
}

/** An older volume of the journal. */
export interface VolumeReport {
	/** The name of its object has it: `journal-1` is the first. */
	readonly number: number;
	readonly orders: number;
	/** When it took its last ones; null of the newest. */
	readonly closedAt: number | null;
	readonly bytes: number;
	/** Why it cannot be used; null where it can. */
	readonly problem: string | null;
}

export interface JournalState {
	/** When it began; where it was restored, when the one of the backup did. */
	readonly begunAt: number;
	/** The bytes that it takes of its object's storage. */
	readonly bytes: number;
	/** Where its older entries are, in the order of time. */
	readonly volumes: readonly VolumeReport[];
}

/** 0, or absent: the journal itself; else the number of an older volume of it. */
interface OfVolume {
	readonly volume?: number;
}

export type JournalPlace = Place & OfVolume;
export type JournalPage = Page & OfVolume;

export interface ReadJournal {
	readonly page: JournalPage;
	/** Null after the last one. */
	readonly next: JournalPlace | null;
}

export interface RestoreEnd {
	/** Unix milliseconds of the backup. */
	readonly backupAt: number;
	/** By network: one above the highest derivation index that its agent had received. */
	readonly nextIndexes: Readonly<Partial<Record<NetworkName, number>>>;
	/** Rows of each table by the backup. */
	readonly rows: Readonly<Record<string, number>>;
}

/** A payout or refund that was signed for an order. */
export interface SignedOrder {
	/** It grows with each signature. */
	readonly number: number;
	readonly orderId: string;
	readonly kind: string;
	readonly paidOn: NetworkName;
	readonly txId: string;
	readonly at: number;
	/** The pay-in address, and its network. */
	readonly network: NetworkName;
	readonly address: string;
}

export interface AdoptedReturn {
	readonly amount: string;
	readonly to: string;
}

export interface CopiedSigner {
	/** Nothing is signed or written until then; 0 ends it. Waits for what is being signed. */
	hold(until: number): Promise<void>;
	journalFacts(): Promise<JournalFacts>;
	/** `place`: null for the first page. */
	readJournal(place: JournalPlace | null): Promise<ReadJournal>;
	/**
	 * Holds an empty journal until the restore has ended. A restore of another backup that has not ended is thrown away.
	 * False where the signer has signed something. Safe to repeat.
	 */
	beginRestore(backupId: string): Promise<boolean>;
	/** Safe to repeat. @throws where no restore of this backup has begun */
	writeJournal(backupId: string, page: JournalPage): Promise<void>;
	/** False where rows are missing. Safe to repeat. */
	endRestore(backupId: string, end: RestoreEnd): Promise<boolean>;
	/** The orders' signed transactions, the newest first. `below`: the last number of the page before; null for the first. */
	signedOrders(below: number | null): Promise<SignedOrder[]>;
	/** Null where the journal is the one that it always was. */
	restored(): Promise<RestoredState | null>;
	/**
	 * A person has looked at this mark: `attention` need not name it any more. What waits goes on waiting. `restoredAt`: of
	 * the mark that they have seen. Safe to repeat.
	 */
	endMark(restoredAt: number): Promise<void>;
	/**
	 * Records a payout or refund that was signed after the backup and is on the chain as `txId`, as if it had been signed
	 * here. Null where it is recorded, else why not. Safe to repeat.
	 */
	adopt(network: NetworkName, payoutId: string, txId: string): Promise<SignerRefusal | null>;
	/** The same of the return of a stray; what went back, and where to. */
	adoptReturn(network: NetworkName, payoutId: string, txId: string): Promise<AdoptedReturn | SignerRefusal>;
	/** A person has looked: this transaction paid something else than the return of this stray. */
	paidOther(orderId: string, asset: AssetId, txId: string): Promise<void>;
	/** Which of these wait for a person because they are older than the restore; and does what belongs to no order wait? */
	doubted(orders: readonly OrderPlace[]): Promise<Doubted>;
	/**
	 * The signer asks its own nodes about these orders. An order that D1 does not have, or whose seal is broken, is left
	 * out.
	 */
	lookFor(orderIds: readonly string[]): Promise<OlderOrder[]>;
	/** The signatures for the deposits at this pay-in address. */
	signedFor(network: NetworkName, address: string): Promise<JournalPayment[]>;
	/** Why the deposit of an order must not be sent back: the chain may hold an older payment of it. Null where it holds none. */
	refundRefusal(orderId: string): Promise<SignerRefusal | null>;
	/**
	 * Lets the signer pay these orders, each where its own nodes show no older payment of it. In order: why not; null where
	 * it is confirmed. Safe to repeat.
	 */
	confirmOrders(orderIds: readonly string[], said: Said): Promise<(SignerRefusal | null)[]>;
	/** The same for what belongs to no order. Why it cannot be confirmed now; null where it is. */
	confirmOwn(said: Said): Promise<string | null>;
}
