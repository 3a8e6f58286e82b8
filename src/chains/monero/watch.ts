/** An agent's watch over Monero: its view key, what it keeps, and one reading at a time. */
import { hex } from '@scure/base';
import { ed25519Points } from '../ed25519-points.ts';
import { ChainUnavailable, unlessUnavailable } from '../errors.ts';
import type { PoolAddress, Watching } from '../watching-port.ts';
import { moneroAddress, spendKeyOf } from './address.ts';
import type { MoneroDaemon } from './daemon.ts';
import { KeptOutputs } from './kept-outputs.ts';
import { LookedAt } from './looked.ts';
import { type Pooled, type Progress, type ReadingParts, readBlocks, readPool } from './reading.ts';
import { littleEndian, subaddressScalar } from './scalar.ts';
import { firstListed, readCursor } from './scan.ts';
import { ACCOUNT, HOT_MINOR, minorOf } from './subaddress-index.ts';

/** Addresses that one poll derives where the table lacks some; some 0.2 ms each in workerd. */
const DERIVED_PER_POLL = 1_000;

interface WasRead {
	readonly progress: Progress;
	/** Null where it cannot be read now: its payments are seen when they are in a block. */
	readonly pooled: readonly Pooled[] | null;
}

interface Keys extends ReadingParts {
	readonly secretViewKey: bigint;
}

export function moneroWatch(daemon: MoneroDaemon, watching: Watching, hotAddress: string) {
	let made: KeptOutputs | null = null;
	let keys: Promise<Keys> | null = null;
	let turn: Promise<unknown> = Promise.resolve();

	function kept(): KeptOutputs {
		made ??= new KeptOutputs(watching.storage);
		return made;
	}

	async function keysOfSigner(): Promise<Keys> {
		const secretViewKey = littleEndian(hex.decode(await watching.viewKey()));
		const looked = new LookedAt(secretViewKey, (spendKey) => kept().minorOf(spendKey));
		return {
			secretViewKey,
			daemon,
			kept: kept(),
			looked,
			addressOf: (key, minor) => addressOf(key, minor, secretViewKey),
		};
	}

	/** The signer's answer is kept, its failure is not. */
	function ready(): Promise<Keys> {
		keys ??= keysOfSigner().catch((error: unknown) => {
			keys = null;
			throw error;
		});
		return keys;
	}

	async function readOn(cursor: string | null): Promise<WasRead> {
		const own = await ready();
		derive(own, hotAddress, watching.addressesBelow());
		own.looked.beginPoll();
		const from = readCursor(cursor);
		const progress = await readBlocks(own, firstListed(from, from.blocks ?? (await daemon.blocks())));
		if (progress.blocks < progress.best) return { progress, pooled: null };
		return { progress, pooled: await readPool(own).catch(unlessUnavailable) };
	}

	return {
		kept,
		/** @throws ChainUnavailable where an address is of other keys: one that is not watched must not be given out */
		async register(addresses: readonly PoolAddress[]): Promise<void> {
			const own = await ready();
			const wanted = new Map(addresses.map(({ index, address }) => [minorOf(index), address]));
			for (const [minor, address] of wanted)
				if (own.addressOf(spendKeyOf(address), minor) !== address)
					throw new ChainUnavailable(`not made from this service's seed: its address ${minor}, ${address}`);
			kept().addAddresses(wanted);
		},
		/** Reads on, as far as one poll may. `cursor`: of the scan that wants it. The mempool only behind the last block. */
		read(cursor: string | null): Promise<WasRead> {
			const reading = turn.then(() => readOn(cursor));
			turn = reading.catch(() => undefined);
			return reading;
		},
	};
}

/** With the view key aG of the primary address, and aD of a subaddress with the spend key D. */
function addressOf(spendKey: string, minor: number, secretViewKey: bigint): string {
	const points = ed25519Points();
	const [kind, base] =
		minor === HOT_MINOR ? (['standard', points.BASE] as const) : (['subaddress', points.fromHex(spendKey)] as const);
	return moneroAddress(kind, hex.decode(spendKey), base.multiplyUnsafe(secretViewKey).toBytes());
}

/**
 * Every address that there may be, where this object lost some, or never had them. `below`: above their highest index.
 * @throws ChainUnavailable until it has them all
 */
function derive({ kept, secretViewKey }: Keys, hotAddress: string, below: number): void {
	const [from, end] = [kept.derivedBelow(), minorOf(below)];
	if (from >= end) return;
	const { BASE } = ed25519Points();
	const hot = ed25519Points().fromHex(spendKeyOf(hotAddress));
	const keyAt = (minor: number): string => {
		if (minor === HOT_MINOR) return hot.toHex();
		return hot.add(BASE.multiplyUnsafe(subaddressScalar(secretViewKey, ACCOUNT, minor))).toHex();
	};
	const count = Math.min(DERIVED_PER_POLL, end - from);
	const found = Array.from({ length: count }, (_, i) => keyAt(from + i));
	kept.addKeys(from, found);
	if (from + count < end) throw new ChainUnavailable(`its addresses are derived again: ${from + count} of ${end}`);
}
