/** Statements under the keys of the vault, for others to check: promises of orders, heads of chains, and reserves. They move nothing. */
import { assetOf } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { keyRing } from '../crypto/key-ring.ts';
import type { Head, HeadKind, NewHead } from '../ports/heads.ts';
import type { PromisedOrder, PromisingSigner } from '../ports/promises.ts';
import type { ReserveBlock, ReserveClaim, ReservesSigner } from '../ports/reserves.ts';
import { Heads } from './journal/heads.ts';
import type { EntryName } from './journal/moved.ts';
import { promiseOf } from './promises/promise.ts';
import { signReserves } from './reserves.ts';
import { VaultParts } from './vault-parts.ts';

export class StatingVault extends VaultParts implements PromisingSigner, ReservesSigner {
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
}
