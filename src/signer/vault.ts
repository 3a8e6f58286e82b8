/**
 * Vault: the one Durable Object that signs. This file has the calls that the API Worker may make. Signatures of one
 * network are made one after the other, so that one task chooses nonces and coins.
 *
 * The signer trusts no row of D1 by itself. It checks the seal. Its own node says whether the deposits are final, its
 * own prices what they are worth, its own journal what it signed before, and its own cap what a day may cost.
 */
import { type AssetId, assetOf } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { NetworkCheck } from '../chains/port.ts';
import type { ChainSigner } from '../chains/signing-port.ts';
import { keyRing } from '../crypto/key-ring.ts';
import type { PayoutTerms, SealedAddress } from '../orders/seal.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { inSpan } from '../platform/span.ts';
import { utcDay } from '../platform/time.ts';
import type { Answer, OvertakenTransaction, Remembered, SignerService, StuckTransaction } from '../ports/signer.ts';
import { refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';
import { announcedHot } from './announce.ts';
import { checksOf, notReady } from './checks.ts';
import { loadClaims, NO_CLAIMS } from './claims.ts';
import { CopiedVault } from './copied-vault.ts';
import { cosigned, unreachable } from './cosigned.ts';
import { paidByHand, takesAddress } from './earnings/sign.ts';
import { giveUp } from './give-up.ts';
import { sameHot } from './hot-wallet.ts';
import { AuditChain } from './journal/audit-chain.ts';
import { earnedName } from './journal/earnings.ts';
import { enterWorld, worldRefusal } from './journal/world.ts';
import { noticeLoss } from './lost.ts';
import { newAddresses } from './new-addresses.ts';
import { giveUpRefusal } from './older-orders.ts';
import { judgeOvertaken } from './overtaken.ts';
import { freeLosers } from './payouts/decided.ts';
import { bumpFee } from './payouts/fee-bump.ts';
import { confirmFirst } from './persons/persons.ts';
import { attempt, isRefusal } from './refusal.ts';
import { signablesOf, signOne } from './sign.ts';
import type { Signing } from './signing.ts';
import { signerState } from './state.ts';
import { inOrder } from './turns.ts';

/** By so much the clocks of two Workers may differ. */
const CLOCKS_MILLISECONDS = 60_000;

export class Vault extends CopiedVault implements SignerService {
	static {
		confirmFirst(Vault.prototype, (vault, move) => vault.wiring.persons.refusal(move));
	}

	readonly #auditChain = new AuditChain(this.ctx.storage, () => this.closed() !== null);
	readonly #known = { env: this.env, journal: this.journal, restored: this.mark };

	async newAddresses(network: NetworkName, count: number, remembered: Remembered): Promise<SealedAddress[]> {
		const refusal = this.closed() ?? enterWorld(this.ctx.storage, this.env);
		if (refusal) throw new TypeError(refusalText(refusal));
		const lasting = sameHot(this.env, this.wiring, network);
		await noticeLoss(this.#known, remembered);
		const rows = { db: databaseOf(this.env), sealKeys: keyRing(this.env, 'SEAL_KEY') };
		const own = { addresses: this.journal.addresses, restored: this.mark, cosigner: this.wiring.cosigner };
		const making = { ...this.wiring.wallets(network), ...rows, ...own, lasting };
		return newAddresses(making, count, remembered.nextIndex);
	}

	/**
	 * As `SignerService`. A loss that cannot be judged now is noticed by the calls that derive or sign. What comes to the hot
	 * wallet is seen from here on.
	 */
	async greet(network: NetworkName, remembered: Remembered): Promise<Answer<string>> {
		if (!this.closed()) {
			await noticeLoss(this.#known, remembered).catch(() => undefined);
			await this.#watchHot(network).catch(() => undefined);
		}
		return this.#answer(await this.hotAddress(network));
	}

	async readOn(network: NetworkName): Promise<void> {
		if (!this.closed()) await this.wiring.wallets(network).chain.readOn?.();
	}

	async payInAddresses(network: NetworkName, after: string): Promise<string[]> {
		return this.journal.refusal ? [] : this.journal.addresses.behind(network, after);
	}

	async hotAddress(network: NetworkName): Promise<string> {
		const { keys, cosigner } = this.wiring;
		return announcedHot({ network, signer: keys.on(network), cosigner }, this.journal.addresses);
	}

	async viewKey(network: NetworkName): Promise<string> {
		return this.#hidden(network).viewKey();
	}

	async walletCoins(network: NetworkName, since: number) {
		return this.#hidden(network).walletCoins(since);
	}

	async limits() {
		const { entries, answer } = this.#answer(this.wiring.caps.limits(utcDay(Date.now())));
		return { ...answer, entries };
	}

	async identify(challenge: string) {
		const identity = await this.wiring.keys.identify(challenge);
		const journal = { ...this.copy.state(), volumes: this.journal.refusal ? [] : await this.volumes.report() };
		return { ...identity, state: signerState(this.env, this.wiring, journal, Date.now()) };
	}

	async withdrawalAddresses(network: NetworkName) {
		return this.wiring.withdrawals.usedOn(network, utcDay(Date.now()));
	}

	async check(network: NetworkName): Promise<NetworkCheck[]> {
		return checksOf(this.env, this.wiring, network, [this.closed(), worldRefusal(this.ctx.storage, this.env)]);
	}

	/** For each id: the transaction that was signed before, or a new one, or why there is none. */
	async sign(network: NetworkName, payoutIds: readonly string[], remembered: Remembered) {
		const signed = await this.inTurn(network, async () => {
			const refusal = this.stopped(enterWorld) ?? (await notReady(this.wiring));
			if (!refusal) await noticeLoss(this.#known, remembered);
			const claims = refusal ? NO_CLAIMS : await loadClaims(databaseOf(this.env), payoutIds);
			const signables = signablesOf(claims);
			const wallets = refusal ? null : this.wiring.wallets(network);
			const takenBy = wallets?.signer.takenBy;
			if (takenBy) await freeLosers({ ...wallets, takenBy, versions: this.journal.versions });
			const signing = (payoutId: string) => async () => {
				const found = signables.get(payoutId);
				const stopped = refusal ?? (await this.volumes.bring([`payout ${payoutId}`, ...(found?.names ?? [])]));
				return stopped ?? inSpan('judge', () => signOne(this.#signing(network, { payoutId, claims }), payoutId, found));
			};
			const outcomes = await inOrder(payoutIds, async (payoutId) => {
				const outcome = await attempt({ what: 'signing', payoutId, network }, signing(payoutId));
				return isRefusal(outcome) ? { payoutId, refused: outcome } : { payoutId, signed: outcome };
			});
			return this.#answer(outcomes);
		});
		this.ctx.waitUntil(this.volumes.move());
		return signed;
	}

	async bump(network: NetworkName, stuck: readonly StuckTransaction[], remembered: Remembered) {
		return this.inTurn(network, async () => {
			if (!this.closed()) await noticeLoss(this.#known, remembered);
			const outcomes = await inOrder(stuck, async (transaction) => {
				const { payoutId } = transaction;
				const outcome = await attempt({ what: 'fee_bump', payoutId, network }, async () => {
					const stopped = this.stopped(worldRefusal) ?? this.wiring.caps.unset();
					const refusal = stopped ?? (await this.volumes.bring([`payout ${payoutId}`]));
					return refusal ?? bumpFee(this.#signing(network, transaction), transaction);
				});
				return isRefusal(outcome) ? { payoutId, refused: outcome } : { payoutId, replaced: outcome };
			});
			return this.#answer(outcomes);
		});
	}

	async earningsPaidByHand(payoutId: string, orderIds: readonly string[]): Promise<boolean> {
		await this.brought(orderIds.map(earnedName));
		return paidByHand(this.writableJournal(), payoutId, orderIds);
	}

	async takePayoutAddress(terms: PayoutTerms): Promise<boolean> {
		if (terms.changedAt > Date.now() + CLOCKS_MILLISECONDS)
			throw new RangeError('an address that is set in the future');
		const { network } = assetOf(terms.asset as AssetId);
		return takesAddress(this.writableJournal(), terms, network, this.wiring.keys.on(network).hotAddress());
	}

	async giveUp(payoutId: string, orderId: string | null): Promise<SignerRefusal | null> {
		const paidBefore = await giveUpRefusal(this.wiring.looking(), payoutId, orderId);
		// First of all the co-signer, which may have signed it, and the answer was lost: then it is to be signed here too.
		const seen = this.journal.cosigner.seen(this.env.COSIGNER_JOURNAL);
		const refused =
			paidBefore ?? (await this.wiring.cosigner?.giveUp(payoutId, orderId, seen).catch(unreachable)) ?? null;
		return refused ?? giveUp({ volumes: this.volumes, journal: () => this.writableJournal() }, payoutId, orderId);
	}

	async overtaken(network: NetworkName, transaction: OvertakenTransaction) {
		return this.inTurn(network, async () => {
			await this.brought([`payout ${transaction.payoutId}`]);
			const asked = { ...this.wiring.wallets(network), journal: this.writableJournal() };
			return judgeOvertaken(asked, transaction, Date.now());
		});
	}

	async settleRefusal(payoutId: string, orderId: string | null): Promise<SignerRefusal | null> {
		return orderId === null ? this.mark.otherRefusal() : giveUpRefusal(this.wiring.looking(), payoutId, orderId);
	}

	async followAudit() {
		return this.#auditChain.follow(databaseOf(this.env));
	}

	async verifyAudit() {
		return this.#auditChain.verify(databaseOf(this.env));
	}

	async acceptAudit(): Promise<number> {
		return this.#auditChain.accept(databaseOf(this.env), Date.now());
	}

	#signing(network: NetworkName, about: Parameters<typeof cosigned>[2]): Signing {
		sameHot(this.env, this.wiring, network);
		return cosigned(this.wiring.signing(network, Date.now()), this.wiring.cosigner, about, this.env.COSIGNER_JOURNAL);
	}

	async #watchHot(network: NetworkName): Promise<void> {
		const { signer, chain } = this.wiring.wallets(network);
		if (chain.readOn) await chain.register([{ index: -1, address: signer.hotAddress() }]);
	}

	/** @throws TypeError where everybody sees it */
	#hidden(network: NetworkName): NonNullable<ChainSigner['hidden']> {
		const { hidden } = this.wiring.keys.on(network);
		if (!hidden) throw new TypeError(`${network} hides no payments`);
		return hidden;
	}

	#answer<T>(answer: T): Answer<T> {
		return { entries: this.journal.refusal ? 0 : this.journal.entries.number(), answer };
	}
}
