/**
 * The signer Worker. It has no route: only the API Worker's service binding reaches `Signer`, which hands each call to
 * the vault. It also hosts the sandbox's ledgers. Both Workers ask them directly, like a node, so neither has to trust
 * the other about them.
 */
import { WorkerEntrypoint } from 'cloudflare:workers';
import type { Page, Place, ReadPage } from '../backup/object-storage.ts';
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { NetworkCheck } from '../chains/port.ts';
import type { PayoutTerms, SealedAddress } from '../orders/seal.ts';
import { codeVersion } from '../platform/d1/code-version.ts';
import { objectNamed } from '../platform/region.ts';
import type { AuditProof, AuditStep } from '../ports/audit.ts';
import type {
	AdoptedReturn,
	Doubted,
	JournalFacts,
	JournalPayment,
	OlderOrder,
	OrderPlace,
	RestoredState,
	RestoreEnd,
	Said,
	SignedOrder,
} from '../ports/copy.ts';
import type {
	Answer,
	BumpOutcome,
	OvertakenAnswer,
	OvertakenTransaction,
	Remembered,
	SignerIdentity,
	SignerToday,
	SignerWorker,
	SignOutcome,
	StuckTransaction,
	WithdrawalAddress,
} from '../ports/signer.ts';
import { type Answered, askEach } from '../treasury/each-network.ts';
import type { Contradiction, OrderClaim } from '../treasury/order-claim.ts';
import type { ClaimAnswer, SentClaim } from '../treasury/sent-claim.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';
import type { SignerEnv } from './env.ts';

export { SandboxLedger } from '../chains/sandbox/ledger.ts';
export { SandboxPrices } from '../chains/sandbox/prices.ts';
export { Vault } from './vault.ts';

/** Without the call that it came with, which who gets it would hold open (book: architecture, "Durable Objects"). */
const asData = async <T>(answer: T): Promise<Awaited<T>> => structuredClone(await answer);

