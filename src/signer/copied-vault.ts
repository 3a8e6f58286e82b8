/**
 * The vault's calls about its journal: its backup and restore, what a restore leaves to a person, and what it says to others of
 * orders. And its statements for others to check, which move nothing: promises of orders, heads of chains, and reserves. The
 * calls that derive addresses and sign transactions are in `vault.ts`.
 */
import { type AssetId, assetOf } from '../catalog/assets.ts';
import { NETWORK_NAMES, type NetworkName } from '../catalog/networks.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { databaseOf } from '../platform/d1/database.ts';
import type {
	CopiedSigner,
	JournalPage,
	JournalPlace,
	OrderPlace,
	RestoredState,
	RestoreEnd,
	Said,
} from '../ports/copy.ts';
import type { Head, HeadKind, NewHead } from '../ports/heads.ts';
import type { Confirmation, PersonsSigner } from '../ports/persons.ts';
import type { PromisedOrder, PromisingSigner } from '../ports/promises.ts';
import type { ReserveBlock, ReserveClaim, ReservesSigner } from '../ports/reserves.ts';
import type { Move } from '../treasury/moves.ts';
import type { OrderClaim } from '../treasury/order-claim.ts';
import type { SentClaim } from '../treasury/sent-claim.ts';
import { confirmOwn } from './confirm-own.ts';
import { withdrawEarnings } from './earnings/sign.ts';
import { PER_PAGE } from './journal/address-orders.ts';
import { Heads } from './journal/heads.ts';
import type { EntryName } from './journal/moved.ts';
import { confirmOrders, lookFor, refundRefusal } from './older-orders.ts';
import { adoptPayment } from './payouts/adopt.ts';
import { loadPayouts } from './payouts/claim.ts';
import { promiseOf } from './promises/promise.ts';
import { attempt, isRefusal } from './refusal.ts';
import { signReserves } from './reserves.ts';
import { answerClaims, contradictionsOf } from './sent-claims.ts';
import { orderNames } from './sign.ts';
import { loadStrayClaims } from './strays/claim.ts';
import { adoptReturn } from './strays/sign.ts';
import { loadOwnTransactions } from './sweeps/claim.ts';
import { VaultParts } from './vault-parts.ts';
import { adoptWithdrawal } from './withdrawals/sign.ts';

export class CopiedVault extends VaultParts implements CopiedSigner, PersonsSigner, PromisingSigner, ReservesSigner {
	readonly #heads = new Heads(this.ctx.storage);

	async promise(order: PromisedOrder) {
		const payInAddress = this.wiring.keys.on(assetOf(order.fromAsset).network).payInAddress(order.payInIndex);
		const own = { keys: this.wiring.keys.ofPromises(), sealKeys: keyRing(this.env, 'SEAL_KEY'), payInAddress };
		// Asked again afterwards: a hold may have begun while they were brought.
		const bring = async (names: readonly EntryName[]) => (await this.volumes.bring(names)) ?? this.closed();
		return promiseOf({ journal: this.journal, restored: this.mark, ...own, bring }, order);
	}

	async promiseKeys() {
		return this.wiring.keys.ofPromises().published();
	}

	async signHead(head: NewHead) {
		this.writableJournal();
		return this.#heads.sign(this.wiring.keys.ofPromises(), head, Math.floor(Date.now() / 1000));
	}

	async markHead(kind: HeadKind, heads: readonly Head[]): Promise<Head | null> {
		return this.closed() ? null : this.#heads.mark(kind, heads);
	}

	async heads(kind: HeadKind, after: number | null) {
		return this.journal.refusal ? [] : this.#heads.after(kind, after);
	}

	/** In the network's turn: Monero's wallets sign it. */
	async signReserves(network: NetworkName, claim: ReserveClaim, block: ReserveBlock, addresses: readonly string[]) {
		const { deployment } = keyRing(this.env, 'SEAL_KEY');
		return this.inTurn(network, async () => {
			const { keys, cosigner } = this.wiring;
			const indexes = this.writableJournal().addresses.indexesOf(network, addresses);
			return signReserves(keys.on(network), { deployment, network, indexes, cosigner }, { claim, block }, addresses);
		});
	}

	/** As `CopiedSigner`; `copy.ts` has all of it. Signatures that are being made are recorded before this returns. */
	async hold(until: number): Promise<void> {
		this.copy.hold(until);
		await Promise.all(NETWORK_NAMES.map((network) => this.inTurn(network, async () => undefined)));
	}

	async journalFacts() {
		return this.copy.facts(this.volumes);
	}

	async readJournal(place: JournalPlace | null) {
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

	async adopt(network: NetworkName, payoutId: string, txId: string) {
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

	async adoptReturn(network: NetworkName, payoutId: string, txId: string) {
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

	async doubted(orders: readonly OrderPlace[]) {
		return this.mark.doubted(orders);
	}

	async lookFor(orderIds: readonly string[]) {
		return lookFor(this.wiring.looking(), orderIds);
	}

	async signedFor(network: NetworkName, address: string) {
		if (this.journal.refusal) return [];
		await this.brought([`address ${network} ${address}`]);
		return this.journal.addressOrders.paymentsFor(network, address);
	}

	async refundRefusal(orderId: string) {
		return refundRefusal(this.wiring.looking(), orderId);
	}

	async askPersons(moves: readonly Move[]) {
		return this.wiring.persons.ask(moves);
	}

	async confirm(confirmation: Confirmation) {
		const closed = this.closed();
		if (closed) return closed;
		// The co-signer verifies it for itself, and first: here the same answer counts once.
		const answer = await this.wiring.cosigner?.confirm(confirmation);
		return answer && isRefusal(answer) ? answer : this.wiring.persons.confirm(confirmation);
	}

	async confirmOrders(orderIds: readonly string[], said: Said) {
		return confirmOrders(this.wiring.looking(), orderIds, said);
	}

	async confirmOwn(said: Said): Promise<string | null> {
		return confirmOwn({ restored: this.mark, journal: this.journal, wiring: this.wiring, env: this.env }, said);
	}

	async contradictions(claims: readonly OrderClaim[]) {
		const asked = { journal: this.writableJournal(), keys: this.wiring.keys, env: this.env, volumes: this.volumes };
		return contradictionsOf(asked, claims);
	}

	async answerClaims(claims: readonly SentClaim[]) {
		this.writableJournal();
		return answerClaims(this.ctx.storage, this.volumes, this.mark.state()?.restoredAt ?? null, claims);
	}
}
