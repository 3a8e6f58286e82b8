/** For the operator's commands: what a network's wallets hold, and what of that is owed or not swept. */
import type { AssetId } from '../../catalog/assets.ts';
import type { Funds, Holding } from '../agent-rpc.ts';
import type { Connection } from '../connection.ts';
import { owedUntilFinal } from '../ledger/wallet-store.ts';
import { type Flooded, openAddresses } from '../sweeps/swept.ts';

/** What the hot wallet can spend of each asset, and what of that is owed. @throws where the chain does not answer */
export async function fundsOf(
	{ db, network, chain }: Connection,
	assets: readonly AssetId[],
): Promise<Partial<Record<AssetId, Funds>>> {
	// What is owed is read first. A payment between the two reads then counts as owed, so too little seems free, never
	// too much.
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
		const { addresses, flooded, remainder } = open.get(code) ?? { addresses: [], flooded: [], remainder: 0n };
		const held = await chain.holdings(code, addresses);
		const at =
			flooded.length > 0
				? await chain.sweeping?.balances(
						code,
						flooded.map(({ address }) => address),
					)
				: [];
		return [code, { held, remainder, unrecorded: unrecordedOf(flooded, at ?? []) }] as const;
	});
	return Object.fromEntries(await Promise.all(found));
}

/** Dust beyond what is recorded of one order. An address that holds less than its record adds nothing: that is missing. */
const unrecordedOf = (flooded: readonly Flooded[], balances: readonly bigint[]): bigint =>
	flooded.reduce((sum, { recorded }, i) => {
		const beyond = (balances[i] ?? 0n) - recorded;
		return beyond > 0n ? sum + beyond : sum;
	}, 0n);

/** Is one of these transactions on the chain, and not reverted? @throws where the chain does not answer */
export async function holdsAny({ chain }: Connection, txIds: readonly string[]): Promise<boolean> {
	const depths = await Promise.all(txIds.map((txId) => chain.transactionDepth(txId)));
	return depths.some((depth) => depth !== null && !depth.reverted);
}
