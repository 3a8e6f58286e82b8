/**
 * What of an agent belongs in a backup: how far it has read its chain, and the highest derivation index that it ever
 * received. All else is derived from D1 and the chain. The free addresses are left out on purpose: some may be shown
 * after the backup, so a restored agent asks the signer for new ones.
 */
import { AddressStock } from '../addresses/stock.ts';
import type { AgentCopy } from '../agent-rpc.ts';

const POSITION = 'position';
const NETWORK = 'network';
const HELD = 'heldUntil';

export class AgentStorage {
	readonly #storage: DurableObjectStorage;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
	}

	/** Until when no poll may run, Unix milliseconds. A backup or a restore of the service is under way. */
	heldUntil(): number {
		return this.#storage.kv.get<number>(HELD) ?? 0;
	}

	/** `until`: Unix milliseconds; 0 ends it. */
	hold(until: number): void {
		this.#storage.kv.put(HELD, until);
	}

	copy(): AgentCopy {
		return {
			position: this.#storage.kv.get(POSITION) ?? null,
			nextIndex: new AddressStock(this.#storage).nextIndex(),
		};
	}

	/** Atomic: replaces everything that the agent knows. It stays held. */
	restore({ position, nextIndex }: AgentCopy): void {
		this.#storage.transactionSync(() => {
			for (const [name] of [...this.#storage.kv.list()])
				if (name !== NETWORK && name !== HELD) this.#storage.kv.delete(name);
			if (position !== null) this.#storage.kv.put(POSITION, position);
			new AddressStock(this.#storage).retire(nextIndex);
		});
	}
}
