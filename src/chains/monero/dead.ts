/**
 * Proof that a signed transaction can never be in a block, by the signer's own monerod: a block that is too deep to be
 * dropped holds another one that spends a coin of it, or its rings name outputs that are too deep to change and that do
 * not fit. A coin that merely left the chain proves nothing: it may come back.
 */
import * as z from 'zod/mini';
import { MayStillConfirm } from '../errors.ts';
import { natural } from '../rpc/shapes.ts';
import type { PaidTerms, SigningState } from '../signing-port.ts';
import { txidsOf } from '../transaction-ids.ts';
import type { MoneroDaemon } from './daemon.ts';
import { spenderOf } from './depth.ts';
import { hasPaid, type Programs } from './payments-to.ts';
import type { Refused } from './relay.ts';
import { parseTransaction } from './transaction.ts';
import { sent } from './wallet.ts';

/** Monero lets no coinbase be spent before so many blocks, because a reorganisation could take it away. */
const DEEP_BLOCKS = 60;

const OUTPUTS = z.lazy(() => z.object({ status: z.literal('OK'), outs: z.array(z.object({ height: natural })) }));

/** A transaction that is deep in the chain spends one of `keyImages`. @throws MayStillConfirm, ChainUnavailable */
export async function requireRival(
	{ wallet, cold, daemon }: Programs,
	{ keyImages, terms, isSigned }: { keyImages: readonly string[]; terms: PaidTerms } & Pick<SigningState, 'isSigned'>,
): Promise<void> {
	const rival = await spenderOf(daemon, txidsOf(await sent(wallet)), keyImages);
	if (!rival) throw new MayStillConfirm('a transaction that the wallet does not know spends its coins');
	const { txId, confirmations } = rival;
	// A version that an earlier journal signed, or a person who has the key: it is followed (`signer/overtaken.ts`).
	if (!isSigned?.(txId) && (await hasPaid({ wallet, cold, daemon }, txId, terms)))
		throw new MayStillConfirm(`${txId} spends its coins and pays the same: once it is final, it is this payment`);
	if (confirmations < DEEP_BLOCKS)
		throw new MayStillConfirm(`${txId} spends its coins, in ${confirmations} of ${DEEP_BLOCKS} blocks`);
}

/** `refused`: what monerod says about these bytes now. @throws MayStillConfirm, ChainUnavailable */
export async function requireDeepRings(daemon: MoneroDaemon, tx: string, refused: Refused): Promise<void> {
	const members = parseTransaction(tx)?.ringMembers ?? [];
	if (!refused.invalid_input || members.length === 0) throw new MayStillConfirm(`its coins are gone: ${refused.why}`);
	const blocks = await daemon.blocks();
	const body = { outputs: members.map((index) => ({ index: Number(index) })), get_txid: false };
	const { outs } = await daemon.rpc.post(OUTPUTS, 'get_outs', body).catch(() => ({ outs: [] }));
	const youngest = Math.max(...outs.map(({ height }) => height));
	if (outs.length !== members.length || blocks - youngest < DEEP_BLOCKS)
		throw new MayStillConfirm(
			`a reorganisation took its coins away; unless they come back, it is signed again ${DEEP_BLOCKS} blocks after that`,
		);
}
