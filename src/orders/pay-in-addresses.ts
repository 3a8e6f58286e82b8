/**
 * The pay-in addresses that this isolate gives out next. A few dozen at a time are drawn from the network's agent, which
 * deletes them as it answers, so no other isolate has them. Addresses that an isolate never uses are lost, which is
 * harmless. An address whose seal does not hold never leaves this file.
 */
import type { NetworkName } from '../catalog/networks.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import { JoinedCalls } from '../platform/joined.ts';
import { log, logError } from '../platform/log.ts';
import { within } from '../platform/within.ts';
import { addressSealHolds, type PoolTerms, type SealedAddress } from './seal.ts';

/** Addresses of one draw: one call to the agent serves so many orders. */
const DRAW = 32;
/** Draws in a row that bring nothing usable: after a key was retired the stock may be full of addresses that it had sealed. */
const MAX_DRAWS = 40;
/** Longest wait for an address, longer than the agent's own. */
const WAIT_MILLISECONDS = 15_000;

export interface AddressSource {
	/** From the network's agent: none when it has none to give. */
	readonly draw: (network: NetworkName, count: number) => Promise<SealedAddress[]>;
	/** Keeps a draw going when the call that began it is cancelled: others wait for it as well. */
	readonly background: (work: Promise<unknown>) => void;
	/** Called with how many of a draw have a seal that does not hold. */
	readonly broken: (network: NetworkName, addresses: number) => void;
}

const stocks = new Map<NetworkName, PoolTerms[]>();
/** One draw at a time: draws side by side would empty the network's stock for one isolate. */
const takes = new JoinedCalls<null, PoolTerms | null>({ waitMilliseconds: WAIT_MILLISECONDS, mostCalls: DRAW });

/** A free address, removed from the stock; null when there is none to be had. */
export async function takeAddress(source: AddressSource, sealKeys: KeyRing, network: NetworkName) {
	const address = stocks.get(network)?.pop();
	if (address) return address;
	const send = (calls: readonly null[]) => takeMany(calls.length, source, sealKeys, network);
	const taking = takes.ask(network, null, { send, background: source.background }).catch((error) => {
		logError('addresses_not_drawn', error, { network });
		return null;
	});
	return within(taking, WAIT_MILLISECONDS, () => null);
}

/** One of them was taken already: then none of its draw is to be trusted. */
export const forgetStock = (network: NetworkName): boolean => stocks.delete(network);

/** One for each of those who wait; what a draw brings beyond that is stocked. */
async function takeMany(count: number, source: AddressSource, sealKeys: KeyRing, network: NetworkName) {
	const taken: PoolTerms[] = stocks.get(network)?.splice(0, count) ?? [];
	while (taken.length < count) {
		const drawn = await drawSealed(source, sealKeys, network);
		if (drawn.length === 0) break;
		taken.push(...drawn.splice(0, count - taken.length));
		stocks.set(network, [...(stocks.get(network) ?? []), ...drawn]);
	}
	return Array.from({ length: count }, (_, i) => taken[i] ?? null);
}

async function drawSealed({ draw, broken }: AddressSource, sealKeys: KeyRing, network: NetworkName) {
	for (let draws = 0; draws < MAX_DRAWS; draws++) {
		const drawn = await draw(network, DRAW);
		const sealed = await Promise.all(drawn.map((address) => addressSealHolds(sealKeys, address, address.seal)));
		const usable = drawn.filter((_, i) => sealed[i]);
		if (usable.length < drawn.length) {
			log('pool_address_seal_broken', { network, addresses: drawn.length - usable.length });
			broken(network, drawn.length - usable.length);
		}
		if (usable.length > 0 || drawn.length === 0) return usable;
	}
	return [];
}
