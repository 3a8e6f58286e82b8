/**
 * The credits of one block to our addresses. The evidence is a transaction that pays the address itself; or a
 * transaction in which a contract pays it, as a trace shows; or, where no transaction can be named, the block and how
 * much the balance grew.
 */
import type { z } from 'zod/mini';
import { sumOf } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import type { DepositRef } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { BALANCE, INTERNAL, NATIVE } from './depth.ts';
import { ask } from './node.ts';
import { receiptsOf } from './receipts.ts';
import { BLOCK, FULL_BLOCK, hexOf, RECEIPT_OR_NONE } from './shapes.ts';
import type { Tracer } from './trace.ts';

/** A deposit without address and asset, which the caller knows. */
export type Evidence = Pick<DepositRef, 'txId' | 'position' | 'amount'>;

/** The recorded deposits of an address (in lower case). */
export type KnownOf = (address: string) => readonly Evidence[];

type FullBlock = z.output<typeof FULL_BLOCK>;

const isSame = (one: Evidence, other: Evidence): boolean => one.txId === other.txId && one.position === other.position;

/** Transactions of the block that pay one of these addresses and are not on record. @throws ChainUnavailable */
export async function directCredits(
	rpc: JsonRpc,
	height: number,
	addresses: ReadonlySet<string>,
	knownOf: KnownOf,
): Promise<Map<string, Evidence[]>> {
	const paid = await payments(rpc, await fullBlock(rpc, height), addresses);
	return new Map([...paid].map(([address, credits]) => [address, fresh(credits, knownOf(address))]));
}

export interface GrownBlock {
	readonly height: number;
	/** By how much the block raised each address's balance. */
	readonly growth: ReadonlyMap<string, bigint>;
	readonly knownOf: KnownOf;
}

/**
 * The evidence that is not on record yet, by address. Together with the recorded evidence it adds up to `growth`.
 * @throws ChainUnavailable
 */
export async function creditsOfBlock(
	rpc: JsonRpc,
	trace: Tracer,
	{ height, growth, knownOf }: GrownBlock,
): Promise<Map<string, Evidence[]>> {
	const block = await fullBlock(rpc, height);
	const paid = await payments(rpc, block, new Set(growth.keys()));
	const txIds = block.transactions.map(({ hash }) => hash);
	const credits = new Map<string, Evidence[]>();
	const remainders = new Map<string, bigint>();
	for (const [address, grown] of growth) {
		const direct = paid.get(address) ?? [];
		const inside = knownOf(address).filter((known) => isInside(known, block.hash, txIds));
		credits.set(address, fresh(direct, knownOf(address)));
		const remainder = grown - sumOf(direct) - sumOf(inside);
		if (remainder > 0n) remainders.set(address, remainder);
	}
	if (remainders.size === 0) return credits;
	const traced = await trace(height, txIds);
	for (const [address, remainder] of remainders) {
		const calls = [...(traced?.get(address) ?? [])].map(([txId, amount]) => ({ txId, position: INTERNAL, amount }));
		// A reorganisation changed what this call sends. Its record must be removed before the new amount is credited.
		if (knownOf(address).some((known) => calls.some((call) => isSame(call, known) && call.amount !== known.amount)))
			continue;
		const internal = fresh(calls, knownOf(address));
		// A trace counts only if it accounts for the growth to the last wei.
		const explained = sumOf(internal) === remainder && internal.every(({ txId }) => txIds.includes(txId));
		credits
			.get(address)
			?.push(...(explained ? internal : [{ txId: block.hash, position: BALANCE, amount: remainder }]));
	}
	return credits;
}

const fresh = (credits: readonly Evidence[], known: readonly Evidence[]): Evidence[] =>
	credits.filter((credit) => !known.some((other) => isSame(credit, other)));

/** Is this the record of a payment from inside a call in this block? */
const isInside = ({ txId, position }: Evidence, blockHash: string, txIds: readonly string[]): boolean =>
	(position === BALANCE && txId === blockHash) || (position === INTERNAL && txIds.includes(txId));

/**
 * A block that is too large to read counts as one without transactions. Then the block itself is the evidence of its
 * credits.
 */
async function fullBlock(rpc: JsonRpc, height: number): Promise<FullBlock> {
	const block = await ask(rpc, FULL_BLOCK, 'eth_getBlockByNumber', hexOf(height), true).catch(async (error) => {
		if (!(error instanceof ChainUnavailable && error.tooLarge)) throw error;
		const header = await ask(rpc, BLOCK, 'eth_getBlockByNumber', hexOf(height), false);
		return { ...header, transactions: [] };
	});
	if (block.number !== height) throw new ChainUnavailable(`asked for block ${height}, got ${block.number}`);
	return block;
}

/** Payments by address. Only the receipt says whether a transaction succeeded (EIP-658). */
async function payments(
	rpc: JsonRpc,
	block: FullBlock,
	addresses: ReadonlySet<string>,
): Promise<Map<string, Evidence[]>> {
	const paying = block.transactions.filter(({ to, value }) => to && value > 0n && addresses.has(to));
	const distinct = [...new Map(paying.map((transaction) => [transaction.hash, transaction])).values()];
	const hashes = distinct.map(({ hash }) => hash);
	const { found, unread } = await receiptsOf(rpc, RECEIPT_OR_NONE, hashes);
	const paid = new Map<string, Evidence[]>();
	for (const { hash, to, value } of distinct) {
		// Then the growth of the balance is the only evidence.
		if (unread.get(hash) === 'too large') continue;
		const receipt = found.get(hash);
		if (receipt?.transactionHash !== hash || receipt.blockHash !== block.hash)
			throw new ChainUnavailable(`${hash} has no receipt in block ${block.number}`);
		if (!to || receipt.status !== 1n) continue;
		paid.set(to, [...(paid.get(to) ?? []), { txId: hash, position: NATIVE, amount: value }]);
	}
	return paid;
}
