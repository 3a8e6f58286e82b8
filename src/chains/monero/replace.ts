/**
 * Signs a payment again that no block takes as it is. A reorganisation gives the outputs of the chain other numbers, so
 * the rings of what was signed no longer fit; or its fee is too low by now. The new transaction spends a coin that all
 * earlier versions spend: at most one of them can be in a block. Where that coin is gone, the earlier ones must be proven
 * dead (`dead.ts`), and then any coins pay.
 */
import { sumOf } from '../../money/units.ts';
import { ChainUnavailable, InsufficientReserve, MayStillConfirm, PaymentImpossible } from '../errors.ts';
import { distinctReservations } from '../reservations.ts';
import type { PaidTerms, SignedTransaction, SigningState } from '../signing-port.ts';
import type { ColdSignature } from './cold.ts';
import { requireDeepRings, requireRival } from './dead.ts';
import { whereSpent } from './depth.ts';
import { typicalFee } from './fees.ts';
import type { MoneroRpc } from './node.ts';
import type { Programs } from './payments-to.ts';
import { setFrozen } from './proposal.ts';
import { decodeRaw, encodeRaw } from './raw.ts';
import { relay } from './relay.ts';
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
