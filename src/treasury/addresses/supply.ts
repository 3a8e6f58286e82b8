/**
 * Keeps the stock of free pay-in addresses full. The signer derives and seals new addresses, the node registers them,
 * and only then they enter the stock. So payments to every address that is drawn are seen. A crash in between leaves a
 * gap in the derivation indexes, which does no harm.
 *
 * The stock is refilled in the background, beside the polls of the agent. A draw from an empty stock waits for the next
 * step. While draws wait, the steps grow.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { SealedAddress } from '../../orders/seal.ts';
import { log } from '../../platform/log.ts';
import { within } from '../../platform/within.ts';
import { type ResealedAddresses, resealAddresses } from './reseal.ts';
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
		void this.#fillUp(supply).finally(() => {
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
