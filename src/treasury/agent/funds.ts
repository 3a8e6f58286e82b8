/** For the operator's commands: what a network's wallets hold, and what of that is owed or not swept. */
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable } from '../../chains/errors.ts';
import type { ObservedDeposit, Scan } from '../../chains/port.ts';
import type { Funds, Holding } from '../../ports/chain-agent.ts';
import type { Connection } from '../connection.ts';
import { arriving } from '../ledger/reserve.ts';
import { WalletRecord } from '../ledger/wallet-record.ts';
import { owedUntilFinal } from '../ledger/wallet-store.ts';
import { type OpenAddresses, type Overflowing, openAddresses } from '../sweeps/swept.ts';

/** The sum that the hot wallet can spend of each asset, and what of that is owed. @throws where the chain does not answer */
export async function fundsOf(
	{ db, network, chain }: Connection,
	assets: readonly AssetId[],
): Promise<Partial<Record<AssetId, Funds>>> {
	// Dues are read first. A payment between the two reads then counts as owed, so too little seems free, never too much.
	const owed = await owedUntilFinal(db, network, chain);
	const found = assets.map(async (code) => [code, { held: await chain.balance(code), owed: owed[code] ?? 0n }]);
	return Object.fromEntries(await Promise.all(found));
}

/** Payments that come while it is read are tried again so often. */
const MOST_READINGS = 5;
const NOTHING_OPEN: OpenAddresses = { addresses: [], overflowing: [], remainder: 0n };

/** The place up to which the last poll listed, on a chain that lists every payment. */
export interface Listed {
	readonly start: string | null;
	readonly payments: ReadonlyMap<string, ObservedDeposit>;
}

/** Those to the hot wallet count as its reserve once they are deep (`Chain.holdings`). */
export const paymentsOf = ({ deposits, locked = [] }: Pick<Scan, 'deposits' | 'locked'>, hotAddress: string) =>
	new Map(
		[...deposits.filter(({ address }) => address !== hotAddress), ...locked].map((each) => [
			`${each.txId} ${each.position} ${each.address}`,
			each,
		]),
	);

/** The holdings, and how they differ from what D1 has by the last poll. @throws where the chain does not answer */
export async function holdingsOf(
	connection: Connection,
	assets: readonly AssetId[],
	storage: DurableObjectStorage,
	last: Listed | null,
): Promise<Partial<Record<AssetId, Holding>>> {
	if (!last) return heldOf(connection, assets, storage);
	const { chain, hotAddress } = connection;
	const list = async () => paymentsOf(await chain.scan(last.start, async () => []), hotAddress);
	let listed = await list();
	for (let readings = 1; ; readings++) {
		const held = await heldOf(connection, assets, storage);
		const before = listed;
		listed = await list();
		const moved = [...before.keys()].some((key) => !listed.has(key)) || listed.size !== before.size;
		if (!moved || readings === MOST_READINGS) return withUnpolled(held, last.payments, listed);
	}
}

/** A stranger decides how often something comes, or is replaced: it is no difference before the next poll. */
function withUnpolled(
	held: Partial<Record<AssetId, Holding>>,
	polled: Listed['payments'],
	now: Listed['payments'],
): Partial<Record<AssetId, Holding>> {
	const beyond = (code: string, of: Listed['payments'], other: Listed['payments']) =>
		[...of].reduce((sum, [key, { asset, amount }]) => (asset === code && !other.has(key) ? sum + amount : sum), 0n);
	const changed = Object.entries(held).map(([code, holding]) => {
		const unrecorded = holding.unrecorded + beyond(code, now, polled) - beyond(code, polled, now);
		return [code, { ...holding, unrecorded }];
	});
	return Object.fromEntries(changed);
}

/**
 * The balances of the assets that the chain answers for: a token whose contract fails leaves the others compared.
 * `storage`: the agent's. @throws where it answers for none
 */
async function heldOf(
	{ db, network, chain }: Connection,
	assets: readonly AssetId[],
	storage: DurableObjectStorage,
): Promise<Partial<Record<AssetId, Holding>>> {
	const now = Date.now();
	const open = await openAddresses(db, network, chain.sweeping?.feePayer ?? null, now);
	const feePayer = chain.sweeping?.feePayer ?? 'address';
	const came =
		chain.reserve === 'balance'
			? await arriving({
					db,
					network,
					feePayer,
					now,
					record: new WalletRecord(db, network, storage),
					balances: Object.fromEntries(await answered(assets, (code) => chain.balance(code))),
				})
			: new Map<AssetId, bigint>();
	const found = await answered(assets, async (code) => {
		const { addresses, overflowing, remainder } = open.get(code) ?? NOTHING_OPEN;
		const places = overflowing.map(({ address }) => address);
		const at = (places.length > 0 && (await chain.sweeping?.balances(code, places))) || [];
		// The wallet last: what a sweep brings meanwhile is counted twice, which the sweep explains, and never missed.
		const held = at.reduce((sum, amount) => sum + amount, await chain.holdings(code, addresses));
		return { held, remainder, unrecorded: unrecordedOf(overflowing, at) + (came.get(code) ?? 0n) };
	});
	return Object.fromEntries(found);
}

/** @throws ChainUnavailable where the chain answers for none */
async function answered<T>(assets: readonly AssetId[], ask: (code: AssetId) => Promise<T>): Promise<[AssetId, T][]> {
	const failures: ChainUnavailable[] = [];
	const answers = await Promise.all(
		assets.map(async (code): Promise<[AssetId, T][]> => {
			try {
				return [[code, await ask(code)]];
			} catch (error) {
				if (!(error instanceof ChainUnavailable)) throw error;
				failures.push(error);
				return [];
			}
		}),
	);
	if (failures[0] && failures.length === assets.length) throw failures[0];
	return answers.flat();
}

/** An address that holds less than its books say adds nothing: that is missing. */
const unrecordedOf = (overflowing: readonly Overflowing[], balances: readonly bigint[]): bigint =>
	overflowing.reduce((sum, { booked }, i) => {
		const beyond = (balances[i] ?? 0n) - booked;
		return beyond > 0n ? sum + beyond : sum;
	}, 0n);

/** Is one of these transactions on the chain, and not reverted? @throws where the chain does not answer */
export async function holdsAny({ chain }: Connection, txIds: readonly string[]): Promise<boolean> {
	const depths = await Promise.all(txIds.map((txId) => chain.transactionDepth(txId)));
	return depths.some((depth) => depth !== null && !depth.reverted);
}
