/**
 * An agent's memory of the signer, in its own storage. The number of the journal's entries is stored before anything
 * else is done with the answer that it came with: a payment is only in D1, and on its way, once this agent knows that
 * the journal has it. So a journal that has forgotten it is noticed, whatever D1 says (`signer/lost.ts`).
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { ChainUnavailable } from '../../chains/errors.ts';
import type { Keeping, Watching } from '../../chains/watching-port.ts';
import { log } from '../../platform/log.ts';
import type { Answer, AskedSigner, Remembered, SignerService } from '../../ports/signer.ts';
import { AddressStock } from '../addresses/stock.ts';
import type { Connection } from '../connection.ts';
import { AgentStorage } from './copy.ts';

const ENTRIES = 'signerEntries';
/** Less than what a journal skips that goes on after a loss, and more than any journal writes unheard. */
const SKIPPED = 500_000_000;

export class SignerMemory {
	readonly #storage: DurableObjectStorage;
	readonly #stock: AddressStock;
	readonly #signer: SignerService;
	/** The height up to which the signer was told to read. */
	#readTo: number | null = null;

	constructor(storage: DurableObjectStorage, signer: SignerService) {
		this.#storage = storage;
		this.#stock = new AddressStock(storage);
		this.#signer = signer;
	}

	remembered(): Remembered {
		return { entries: this.#storage.kv.get<number>(ENTRIES) ?? 0, nextIndex: this.#stock.nextIndex() };
	}

	/** The hot wallet's address. */
	async greet(network: NetworkName): Promise<string> {
		return this.#learn(network, await this.#signer.greet(network, this.remembered()));
	}

	/**
	 * So that another journal is noticed also where nothing is to be signed. `entries`: as the signer said it to all, some
	 * seconds ago; null where it has not.
	 */
	async compare(network: NetworkName, entries: number | null): Promise<void> {
		if (entries !== null && entries !== this.remembered().entries) await this.greet(network);
	}

	/** The signer keeps a book of coins of its own where the agent does: it reads on with each block, so that no payment waits. */
	async readOn({ network, chain }: Connection, height: number | null): Promise<void> {
		if (!chain.readOn || height === null || height === this.#readTo) return;
		await this.#signer.readOn(network);
		this.#readTo = height;
	}

	/** For a family that finds payments to us by itself. An error of another Worker has no class. */
	lent(network: NetworkName): Omit<Watching, keyof Keeping> {
		const asked = <T>(answer: Promise<T>): Promise<T> =>
			answer.catch((error: unknown) => {
				throw new ChainUnavailable(`the signer: ${error instanceof Error ? error.message : error}`);
			});
		return {
			addressesBelow: () => this.#stock.nextIndex(),
			viewKey: () => asked(this.#signer.viewKey(network)),
			walletCoins: (since) => asked(this.#signer.walletCoins(network, since)),
		};
	}

	asked(): AskedSigner {
		const signer = this.#signer;
		return {
			sign: async (network, ids) => this.#learn(network, await signer.sign(network, ids, this.remembered())),
			bump: async (network, stuck) => this.#learn(network, await signer.bump(network, stuck, this.remembered())),
			overtaken: (network, move) => signer.overtaken(network, move),
		};
	}

	/**
	 * Where the journal goes on after a loss, the free addresses are of before it, and orders on them would wait for a person:
	 * they are thrown away. Atomic: one synchronous turn.
	 */
	#learn<T>(network: NetworkName, { entries, answer }: Answer<T>): T {
		const known = this.remembered();
		if (entries <= known.entries) return answer;
		this.#storage.kv.put(ENTRIES, entries);
		if (entries - known.entries < SKIPPED) return answer;
		log('pool_retired', { network, free: this.#stock.free() });
		new AgentStorage(this.#storage).retire(known.nextIndex);
		return answer;
	}
}
