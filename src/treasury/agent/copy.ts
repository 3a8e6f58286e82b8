/**
 * The part of an agent that belongs in a backup: how far it has read its chain, and the highest derivation index that
 * it ever received. All else is derived from D1 and the chain. The free addresses are left out on purpose: some may be
 * shown after the backup, so a restored agent asks the signer for new ones.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { Stored } from '../../platform/stored.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import type { AgentCopy } from '../../ports/chain-agent.ts';
import { AddressStock } from '../addresses/stock.ts';
import type { LookedAt } from '../strays/find.ts';

const POSITION = 'position';
const NETWORK = 'network';
const HELD = 'heldUntil';
/** The tables of a book of coins, where the agent keeps one. */
const BOOK = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'book\\_%' ESCAPE '\\'";
/** Where the indexes ended when the stock was thrown away. */
const RETIRED = 'retiredAt';

const LOOKED = 'lookedAt';
const ARCHIVED = 'archivedBelow';
const LOOKED_MILLISECONDS = HOUR_MILLISECONDS;

export class AgentStorage extends Stored {
	/** Until when no poll may run. A backup or a restore of the service is under way. */
	heldUntil(): number {
		return this.storage.kv.get<number>(HELD) ?? 0;
	}

	/** `until`: 0 ends it. */
	hold(until: number): void {
		this.storage.kv.put(HELD, until);
	}

	/** By network of the orders: when all young addresses had been looked at for strays, to the hour. */
	lookedAt(): LookedAt {
		return this.storage.kv.get<LookedAt>(LOOKED) ?? {};
	}

	noteLook(homes: readonly NetworkName[], at: number): void {
		const known = this.lookedAt();
		const old = homes.filter((home) => at - (known[home] ?? 0) >= LOOKED_MILLISECONDS);
		if (old.length > 0) this.storage.kv.put(LOOKED, { ...known, ...Object.fromEntries(old.map((home) => [home, at])) });
	}

	/** The batch of the archive whose addresses the last look looked at; null where the next one begins with the newest. */
	archivedBelow(): number | null {
		return this.storage.kv.get<number>(ARCHIVED) ?? null;
	}

	noteArchived(below: number | null): void {
		if (below === null) this.storage.kv.delete(ARCHIVED);
		else this.storage.kv.put(ARCHIVED, below);
	}

	copy(): AgentCopy {
		return { position: this.storage.kv.get(POSITION) ?? null, nextIndex: new AddressStock(this.storage).nextIndex() };
	}

	/** Atomic: replaces everything that the agent knows. It stays held. */
	restore({ position, nextIndex }: AgentCopy): void {
		this.storage.transactionSync(() => {
			for (const [name] of [...this.storage.kv.list()])
				if (name !== NETWORK && name !== HELD) this.storage.kv.delete(name);
			// Its book of coins is read again, from where D1 says.
			for (const { name } of this.storage.sql.exec<{ name: string }>(BOOK).toArray())
				this.storage.sql.exec(`DELETE FROM "${name}"`);
			if (position !== null) this.storage.kv.put(POSITION, position);
			this.retire(nextIndex);
		});
	}

	/** Throws away the free addresses; none below `next` is expected any more. Only in a turn of its own, or a transaction. */
	retire(next: number): void {
		const stock = new AddressStock(this.storage);
		stock.retire(next);
		this.storage.kv.put(RETIRED, stock.nextIndex());
	}

	/**
	 * Have there been no new addresses since a restore, or a loss of the signer's journal? Then the next indexes are far above
	 * on purpose. `above`: one more than the highest index so far.
	 */
	isRestoredAt(above: number): boolean {
		return this.storage.kv.get<number>(RETIRED) === above;
	}
}
