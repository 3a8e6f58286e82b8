/** For the operator's commands: what a network's wallets hold, and what of that is owed or not swept. */
import type { AssetId } from '../../catalog/assets.ts';
import { ChainUnavailable } from '../../chains/errors.ts';
import type { Chain, ObservedDeposit, Scan } from '../../chains/port.ts';
import type { Holding } from '../../ports/chain-agent.ts';
import type { Connection } from '../connection.ts';
import { arriving } from '../ledger/reserve.ts';
import { WalletRecord } from '../ledger/wallet-record.ts';
import { owedUntilFinal } from '../ledger/wallet-store.ts';
import { type OpenAddress, type OpenAddresses, openAddresses } from '../sweeps/swept.ts';

/** The sum that the hot wallet can spend of each asset, and what of that is owed. @throws where the chain does not answer */
export async function fundsOf({ db, network, chain }: Connection, assets: readonly AssetId[]) {
	// Dues are read first. A payment between the two reads then counts as owed, so too little seems free, never too much.
	const owed = await owedUntilFinal(db, network, chain);
	const found = assets.map(async (code) => [code, { held: await chain.balance(code), owed: owed[code] ?? 0n }]);
	return Object.fromEntries(await Promise.all(found));
}

/** Payments that come while it is read are tried again so often. */
const MOST_READINGS = 5;
const NOTHING_OPEN: OpenAddresses = { open: [], remainder: 0n };

type Payments = ReadonlyMap<string, ObservedDeposit>;

/**
 * On a chain that lists every payment: the place where the last poll began to list, and what it listed. On one whose blocks are
 * read once: the place where it ended, and nothing.
 */
export interface Listed {
	readonly start: string | null;
	readonly payments: Payments;
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
	const { chain, hotAddress } = connection;
	if (!last || chain.sweeping) return heldOf(connection, assets, storage, last);
	const list = async () => paymentsOf(await chain.scan(last.start, async () => []), hotAddress);
	let listed = await list();
	for (let readings = 1; ; readings++) {
		const held = await heldOf(connection, assets, storage, null);
		const before = listed;
		listed = await list();
		const moved = [...before.keys()].some((key) => !listed.has(key)) || listed.size !== before.size;
		if (!moved || readings === MOST_READINGS) return withUnpolled(held, last.payments, listed);
	}
}

/** A stranger decides how often something comes, or is replaced: it is no difference before the next poll. */
function withUnpolled(
	held: Partial<Record<AssetId, Holding>>,
	polled: Payments,
	now: Payments,
): Partial<Record<AssetId, Holding>> {
	const beyond = (code: string, of: Payments, other: Payments) =>
		[...of].reduce((sum, [key, { asset, amount }]) => (asset === code && !other.has(key) ? sum + amount : sum), 0n);
	const changed = Object.entries(held).map(([code, holding]) => {
		const unrecorded = holding.unrecorded + beyond(code, now, polled) - beyond(code, polled, now);
		return [code, { ...holding, unrecorded }];
	});
	return Object.fromEntries(changed);
}

/**
 * The balances of the assets that the chain answers for: a token whose contract fails leaves the others compared.
 * `storage`: the agent's; `last`: on a chain whose blocks are read once. @throws where it answers for none
 */
async function heldOf(
	{ db, network, chain }: Connection,
	assets: readonly AssetId[],
	storage: DurableObjectStorage,
	last: Listed | null,
): Promise<Partial<Record<AssetId, Holding>>> {
	const now = Date.now();
	const places = await openAddresses(db, network, chain.sweeping?.feePayer ?? null, now);
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
		const { open, remainder } = places.get(code) ?? NOTHING_OPEN;
		const addresses = open.map(({ address }) => address);
		const at = (addresses.length > 0 && (await chain.sweeping?.balances(code, addresses))) || [];
		// The wallet last: what a sweep brings meanwhile is counted twice, which the sweep explains, and never missed.
		const held = at.reduce((sum, amount) => sum + amount, await chain.holdings(code, []));
		return { open, at, held, remainder };
	});
	// After the balances: each payment that they show, and the books do not, is in a block that is read here.
	const since = last ? await broughtSince(chain, last.start, places) : new Map<string, bigint>();
	return Object.fromEntries(
		found.map(([code, { open, at, held, remainder }]) => {
			const most = (place: OpenAddress) => (place.mayOverflow ? null : (since.get(`${code} ${place.address}`) ?? 0n));
			return [code, { held, remainder, unrecorded: unrecordedOf(open, at, most) + (came.get(code) ?? 0n) }];
		}),
	);
}

/** Coins that came to open addresses since the last poll, by asset and address. */
async function broughtSince(chain: Chain, start: string | null, places: ReadonlyMap<AssetId, OpenAddresses>) {
	const watched = [...places].flatMap(([asset, { open }]) =>
		open.map(({ address }) => ({ address, asset, known: [], swept: 0n })),
	);
	const came = new Map<string, bigint>();
	for (const { asset, address, amount } of (await chain.scan(start, async () => watched)).deposits)
		came.set(`${asset} ${address}`, (came.get(`${asset} ${address}`) ?? 0n) + amount);
	return came;
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

/** An address that holds less than its books say adds nothing: that is missing. `most`: how much may; null for any. */
const unrecordedOf = (
	open: readonly OpenAddress[],
	balances: readonly bigint[],
	most: (place: OpenAddress) => bigint | null,
): bigint =>
	open.reduce((sum, place, i) => {
		const beyond = (balances[i] ?? 0n) - place.booked;
		if (beyond <= 0n) return sum;
		const limit = most(place);
		return sum + (limit !== null && limit < beyond ? limit : beyond);
	}, 0n);

/** Is one of these transactions on the chain, and not reverted? @throws where the chain does not answer */
export async function holdsAny({ chain }: Connection, txIds: readonly string[]): Promise<boolean> {
	const depths = await Promise.all(txIds.map((txId) => chain.transactionDepth(txId)));
	return depths.some((depth) => depth !== null && !depth.reverted);
}
