/**
 * Keeps the stock of free pay-in addresses full. The signer derives and seals new addresses, the node registers them,
 * and only then they enter the stock. So payments to every address that is drawn are seen. A crash in between leaves a
 * gap in the derivation indexes, which does no harm.
 *
 * The stock is refilled in the background, beside the polls of the agent. A draw from an empty stock waits for the next
 * step. While draws wait, the steps grow.
 */
import { eq } from 'drizzle-orm';
import type { NetworkName } from '../../catalog/networks.ts';
import type { Before } from '../../chains/watching-port.ts';
import { type KeyRing, keyRing } from '../../crypto/key-ring.ts';
import { isOldSeal } from '../../crypto/seals.ts';
import { noteIncident } from '../../incidents/store.ts';
import { addressSealHolds, type SealedAddress, sealAddress } from '../../orders/seal.ts';
import type { Db } from '../../platform/d1/database.ts';
import { log } from '../../platform/log.ts';
import { within } from '../../platform/within.ts';
import type { ResealedAddresses } from '../../ports/chain-agent.ts';
import type { AgentsEnv } from '../../ports/env.ts';
import type { Remembered, SignerService } from '../../ports/signer.ts';
import type { AgentStorage } from '../agent/copy.ts';
import type { Connection } from '../connection.ts';
import { arrivalMarks } from '../ledger/table.ts';
import { wasCounterLost } from './counter-gap.ts';
import { AddressStock } from './stock.ts';

const DEFAULT_FULL = 600;
/** Fewer would make most draws wait. */
const MIN_FULL = 10;
const MAX_FULL = 100_000;
/** Addresses that one call to the signer and the node adds; a smaller stock is filled at once. */
const STEP = 50;
/**
 * Largest step while draws wait: the signer needs about half a millisecond for each address, and signs nothing
 * meanwhile.
 */
const MAX_STEP = 400;
/** Most addresses that one draw takes. */
const MAX_DRAW = 256;
/** Longest wait of a draw from an empty stock. */
const WAIT_MILLISECONDS = 10_000;
/** After a failure draws do not ask the signer again for this long, because each try uses up derivation indexes. */
const REST_MILLISECONDS = 5_000;

/** Where new addresses come from. */
export interface AddressSupply {
	readonly network: NetworkName;
	/** The stock is filled up to this many addresses as soon as it has less than half as many. */
	readonly full: number;
	/** `count` addresses, above all that the stock ever received, that the node watches. @throws when that fails */
	readonly newAddresses: (count: number) => Promise<readonly SealedAddress[]>;
	/** Called with each failure. */
	readonly failed: (error: unknown) => void;
}

/** From `ADDRESS_POOL`. @throws TypeError where the text is not a number within the bounds */
export function poolSize(text: string | undefined): number {
	const size = text === undefined ? DEFAULT_FULL : Number(text);
	if (!Number.isInteger(size) || size < MIN_FULL || size > MAX_FULL)
		throw new TypeError(`ADDRESS_POOL is not a whole number from ${MIN_FULL} to ${MAX_FULL}`);
	return size;
}

export class AddressPool {
	readonly #stock: AddressStock;
	#isFilling = false;
	/** The step that is under way, or the last one. It never rejects. */
	#step: Promise<unknown> = Promise.resolve();
	#failedAt = 0;
	/** Draws that wait, because the stock was empty. */
	#waiting = 0;

	constructor(storage: DurableObjectStorage) {
		this.#stock = new AddressStock(storage);
	}

	free(): number {
		return this.#stock.free();
	}

	reseal(network: NetworkName, keys: KeyRing, change: boolean): Promise<ResealedAddresses> {
		return resealAddresses(this.#stock, network, keys, change);
	}

	/** Refills in the background when the stock is less than half full. */
	topUp(supply: AddressSupply): void {
		if (this.free() < supply.full / 2) this.#fill(supply);
	}

	/** Up to `count` addresses that were never given out before; none when no new ones arrive in time. */
	async draw(count: number, supply: AddressSupply): Promise<SealedAddress[]> {
		if (!Number.isInteger(count) || count < 1 || count > MAX_DRAW)
			throw new RangeError(`a draw is of 1 to ${MAX_DRAW} addresses, not ${count}`);
		if (this.free() === 0) await this.#untilStocked(supply);
		const drawn = this.#stock.draw(supply.network, count);
		if (!this.#isResting()) this.topUp(supply);
		return drawn;
	}

	async #untilStocked(supply: AddressSupply): Promise<void> {
		const until = Date.now() + WAIT_MILLISECONDS;
		this.#waiting++;
		try {
			// Repeats when other draws took all that a step added.
			while (this.free() === 0 && Date.now() < until && !this.#isResting()) {
				this.#fill(supply);
				await within(this.#step, until - Date.now(), () => undefined);
			}
		} finally {
			this.#waiting--;
		}
	}

	#isResting(): boolean {
		return Date.now() - this.#failedAt < REST_MILLISECONDS;
	}

	/** Starts refilling unless it is under way. */
	#fill(supply: AddressSupply): void {
		if (this.#isFilling) return;
		this.#isFilling = true;
		// An object that was reset meanwhile fails wherever it asks its storage.
		void this.#fillUp(supply)
			.catch(supply.failed)
			.finally(() => {
				this.#isFilling = false;
			});
	}

	async #fillUp(supply: AddressSupply): Promise<void> {
		const from = this.free();
		const least = Math.min(STEP, supply.full);
		for (let step = least, added = true; added && this.free() < supply.full; ) {
			const adding = this.#add(supply, step);
			this.#step = adding;
			added = await adding;
			step = this.#waiting > 0 ? Math.min(2 * step, MAX_STEP) : least;
		}
		log('pool_filled', { network: supply.network, from, to: this.free() });
	}

