/**
 * New pay-in addresses. Each derivation index is used only once, because two orders with one address would share their
 * deposits. The counter is in the journal. If it is lost or set back after the first start, it continues far above every
 * index that is known anywhere: those that the network's agent has received, those of the sealed orders in D1, and those
 * that the journal itself has derived. A gap costs nothing.
 */
import { sql } from 'drizzle-orm';
import { NETWORK_NAMES, type NetworkName, networkNamed } from '../catalog/networks.ts';
import type { Look } from '../chains/port.ts';
import { ConfigurationError, type KeyRing } from '../crypto/key-ring.ts';
import { orderSealHolds, type SealedAddress, sealAddress } from '../orders/seal.ts';
import { orders } from '../orders/table.ts';
import type { Db } from '../platform/d1/database.ts';
import { isIn } from '../platform/d1/lists.ts';
import { log } from '../platform/log.ts';
import { gapOf } from '../treasury/addresses/counter-gap.ts';
import { type Announcing, announce } from './announce.ts';
import type { Addresses } from './journal/addresses.ts';
import type { Restored } from './restored.ts';

/** Most addresses that one call makes. */
export const MAX_NEW_ADDRESSES = 1_000;
/** No caller and no row can move the counter above this many gaps. Indexes end at 2³¹, so as many again remain. */
const MAX_GAPS = 1_000;
/** At least one of this many orders, the highest index first, must have a valid seal. */
const MAX_ORDERS = 5_000;

export interface AddressMaking extends Announcing {
	readonly db: Db;
	readonly addresses: Addresses;
	readonly restored: Restored;
	/** By the signer's own node. */
	readonly chain: Look;
	readonly sealKeys: KeyRing;
	/** The hot wallet's address where it may not change; null where it may. */
	readonly lasting: string | null;
}

/** @see SignerService. @throws RangeError on a count or index out of range; ChainUnavailable while the node does not answer */
export async function newAddresses(making: AddressMaking, count: number, above: number): Promise<SealedAddress[]> {
	const { network, addresses, restored, signer, chain, sealKeys } = making;
	// A negative count would give out used indexes again.
	if (!Number.isInteger(count) || count < 1 || count > MAX_NEW_ADDRESSES)
		throw new RangeError(`no such number of addresses: ${count}`);
	if (making.cosigner) requireSameKeys(making);
	const scope = scopeOf(network);
	const known = checkedIndex(network, above);
	const goesOn = addresses.hasCounter(scope) && !restored.wantsFloor(network);
	const atLeast = goesOn ? known : await afterLoss(making, known);
	const hot = { index: -1, address: signer.hotAddress() };
	await chain.register([hot]);
	const from = (index: number) =>
		Array.from({ length: count }, (_, i) => ({ index: index + i, address: signer.payInAddress(index + i) }));
	const tell = (index: number, fresh: ReturnType<typeof from>) =>
		announce(
			making,
			index,
			fresh.map(({ address }) => address),
		);
	// Told before any index is taken, so that none is used up while it does not answer.
	const expected = Math.max(atLeast, addresses.nextIndex(scope));
	const told = from(expected);
	await tell(expected, told);
	const first = addresses.takeIndexes(scope, count, atLeast);
	restored.setFloor(network, first);
	const fresh = first === expected ? told : from(first);
	if (fresh !== told) await tell(first, fresh);
	addresses.remember(network, fresh);
	if (making.lasting !== null) addresses.rememberHot(network, making.lasting);
	// The signer's own node must see payments to them too, because it is asked before anything is signed.
	await chain.register([...fresh, hot]);
	return Promise.all(
		fresh.map(async ({ index, address }) => {
			const terms = { network, derivationIndex: index, address };
			return { ...terms, seal: await sealAddress(sealKeys, terms) };
		}),
	);
}

/**
 * With the keys of a second judge that is new, none of the earlier addresses would be ours any more.
 * @throws ConfigurationError where an address of the journal is not the one that the keys give
 */
function requireSameKeys({ network, addresses, signer }: AddressMaking): void {
	const known = addresses.anyOf(network);
	if (known && signer.payInAddress(known.index) !== known.address)
		throw new ConfigurationError(
			`COSIGNED gives other addresses on ${network} than before: it is chosen at the first setup`,
		);
}

/** Where the counter begins when the journal has none, or an older one: at 0 only on the first start. */
async function afterLoss(making: AddressMaking, above: number): Promise<number> {
	const { network, addresses, restored } = making;
	const scope = scopeOf(network);
	const networks = NETWORK_NAMES.filter((name) => scopeOf(name) === scope);
	const ofOrders = await nextIndexOfOrders(making, networks);
	// Meanwhile another network with this counter may have begun it: at the first start all of them come at once.
	if (addresses.hasCounter(scope) && !restored.wantsFloor(network)) return above;
	const next = Math.max(above, ofOrders, addresses.nextDerivedIndex(networks), addresses.nextIndex(scope));
	if (next === 0) return 0;
	if (!restored.wantsFloor(network)) log('index_counter_lost', { network, next, goesOnAt: next + gapOf(network) });
	return next + gapOf(network);
}

/**
 * One above the highest derivation index of the sealed orders of these networks; 0 where there is no order. The index
 * is part of the seal. An attacker who writes rows can hide orders, which is what the gap is for, but cannot raise the
 * index.
 * @throws where there are orders and none of the first ones has a valid seal: then the highest index is not known
 */
export async function nextIndexOfOrders(
	{ db, sealKeys }: Pick<AddressMaking, 'db' | 'sealKeys'>,
	networks: readonly NetworkName[],
): Promise<number> {
	const highestFirst = sql`${orders.payInIndex} desc`;
	const isHere = isIn(orders.fromNetwork, networks);
	const rows = await db.select().from(orders).where(isHere).orderBy(highestFirst).limit(MAX_ORDERS);
	for (const row of rows) {
		const [first] = networks;
		if (first && (await orderSealHolds(sealKeys, row, row.seal))) return checkedIndex(first, row.payInIndex + 1);
	}
	if (rows.length > 0) throw new Error('the index counter is lost, and no order of D1 has a valid seal');
	return 0;
}

/** @throws RangeError where the counter may not be raised so far */
function checkedIndex(network: NetworkName, index: number): number {
	if (!Number.isInteger(index) || index < 0 || index > MAX_GAPS * gapOf(network))
		throw new RangeError(`no such derivation index: ${index}`);
	return index;
}

/**
 * Which counter a network's derivation indexes come from. The EVM networks share keys, so they share one: an address
 * belongs to one network, and a deposit that went to it on another one can be attributed.
 */
export const scopeOf = (network: NetworkName): string => {
	const { family, name } = networkNamed(network);
	return family === 'evm' ? family : name;
};
