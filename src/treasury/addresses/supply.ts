/**
 * Keeping the stock of free pay-in addresses full. The signer derives and seals, the node is told to watch, and only
 * then the stock has them: an address can be drawn only when payments to it will be seen. A crash in between leaves a
 * gap in the derivation indexes and nothing else.
 *
 * The stock is refilled in the background, beside the polls of the agent. A draw that finds nothing waits for the
 * refilling, and makes its steps larger for as long as anybody waits.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { log } from '../../log.ts';
import type { SealedAddress } from '../../orders/seal.ts';
import { AddressStock } from './stock.ts';

const DEFAULT_FULL = 600;
const MAX_FULL = 100_000;
/** Addresses that one call to the signer and the node adds. */
const STEP = 50;
/** At most, while draws wait: the signer needs about half a millisecond for each, and signs nothing meanwhile. */
const MAX_STEP = 400;
/** Addresses that one draw takes at most. */
const MAX_DRAW = 256;
/** A draw that finds nothing waits no longer. */
const WAIT_MILLISECONDS = 10_000;
/** After a failure draws do not ask the signer again for so long: each try takes derivation indexes. */
const REST_MILLISECONDS = 5_000;

/** Where new addresses come from. */
export interface AddressSupply {
	readonly network: NetworkName;
	/** Free addresses that the stock is filled up to, once less than half of them are left. */
	readonly full: number;
	/** `count` addresses, from derivation index `above` on, that the node watches. @throws when that fails */
	readonly newAddresses: (count: number, above: number) => Promise<readonly SealedAddress[]>;
	/** Told of each failure. */
	readonly failed: (error: unknown) => void;
}

/** From `ADDRESS_POOL`. @throws TypeError on what is no such number */
export function poolSize(text: string | undefined): number {
	const size = text === undefined ? DEFAULT_FULL : Number(text);
	if (!Number.isInteger(size) || size < STEP || size > MAX_FULL)
		throw new TypeError(`ADDRESS_POOL is no whole number between ${STEP} and ${MAX_FULL}`);
	return size;
}

export class AddressPool {
	readonly #stock: AddressStock;
	#isFilling = false;
	/** The step that is under way, or the last one. It never rejects. */
	#step: Promise<unknown> = Promise.resolve();
	#failedAt = 0;
	/** Draws that found nothing. */
	#waiting = 0;

	constructor(storage: DurableObjectStorage) {
		this.#stock = new AddressStock(storage);
	}

	free(): number {
		return this.#stock.free();
	}

	/** Refills in the background where less than half is left. */
	topUp(supply: AddressSupply): void {
		if (this.free() < supply.full / 2) this.#fill(supply);
	}

	/** Up to `count` addresses, never given before; none when no new ones can be had in time. */
	async draw(count: number, supply: AddressSupply): Promise<SealedAddress[]> {
		if (!Number.isInteger(count) || count < 1 || count > MAX_DRAW) throw new RangeError(`no such draw: ${count}`);
		if (this.free() === 0) await this.#untilStocked(supply);
		const drawn = this.#stock.draw(supply.network, count);
		if (!this.#isResting()) this.topUp(supply);
		return drawn;
	}

	async #untilStocked(supply: AddressSupply): Promise<void> {
		let isLate = false;
		let timer: ReturnType<typeof setTimeout> | undefined;
		const late = new Promise<void>((resolve) => {
			timer = setTimeout(() => {
				isLate = true;
				resolve();
			}, WAIT_MILLISECONDS);
		});
		this.#waiting++;
		try {
			// Again where others took all that a step brought.
			while (this.free() === 0 && !isLate && !this.#isResting()) {
				this.#fill(supply);
				await Promise.race([this.#step, late]);
			}
		} finally {
			this.#waiting--;
			clearTimeout(timer);
		}
	}

	#isResting(): boolean {
		return Date.now() - this.#failedAt < REST_MILLISECONDS;
	}

	/** Begins to refill unless that is under way. */
	#fill(supply: AddressSupply): void {
		if (this.#isFilling) return;
		this.#isFilling = true;
		void this.#fillUp(supply).finally(() => {
			this.#isFilling = false;
		});
	}

	async #fillUp(supply: AddressSupply): Promise<void> {
		const from = this.free();
		for (let step = STEP, added = true; added && this.free() < supply.full; ) {
			const adding = this.#add(supply, step);
			this.#step = adding;
			added = await adding;
			step = this.#waiting > 0 ? Math.min(2 * step, MAX_STEP) : STEP;
		}
		log('pool_filled', { network: supply.network, from, to: this.free() });
	}

	/** Did it work? */
	async #add(supply: AddressSupply, count: number): Promise<boolean> {
		try {
			this.#stock.add(await supply.newAddresses(count, this.#stock.nextIndex()));
			return true;
		} catch (error) {
			this.#failedAt = Date.now();
			supply.failed(error);
			return false;
		}
	}
}
