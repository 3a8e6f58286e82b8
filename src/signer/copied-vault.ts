/**
 * The vault's calls about its journal: its backup and restore, what a restore leaves to a person, and what it says to others of
 * orders. The calls that derive addresses and sign transactions are in `vault.ts`.
 */
import { DurableObject } from 'cloudflare:workers';
import { type AssetId, assetOf } from '../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName } from '../catalog/networks.ts';
import type { Before } from '../chains/watching-port.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { databaseOf } from '../platform/d1/database.ts';
import type {
	AdoptedReturn,
	CopiedSigner,
	Doubted,
	JournalFacts,
	JournalPage,
	JournalPayment,
	JournalPlace,
	OlderOrder,
	OrderPlace,
	ReadJournal,
	RestoredState,
	RestoreEnd,
	Said,
} from '../ports/copy.ts';
import type { Head, HeadAnswer, HeadKind, NewHead, SignedHead } from '../ports/heads.ts';
import type { AskedPersons, Confirmation, PersonsSigner } from '../ports/persons.ts';
import type { PromisedOrder, PromisingSigner, PublishedKeys, SignedStatement } from '../ports/promises.ts';
import type { ReserveBlock, ReserveClaim, ReservesSigner, SignedReserve } from '../ports/reserves.ts';
import type { Move } from '../treasury/moves.ts';
import type { Contradiction, OrderClaim } from '../treasury/order-claim.ts';
import type { ClaimAnswer, SentClaim } from '../treasury/sent-claim.ts';
import { refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';
import { beforeBook } from './before-book.ts';
import { confirmOwn } from './confirm-own.ts';
import { contradictionsOf } from './contradictions.ts';
import { JournalCopy } from './copy.ts';
import { withdrawEarnings } from './earnings/sign.ts';
import type { SignerEnv } from './env.ts';
import { PER_PAGE } from './journal/address-orders.ts';
import { Heads } from './journal/heads.ts';
import { Journal } from './journal/journal.ts';
import type { EntryName } from './journal/moved.ts';
import { Volumes } from './journal/volumes.ts';
import { confirmOrders, lookFor, refundRefusal } from './older-orders.ts';
import { adoptPayment } from './payouts/adopt.ts';
import { loadPayouts } from './payouts/claim.ts';
import { promiseOf } from './promises/promise.ts';
import { attempt, isRefusal } from './refusal.ts';
import { signReserves } from './reserves.ts';
import { Restored } from './restored.ts';
import { answerClaims } from './sent-claims.ts';
import { orderNames } from './sign.ts';
import { adoptReturn } from './strays/adopt.ts';
import { loadStrayClaims } from './strays/claim.ts';
import { loadOwnTransactions } from './sweeps/claim.ts';
import { alone, turns } from './turns.ts';
import { wire } from './wiring.ts';
import { adoptWithdrawal } from './withdrawals/adopt.ts';

export class CopiedVault
	extends DurableObject<SignerEnv>
	implements CopiedSigner, PromisingSigner, PersonsSigner, ReservesSigner
{
	protected readonly journal = new Journal(this.ctx.storage);
	protected readonly mark = new Restored(this.ctx.storage);
	protected readonly copy = new JournalCopy(this.ctx.storage, this.journal, this.mark);
	readonly #heads = new Heads(this.ctx.storage);
	protected readonly inTurn = turns();
	protected readonly volumes = new Volumes(this.ctx.storage, {
		env: this.env,
		closed: () => this.closed(),
		alone: (run) => alone(this.inTurn, run),
	});
	protected readonly wiring = wire(this.env, this.journal, this.mark, (network) => ({
		storage: this.ctx.storage,
		before: () => this.before(network),
		isHeld: () => this.closed() !== null,
	}));

	/** As `CopiedSigner`; `copy.ts` has all of it. Signatures that are being made are recorded before this returns. */
	async hold(until: number): Promise<void> {
		this.copy.hold(until);
		await Promise.all(NETWORK_NAMES.map((network) => this.inTurn(network, async () => undefined)));
	}

	async journalFacts(): Promise<JournalFacts> {
		return this.copy.facts(this.volumes);
	}

	async readJournal(place: JournalPlace | null): Promise<ReadJournal> {
		return this.copy.read(place, this.volumes);
	}

	async beginRestore(backupId: string): Promise<boolean> {
		return this.copy.begin(backupId, this.volumes);
	}

	async writeJournal(backupId: string, page: JournalPage): Promise<void> {
		return this.copy.write(backupId, page, this.volumes);
	}

	async endRestore(backupId: string, end: RestoreEnd): Promise<boolean> {
		return this.copy.end(backupId, end, this.volumes);
	}

	async signedOrders(below: number | null) {
		if (this.journal.refusal) return [];
		const older = await this.volumes.each((volume) => volume.signed(below));
		const found = [...this.journal.addressOrders.signed(below), ...older.flat()];
		// A volume keeps its copy of what was brought back.
		const byNumber = new Map(found.map((signed) => [signed.number, signed]));
		return [...byNumber.values()].sort((a, b) => b.number - a.number).slice(0, PER_PAGE);
	}

	async restored(): Promise<RestoredState | null> {
		return this.mark.state();
	}

	async endMark(restoredAt: number): Promise<void> {
		this.mark.end(restoredAt, Date.now());
	}

	async adopt(network: NetworkName, payoutId: string, txId: string): Promise<SignerRefusal | null> {
		return this.inTurn(network, async () => {
			const db = databaseOf(this.env);
			const [claim] = await loadPayouts(db, [payoutId]);
			const { withdrawals } = await loadOwnTransactions(db, [payoutId]);
			const [withdrawal] = this.journal.signatureOf(payoutId) ? [] : withdrawals;
			const adopting = async () => {
				const signing = this.wiring.signing(network, Date.now());
				const names = claim ? orderNames(claim.order) : [];
				const moved = await this.volumes.bring([`payout ${payoutId}`, ...names]);
				if (moved) return moved;
				if (withdrawal) return this.closed() ?? adoptWithdrawal(signing, withdrawal, txId);
				return this.closed() ?? adoptPayment(signing, payoutId, claim, txId);
			};
			const outcome = await attempt({ what: 'signing', payoutId, network }, adopting);
			return isRefusal(outcome) ? outcome : null;
		});
	}

	async adoptReturn(network: NetworkName, payoutId: string, txId: string): Promise<AdoptedReturn | SignerRefusal> {
		return this.inTurn(network, async () => {
			const claims = await loadStrayClaims(databaseOf(this.env), [payoutId]);
			const claim = claims.find(({ row }) => row.kind === 'stray');
			const names = claim ? orderNames(claim.order) : [];
			const adopting = async () =>
				this.closed() ??
				(await this.volumes.bring([`payout ${payoutId}`, ...names])) ??
				adoptReturn(this.wiring.signing(network, Date.now()), claim, txId);
			return attempt({ what: 'signing', payoutId, network }, adopting);
		});
	}

	async withdrawEarnings(payoutId: string): Promise<boolean> {
		return withdrawEarnings(this.writableJournal(), payoutId);
	}

	async retrySweep(network: NetworkName, address: string, asset: AssetId): Promise<boolean> {
		return this.writableJournal().sweeps.allowRetry(network, address, asset, Date.now());
	}

	async paidOther(orderId: string, asset: AssetId, txId: string): Promise<void> {
		this.mark.clearOther(orderId, asset, txId, Date.now());
	}

	async doubted(orders: readonly OrderPlace[]): Promise<Doubted> {
		return this.mark.doubted(orders);
	}

	async lookFor(orderIds: readonly string[]): Promise<OlderOrder[]> {
		return lookFor(this.wiring.looking(), orderIds);
	}

	async signedFor(network: NetworkName, address: string): Promise<JournalPayment[]> {
		if (this.journal.refusal) return [];
		await this.brought([`address ${network} ${address}`]);
		return this.journal.addressOrders.paymentsFor(network, address);
	}

	async refundRefusal(orderId: string): Promise<SignerRefusal | null> {
		return refundRefusal(this.wiring.looking(), orderId);
	}

	async askPersons(moves: readonly Move[]): Promise<AskedPersons | SignerRefusal | null> {
		return this.wiring.persons.ask(moves);
	}

	async confirm(confirmation: Confirmation): Promise<readonly string[] | SignerRefusal> {
		const closed = this.closed();
		if (closed) return closed;
		// The co-signer verifies it for itself, and first: here the same answer counts once.
		const answer = await this.wiring.cosigner?.confirm(confirmation);
		return answer && isRefusal(answer) ? answer : this.wiring.persons.confirm(confirmation);
	}

	async confirmOrders(orderIds: readonly string[], said: Said): Promise<(SignerRefusal | null)[]> {
		return confirmOrders(this.wiring.looking(), orderIds, said);
	}

	async confirmOwn(said: Said): Promise<string | null> {
		return confirmOwn({ restored: this.mark, journal: this.journal, wiring: this.wiring, env: this.env }, said);
	}

	async contradictions(claims: readonly OrderClaim[]): Promise<(Contradiction | null)[]> {
		const asked = { journal: this.writableJournal(), keys: this.wiring.keys, env: this.env, volumes: this.volumes };
		return contradictionsOf(asked, claims);
	}

	async promise(order: PromisedOrder): Promise<SignedStatement | SignerRefusal> {
		const payInAddress = this.wiring.keys.on(assetOf(order.fromAsset).network).payInAddress(order.payInIndex);
		const own = { keys: this.wiring.keys.ofPromises(), sealKeys: keyRing(this.env, 'SEAL_KEY'), payInAddress };
		// Asked again afterwards: a hold may have begun while they were brought.
		const bring = async (names: readonly EntryName[]) => (await this.volumes.bring(names)) ?? this.closed();
		return promiseOf({ journal: this.journal, restored: this.mark, ...own, bring }, order);
	}

	async promiseKeys(): Promise<PublishedKeys> {
		return this.wiring.keys.ofPromises().published();
	}

	async signHead(head: NewHead): Promise<HeadAnswer> {
		this.writableJournal();
		return this.#heads.sign(this.wiring.keys.ofPromises(), head, Math.floor(Date.now() / 1000));
	}

	async markHead(kind: HeadKind, heads: readonly Head[]): Promise<Head | null> {
		return this.closed() ? null : this.#heads.mark(kind, heads);
	}

	async heads(kind: HeadKind, after: number | null): Promise<SignedHead[]> {
		return this.journal.refusal ? [] : this.#heads.after(kind, after);
	}

	/** In the network's turn: Monero's wallets sign it. */
	async signReserves(
		network: NetworkName,
		claim: ReserveClaim,
		block: ReserveBlock,
		addresses: readonly string[],
	): Promise<SignedReserve[] | null> {
		const { deployment } = keyRing(this.env, 'SEAL_KEY');
		return this.inTurn(network, async () => {
			const own = { deployment, network, indexes: this.writableJournal().addresses.indexesOf(network, addresses) };
			return signReserves(this.wiring.keys.on(network), own, { claim, block }, addresses);
		});
	}

	async answerClaims(claims: readonly SentClaim[]): Promise<ClaimAnswer[]> {
		this.writableJournal();
		return answerClaims(this.ctx.storage, this.volumes, this.mark.state()?.restoredAt ?? null, claims);
	}

	/** As `beforeBook`. */
	protected before(network: NetworkName): Promise<Before> {
		const rows = { db: databaseOf(this.env), sealKeys: () => keyRing(this.env, 'SEAL_KEY') };
		return beforeBook({ ...rows, journal: this.journal, restored: this.mark }, network);
	}

	/** @throws TypeError where nothing may be written to the journal now */
	protected writableJournal(): Journal {
		const refusal = this.closed();
		if (refusal) throw new TypeError(refusalText(refusal));
		return this.journal;
	}

	/** As `Volumes.bring`. @throws TypeError where they cannot be brought back */
	protected async brought(names: readonly EntryName[]): Promise<void> {
		const refusal = await this.volumes.bring(names);
		if (refusal) throw new TypeError(refusalText(refusal));
	}

	/** Why nothing may be written to the journal now; null where it may. */
	protected closed(): SignerRefusal | null {
		return this.journal.refusal ?? this.copy.refusal(Date.now());
	}
}
