/** What the operator's commands ask of a network: what its wallets hold, and what of that is owed or not swept. */
import type { AssetId } from '../../catalog/assets.ts';
import { owedUntilFinal } from '../ledger/wallet-store.ts';
import { openAddresses } from '../sweeps/swept.ts';
import type { Connection } from './connection.ts';

/** Of one asset in the hot wallet, base units. */
export interface Funds {
	readonly held: bigint;
	/** To everybody who waits for a payment of it, those that are not final included. */
	readonly owed: bigint;
}

/** For `ledger check`, base units. */
export interface Holding {
	/** What the hot wallet and the addresses that are not swept hold now. */
	readonly held: bigint;
	/** What the books say lies at addresses that are not asked for any more (`swept.ts`). */
	readonly remainder: bigint;
}

/** What the hot wallet can spend of each asset, and what of that is owed. @throws where the chain does not answer */
export async function fundsOf(
	{ db, network, chain }: Connection,
	assets: readonly AssetId[],
): Promise<Partial<Record<AssetId, Funds>>> {
	// First what is owed: a payment made between the two counts as owed still, and less seems free than is.
	const owed = await owedUntilFinal(db, network, chain);
	const found = assets.map(async (code) => [code, { held: await chain.balance(code), owed: owed[code] ?? 0n }]);
	return Object.fromEntries(await Promise.all(found));
}

/** @throws where the chain does not answer */
export async function holdingsOf(
	{ db, network, chain }: Connection,
	assets: readonly AssetId[],
): Promise<Partial<Record<AssetId, Holding>>> {
	const open = await openAddresses(db, network, chain.sweeping?.feePayer ?? null);
	const found = assets.map(async (code) => {
		const { addresses, remainder } = open.get(code) ?? { addresses: [], remainder: 0n };
		return [code, { held: await chain.holdings(code, addresses), remainder }] as const;
	});
	return Object.fromEntries(await Promise.all(found));
}
