/**
 * Vault: the one Durable Object that signs. It believes no row of D1 by itself: it checks the seal, asks its own node
 * whether the deposits are final, its own prices what they are worth, its own journal what was signed before, and its
 * own cap what a day may cost. Payouts of one network are signed one after the other, so nonces and coins are chosen
 * by one thread.
 *
 * Atomic: a signature, the coins it spends and the deposits it answers for are one transaction of the journal, written
 * before the signature leaves. Asked again for the same payout, it answers with the same transaction.
 */

import { DurableObject } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { assetOf, nativeAsset } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { networkMode, worldConflicts } from '../chains/configuration.ts';
import { InsufficientReserve, PaymentImpossible, SigningBlocked } from '../chains/errors.ts';
import { isFinal } from '../chains/finality.ts';
import { type DepositRef, type NetworkCheck, WORLD_CHECK } from '../chains/port.ts';
import { chainOf, isAddressOn } from '../chains/registry.ts';
import { seedFingerprint, seedOf } from '../chains/seed.ts';
import type { ChainSigner, SigningState } from '../chains/signing-port.ts';
import { signerOf } from '../chains/signing-registry.ts';
import { sealKeyProof, told } from '../crypto/key-proof.ts';
import { ConfigurationError, keyRing } from '../crypto/key-ring.ts';
import { log, logError } from '../log.ts';
import { type Decimal, decimal, usdCents } from '../money/decimal.ts';
import { fromBaseUnits } from '../money/units.ts';
import type { SealedAddress } from '../orders/seal.ts';
import { currentPrices } from '../pricing/current-prices.ts';
import { priceAt } from '../pricing/prices.ts';
import type {
	BumpOutcome,
	Signed,
	SignerIdentity,
	SignerLimits,
	SignOutcome,
	StuckPayout,
	WithdrawalAddress,
} from '../treasury/signer-port.ts';
import { usdValue } from '../treasury/sweeps/rules.ts';
import type { TransactionRow } from '../treasury/table.ts';
import { type CapRefusal, DailyCaps } from './daily-caps.ts';
import { type EarningsClaim, loadEarningsClaims } from './earnings/claim.ts';
import { earnedWith } from './earnings/judge.ts';
import { paidByHand, signEarnings, withdrawEarnings } from './earnings/sign.ts';
import type { SignerEnv } from './env.ts';
import { EarningsJournal } from './journal/earnings.ts';
import { WasGivenUp } from './journal/given-up.ts';
import { Journal, type Purpose } from './journal/journal.ts';
import { SweepJournal } from './journal/sweeps.ts';
import { enterWorld, worldRefusal } from './journal/world.ts';
import { newAddresses } from './new-addresses.ts';
import { loadClaims, loadConsolidations, loadMovements } from './payouts/claim.ts';
import { freeLosers } from './payouts/decided.ts';
import { bump } from './payouts/fee-bump.ts';
import { type Claim, depositRefs, isAboveValue, rowsRefusal } from './payouts/judge.ts';
import { PriceWatch } from './price-watch.ts';
import { signConsolidation } from './sweeps/consolidate.ts';
import { type SweepSigning, signMovement } from './sweeps/sign.ts';
import {
	configuredAddress,
	loadWithdrawals,
	signWithdrawal,
	type WithdrawalClaim,
	type Withdrawing,
} from './withdrawals/sign.ts';

const DEFAULT_RATE_TOLERANCE_BPS = '200';

/** A verdict that stops a payout; `again` where time alone may heal it. */
class Refused extends Error {
	readonly again: boolean;
	constructor(reason: string, again: boolean) {
		super(reason);
		this.again = again;
	}
}

export class Vault extends DurableObject<SignerEnv> {
	readonly #journal = new Journal(this.ctx.storage);
	readonly #caps = new DailyCaps(this.env, this.#journal);
	readonly #earnings = new EarningsJournal(this.ctx.storage);
	readonly #sweeps = new SweepJournal(this.ctx.storage);
	#knownSeed: Uint8Array | null = null;
	readonly #signers = new Map<NetworkName, ChainSigner>();
	readonly #turns = new Map<NetworkName, Promise<unknown>>();
	readonly #prices = new PriceWatch((previous) => currentPrices(this.env, previous));

