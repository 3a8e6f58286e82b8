/**
 * Replays (book: contract, "Orders", "Beyond the contract"): a create whose Idempotency-Key or unique reference an order
 * has already answers that order if the body is the same, and a refusal if it is not.
 */
import { sha256Hex } from '../crypto/tokens.ts';
import type { Refusal } from '../http/refusals.ts';
import { plain } from '../money/decimal.ts';
import type { CreateContext, Created, CreateInput, NamedBy } from './creation.ts';
import { requireSealed } from './seal.ts';
import { findByIdempotencyKey, findByReference } from './store.ts';

/** The answer to a create whose name an order has already; null where no order has it. */
export async function replayOf(
	context: CreateContext,
	partnerId: string,
	name: NamedBy,
	requestHash: string,
): Promise<Created | Refusal | null> {
	const { live, archivedIn } = await ('idempotencyKey' in name
		? findByIdempotencyKey(context.db, partnerId, name.idempotencyKey)
		: findByReference(context.db, partnerId, name.externalId));
	const existing = live ?? (await context.archived(archivedIn, partnerId, name));
	if (!existing) return null;
	if (existing.requestHash !== requestHash) return { kind: 'idempotency-key-reused' };
	if (existing.deletedAt !== null) return { kind: 'replayed-order-deleted' };
	if (live) await requireSealed(context.sealKeys, live);
	return { order: existing, token: null };
}

/** "Same body" compares the parsed, normalised fields (book: contract, "Orders"). */
export const requestHashOf = (input: CreateInput): Promise<string> =>
	sha256Hex(
		JSON.stringify([
			input.from.code,
			input.to.code,
			input.direction,
			plain(input.amount.value),
			input.toAddress,
			input.refundAddress,
			input.tag,
			input.afftax,
			input.reference?.externalId,
			input.reference?.isUnique,
			input.callbackUrl,
			input.floor && ('amount' in input.floor ? plain(input.floor.amount.value) : input.floor.slippageBps),
		]),
	);
