/**
 * The co-signer's journal is kept in a bucket, each hour, where one is bound (book: cosigner, "Losing one"). Where RESTORE names a
 * backup, nothing is signed before that one is back.
 */
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { networkMode } from '../../chains/configuration.ts';
import type { NetworkCheck } from '../../chains/port.ts';
import { keyRing } from '../../crypto/key-ring.ts';
import { HOUR_MILLISECONDS, isoTime } from '../../platform/time.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { CopiedVault } from '../copied-vault.ts';
import { backUp, type Kept, putBack } from './backup.ts';

const KEPT_AT = 'keptAt';
const PUT_BACK = 'putBack';
/** A backup that is older is named by `network check`. */
const OLD_MILLISECONDS = 3 * HOUR_MILLISECONDS;
/** More than a service gives out between two backups: what comes to an address before it is watched again is never seen. */
const ADDRESSES_AHEAD = 500;

export class KeptVault extends CopiedVault {
	#keeping: Promise<void> | null = null;

	/** Called every few minutes; one at a time. @throws what the bucket throws, and as `backUp` and `putBack` */
	async keep(): Promise<void> {
		this.#keeping ??= this.#keepOnce().finally(() => {
			this.#keeping = null;
		});
		return this.#keeping;
	}

	async #keepOnce(): Promise<void> {
		const { BACKUPS: bucket, RESTORE: name } = this.env;
		if (!bucket) return;
		const kept: Kept = { bucket, ring: keyRing(this.env, 'SEAL_KEY'), copy: this.copy, volumes: this.volumes };
		if (name && this.#isToBePutBack()) {
			await putBack(kept, name);
			// The same turn: nothing reads a chain on before.
			this.ctx.storage.kv.put(PUT_BACK, name);
			await this.#watchAhead();
		} else if (Date.now() - this.#keptAt() >= HOUR_MILLISECONDS) {
			await backUp(kept, (until) => this.hold(until));
			this.ctx.storage.kv.put(KEPT_AT, Date.now());
		}
	}

	protected override closed(): SignerRefusal | null {
		return this.#isToBePutBack() ? { kind: 'restoring' } : super.closed();
	}

	protected keptCheck(): NetworkCheck[] {
		if (!this.env.BACKUPS) return [];
		const at = this.#keptAt();
		const ok = Date.now() - at < OLD_MILLISECONDS;
		return [{ what: 'backup', ok, detail: at === 0 ? 'there is none yet' : `the newest is of ${isoTime(at)}` }];
	}

	#keptAt(): number {
		return this.ctx.storage.kv.get<number>(KEPT_AT) ?? 0;
	}

	#isToBePutBack(): boolean {
		const { RESTORE: name } = this.env;
		return Boolean(name) && this.ctx.storage.kv.get<string>(PUT_BACK) !== name;
	}

	/** The signer has given out addresses since the backup, and announces none twice. */
	async #watchAhead(): Promise<void> {
		const networks = NETWORK_NAMES.filter((network) => networkMode(this.env, network)?.on === 'nodes');
		const begun = networks.map((network) => {
			const { signer, chain } = this.wiring.wallets(network);
			if (!chain.readOn) return undefined;
			const first = this.journal.addresses.nextDerivedIndex([network]);
			const ahead = Array.from({ length: ADDRESSES_AHEAD }, (_, at) => ({
				index: first + at,
				address: signer.payInAddress(first + at),
			}));
			this.journal.addresses.remember(network, ahead);
			// A book that is still empty begins with those of the journal.
			return chain.register(ahead).catch(() => undefined);
		});
		await Promise.all(begun);
	}
}