	async newAddresses(network: NetworkName, count: number, above: number): Promise<SealedAddress[]> {
		const refusal = enterWorld(this.ctx.storage, this.env);
		if (refusal) throw new TypeError(refusal);
		const signer = this.#signer(network);
		const chain = chainOf(this.env, network, signer.hotAddress());
		const [db, sealKeys] = [drizzle(this.env.DB), keyRing(this.env, 'SEAL_KEY')];
		return newAddresses({ network, db, journal: this.#journal, signer, chain, sealKeys }, count, above);
	}

	hotAddress(network: NetworkName): string {
		return this.#signer(network).hotAddress();
	}

	/** @see SignerService */
	limits(): SignerLimits {
		return this.#caps.limits(dayOf(Date.now()));
	}

	/** @see SignerService */
	async identify(challenge: string): Promise<SignerIdentity> {
		const seed = await told(() => seedFingerprint(this.#seed()));
		return { seed, sealKey: await sealKeyProof(this.env, challenge) };
	}

	/** @see SignerService */
	withdrawalAddress(network: NetworkName): WithdrawalAddress {
		const hotAddress = this.hotAddress(network);
		return configuredAddress(this.env, network, {
			isAddress: (text) => isAddressOn(this.env, network, text),
			isOurs: (text) => text === hotAddress || this.#journal.indexesOf(network, [text]).size > 0,
		});
	}

	async check(network: NetworkName): Promise<NetworkCheck[]> {
		const signer = this.#signer(network);
		const nodes = await chainOf(this.env, network, signer.hotAddress()).check();
		const caps = networkMode(this.env, network)?.on === 'nodes' ? [this.#caps.check()] : [];
		const refusal = worldRefusal(this.ctx.storage, this.env);
		const world = [...(refusal ? [refusal] : []), ...worldConflicts(this.env)];
		return [
			...nodes,
			...((await signer.check?.()) ?? []),
			...caps,
			...world.map((detail) => ({ what: WORLD_CHECK, ok: false, detail })),
		];
	}

	/** One outcome for each payout, in order; waits for whoever signs on this network already. */
	async sign(network: NetworkName, payoutIds: readonly string[]): Promise<SignOutcome[]> {
		return this.#inTurn(network, () => this.#signAll(network, payoutIds));
	}

	/** Raises fees, one after the other and never beside a signature (`fee-bump.ts`). */
	async bump(network: NetworkName, stuck: readonly StuckPayout[]): Promise<BumpOutcome[]> {
		return this.#inTurn(network, async () => {
			const outcomes: BumpOutcome[] = [];
			for (const each of stuck) outcomes.push(await this.#bumpOne(network, each));
			return outcomes;
		});
	}

	#inTurn<T>(network: NetworkName, run: () => Promise<T>): Promise<T> {
		const turn = (this.#turns.get(network) ?? Promise.resolve()).then(run);
		this.#turns.set(
			network,
			turn.catch(() => undefined),
		);
		return turn;
	}

	/** @see SignerService */
	withdrawEarnings(payoutId: string): boolean {
		return withdrawEarnings(this.#journal, this.#earnings, payoutId);
	}

	/** @see SignerService */
	earningsPaidByHand(payoutId: string, orderIds: readonly string[]): boolean {
		return paidByHand(this.#journal, this.#earnings, payoutId, orderIds);
	}

	/** @see SignerService */
	giveUp(payoutId: string, orderId: string | null): boolean {
		return this.#journal.giveUp(payoutId, orderId, Date.now());
	}

	async #bumpOne(network: NetworkName, stuck: StuckPayout): Promise<BumpOutcome> {
		try {
			const world = worldRefusal(this.ctx.storage, this.env);
			if (world) throw new Refused(world, false);
			const signer = this.#signer(network);
			const unset = this.#caps.unset();
			if (unset) throw refusedBy(unset);
			const now = Date.now();
			const day = dayOf(now);
			const purpose = this.#journal.purposeOf(stuck.payoutId);
			const native = nativeAsset(network);
			return await bump(
				{
					...{ network, journal: this.#journal, signer, day, now },
					chain: chainOf(this.env, network, signer.hotAddress()),
					state: this.#signingState(network, now),
					nativeUsd: async () => (await this.#usdPrices(native, native))[0],
					capRefusal: (cents) => this.#caps.refusal(purpose, day, cents)?.refused ?? null,
				},
				stuck,
			);
		} catch (error) {
			const known = error instanceof Refused || error instanceof PaymentImpossible;
			if (!known) logError('bump_failed', error, { payoutId: stuck.payoutId });
			return { payoutId: stuck.payoutId, refused: known ? error.message : `bump failed: ${String(error)}` };
		}
	}

	/** Nothing is signed with keys that are wrong, and each transaction that waits for them says so. */
	async #keysRefusal(): Promise<CapRefusal | null> {
		const wrong = [await told(() => seedFingerprint(this.#seed())), await sealKeyProof(this.env, 'own')].find(
			(key) => 'wrong' in key,
		);
		return wrong && 'wrong' in wrong ? { refused: `the signer's ${wrong.wrong}`, again: false } : null;
	}

	/** `payIn`: the pay-in address that signs; null where only the hot wallet does. */
	#signingState(network: NetworkName, now: number, payIn: string | null = null): SigningState {
		return {
			spent: this.#journal.spends({ network, payIn, now }),
			indexesOf: (addresses) => this.#journal.indexesOf(network, addresses),
		};
	}

	async #signAll(network: NetworkName, payoutIds: readonly string[]): Promise<SignOutcome[]> {
		const refused = enterWorld(this.ctx.storage, this.env);
		if (refused !== null) {
			log('signing_refused', { payoutIds, network, refused, again: false });
			return payoutIds.map((payoutId) => ({ payoutId, refused, again: false }));
		}
		const unset = this.#caps.unset() ?? (await this.#keysRefusal());
		if (unset) return payoutIds.map((payoutId) => ({ payoutId, ...unset }));
		const claims = await loadClaims(drizzle(this.env.DB), payoutIds);
		const earnings = await loadEarningsClaims(drizzle(this.env.DB), payoutIds);
		const movements = await loadMovements(drizzle(this.env.DB), payoutIds);
		const consolidations = await loadConsolidations(drizzle(this.env.DB), payoutIds);
		const withdrawals = await loadWithdrawals(drizzle(this.env.DB), payoutIds);
		const signer = this.#signer(network);
		const chain = chainOf(this.env, network, signer.hotAddress());
		await freeLosers({ network, signer, chain, versions: this.#journal.versions });
		const outcomes: SignOutcome[] = [];
		for (const payoutId of payoutIds) {
			const movement = movements.get(payoutId);
			const claim = claims.get(payoutId) ?? earnings.get(payoutId) ?? withdrawals.get(payoutId);
			const consolidation = consolidations.get(payoutId);
			if (consolidation) outcomes.push(await signConsolidation(this.#sweepSigning(network, null), consolidation));
			else if (movement)
				outcomes.push(await signMovement(this.#sweepSigning(network, movement.payInAddress), movement));
			else outcomes.push(await this.#signOne(network, payoutId, claim));
		}
		return outcomes;
	}

	#sweepSigning(network: NetworkName, payIn: string | null): SweepSigning {
		const now = Date.now();
		const signer = this.#signer(network);
		const [journal, sweeps] = [this.#journal, this.#sweeps];
		return {
			...{ network, signer, journal, sweeps, now },
			chain: chainOf(this.env, network, signer.hotAddress()),
			state: this.#signingState(network, now, payIn),
			usdPrices: (asset, native) => this.#usdPrices(asset, native),
			requireWithinCap: (day, cents) => this.#requireWithinCap(day, cents),
		};
	}

	#withdrawing(network: NetworkName): Withdrawing {
		const now = Date.now();
		return {
			...{ network, now, journal: this.#journal, signer: this.#signer(network) },
			state: this.#signingState(network, now),
			address: this.withdrawalAddress(network),
			capRefusal: (cents) => this.#caps.refusal('withdrawal', dayOf(now), cents),
			day: dayOf(now),
			usdPrices: (asset, native) => this.#usdPrices(asset, native),
		};
	}

	async #signOne(
		network: NetworkName,
		payoutId: string,
		claim: Claim | EarningsClaim | WithdrawalClaim | undefined,
	): Promise<SignOutcome> {
		try {
			const before = this.#journal.versions.of(payoutId)[0] ?? this.#journal.signatureOf(payoutId);
			if (before) return { payoutId, signed: { raw: before.raw, txId: before.txId } };
			if (!claim) throw new Refused('no such payout', false);
			if (claim.payout.network !== network) throw new Refused('another network', false);
			const { kind, orderId } = claim.payout;
			if (this.#journal.givenUp.has({ payoutId, orderId: orderId ?? '', kind })) throw new WasGivenUp();
			if ('order' in claim) return { payoutId, signed: await this.#judgeAndSign(network, claim) };
			if ('withdrawal' in claim) return { payoutId, signed: await this.#signWithdrawal(network, claim.payout) };
			return { payoutId, signed: await this.#signEarnings(network, claim) };
		} catch (error) {
			const isForPerson = error instanceof InsufficientReserve || error instanceof SigningBlocked;
			const isFinal = error instanceof PaymentImpossible || error instanceof WasGivenUp;
			const isOurs = error instanceof Refused || error instanceof ConfigurationError;
			const known = isForPerson || isFinal || isOurs;
			if (!known) logError('signing_failed', error, { payoutId });
			const again = error instanceof Refused ? error.again : !isFinal;
			// An empty reserve is filled by a person, though the next try may find that he has.
			const refused = known ? `${error.message}` : `signing failed: ${String(error)}`;
			log('signing_refused', { payoutId, network, refused, again });
			return { payoutId, refused, again: again && !isForPerson };
		}
	}

	async #judgeAndSign(network: NetworkName, claim: Claim): Promise<{ raw: string; txId: string }> {
		const { payout, order, deposits } = claim;
		// By the signer's own configuration, whatever the API's says: beside a main chain neither a sandbox nor a test chain runs.
		if (networkMode(this.env, order.fromNetwork) === null)
			throw new Refused(`the signer does not run ${order.fromNetwork}, where the deposit is`, false);
		const payIn = this.#signer(order.fromNetwork);
		const refusal = await rowsRefusal(claim, keyRing(this.env, 'SEAL_KEY'), payIn.payInAddress(order.payInIndex));
		if (refusal) throw new Refused(refusal, false);
		const refs = depositRefs(deposits);
		if (payout.kind === 'payout' && this.#journal.hasPaid(order.id))
			throw new Refused('this order was paid already', false);
		const claimedBefore = this.#claimsBefore(order, refs);

		const [fromUsd, toUsd] = await this.#usdPrices(order.fromAsset, order.toAsset);
		const [nativeUsd] = await this.#usdPrices(nativeAsset(network), nativeAsset(network));
		const received = totalOf(refs);
		const cents = usdCents(decimal(fromBaseUnits(received, assetOf(order.fromAsset).decimals)).times(fromUsd));
		// Asked together with what was paid for before: where a chain proves a deposit by a balance, that one coin cannot
		// answer for two.
		const all = [...claimedBefore, ...refs];
		const sweeps = this.#sweeps.sweepsAt(order.fromNetwork, order.payInAddress);
		const proven = await payIn.finalAmount(all, (depth) => isFinal(order.fromNetwork, depth, cents), sweeps);
		if (proven < totalOf(all)) throw new Refused('deposits are not final on chain', true);
		if (isAboveValue(claim, received, fromUsd, toUsd, this.#toleranceBps())) {
			// Perhaps our prices are the older ones: the next look is a new one.
			this.#prices.doubt();
			throw new Refused('amount above what the deposit is worth', true);
		}

		const earned = earnedWith(claim, received, fromUsd, toUsd, this.#toleranceBps());
		const now = Date.now();
		const day = dayOf(now);
		const purpose = payout.kind === 'refund' ? 'refund' : 'payout';
		this.#requireWithinCap(day, cents, purpose);
		const payment = { id: payout.id, asset: payout.asset, to: payout.toAddress, amount: BigInt(payout.amount) };
		const transaction = await this.#signer(network).sign(payment, this.#signingState(network, now));
		// Again, and in one turn with the record: other networks may have signed meanwhile. What else they answered for
		// here was no part of what the chain was asked, and one balance could have proven both.
		if (this.#claimsBefore(order, refs).length !== claimedBefore.length)
			throw new Refused('other deposits there were paid for meanwhile', true);
		// The fee, and the rent that may go to the recipient, leave the wallet as well.
		const spentCents = cents + usdCents(usdValue(transaction.fee, nativeAsset(network), nativeUsd));
		this.#requireWithinCap(day, spentCents, purpose);
		this.#journal.record({
			payoutId: payout.id,
			orderId: order.id,
			kind: payout.kind,
			network,
			transaction,
			payment,
			fromNetwork: order.fromNetwork,
			deposits: refs,
			day,
			usdCents: spentCents,
			now,
			also: () => earned && this.#earnings.earned(earned),
		});
		return { raw: transaction.raw, txId: transaction.txId };
	}

	/**
	 * What payouts and refunds answer for already at the order's address, in its asset: amounts of two assets must never
	 * be added up.
	 */
	#claimsBefore(order: Claim['order'], refs: readonly DepositRef[]): DepositRef[] {
		const { fromNetwork, fromAsset, payInAddress } = order;
		if (this.#journal.addressOrders.isOfAnother(order.id, fromNetwork, payInAddress))
			throw new Refused('the pay-in address belongs to another order', false);
		if (fromAsset === nativeAsset(fromNetwork) && this.#sweeps.hasGasAt(fromNetwork, payInAddress))
			throw new Refused('gas of our own was sent to the pay-in address', false);
		const claims = this.#journal.claimsAt(fromNetwork, payInAddress);
		const isClaimed = refs.some((ref) =>
			claims.some(({ txId, position }) => txId === ref.txId && position === ref.position),
		);
		if (isClaimed) throw new Refused('these deposits were paid for already', false);
		return claims.filter(({ asset }) => asset === fromAsset);
	}

	async #signEarnings(network: NetworkName, claim: EarningsClaim): Promise<{ raw: string; txId: string }> {
		const native = nativeAsset(network);
		const [nativeUsd] = await this.#usdPrices(native, native);
		const now = Date.now();
		const outcome = await signEarnings(
			{
				signer: this.#signer(network),
				journal: this.#journal,
				earnings: this.#earnings,
				state: this.#signingState(network, now),
				sealKeys: keyRing(this.env, 'SEAL_KEY'),
				prices: () => this.#prices.current(),
				toleranceBps: this.#toleranceBps(),
				requireWithinCap: (day, cents) => this.#requireWithinCap(day, cents),
				feeCents: (fee) => usdCents(usdValue(fee, native, nativeUsd)),
				now,
			},
			claim,
		);
		if ('refused' in outcome) throw new Refused(outcome.refused, outcome.again);
		return outcome;
	}

	async #signWithdrawal(network: NetworkName, row: TransactionRow): Promise<Signed> {
		const outcome = await signWithdrawal(this.#withdrawing(network), row);
		if ('refused' in outcome) throw new Refused(outcome.refused, outcome.again);
		return outcome;
	}

	#requireWithinCap(day: string, cents: number, purpose: Purpose = 'payout'): void {
		const refusal = this.#caps.refusal(purpose, day, cents);
		if (refusal) throw refusedBy(refusal);
	}

	/** Read when it is first needed, so that one which is wrong is told by whatever needs it. @throws ConfigurationError */
	#seed(): Uint8Array {
		this.#knownSeed ??= seedOf(this.env.SEED);
		return this.#knownSeed;
	}

	#signer(network: NetworkName): ChainSigner {
		const known = this.#signers.get(network) ?? signerOf(this.env, network, this.#seed());
		this.#signers.set(network, known);
		return known;
	}

	async #usdPrices(from: Parameters<typeof assetOf>[0], to: typeof from): Promise<[Decimal, Decimal]> {
		const prices = await this.#prices.current();
		const now = Date.now();
		const [fromUsd, toUsd] = [from, to].map((asset) => priceAt(prices, assetOf(asset).coin, now));
		if (!fromUsd || !toUsd) throw new Refused('no fresh price', true);
		return [decimal(fromUsd), decimal(toUsd)];
	}

	#toleranceBps(): number {
		return Number(this.env.SIGNER_RATE_TOLERANCE_BPS ?? DEFAULT_RATE_TOLERANCE_BPS);
	}
}

const refusedBy = ({ refused, again }: CapRefusal): Refused => new Refused(refused, again);

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

const totalOf = (refs: readonly DepositRef[]): bigint => refs.reduce((sum, { amount }) => sum + amount, 0n);
