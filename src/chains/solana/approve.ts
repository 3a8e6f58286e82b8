/**
 * Payments, and sweeps whose fee the hot wallet pays, where two judges sign together (`shared-key.ts`). The signer makes a draft
 * and keeps its nonces in memory; the co-signer makes the draft's transaction again, compares the bytes, and answers with its
 * share; the signer makes the signature whole. So the co-signer never has a signature, and takes the message as the id.
 *
 * A share cannot be taken back. The signer that has lost its nonces, or sends another version, gets a share of another draft only once
 * the co-signer's own node proves that no block holds the first one, also where it was sent and nobody was told.
 */
import { equalBytes } from '@noble/curves/utils.js';
import { MayStillConfirm, PaymentImpossible } from '../errors.ts';
import { ask } from '../rpc/answers.ts';
import type { Draft, SignedTransaction, SweepDraft } from '../signing-port.ts';
import { mintOf } from './assets.ts';
import { requireUnsent, VALID_BLOCKS } from './dead.ts';
import { answerText, draftText, isAnswerTo, messageId, readDraft } from './draft.ts';
import { rentsOf } from './fees.ts';
import type { SolanaKey } from './keys.ts';
import { type Made, make, makePayment, signedAs, type Wallet } from './made.ts';
import { signMessage } from './message.ts';
import { type Chosen, chosenIn } from './message-reader.ts';
import { FINAL } from './node.ts';
import { sweepPlan } from './plan.ts';
import { rawOf } from './raw.ts';
import { SLOT } from './shapes.ts';
import type { OneSignature, SharedKey } from './shared-key.ts';

type Approved = SignedTransaction & { readonly amount?: bigint };

/** The newest draft. Signatures of a network are made one after the other, so an older one is never needed. */
interface Pending {
	readonly text: string;
	readonly made: Made;
	readonly one: OneSignature;
	/** The pay-in key that signs beside the hot wallet; absent where none does. */
	readonly owner?: SolanaKey;
	/** Base units that arrive at the hot wallet. */
	readonly amount?: bigint;
}

/** The signer's side. */
export function drafting(shared: SharedKey) {
	let pending: Pending | null = null;
	return {
		/** Without signatures; its reservations are those of the whole, once it is made. */
		draft(made: Made, more: Pick<Pending, 'owner' | 'amount'> = {}): SignedTransaction {
			const one = shared.begin();
			const text = draftText(made.message, made.lastValidHeight, one.commitment);
			pending = { text, made, one, ...more };
			return { raw: text, txId: messageId(made.message.bytes), spends: [], fee: made.fee };
		},
		isAnswerTo,
		/** @throws MayStillConfirm where it answers an earlier draft; PaymentImpossible where the share is wrong */
		async approve({ raw, previous }: Draft): Promise<Approved> {
			const answer = readDraft(raw)?.answer;
			if (!pending || !answer || !isAnswerTo(pending.text, raw))
				throw new MayStillConfirm('the co-signer has signed an earlier draft of it');
			const { made, one, owner, amount } = pending;
			pending = null;
			const signature = one.whole(made.message.bytes, answer);
			const { wire, txId } = signMessage(made.message, owner ? [owner] : [], signature);
			const signed = signedAs(made, txId, rawOf(wire, made.lastValidHeight), made.lastValidHeight);
			const spends = [...(previous?.spends ?? []), ...signed.spends];
			return { ...signed, spends, ...(amount !== undefined && { amount }) };
		},
	};
}

/** The co-signer's side. @throws PaymentImpossible where the draft is not that; else as `make` and `requireUnsent` */
export async function approve(
	wallet: Wallet,
	shared: SharedKey,
	{ raw, payment, previous, sweep }: Draft,
): Promise<Approved> {
	const { rpc, hot } = wallet;
	const draft = readDraft(raw);
	const chosen = draft && chosenIn(draft.message);
	if (!draft || draft.answer || !chosen) throw new PaymentImpossible('the draft cannot be read');
	if (previous) await requireUnsent(rpc, hot, previous.raw);
	// Asked before it signs: the transaction can only be in a later block.
	const since = await ask(rpc, SLOT, 'getSlot', { commitment: FINAL });
	// It does not see which of its earlier messages are in a block already. So it reserves nothing for them; that is the signer's.
	const making = { spent: [], isUrgent: previous !== null, chosen };
	const amount = sweep && amountIn(sweep, chosen);
	const made = payment ? await makePayment(wallet, payment, making) : await makeSweep(wallet, making, sweep, amount);
	if (!equalBytes(made.message.bytes, draft.message)) throw new PaymentImpossible('the draft is not that payment');
	// Another of its nodes may answer, which is behind.
	const lastHeight = made.lastValidHeight + VALID_BLOCKS;
	const one = shared.begin();
	const share = one.share(draft.message, draft.commitment);
	const answer = answerText(raw, { commitment: one.commitment, share, since, lastHeight });
	const signed = signedAs(made, messageId(draft.message), answer, lastHeight);
	const spends = [...(previous?.spends ?? []), ...signed.spends];
	return { ...signed, spends, ...(amount !== undefined && { amount }) };
}

async function makeSweep(
	wallet: Wallet,
	making: Parameters<typeof make>[3] & { readonly chosen: Chosen },
	drafted: SweepDraft | undefined,
	amount: bigint | undefined,
): Promise<Made> {
	if (!drafted || amount === undefined) throw new PaymentImpossible('nothing is joined here');
	const { address: owner, sweep } = drafted;
	// A token account that stays open is left so after a failure.
	const afterFailure = mintOf(sweep.asset) !== null && making.chosen.datas.length < CLOSING_INSTRUCTIONS;
	const rents = await rentsOf(wallet.rpc);
	return make(wallet, sweepPlan({ hot: wallet.hot, owner }, { ...sweep, afterFailure }, amount, rents), rents, making);
}

/** A sweep of tokens opens the hot wallet's account, moves the tokens there, and closes the owner's account. */
const CLOSING_INSTRUCTIONS = 3;

/** Base units that the draft moves. @throws PaymentImpossible where it has no such instruction */
function amountIn({ sweep }: SweepDraft, { datas }: Chosen): bigint {
	const [data, at] = mintOf(sweep.asset) === null ? [datas[0], 4] : [datas[1], 1];
	if (!data || data.length < at + 8) throw new PaymentImpossible('the draft is no sweep');
	return new DataView(data.buffer, data.byteOffset).getBigUint64(at, true);
}
