/**
 * The sum of the claimed deposits that the signer's own monerod has, and the signer's own keys find in them. Nothing that an
 * agent or a wallet says counts: the bytes hash to the transaction's id, and that id is in the bytes of its block.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import type { DepositRef, Depth } from '../port.ts';
import { txIdsOf } from '../transaction-ids.ts';
import type { MoneroDaemon } from './daemon.ts';
import { heldTransactions } from './depth.ts';
import { type MoneroKeys, publicSpendKey, subaddress } from './keys.ts';
import { blockAt } from './reading.ts';
import { isUnlocked } from './scan.ts';
import { ACCOUNT, HOT_MINOR } from './subaddress-index.ts';
import type { ParsedTransaction } from './transaction.ts';
import { received } from './view.ts';

interface Claimed {
	readonly asset: AssetId;
	readonly refs: readonly DepositRef[];
	readonly isFinal: (depth: Depth) => boolean;
}

/** Piconero. Each deposit counts once, however often it is named, and each output key. @throws ChainUnavailable */
export async function finalAmount(
	daemon: MoneroDaemon,
	keys: MoneroKeys,
	{ asset, refs, isFinal }: Claimed,
): Promise<bigint> {
	const held = await heldTransactions(daemon, txIdsOf(refs));
	const counted = new Set<string>();
	let sum = 0n;
	for (const ref of new Map(refs.map((each) => [`${each.txId} ${each.position}`, each])).values()) {
		const { depth, parsed } = held.get(ref.txId) ?? {};
		if (!parsed || !depth || depth.height === null || ref.asset !== asset || !isFinal(depth)) continue;
		const paid = paidAt(parsed, keys, ref).filter(({ key }) => !counted.has(key));
		const isRight = paid.length > 0 && paid.reduce((total, { amount }) => total + amount, 0n) === ref.amount;
		if (!isRight || !isUnlocked(parsed, depth.height + depth.confirmations)) continue;
		await requireInBlock(daemon, ref.txId, depth.height);
		for (const { key } of paid) counted.add(key);
		sum += ref.amount;
	}
	return sum;
}

/** The outputs to the claim's address; none where its position is of another one. */
function paidAt(parsed: ParsedTransaction, keys: MoneroKeys, { position, address }: DepositRef) {
	const minor = Number(new RegExp(`^${ACCOUNT}/(\\d{1,10})$`).exec(position)?.[1] ?? HOT_MINOR);
	if (minor === HOT_MINOR || subaddress(keys, ACCOUNT, minor) !== address) return [];
	const wanted = publicSpendKey(keys, ACCOUNT, minor);
	return received(parsed, keys.secretViewKey, (spendKey) => (spendKey === wanted ? minor : null));
}

async function requireInBlock(daemon: MoneroDaemon, txId: string, height: number): Promise<void> {
	const { hash, coinbase, txIds } = await blockAt(daemon, height);
	if (coinbase.txId !== txId && !txIds.includes(txId))
		throw new ChainUnavailable(`monerod says that block ${height} has ${txId}, and its bytes do not`);
	await daemon.requireAgreed(height, hash);
}
