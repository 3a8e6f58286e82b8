/**
 * The short keys by which D1 finds an archived order: the first 8 bytes of a SHA-256, 16 hex digits. Two orders may
 * share one by chance, so a key only says in which batch to look; what is found there is compared in full.
 */
import { type SQL, sql } from 'drizzle-orm';
import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { sha256Hex } from '../crypto/tokens.ts';
import type { Db } from '../platform/d1/database.ts';
import { archivedKeys } from './table.ts';

const HEX_DIGITS = 16;

/** A view, to which only inserts are made. */
const archiveGuard = /* @__PURE__ */ sqliteTable('archive_guard', () => ({
	keyHash: text('key_hash'),
	toHash: text('to_hash'),
	refundHash: text('refund_hash'),
}));

const keyOf = async (...parts: readonly string[]): Promise<string> =>
	(await sha256Hex(JSON.stringify(parts))).slice(0, HEX_DIGITS);

export const orderKey = (id: string): Promise<string> => keyOf('order', id);

export const idempotencyKeyOf = (partnerId: string, key: string): Promise<string> => keyOf('key', partnerId, key);

/** In one case, and without its network: an EVM address is the same on all of them, and bech32 may come in capitals. */
export const addressKey = (address: string): Promise<string> => keyOf('address', address.toLowerCase());

export const transactionKey = (network: string, txId: string): Promise<string> => keyOf('transaction', network, txId);

/** A reference by itself, of whichever partner: what the operator searches by. */
export const referenceKey = (externalId: string): Promise<string> => keyOf('any reference', externalId);

/** The key of an order whose partner asked that their reference makes one order. */
export const uniqueReferenceKey = (partnerId: string, externalId: string): Promise<string> =>
	keyOf('reference', partnerId, externalId);

/** The keys that an archived order must not share with a new one. */
export interface GuardKeys {
	readonly idempotency: string | null;
	/** Null where the create does not ask that it is unique. */
	readonly reference: string | null;
	readonly to: string;
	readonly refund: string;
}

export async function guardKeys(order: {
	readonly partnerId: string;
	readonly idempotencyKey?: string | null | undefined;
	readonly externalId?: string | null | undefined;
	readonly externalIdUnique?: boolean | undefined;
	readonly toAddress: string;
	readonly refundAddress: string;
}): Promise<GuardKeys> {
	const { partnerId, idempotencyKey = null, externalId = null, toAddress, refundAddress } = order;
	const [idempotency, reference, to, refund] = await Promise.all([
		idempotencyKey === null ? null : idempotencyKeyOf(partnerId, idempotencyKey),
		externalId === null || !order.externalIdUnique ? null : uniqueReferenceKey(partnerId, externalId),
		addressKey(toAddress),
		addressKey(refundAddress),
	]);
	return { idempotency, reference, to, refund };
}

/** Writes nothing: it fails its batch where an archived order has one of the keys. */
export const insertGuard = (db: Db, { idempotency, reference, to, refund }: GuardKeys) => {
	const addresses = { toHash: sql`unhex(${to})`, refundHash: sql`unhex(${refund})` };
	const keys = reference === null ? [idempotency] : [idempotency, reference];
	return db.insert(archiveGuard).values(keys.map((key) => ({ ...addresses, keyHash: sql`unhex(${key})` })));
};

/** Is the row's key among these? One parameter, as JSON. */
export const isAmong = (keys: readonly string[]): SQL =>
	sql`${archivedKeys.hash} in (select unhex(value) from json_each(${JSON.stringify(keys)}))`;
