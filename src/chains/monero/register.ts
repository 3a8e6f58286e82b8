/**
 * Makes a view-only wallet see payments to our addresses. A wallet sees only subaddresses that it has created itself,
 * in order. So it creates all of them up to the highest one that is needed, and each needed one is compared with our
 * own derivation: a difference means that the wallet was made from other keys. Safe to repeat.
 */
import * as z from 'zod/mini';
import { ChainUnavailable } from '../errors.ts';
import { inParts } from '../rpc/each-of.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import type { PoolAddress } from '../watching-port.ts';
import { ask, type MoneroRpc, unavailable } from './node.ts';
import { ACCOUNT, minorOf } from './subaddress-index.ts';
import { NOTHING } from './wallet-shapes.ts';

/** Addresses that monero-wallet-rpc creates in one call. */
const CREATED_PER_CALL = 64;
/** Calls that one registration makes at most. A wallet that is further behind catches up with the next registration. */
const MAX_CREATING_CALLS = 100;
const COMPARED_PER_CALL = 100;
/** monero-wallet-rpc's code for a subaddress that was never created. */
const ADDRESS_INDEX_OUT_OF_BOUND = -15;

const CREATED = z.lazy(() => z.object({ address_indices: z.array(z.int().check(z.positive())).check(z.minLength(1)) }));
const ADDRESSES = z.lazy(() =>
	z.object({ addresses: z.array(z.object({ address: z.string(), address_index: z.int() })) }),
);

/**
 * @throws ChainUnavailable, also when the wallet has other keys: an address that is not watched must not be given out.
 */
export async function registerAddresses(wallet: MoneroRpc, addresses: readonly PoolAddress[]): Promise<void> {
	const wanted = new Map(addresses.map(({ index, address }) => [minorOf(index), address]));
	const minors = [...wanted.keys()].sort((a, b) => a - b);
	await createUpTo(wallet, minors.at(-1) ?? 0);
	for (const part of inParts(minors, COMPARED_PER_CALL)) {
		const found = new Map((await addressesAt(wallet, part)) ?? []);
		for (const minor of part) {
			if (found.get(minor) !== wanted.get(minor)) throw new ChainUnavailable(anotherWallet(minor, found.get(minor)));
		}
	}
}

export const anotherWallet = (minor: number, address: string | undefined): string =>
	`the wallet was not made from this service's seed: its address ${minor} is ${address ?? 'missing'}`;

/** Null where one of them was never created. @throws ChainUnavailable */
export async function addressesAt(
	wallet: MoneroRpc,
	minors: readonly number[],
): Promise<readonly (readonly [number, string])[] | null> {
	try {
		const params = { account_index: ACCOUNT, address_index: minors };
		const { addresses } = await wallet.call(ADDRESSES, 'get_address', params);
		return addresses.map(({ address, address_index }) => [address_index, address] as const);
	} catch (error) {
		if (error instanceof RpcError && error.code === ADDRESS_INDEX_OUT_OF_BOUND) return null;
		throw unavailable(error);
	}
}

/** @throws ChainUnavailable */
export async function createUpTo(wallet: MoneroRpc, minor: number): Promise<void> {
	if (await addressesAt(wallet, [minor])) return;
	// The first new subaddress, which is needed in any case, tells how many there are.
	let last = await create(wallet, 1);
	for (let calls = 1; last < minor; calls++) {
		if (calls === MAX_CREATING_CALLS) throw new ChainUnavailable(`the wallet has ${last} of ${minor} subaddresses`);
		last = await create(wallet, Math.min(CREATED_PER_CALL, minor - last));
	}
	// Without saving, a wallet that restarts would lose them.
	await ask(wallet, NOTHING, 'store');
}

/** Returns the index of the highest subaddress afterwards. */
async function create(wallet: MoneroRpc, count: number): Promise<number> {
	const { address_indices } = await ask(wallet, CREATED, 'create_address', { account_index: ACCOUNT, count });
	return Math.max(...address_indices);
}
