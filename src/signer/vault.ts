/**
 * Vault: the one Durable Object that signs. This file has the calls that the API Worker may make. Signatures of one
 * network are made one after the other, so that one task chooses nonces and coins.
 *
 * The signer trusts no row of D1 by itself. It checks the seal. Its own node says whether the deposits are final, its
 * own prices what they are worth, its own journal what it signed before, and its own cap what a day may cost.
 */

import { DurableObject } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import type { Page, Place, ReadPage } from '../backup/object-storage.ts';
import type { AssetId } from '../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName } from '../catalog/networks.ts';
import type { NetworkCheck } from '../chains/port.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { observe } from '../metrics/observe.ts';
import type { SealedAddress } from '../orders/seal.ts';
import type { AuditProof, AuditStep } from '../treasury/audit-port.ts';
import type { JournalFacts, RestoredState, RestoreEnd } from '../treasury/copy-port.ts';
import type { Contradiction, OrderClaim } from '../treasury/order-claim.ts';
import type {
	Answer,
	OvertakenMove,
	Remembered,
	SignerService,
	SignOutcome,
	StuckTransaction,
} from '../treasury/signer-port.ts';
import { refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';
import { checksOf, notReady } from './checks.ts';
import { confirmOwn } from './confirm-own.ts';
import { contradictionsOf } from './contradictions.ts';
import { JournalCopy } from './copy.ts';
import { paidByHand, withdrawEarnings } from './earnings/sign.ts';
import type { SignerEnv } from './env.ts';
import { AuditChain } from './journal/audit-chain.ts';
import { Journal } from './journal/journal.ts';
import { enterWorld, worldRefusal } from './journal/world.ts';
import { noticeLoss } from './lost.ts';
import { newAddresses } from './new-addresses.ts';
import { adoptPayment } from './payouts/adopt.ts';
import { loadPayouts } from './payouts/claim.ts';
import { freeLosers } from './payouts/decided.ts';
import { bumpFee } from './payouts/fee-bump.ts';
import { attempt, isRefusal, signOutcome } from './refusal.ts';
import { Restored } from './restored.ts';
import { loadSignables, signOne } from './sign.ts';
import { signerState } from './state.ts';
import { judgeOvertaken } from './sweeps/overtaken.ts';
import { inOrder, turns } from './turns.ts';
import { dayOf, wire } from './wiring.ts';

export class Vault extends DurableObject<SignerEnv> implements SignerService {
	readonly #journal = new Journal(this.ctx.storage);
	readonly #restored = new Restored(this.ctx.storage);
	readonly #copy = new JournalCopy(this.ctx.storage, this.#journal, this.#restored);
	readonly #wiring = wire(this.env, this.#journal, this.#restored);
	readonly #auditChain = new AuditChain(this.ctx.storage, () => this.#closed() !== null);
	readonly #inTurn = turns();
	readonly #known = { env: this.env, journal: this.#journal, restored: this.#restored };

	constructor(ctx: DurableObjectState, env: SignerEnv) {
		super(ctx, env);
		observe(env);
		// Where it throws, the platform makes this object again for the next call.
		ctx.blockConcurrencyWhile(() => this.#wiring.keys.derive());
	}

	async newAddresses(network: NetworkName, count: number, remembered: Remembered): Promise<SealedAddress[]> {
		const refusal = this.#closed() ?? enterWorld(this.ctx.storage, this.env);
		if (refusal) throw new TypeError(refusalText(refusal));
		await noticeLoss(this.#known, remembered);
		const rows = { db: drizzle(this.env.DB), sealKeys: keyRing(this.env, 'SEAL_KEY') };
		const own = { addresses: this.#journal.addresses, restored: this.#restored };
		return newAddresses({ ...this.#wiring.wallets(network), ...rows, ...own }, count, remembered.nextIndex);
	}

	/** As `SignerService`. A loss that cannot be judged now is noticed by the calls that derive or sign. */
	async greet(network: NetworkName, remembered: Remembered): Promise<Answer<string>> {
		if (!this.#closed()) await noticeLoss(this.#known, remembered).catch(() => undefined);
		return this.#answer(await this.hotAddress(network));
	}

	async hotAddress(network: NetworkName): Promise<string> {
		return this.#wiring.keys.on(network).hotAddress();
	}

	async limits() {
		const { entries, answer } = this.#answer(this.#wiring.caps.limits(dayOf(Date.now())));
		return { ...answer, entries };
	}

	async identify(challenge: string) {
		const identity = await this.#wiring.keys.identify(challenge);
		return { ...identity, state: signerState(this.env, this.#wiring, this.#copy.state(), Date.now()) };
	}

	async withdrawalAddress(network: NetworkName) {
		return this.#wiring.withdrawalAddress(network);
	}

	async check(network: NetworkName): Promise<NetworkCheck[]> {
		return checksOf(this.env, this.#wiring, network, [this.#closed(), worldRefusal(this.ctx.storage, this.env)]);
	}

	/** For each id: the transaction that was signed before, or a new one, or why there is none. */
	async sign(
		network: NetworkName,
		payoutIds: readonly string[],
		remembered: Remembered,
	): Promise<Answer<SignOutcome[]>> {
		return this.#inTurn(network, async () => {
			const refusal = this.#closed() ?? enterWorld(this.ctx.storage, this.env) ?? (await notReady(this.#wiring));
			if (!refusal) await noticeLoss(this.#known, remembered);
			const signables = refusal ? new Map() : await loadSignables(drizzle(this.env.DB), payoutIds);
			if (!refusal) await freeLosers({ ...this.#wiring.wallets(network), versions: this.#journal.versions });
			const signing = (payoutId: string) => async () =>
				refusal ?? signOne(this.#wiring.signing(network, Date.now()), payoutId, signables.get(payoutId));
			const outcomes = await inOrder(payoutIds, (payoutId) => signOutcome(network, payoutId, signing(payoutId)));
			return this.#answer(outcomes);
		});
	}

	async bump(network: NetworkName, stuck: readonly StuckTransaction[], remembered: Remembered) {
		return this.#inTurn(network, async () => {
			if (!this.#closed()) await noticeLoss(this.#known, remembered);
			const outcomes = await inOrder(stuck, async (transaction) => {
				const { payoutId } = transaction;
				const outcome = await attempt({ what: 'fee_bump', payoutId, network }, async () => {
					const refusal = this.#closed() ?? worldRefusal(this.ctx.storage, this.env) ?? this.#wiring.caps.unset();
					return refusal ?? bumpFee(this.#wiring.signing(network, Date.now()), transaction);
				});
				return isRefusal(outcome) ? { payoutId, refused: outcome } : { payoutId, replaced: outcome };
			});
			return this.#answer(outcomes);
		});
	}

	async withdrawEarnings(payoutId: string): Promise<boolean> {
		return withdrawEarnings(this.#writableJournal(), payoutId);
	}

	async earningsPaidByHand(payoutId: string, orderIds: readonly string[]): Promise<boolean> {
		return paidByHand(this.#writableJournal(), payoutId, orderIds);
	}

	async giveUp(payoutId: string, orderId: string | null): Promise<boolean> {
		return this.#writableJournal().giveUp(payoutId, orderId, Date.now());
	}

	async overtaken(network: NetworkName, move: OvertakenMove) {
		const asked = { ...this.#wiring.wallets(network), journal: this.#writableJournal() };
		return this.#inTurn(network, () => judgeOvertaken(asked, move));
	}

	async retrySweep(network: NetworkName, address: string, asset: AssetId): Promise<boolean> {
		return this.#writableJournal().sweeps.allowRetry(network, address, asset, Date.now());
	}

	async contradictions(claims: readonly OrderClaim[]): Promise<(Contradiction | null)[]> {
		return contradictionsOf(this.#writableJournal(), this.#wiring.keys, this.env, claims);
	}

	async followAudit(): Promise<AuditStep> {
		return this.#auditChain.follow(drizzle(this.env.DB));
	}

	async verifyAudit(): Promise<AuditProof | null> {
		return this.#auditChain.verify(drizzle(this.env.DB));
	}

	async acceptAudit(): Promise<number> {
		return this.#auditChain.accept(drizzle(this.env.DB), Date.now());
	}

	/** As `CopiedSigner`; `copy.ts` has all of it. Signatures that are being made are recorded before this returns. */
	async hold(until: number): Promise<void> {
		this.#copy.hold(until);
		await Promise.all(NETWORK_NAMES.map((network) => this.#inTurn(network, async () => undefined)));
	}

	async journalFacts(): Promise<JournalFacts> {
		return this.#copy.facts();
	}

	async readJournal(place: Place | null): Promise<ReadPage> {
		return this.#copy.read(place);
	}

	async beginRestore(backupId: string): Promise<boolean> {
		return this.#copy.begin(backupId);
	}

	async writeJournal(backupId: string, page: Page): Promise<void> {
		this.#copy.write(backupId, page);
	}

	async endRestore(backupId: string, end: RestoreEnd): Promise<boolean> {
		return this.#copy.end(backupId, end, Date.now());
	}

	async signedOrders(below: number | null) {
		return this.#journal.refusal ? [] : this.#journal.addressOrders.signed(below);
	}

	async restored(): Promise<RestoredState | null> {
		return this.#restored.state();
	}

	async endMark(restoredAt: number): Promise<void> {
		this.#restored.end(restoredAt, Date.now());
	}

	async adopt(network: NetworkName, payoutId: string, txId: string): Promise<SignerRefusal | null> {
		return this.#inTurn(network, async () => {
			const [claim] = await loadPayouts(drizzle(this.env.DB), [payoutId]);
			const closed = this.#closed() ?? (claim ? null : { kind: 'no-such-transaction' as const });
			const adopting = async () => closed ?? adoptPayment(this.#wiring.signing(network, Date.now()), claim, txId);
			const outcome = await attempt({ what: 'signing', payoutId, network }, adopting);
			return isRefusal(outcome) ? outcome : null;
		});
	}

	async confirmRestored(orderIds: readonly string[] | null): Promise<string | null> {
		if (orderIds === null) return confirmOwn(this.#restored, this.#journal, this.#wiring, this.env);
		this.#restored.clearOrders(orderIds, Date.now());
		return null;
	}

	#answer<T>(answer: T): Answer<T> {
		return { entries: this.#journal.refusal ? 0 : this.#journal.entries.number(), answer };
	}

	/** Why nothing may be written to the journal now; null where it may. */
	#closed(): SignerRefusal | null {
		return this.#journal.refusal ?? this.#copy.refusal(Date.now());
	}

	/** @throws TypeError where nothing may be written to the journal now */
	#writableJournal(): Journal {
		const refusal = this.#closed();
		if (refusal) throw new TypeError(refusalText(refusal));
		return this.#journal;
	}
}
