/**
 * Where a node's best chain holds a transaction, and how deep. A block is irreversible on Tron once it is solidified:
 * more than two thirds of the producers have built upon it.
 */
import { ChainUnavailable } from '../errors.ts';
import type { DepositRef, Depth, TransactionDepth } from '../port.ts';
import { eachOf } from '../rpc/each-of.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { isTronAddress } from './address.ts';
import { claimOf, contractCredits, keyOf, NATIVE, succeeded } from './credits.ts';
import type { TronNode } from './node.ts';
import type { TronParams } from './params.ts';
import { HEADER, type Header, INFO_OR_NONE, type Info, TRANSACTION_ID, TRANSACTION_OR_NONE } from './shapes.ts';

export type BlockPlace = Pick<Header, 'height' | 'id'>;

export interface Tips {
	readonly head: BlockPlace;
	readonly solid: BlockPlace;
}

/** Without `detail`, a block comes without its transactions. */
const HEADER_ONLY = { detail: false };

/** @throws ChainUnavailable */
export async function tipsOf(node: TronNode): Promise<Record<keyof Tips, Header>> {
	const solid = await solidOf(node);
	return { solid, head: await headOf(node) };
}

/** @throws ChainUnavailable */
export const solidOf = (node: TronNode): Promise<Header> => node.ask('/walletsolidity/getblock', HEADER, HEADER_ONLY);

/** @throws ChainUnavailable */
export const headOf = (node: TronNode): Promise<Header> => node.ask('/wallet/getblock', HEADER, HEADER_ONLY);

/**
 * `tips` must be read before what is at `height`, so that a block which they call irreversible was already irreversible
 * when it was read. The chain may have grown since, so `height` may be above the head.
 */
export const depthAt = (height: number, { head, solid }: Tips): Depth => ({
	confirmations: Math.max(1, head.height - height + 1),
	irreversible: height <= solid.height,
	height,
});

/** The receipt of a transaction on the best chain; null where the chain does not hold it. @throws ChainUnavailable */
export async function infoOf(node: TronNode, txId: string): Promise<Info | null> {
	const info = await node.ask('/wallet/gettransactioninfobyid', INFO_OR_NONE, { value: txId });
	if (info && info.id !== txId) throw new ChainUnavailable(`asked for ${txId}, got ${info.id}`);
	return info;
}

/** Does the node's mempool hold it? @throws ChainUnavailable */
export async function isPending(node: TronNode, txId: string): Promise<boolean> {
	const pending = await node.ask('/wallet/gettransactionfrompending', TRANSACTION_OR_NONE, { value: txId });
	return pending?.txID === txId;
}

/** Does a block of the node hold it? @throws ChainUnavailable */
export async function isOnRecord(node: TronNode, txId: string): Promise<boolean> {
	return (await node.ask('/wallet/gettransactionbyid', TRANSACTION_OR_NONE, { value: txId })) !== null;
}

/** As `infoOf`; `too large` where the node's answer is too large to read. @throws ChainUnavailable */
export async function readableInfo(node: TronNode, txId: string): Promise<Info | null | 'too large'> {
	try {
		return await infoOf(node, txId);
	} catch (error) {
		if (error instanceof ChainUnavailable && error.tooLarge) return 'too large';
		throw error;
	}
}

/**
 * In order. Null where the best chain no longer holds the deposit with these values. `unknown` where its receipt is too
 * large to read: the sender of a transaction decides how large that is. `read` is the last block that the scan has read.
 * Only on that block's branch is a deposit called dropped. A node that is behind or on another branch may lack the
 * deposit. The scan reads that branch first, so a deposit that was called dropped cannot come back unseen.
 * @throws ChainUnavailable
 */
export async function depositDepths(
	node: TronNode,
	refs: readonly DepositRef[],
	read: BlockPlace | null,
): Promise<(Depth | null | 'unknown')[]> {
	const tips = await tipsOf(node);
	const txIds = txIdsOf(refs).filter((txId) => TRANSACTION_ID.test(txId));
	const infos = new Map(await eachOf(txIds, async (txId) => [txId, await readableInfo(node, txId)] as const));
	const depths = refs.map((ref) => {
		const info = infos.get(ref.txId);
		if (info === 'too large') return 'unknown';
		return info && holds(node.params, info, ref) ? depthAt(info.blockNumber, tips) : null;
	});
	const isMissing = refs.some(({ txId }, at) => depths[at] === null && infos.has(txId));
	if (read && isMissing) await requireOnBranch(node, read);
	return depths;
}

/** The id of a plain transfer fixes what it pays. What a contract pays depends on the block that includes it. */
function holds(params: TronParams, info: Info, ref: DepositRef): boolean {
	if (ref.position === NATIVE) return succeeded(info);
	if (!isTronAddress(ref.address)) return false;
	const claim = claimOf(ref);
	return contractCredits(params, info).some((credit) => keyOf(credit) === claim);
}

/** On the node's best chain. @throws ChainUnavailable */
export const blockAt = (node: TronNode, height: number): Promise<Header> =>
	node.ask('/wallet/getblock', HEADER, { ...HEADER_ONLY, id_or_num: String(height) });

async function requireOnBranch(node: TronNode, { height, id }: BlockPlace): Promise<void> {
	const own = await blockAt(node, height);
	if (own.id !== id) throw new ChainUnavailable(`the node is on another branch than that of block ${id}`);
}

/** @throws ChainUnavailable */
export async function transactionDepth(node: TronNode, txId: string): Promise<TransactionDepth | null> {
	const tips = await tipsOf(node);
	const info = await infoOf(node, txId);
	if (info) return { ...depthAt(info.blockNumber, tips), reverted: !succeeded(info), fee: info.fee };
	if (!(await isPending(node, txId))) return null;
	return { confirmations: 0, irreversible: false, height: null, reverted: false, fee: null };
}