export class Signer extends WorkerEntrypoint<SignerEnv> implements SignerWorker {
	async newAddresses(network: NetworkName, count: number, remembered: Remembered): Promise<SealedAddress[]> {
		return asData(this.#vault().newAddresses(network, count, remembered));
	}

	async greet(network: NetworkName, remembered: Remembered): Promise<Answer<string>> {
		return asData(this.#vault().greet(network, remembered));
	}

	async hotAddress(network: NetworkName): Promise<string> {
		return asData(this.#vault().hotAddress(network));
	}

	async hotAddresses(networks: readonly NetworkName[]): Promise<Answered<string>[]> {
		return askEach(networks, (network) => this.hotAddress(network));
	}

	async limits(): Promise<SignerToday> {
		return asData(this.#vault().limits());
	}

	async identify(challenge: string): Promise<SignerIdentity> {
		const identity = await asData(this.#vault().identify(challenge));
		return { ...identity, state: { ...identity.state, newestVersion: codeVersion(this.env) } };
	}

	async withdrawalAddress(network: NetworkName): Promise<WithdrawalAddress> {
		return asData(this.#vault().withdrawalAddress(network));
	}

	async check(network: NetworkName): Promise<NetworkCheck[]> {
		return asData(this.#vault().check(network));
	}

	async checks(networks: readonly NetworkName[]): Promise<Answered<NetworkCheck[]>[]> {
		return askEach(networks, (network) => this.check(network));
	}

	async sign(
		network: NetworkName,
		payoutIds: readonly string[],
		remembered: Remembered,
	): Promise<Answer<SignOutcome[]>> {
		return asData(this.#vault().sign(network, payoutIds, remembered));
	}

	async withdrawEarnings(payoutId: string): Promise<boolean> {
		return asData(this.#vault().withdrawEarnings(payoutId));
	}

	async takePayoutAddress(terms: PayoutTerms): Promise<boolean> {
		return asData(this.#vault().takePayoutAddress(terms));
	}

	async giveUp(payoutId: string, orderId: string | null): Promise<SignerRefusal | null> {
		return asData(this.#vault().giveUp(payoutId, orderId));
	}

	async earningsPaidByHand(payoutId: string, orderIds: readonly string[]): Promise<boolean> {
		return asData(this.#vault().earningsPaidByHand(payoutId, orderIds));
	}

	async bump(
		network: NetworkName,
		stuck: readonly StuckTransaction[],
		remembered: Remembered,
	): Promise<Answer<BumpOutcome[]>> {
		return asData(this.#vault().bump(network, stuck, remembered));
	}

	async overtaken(network: NetworkName, transaction: OvertakenTransaction): Promise<OvertakenAnswer> {
		return asData(this.#vault().overtaken(network, transaction));
	}

	async settleRefusal(payoutId: string, orderId: string | null): Promise<SignerRefusal | null> {
		return asData(this.#vault().settleRefusal(payoutId, orderId));
	}

	async retrySweep(network: NetworkName, address: string, asset: AssetId): Promise<boolean> {
		return asData(this.#vault().retrySweep(network, address, asset));
	}

	async contradictions(claims: readonly OrderClaim[]): Promise<(Contradiction | null)[]> {
		return asData(this.#vault().contradictions(claims));
	}

	async answerClaims(claims: readonly SentClaim[]): Promise<ClaimAnswer[]> {
		return asData(this.#vault().answerClaims(claims));
	}

	async followAudit(): Promise<AuditStep> {
		return asData(this.#vault().followAudit());
	}

	async verifyAudit(): Promise<AuditProof | null> {
		return asData(this.#vault().verifyAudit());
	}

	async acceptAudit(): Promise<number> {
		return asData(this.#vault().acceptAudit());
	}

	async hold(until: number): Promise<void> {
		return asData(this.#vault().hold(until));
	}

	async journalFacts(): Promise<JournalFacts> {
		return asData(this.#vault().journalFacts());
	}

	async readJournal(place: Place | null): Promise<ReadPage> {
		return asData(this.#vault().readJournal(place));
	}

	async beginRestore(backupId: string): Promise<boolean> {
		return asData(this.#vault().beginRestore(backupId));
	}

	async writeJournal(backupId: string, page: Page): Promise<void> {
		return asData(this.#vault().writeJournal(backupId, page));
	}

	async endRestore(backupId: string, end: RestoreEnd): Promise<boolean> {
		return asData(this.#vault().endRestore(backupId, end));
	}

	async signedOrders(below: number | null): Promise<SignedOrder[]> {
		return asData(this.#vault().signedOrders(below));
	}

	async restored(): Promise<RestoredState | null> {
		return asData(this.#vault().restored());
	}

	async endMark(restoredAt: number): Promise<void> {
		return asData(this.#vault().endMark(restoredAt));
	}

	async adopt(network: NetworkName, payoutId: string, txId: string): Promise<SignerRefusal | null> {
		return asData(this.#vault().adopt(network, payoutId, txId));
	}

	async adoptReturn(network: NetworkName, payoutId: string, txId: string): Promise<AdoptedReturn | SignerRefusal> {
		return asData(this.#vault().adoptReturn(network, payoutId, txId));
	}

	async paidOther(orderId: string, asset: AssetId, txId: string): Promise<void> {
		return asData(this.#vault().paidOther(orderId, asset, txId));
	}

	async doubted(orders: readonly OrderPlace[]): Promise<Doubted> {
		return asData(this.#vault().doubted(orders));
	}

	async lookFor(orderIds: readonly string[]): Promise<OlderOrder[]> {
		return asData(this.#vault().lookFor(orderIds));
	}

	async signedFor(network: NetworkName, address: string): Promise<JournalPayment[]> {
		return asData(this.#vault().signedFor(network, address));
	}

	async refundRefusal(orderId: string): Promise<SignerRefusal | null> {
		return asData(this.#vault().refundRefusal(orderId));
	}

	async confirmOrders(orderIds: readonly string[], said: Said): Promise<(SignerRefusal | null)[]> {
		return asData(this.#vault().confirmOrders(orderIds, said));
	}

	async confirmOwn(said: Said): Promise<string | null> {
		return asData(this.#vault().confirmOwn(said));
	}

	#vault() {
		return objectNamed(this.env, this.env.VAULT, 'vault');
	}
}

/** A Worker module needs a handler; nobody can reach this one. */
export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler<SignerEnv>;
