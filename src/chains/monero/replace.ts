/**
 * Signs a payment again that no block takes as it is. A reorganisation gives the outputs of the chain other numbers, so
 * the rings of what was signed no longer fit; or its fee is too low by now. The new transaction spends a coin that all
 * earlier versions spend: at most one of them can be in a block. Where that coin is gone, the earlier ones must be
 * proven dead by the signer's own monerod, and then any coins pay: a block that is too deep to be dropped holds another
 * transaction that spends a coin of theirs, or their rings name outputs that are too deep to change and that do not
 * fit. A coin that merely left the chain proves nothing: it may come back.
 */
import * as z from 'zod/mini';
import { sumOf } from '../../money/units.ts';
import { ChainUnavailable, InsufficientReserve, MayStillConfirm, PaymentImpossible } from '../errors.ts';
import { distinctReservations } from '../reservations.ts';
import { natural } from '../rpc/shapes.ts';
import type { PaidTerms, SignedTransaction, SigningState } from '../signing-port.ts';
import { txidsOf } from '../transaction-ids.ts';
import type { ColdSignature } from './cold.ts';
import type { MoneroDaemon } from './daemon.ts';
import { spenderOf, whereSpent } from './depth.ts';
import { typicalFee } from './fees.ts';
import type { MoneroRpc } from './node.ts';
import { hasPaid, type Programs } from './payments-to.ts';
import { setFrozen } from './proposal.ts';
import { decodeRaw, encodeRaw } from './raw.ts';
import { type Refused, relay } from './relay.ts';
import { parseTransaction } from './transaction.ts';
import { sent } from './wallet.ts';
import type { Output } from './wallet-shapes.ts';

/** The parts of the rest of the family that signing needs (`signing.ts`). */
export interface Replacing {
	readonly programs: Programs;
	/** The wallet's unspent coins with their key images; exactly those that are reserved are frozen. */
	coins(): Promise<readonly Output[]>;
	/** From coins that are not frozen; `from`: as for `proposal`. */
	pay(from: readonly number[]): Promise<ColdSignature>;
	/** From any coins that nothing has reserved. */
	sign(): Promise<SignedTransaction>;
}

/** @throws MayStillConfirm, InsufficientReserve, PaymentImpossible, ChainUnavailable */
export async function replace(
	replacing: Replacing,
	previous: SignedTransaction,
	terms: PaidTerms,
	state: SigningState,
): Promise<SignedTransaction> {
	const { daemon } = replacing.programs;
	const raw = decodeRaw(previous.raw);
	if (!raw) throw new PaymentImpossible('the earlier transaction cannot be read');
	const coins = await replacing.coins();
	const spent = await whereSpent(daemon, raw.shared);
	if (spent === 'mempool') throw new MayStillConfirm('a transaction in the mempool spends its coins');
	if (spent === 'chain') {
		await requireRival(replacing.programs, { keyImages: raw.shared, terms, ...state });
		return beside(previous, await replacing.sign());
	}
	const refused = await relay(daemon, raw.tx);
	if (refused === null) throw new MayStillConfirm('the node takes it as it is');
	const shared = coins.filter(({ key_image }) => raw.shared.includes(key_image));
	if (shared.length === 0) {
		await requireDeepRings(daemon, raw.tx, refused);
		return beside(previous, await replacing.sign());
	}
	if (shared.some(({ unlocked }) => !unlocked))
		throw new MayStillConfirm(`${refused.why}; its coins can be spent again ten blocks after they came back`);
	const { txId, tx, keyImages, fee } = await fromShared(replacing, { coins, shared }, terms, state);
	const common = keyImages.filter((each) => raw.shared.includes(each));
	if (common.length === 0) throw new ChainUnavailable('the view-only wallet proposed none of the earlier coins');
	// A wallet that was made again meanwhile has nothing frozen.
	const own = previous.spends.flatMap((each) => (each.kind === 'key image' ? each.keyImage : []));
	if (keyImages.some((keyImage) => state.spent.has({ kind: 'key image', keyImage }) && !own.includes(keyImage)))
		throw new ChainUnavailable('the view-only wallet proposed coins that are spent already');
	const next = { raw: encodeRaw({ txId, keyImages: [...keyImages], shared: common, tx }), txId, fee };
	return beside(previous, { ...next, spends: keyImages.map((keyImage) => ({ kind: 'key image', keyImage })) });
}

/** All that the earlier versions took stays reserved until one is final. */
const beside = (previous: SignedTransaction, next: SignedTransaction): SignedTransaction => ({
	...next,
	spends: distinctReservations([...previous.spends, ...next.spends]),
});

/**
 * A wallet cannot be told which coins to spend. So all others of the same subaddresses are frozen meanwhile. If that is
 * too little for the fee of now, one more small coin is added.
 */
async function fromShared(
	{ programs: { wallet, daemon }, pay }: Replacing,
	{ coins, shared }: { readonly coins: readonly Output[]; readonly shared: readonly Output[] },
	terms: PaidTerms,
	{ spent }: SigningState,
): Promise<ColdSignature> {
	const held = sumOf(shared);
	const missing = 2n * (await typicalFee(daemon)) + (held < terms.amount ? terms.amount - held : 0n);
	const isFree = ({ key_image: keyImage }: Output) => !spent.has({ kind: 'key image', keyImage });
	const more = coins
		.filter((coin) => coin.unlocked && isFree(coin) && coin.amount >= missing)
		.toSorted((a, b) => (a.amount < b.amount ? -1 : 1));
	for (const chosen of [shared, [...shared, ...more.slice(0, 1)]]) {
		try {
			return await withOnly(wallet, coins, chosen, pay);
		} catch (error) {
			if (!(error instanceof InsufficientReserve) || chosen.length > shared.length || more.length === 0) throw error;
		}
	}
	throw new InsufficientReserve('no coin is large enough for the fee');
}

/** Leaves the coins frozen as they were. After a crash the next signature does (`freezeReserved`). */
async function withOnly<T>(
	wallet: MoneroRpc,
	coins: readonly Output[],
	chosen: readonly Output[],
	run: (from: readonly number[]) => Promise<T>,
): Promise<T> {
	const from = [...new Set(chosen.map(({ subaddr_index }) => subaddr_index.minor))];
	const changed = coins
		.filter(({ subaddr_index }) => from.includes(subaddr_index.minor))
		.filter((coin) => coin.frozen === chosen.includes(coin));
	try {
		for (const { key_image, frozen } of changed) await setFrozen(wallet, key_image, !frozen);
		return await run(from);
	} finally {
		for (const { key_image, frozen } of changed) await setFrozen(wallet, key_image, frozen);
	}
}

/** Monero lets no coinbase be spent before so many blocks, because a reorganisation could take it away. */
const DEEP_BLOCKS = 60;

const OUTPUTS = z.lazy(() => z.object({ status: z.literal('OK'), outs: z.array(z.object({ height: natural })) }));

/** A transaction that is deep in the chain spends one of `keyImages`. @throws MayStillConfirm, ChainUnavailable */
async function requireRival(
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
async function requireDeepRings(daemon: MoneroDaemon, tx: string, refused: Refused): Promise<void> {
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