	/** Did it work? */
	async #add(supply: AddressSupply, count: number): Promise<boolean> {
		try {
			this.#stock.add(await supply.newAddresses(count));
			return true;
		} catch (error) {
			this.#failedAt = Date.now();
			supply.failed(error);
			return false;
		}
	}
}

const NOTHING_BEFORE: Before = { isAgain: false, from: null, addresses: [] };

/**
 * The state before a book of coins that an agent finds empty. D1 has a mark of the network where there was one, with
 * the height of its oldest unspent coin, and the signer knows every address.
 * @throws what D1 or the signer throws: a book that lacks addresses would not see what they hold
 */
export async function beforeBook(
	db: Db,
	signer: Pick<SignerService, 'payInAddresses' | 'hotAddress'>,
	network: NetworkName,
): Promise<Before> {
	const [mark] = await db.select().from(arrivalMarks).where(eq(arrivalMarks.network, network));
	if (!mark) return NOTHING_BEFORE;
	const hotAddress = await signer.hotAddress(network);
	const addresses: string[] = [];
	for (;;) {
		const page = await signer.payInAddresses(network, addresses.at(-1) ?? '');
		if (page.length === 0) return { isAgain: true, from: mark.readFrom, addresses: [...addresses, hotAddress] };
		addresses.push(...page);
	}
}

interface Supplying {
	readonly env: AgentsEnv;
	readonly connection: Connection;
	readonly stored: AgentStorage;
	readonly remembered: Remembered;
}

/**
 * New pay-in addresses: derived by the signer, with a seal that holds, and watched by the node.
 * @throws what the signer or the node throws, and where the seals are of another key
 */
export async function newSealedAddresses({ env, connection, stored, remembered }: Supplying, count: number) {
	const { network, chain } = connection;
	const addresses = await env.SIGNER.newAddresses(network, count, remembered);
	const [first] = addresses;
	if (!first || !(await addressSealHolds(keyRing(env, 'SEAL_KEY'), first, first.seal)))
		throw new Error("the seal of new addresses does not hold: is SEAL_KEY the signer's? network check says so");
	const [above, index] = [remembered.nextIndex, first.derivationIndex];
	// The signer knows a lost counter too, but writes no rows.
	if (wasCounterLost(network, above, index) && !stored.isRestoredAt(above))
		await noteIncident(env.DB, 'index-counter-lost', network, `from ${above} to ${index}`);
	await chain.register(addresses.map(({ derivationIndex, address }) => ({ index: derivationIndex, address })));
	return addresses;
}

/**
 * Seals the free addresses of a stock with the key that seals now, so that an older key can be removed while they wait.
 * One whose seal does not hold stays as it is: it is thrown away when it is drawn. What a leaked key has sealed is thrown
 * away: the signer makes new ones. `change`: false only counts.
 *
 * Atomic: each seal is replaced by one compare-and-set on the seal that was checked; an address that is drawn meanwhile
 * is gone, and nothing is written.
 */
async function resealAddresses(stock: AddressStock, network: NetworkName, keys: KeyRing, change: boolean) {
	const old = stock.all(network).filter(({ seal }) => isOldSeal(keys, seal));
	if (keys.leaked.length > 0) {
		if (change) for (const address of old) stock.discard(address);
		return { old: old.length, resealed: change ? old.length : 0 };
	}
	let resealed = 0;
	for (const address of change ? old : []) {
		if (!(await addressSealHolds(keys, address, address.seal))) continue;
		if (stock.replaceSeal(address, await sealAddress(keys, address))) resealed++;
	}
	return { old: old.length, resealed };
}
