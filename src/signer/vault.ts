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
import { mnemonicToSeedSync } from '@scure/bip39';
import { drizzle } from 'drizzle-orm/d1';
import { assetOf } from '../catalog/assets.ts';
import { type NetworkName, networkNamed } from '../catalog/networks.ts';
import { isFinal } from '../chains/finality.ts';
import {
	type ChainSigner,
	type DepositRef,
	InsufficientReserve,
	type NetworkCheck,
	PaymentImpossible,
} from '../chains/port.ts';
import { chainOf, signerOf } from '../chains/registry.ts';
import { log, logError } from '../http/log.ts';
import { type Decimal, decimal, usdCents } from '../money/decimal.ts';
import { fromBaseUnits } from '../money/units.ts';
import { sealAddress } from '../orders/seal.ts';
import { currentPrices } from '../pricing/current-prices.ts';
import { type Prices, priceAt } from '../pricing/prices.ts';
import type { SealedAddress, SignOutcome } from '../treasury/signer-port.ts';
import { loadClaims } from './claims.ts';
import type { SignerEnv } from './env.ts';
import { Journal } from './journal.ts';
import { type Claim, depositRefs, isAboveValue, rowsRefusal } from './judge.ts';

const PRICES_MILLISECONDS = 5_000;
/** A coin or nonce spent longer ago than this is long gone from what the node offers. */
const SPENT_MILLISECONDS = 30 * 24 * 3_600_000;
const DEFAULT_DAILY_CAP_USD = '1000000';
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
	readonly #seed = mnemonicToSeedSync(this.env.SEED);
	readonly #signers = new Map<NetworkName, ChainSigner>();
	readonly #turns = new Map<NetworkName, Promise<unknown>>();
	#prices: Prices = {};
	#pricesAt = 0;

	async newAddresses(network: NetworkName, count: number): Promise<SealedAddress[]> {
		const signer = this.#signer(network);
		const first = this.#journal.takeIndexes(scopeOf(network), count);
		const fresh = Array.from({ length: count }, (_, i) => ({
			index: first + i,
			address: signer.payInAddress(first + i),
		}));
		this.#journal.rememberAddresses(network, fresh);
		// Our own node must see payments to them as well: it is the one that is asked before anything is signed.
		await chainOf(this.env, network, signer.hotAddress()).register([
			...fresh,
			{ index: -1, address: signer.hotAddress() },
		]);
		return Promise.all(
			fresh.map(async ({ index, address }) => {
				const terms = { network, derivationIndex: index, address };
				return { ...terms, seal: await sealAddress(this.env.SEAL_KEY, terms) };
			}),
		);
	}

	hotAddress(network: NetworkName): string {
		return this.#signer(network).hotAddress();
	}

	check(network: NetworkName): Promise<NetworkCheck[]> {
		return chainOf(this.env, network, this.hotAddress(network)).check();
	}

	/** One outcome for each payout, in order; waits for whoever signs on this network already. */
	async sign(network: NetworkName, payoutIds: readonly string[]): Promise<SignOutcome[]> {
		const turn = (this.#turns.get(network) ?? Promise.resolve()).then(() => this.#signAll(network, payoutIds));
		this.#turns.set(
			network,
			turn.catch(() => undefined),
		);
		return turn;
	}

	async #signAll(network: NetworkName, payoutIds: readonly string[]): Promise<SignOutcome[]> {
		const claims = await loadClaims(drizzle(this.env.DB), payoutIds);
		const outcomes: SignOutcome[] = [];
		for (const payoutId of payoutIds) outcomes.push(await this.#signOne(network, payoutId, claims.get(payoutId)));
		return outcomes;
	}

	async #signOne(network: NetworkName, payoutId: string, claim: Claim | undefined): Promise<SignOutcome> {
		try {
			const before = this.#journal.signatureOf(payoutId);
			if (before) return { payoutId, signed: { raw: before.raw, txId: before.txId } };
			if (!claim) throw new Refused('no such payout', false);
			if (claim.payout.network !== network) throw new Refused('another network', false);
			return { payoutId, signed: await this.#judgeAndSign(network, claim) };
		} catch (error) {
			const known =
				error instanceof Refused || error instanceof InsufficientReserve || error instanceof PaymentImpossible;
			if (!known) logError('signing_failed', error, { payoutId });
			const again = error instanceof Refused ? error.again : !(error instanceof PaymentImpossible);
			// An empty reserve is filled by a person, though the next try may find that he has.
			const refused = known ? `${error.message}` : `signing failed: ${String(error)}`;
			log('signing_refused', { payoutId, network, refused, again });
			return { payoutId, refused, again: again && !(error instanceof InsufficientReserve) };
		}
	}

	async #judgeAndSign(network: NetworkName, claim: Claim): Promise<{ raw: string; txId: string }> {
		const { payout, order, deposits } = claim;
		const payIn = this.#signer(order.fromNetwork);
		const refusal = await rowsRefusal(claim, this.env.SEAL_KEY, payIn.payInAddress(order.payInIndex));
		if (refusal) throw new Refused(refusal, false);
		const refs = depositRefs(deposits);
		if (payout.kind === 'payout' && this.#journal.hasPaid(order.id))
			throw new Refused('this order was paid already', false);
		const claimedBefore = this.#journal.claimsAt(order.fromNetwork, order.payInAddress);
		const isClaimed = refs.some((ref) =>
			claimedBefore.some(({ txId, position }) => txId === ref.txId && position === ref.position),
		);
		if (isClaimed) throw new Refused('these deposits were paid for already', false);

		const [fromUsd, toUsd] = await this.#usdPrices(order.fromAsset, order.toAsset);
		const received = totalOf(refs);
		const cents = usdCents(decimal(fromBaseUnits(received, assetOf(order.fromAsset).decimals)).times(fromUsd));
		// Asked together with what was paid for before: where a chain proves a deposit by a balance, that one coin cannot
		// answer for two.
		const all = [...claimedBefore, ...refs];
		const proven = await payIn.finalAmount(all, (depth) => isFinal(order.fromNetwork, depth, cents), []);
		if (proven < totalOf(all)) throw new Refused('deposits are not final on chain', true);
		if (isAboveValue(claim, received, fromUsd, toUsd, this.#toleranceBps())) {
			// Perhaps our prices are the older ones: the next look is a new one.
			this.#pricesAt = 0;
			throw new Refused('amount above what the deposit is worth', true);
		}

		const now = Date.now();
		const day = new Date(now).toISOString().slice(0, 10);
		this.#requireWithinCap(day, cents);
		const transaction = await this.#signer(network).sign(
			{ id: payout.id, asset: payout.asset, to: payout.toAddress, amount: BigInt(payout.amount) },
			{
				spent: this.#journal.spentSince(network, now - SPENT_MILLISECONDS),
				indexesOf: (addresses) => this.#journal.indexesOf(network, addresses),
			},
		);
		// Again, and in one turn with the record: other networks may have signed meanwhile.
		this.#requireWithinCap(day, cents);
		this.#journal.record({
			payoutId: payout.id,
			orderId: order.id,
			kind: payout.kind,
			network,
			transaction,
			fromNetwork: order.fromNetwork,
			deposits: refs,
			day,
			usdCents: cents,
			now,
		});
		return { raw: transaction.raw, txId: transaction.txId };
	}

	#requireWithinCap(day: string, cents: number): void {
		const capCents = Number(this.env.SIGNER_DAILY_CAP_USD ?? DEFAULT_DAILY_CAP_USD) * 100;
		if (!(this.#journal.signedOn(day) + cents <= capCents)) throw new Refused('daily cap of the signer', true);
	}

	#signer(network: NetworkName): ChainSigner {
		const known = this.#signers.get(network) ?? signerOf(this.env, network, this.#seed);
		this.#signers.set(network, known);
		return known;
	}

	async #usdPrices(from: Parameters<typeof assetOf>[0], to: typeof from): Promise<[Decimal, Decimal]> {
		const now = Date.now();
		if (now - this.#pricesAt > PRICES_MILLISECONDS) {
			this.#prices = await currentPrices(this.env, this.#prices, now);
			this.#pricesAt = now;
		}
		const [fromUsd, toUsd] = [from, to].map((asset) => priceAt(this.#prices, assetOf(asset).coin, now));
		if (!fromUsd || !toUsd) throw new Refused('no fresh price', true);
		return [decimal(fromUsd), decimal(toUsd)];
	}

	#toleranceBps(): number {
		return Number(this.env.SIGNER_RATE_TOLERANCE_BPS ?? DEFAULT_RATE_TOLERANCE_BPS);
	}
}

const totalOf = (refs: readonly DepositRef[]): bigint => refs.reduce((sum, { amount }) => sum + amount, 0n);

/**
 * Which counter a network's derivation indexes come from. The EVM networks share keys, so they share one: an address
 * belongs to one network, and a deposit that went to it on another one can be attributed.
 */
const scopeOf = (network: NetworkName): string => {
	const { family, name } = networkNamed(network);
	return family === 'evm' ? family : name;
};
