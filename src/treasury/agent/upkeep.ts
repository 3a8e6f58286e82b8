/**
 * The measurements of an agent now and then, beside its polls: fees, what the hot wallet holds and owes, and what a
 * deposit costs the house. It is the report to RateBook that quotes use.
 */
import { type AssetId, assetOf, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { type NetworkMode, offeredAssets } from '../../chains/configuration.ts';
import { ChainUnavailable } from '../../chains/errors.ts';
import { objectNamed } from '../../platform/region.ts';
import type { AgentsEnv } from '../../ports/env.ts';
import { type HouseCosts, type Market, type NetworkReport, usdPrice } from '../../pricing/market.ts';
import { feeInAsset } from '../../pricing/network-fee.ts';
import type { Connection } from '../connection.ts';
import { BalanceReserve } from '../ledger/reserve.ts';
import { WalletRecord } from '../ledger/wallet-record.ts';
import { owedNow } from '../ledger/wallet-store.ts';
import { CheapHours, neededNow, type Timing } from '../sweeps/cheap-hours.ts';
import type { ErrorMemory } from './last-error.ts';

/** How often. */
const UPKEEP_MILLISECONDS = 10_000;
/** Or after this many polls, if that is sooner: the operator may have set a faster pace. */
const POLLS_PER_UPKEEP = 4;
/** At the slow pace every second poll, or each where that is slower: a report holds for three minutes (`pricing/market.ts`). */
const IDLE_POLLS_PER_UPKEEP = 1.5;
const IDLE_UPKEEP_MILLISECONDS = 75_000;

export class Upkeep {
	readonly #env: AgentsEnv;
	readonly #storage: DurableObjectStorage;
	readonly #errors: ErrorMemory;
	readonly #reserve = new BalanceReserve();
	readonly #cheapHours: CheapHours;
	/** Unix milliseconds of the last upkeep that worked. */
	#doneAt = 0;
	#reserves: Partial<Record<AssetId, bigint>> = {};
	readonly #costs: Partial<Record<AssetId, HouseCosts>> = {};
	/** The last upkeep had no price to count a fee in, so an asset is not quoted until the next. */
	lacksPrice = false;
	#measured: Omit<NetworkReport, 'at' | 'unseenSince'> | null = null;
	/** Whether sweeps may go now, by the last upkeep that worked. */
	timing: Timing = { isCheap: false, needed: [] };

	constructor(env: AgentsEnv, storage: DurableObjectStorage, errors: ErrorMemory) {
		this.#env = env;
		this.#storage = storage;
		this.#errors = errors;
		this.#cheapHours = new CheapHours(storage);
	}

	/** `isIdle`: the poll came at the slow pace. A figure that somebody wants sooner has made it come at the other. */
	isDue(now: number, { pollSeconds, idleSeconds }: NetworkMode, isIdle: boolean): boolean {
		const usual = Math.min(UPKEEP_MILLISECONDS, POLLS_PER_UPKEEP * pollSeconds * 1000);
		const idle = Math.min(IDLE_UPKEEP_MILLISECONDS, IDLE_POLLS_PER_UPKEEP * idleSeconds * 1000);
		return now - this.#doneAt >= (isIdle ? Math.max(usual, idle) : usual);
	}

	/**
	 * `height`: of the best block that the last poll saw; null before the first. @throws where the network does not
	 * answer
	 */
	async run(connection: Connection, market: Market | null, height: number | null, now: number): Promise<void> {
		const { db, network, chain, hotAddress } = connection;
		const assets = assetsOn(this.#env, network);
		const fees = await this.#measureCosts(connection, assets, market, now);
		// When the balance cannot be read, the last figure stays and the fees are still reported.
		await this.#errors.attempt('reserves', async () => {
			await this.#measureReserves(connection, assets);
			await this.#compareReserve(connection, height, now);
		});
		const owed = await owedNow(db, network, chain);
		if (chain.sweeping)
			this.timing = this.#timing({ native: nativeAsset(network), assets }, { owed, fees }, market, now);
		this.#doneAt = now;
		this.#measured = {
			fees: asTexts(fees),
			reserves: asTexts(this.#reserves),
			owed: asTexts(owed),
			costs: this.#costs,
			hotAddress,
		};
	}

	/** An asset that cannot be read keeps its last figure. @throws ChainUnavailable where there is one */
	async #measureReserves({ chain }: Connection, assets: readonly AssetId[]): Promise<void> {
		if (!chain.reserves) {
			for (const code of assets) this.#reserves[code] = await chain.balance(code);
			return;
		}
		const read = await chain.reserves(assets);
		Object.assign(this.#reserves, Object.fromEntries(read));
		const unread = assets.filter((code) => !read.has(code));
		if (unread.length > 0) throw new ChainUnavailable(`the balance of ${unread.join(', ')} cannot be read`);
	}

	/**
	 * Reports to RateBook what was measured at `now`; does nothing if measuring failed. A network is traded on only
	 * while its deposits are seen, so `seen` is of the last poll that worked; null before the first.
	 */
	async report(
		{ network }: Connection,
		seen: Pick<NetworkReport, 'at' | 'unseenSince'> | null,
		now: number,
	): Promise<void> {
		if (this.#doneAt !== now || !this.#measured || !seen) return;
		await objectNamed(this.#env, this.#env.RATE_BOOK, 'book').report(network, { ...this.#measured, ...seen });
	}

	/**
	 * Returns the fees. Of what an asset costs the house, the last figures stay where there are no new ones. An asset that
	 * never had any is not traded (`limits.ts`). @throws where the costs of the native coin are not known: then the network
	 * is down
	 */
	async #measureCosts(
		{ network, chain }: Connection,
		assets: readonly AssetId[],
		market: Market | null,
		now: number,
	): Promise<Partial<Record<AssetId, bigint>>> {
		const fees: Partial<Record<AssetId, bigint>> = {};
		const native = nativeAsset(network);
		this.lacksPrice = false;
		const costsOf = await chain.costsNow();
		const measure = async (code: AssetId) => {
			const { fee, house = { deposit: 0n, recipient: 0n } } = await costsOf(code);
			this.#costs[code] = { deposit: house.deposit.toString(), recipient: house.recipient.toString() };
			const inAsset = feeInAsset(fee, code, market, now);
			// Without a fresh price to convert the fee, the asset has no fee and is not quoted.
			if (inAsset !== null) fees[code] = inAsset;
			else this.lacksPrice = true;
		};
		await measure(native);
		for (const code of assets.filter((each) => each !== native))
			await this.#errors.attempt(`costs of ${code}`, () => measure(code));
		return fees;
	}

	/** `assets`: of one network; `owed`, `fees`: in their base units. */
	#timing(
		{ native, assets }: { readonly native: AssetId; readonly assets: readonly AssetId[] },
		{ owed, fees }: Record<'owed' | 'fees', Partial<Record<AssetId, bigint>>>,
		market: Market | null,
		now: number,
	): Timing {
		const usd = market && usdPrice(market, assetOf(native), now);
		const isCheap = this.#cheapHours.areNow(native, BigInt(this.#costs[native]?.deposit ?? '0'), usd, now);
		return { isCheap, needed: neededNow(assets, this.#reserves, owed, fees[native] ?? 0n) };
	}

	/** Runs before anything is paid in this poll, so that the books have every transaction that the balance shows. */
	async #compareReserve({ db, network, chain }: Connection, height: number | null, now: number): Promise<void> {
		if (chain.reserve !== 'balance' || height === null) return;
		const record = new WalletRecord(db, network, this.#storage);
		const feePayer = chain.sweeping?.feePayer ?? 'address';
		await this.#reserve.compare({ db, network, record, feePayer, balances: this.#reserves, height, now });
	}
}

/** The assets that this deployment can move on one network. */
export const assetsOn = (env: Parameters<typeof offeredAssets>[0], network: NetworkName): AssetId[] =>
	offeredAssets(env).filter((code) => assetOf(code).network === network);

/** Base units as they cross JSON. */
const asTexts = (units: Partial<Record<AssetId, bigint>>): Partial<Record<AssetId, string>> =>
	Object.fromEntries(Object.entries(units).map(([code, amount]) => [code, amount.toString()]));
