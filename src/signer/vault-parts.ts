/** The parts of a vault that its calls share: the journal with its volumes and copy, and the wallets of each network. */
import { DurableObject } from 'cloudflare:workers';
import type { NetworkName } from '../catalog/networks.ts';
import type { Before } from '../chains/watching-port.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';
import { beforeBook } from './before-book.ts';
import { JournalCopy } from './copy.ts';
import type { SignerEnv } from './env.ts';
import { Journal } from './journal/journal.ts';
import type { EntryName } from './journal/moved.ts';
import { Volumes } from './journal/volumes.ts';
import { Restored } from './restored.ts';
import { alone, turns } from './turns.ts';
import { wire } from './wiring.ts';

export class VaultParts extends DurableObject<SignerEnv> {
	protected readonly journal = new Journal(this.ctx.storage);
	protected readonly mark = new Restored(this.ctx.storage);
	protected readonly copy = new JournalCopy(
		this.ctx.storage,
		this.journal,
		this.env.judge === 'cosigner' ? null : this.mark,
	);
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
