/**
 * Seals the free addresses of a stock with the key that seals now, so that an older key can be removed while they wait.
 * One whose seal does not hold stays as it is: it is thrown away when it is drawn.
 *
 * What a leaked key has sealed is thrown away: the signer makes new ones.
 *
 * Atomic: each seal is replaced by one compare-and-set on the seal that was checked; an address that is drawn meanwhile
 * is gone, and nothing is written.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { isOldSeal } from '../../crypto/seals.ts';
import { addressSealHolds, sealAddress } from '../../orders/seal.ts';
import type { AddressStock } from './stock.ts';

export interface ResealedAddresses {
	/** Free addresses that another key had sealed. */
	readonly old: number;
	readonly resealed: number;
}

/** `change`: false only counts. */
export async function resealAddresses(
	stock: AddressStock,
	network: NetworkName,
	keys: KeyRing,
	change: boolean,
): Promise<ResealedAddresses> {
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
