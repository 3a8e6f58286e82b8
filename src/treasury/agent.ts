/**
 * ChainAgent: one Durable Object per network, and that network's only writer. Its alarm loop looks at the chain,
 * settles what is final, pays what is owed, and sets the next alarm at the network's pace (architecture.md). Each tick
 * starts from chain and D1, so a missed one, a restart or a reorganisation needs no path of its own. The alarm never
 * throws, and always re-arms; a part of a tick that fails leaves the other parts to run.
 *
 * It lives in `treasury`, not in `chains`: it is where orders, payouts and the chain port meet.
 */
import { DurableObject } from 'cloudflare:workers';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { type AssetId, assetOf, nativeAsset } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { type NetworkMode, networkMode, offeredAssets } from '../chains/configuration.ts';
import type { Chain, NetworkCheck } from '../chains/port.ts';
import { chainOf } from '../chains/registry.ts';
import { keyRing } from '../crypto/key-ring.ts';
import type { Env } from '../env.ts';
import { log, logError } from '../log.ts';
import { addressSealHolds, type SealedAddress } from '../orders/seal.ts';
import type { HouseCosts, Market, NetworkReport } from '../pricing/market.ts';
import { feeInAsset } from '../pricing/network-fee.ts';
import { kickWebhooks } from '../webhooks/wake.ts';
import { AddressPool, type AddressSupply, poolSize } from './addresses/supply.ts';
import type { ChainAgentRpc, Funds, Holding, Trouble } from './agent-rpc.ts';
import { lookAtChain } from './deposits/record.ts';
import { settleOrders } from './deposits/settle.ts';
import { type Best, bestOf, stalledText } from './deposits/stalled.ts';
import { summaryOf, type UnseenSince, unseenAfter } from './deposits/unseen.ts';
import { owedNow, owedUntilFinal } from './ledger/owed.ts';
import { BalanceReserve, bookCredits } from './ledger/reserve.ts';
import { WalletRecord } from './ledger/wallet-record.ts';
import { planConsolidation } from './sweeps/consolidation.ts';
import { planSweeps } from './sweeps/plan.ts';
import { openAddresses } from './sweeps/swept.ts';
import { payOut } from './transactions/pay.ts';

/** Whoever pays on the sandbox kicks its agent; this is for what only time brings. */
const SANDBOX_POLL_MILLISECONDS = 2_000;
/** Fees and reserves are asked for, told to RateBook, and free addresses are counted, this often. */
const UPKEEP_MILLISECONDS = 10_000;
/** Or after so many looks, where the operator has it look more often. */
const LOOKS_PER_UPKEEP = 4;
/** Where a quiet chain was looked at last is stored this often. */
const POSITION_MILLISECONDS = 10_000;
/** A transaction of our own is looked for every other look, at least this often. */
const LOOKS_PER_FOLLOWING = 2;
const FOLLOW_MILLISECONDS = 30_000;
/** Of what went wrong, this much is kept, characters. */
const MAX_TROUBLE = 300;
/** An alarm this late was lost. */
const LATE_MILLISECONDS = 30_000;

interface Position {
	readonly cursor: string;
	/** Unix milliseconds of the look that reached it. */
	readonly at: number;
	/** Counts looks (`watch-list.ts`); absent in what an older version stored. */
	readonly turn?: number;
	/** Assets that this look could tell nothing of; absent in what an older version stored. */
	readonly unseenSince?: UnseenSince;
}

interface Connected {
	readonly chain: Chain;
	/** The payout wallet's. */
	readonly hotAddress: string;
}

export class ChainAgent extends DurableObject<Env> implements ChainAgentRpc {
	#connection: Connected | null = null;
	readonly #reserve = new BalanceReserve();
	readonly #pool = new AddressPool(this.ctx.storage);
	/** The best block that the last look saw; null before the first. */
	#best: Best | null = null;
	/** What the last look that worked could see; null before the first. */
	#seen: Pick<NetworkReport, 'at' | 'unseenSince'> | null = null;
	#upkeepAt = 0;
	#fees: Partial<Record<AssetId, bigint>> = {};
	#reserves: Partial<Record<AssetId, bigint>> = {};
	#costs: Partial<Record<AssetId, HouseCosts>> = {};
	#reported: Omit<NetworkReport, 'at' | 'unseenSince'> = { fees: {}, reserves: {} };
	#ticking = false;
	#kicked = false;
	#turn: number | null = null;
	#trouble: Trouble | null = null;

	/** The watchdog's call: makes the loop run, and sets an alarm again that was lost. */
	async wake(network: NetworkName): Promise<void> {
		await this.ctx.storage.put('network', network);
		const alarm = await this.ctx.storage.getAlarm();
		const lost = alarm === null ? !this.#ticking : alarm < Date.now() - LATE_MILLISECONDS;
		if (lost) await this.ctx.storage.setAlarm(Date.now() + 1);
	}

	/** Something is to be done on this network now; the tick that follows begins after this call. */
	async kick(network: NetworkName): Promise<void> {
		await this.ctx.storage.put('network', network);
		if (this.#ticking) this.#kicked = true;
		else await this.ctx.storage.setAlarm(Date.now() + 1);
	}

	/** What the payout wallet can spend now, base units. @throws where the chain does not answer */
	async balances(network: NetworkName): Promise<Partial<Record<AssetId, bigint>>> {
		const { chain } = await this.#connected(network);
		const found = this.#assetsOn(network).map(async (code) => [code, await chain.balance(code)] as const);
		return Object.fromEntries(await Promise.all(found));
	}

	/** For `treasury`: what the payout wallet can spend of each asset, and what of that is owed. @throws as `balances` */
	async funds(network: NetworkName, assets: readonly AssetId[]): Promise<Partial<Record<AssetId, Funds>>> {
		const { chain } = await this.#connected(network);
		// What is paid between the two is then owed still: less seems free than is.
		const owed = await owedUntilFinal(drizzle(this.env.DB), network, chain);
		const found = assets.map(async (code) => [code, { held: await chain.balance(code), owed: owed[code] ?? 0n }]);
		return Object.fromEntries(await Promise.all(found));
	}

	/** For `ledger check`. @throws where the chain does not answer */
	async holdings(network: NetworkName): Promise<Partial<Record<AssetId, Holding>>> {
		const { chain } = await this.#connected(network);
		const open = await openAddresses(drizzle(this.env.DB), network, chain.sweeping?.feePayer ?? null);
		const found = this.#assetsOn(network).map(async (code) => {
			const { addresses, left } = open.get(code) ?? { addresses: [], left: 0n };
			return [code, { held: await chain.holdings(code, addresses), left }] as const;
		});
		return Object.fromEntries(await Promise.all(found));
	}

	/** For `payout settle`: is one of these transactions there, and not reverted? @throws where the chain does not answer */
	async holdsAny(network: NetworkName, txIds: readonly string[]): Promise<boolean> {
		const { chain } = await this.#connected(network);
		const depths = await Promise.all(txIds.map((txId) => chain.transactionDepth(txId)));
		return depths.some((depth) => depth !== null && !depth.reverted);
	}

	/** What last went wrong, if anything has since this object woke. */
	trouble(): Trouble | null {
		return this.#trouble;
	}

	/**
	 * Pay-in addresses for an isolate to hand out, never given to anybody before. None when there are none to be had; why,
	 * `trouble` says.
	 */
	async drawAddresses(network: NetworkName, count: number): Promise<SealedAddress[]> {
		return this.#pool.draw(count, this.#addressSupply(network));
	}

	/** For `network list`. */
	freeAddresses(): number {
		return this.#pool.free();
	}

	/** For `network check`: the nodes are asked without being told anything, so that one that is down says so. */
	async check(network: NetworkName): Promise<NetworkCheck[]> {
		return chainOf(this.env, network, await this.env.SIGNER.hotAddress(network)).check();
	}

	override async alarm(): Promise<void> {
		const network = await this.ctx.storage.get<NetworkName>('network');
		const mode = network && networkMode(this.env, network);
		if (!network || !mode) return;
		this.#ticking = true;
		this.#kicked = false;
		const started = Date.now();
		try {
			await this.#tick(network, started, pollMilliseconds(mode));
		} catch (error) {
			logError('tick_failed', error, { network });
			this.#remember('connect', error);
		} finally {
			this.#ticking = false;
			const next = started + pollMilliseconds(mode);
			await this.ctx.storage.setAlarm(this.#kicked ? Date.now() + 1 : Math.max(Date.now() + 1, next));
		}
	}

	async #tick(network: NetworkName, now: number, poll: number): Promise<void> {
		const db = drizzle(this.env.DB);
		const { chain, hotAddress } = await this.#connected(network);
		const isUpkeepDue = now - this.#upkeepAt >= Math.min(UPKEEP_MILLISECONDS, LOOKS_PER_UPKEEP * poll);
		if (isUpkeepDue) await this.#attempt('upkeep', () => this.#keepUp(db, network, { chain, hotAddress }, now));
		const market = await this.#market(network);
		await this.#attempt('look', () => this.#look(db, network, { chain, hotAddress }, market, now));
		// `keepUp` sets this; where it failed there is no price to report.
		if (isUpkeepDue && this.#upkeepAt === now) await this.#attempt('report', () => this.#report(network));
		await this.#attempt('pay', async () => {
			const followMilliseconds = Math.min(LOOKS_PER_FOLLOWING * poll, FOLLOW_MILLISECONDS);
			const paying = { db, network, chain, signer: this.env.SIGNER, followMilliseconds, now: Date.now() };
			await kickWebhooks(this.env.WEBHOOKS, await payOut(paying));
		});
		if (!isUpkeepDue) return;
		await this.#attempt('pool', () => this.#fillPool(network));
		// In the background: never in front of what is owed.
		await this.#attempt('consolidation', () =>
			planConsolidation({ db, network, chain, hotAddress, market, now: Date.now() }),
		);
		await this.#attempt('sweeps', () => planSweeps({ db, network, chain, hotAddress, market, now: Date.now() }));
	}

	async #connected(network: NetworkName): Promise<Connected> {
		this.#connection ??= await this.#connect(network);
		return this.#connection;
	}

	/** The node must see the payout wallet as well: change comes back to it. */
	async #connect(network: NetworkName): Promise<Connected> {
		const hotAddress = await this.env.SIGNER.hotAddress(network);
		const chain = chainOf(this.env, network, hotAddress);
		await chain.register([{ index: -1, address: hotAddress }]);
		return { chain, hotAddress };
	}

	/** Looks, records, settles. The cursor moves only after what it passed has been recorded. */
	async #look(
		db: DrizzleD1Database,
		network: NetworkName,
		{ chain, hotAddress }: Connected,
		market: Market | null,
		now: number,
	): Promise<void> {
		const position = await this.ctx.storage.get<Position>('position');
		// Also after a look that failed: what made it fail may be one of the addresses whose turn it was.
		this.#turn = (this.#turn ?? position?.turn ?? 0) + 1;
		const turn = this.#turn;
		const lastLookAt = position?.at ?? null;
		const known = { unseenSince: position?.unseenSince, lastLookAt, fees: this.#fees };
		const look = { db, network, chain, market, now, turn, ...known };
		const { orderIds, cursor, deposits, height, ...seen } = await lookAtChain(look, position?.cursor ?? null);
		for (const oddity of seen.oddities) log('chain_odd', { network, oddity });
		if (seen.oddities.length > 0) this.#remember('look', summaryOf(seen.oddities));
		const unseenSince = unseenAfter(seen.unseen ?? [], position ?? null, now);
		this.#seen = { at: now, unseenSince };
		if (chain.reserve === 'credits') await bookCredits(db, network, hotAddress, deposits, now);
		this.#best = bestOf(this.#best, height, now);
		// On a ledger of the sandbox a block comes with a payment alone.
		const stalled = networkMode(this.env, network)?.on === 'nodes' && stalledText(network, this.#best, now);
		if (stalled) this.#remember('look', stalled);
		// A look that found nothing is worth a write only now and then: an older `at` favours the payer.
		if (cursor !== position?.cursor || now - position.at > POSITION_MILLISECONDS) {
			await this.ctx.storage.put('position', { cursor, at: now, turn, unseenSince } satisfies Position);
		}
		const { eventIds, payoutNetworks } = await settleOrders(
			db,
			network,
			orderIds,
			market,
			keyRing(this.env, 'SEAL_KEY'),
			now,
		);
		await kickWebhooks(this.env.WEBHOOKS, eventIds);
		await Promise.all(payoutNetworks.map((name) => this.#kickPayer(network, name)));
	}

	async #kickPayer(network: NetworkName, payer: NetworkName): Promise<void> {
		// Our own payouts come later in this tick.
		if (payer !== network) await this.env.CHAIN_AGENT.getByName(payer).kick(payer);
	}

	async #keepUp(
		db: DrizzleD1Database,
		network: NetworkName,
		{ chain, hotAddress }: Connected,
		now: number,
	): Promise<void> {
		const assets = this.#assetsOn(network);
		const market = await this.#market(network);
		const fees: Partial<Record<AssetId, bigint>> = {};
		const native = nativeAsset(network);
		const estimate = async (code: AssetId) => {
			const fee = feeInAsset(await chain.feeEstimate(code), code, market, now);
			// Without a fee the asset is not quoted until there are fresh prices to tell it by.
			if (fee !== null) fees[code] = fee;
		};
		// Where the coin's own is not to be had the network is down; one token's trouble is that token's alone.
		await estimate(native);
		for (const code of assets.filter((each) => each !== native))
			await this.#attempt(`fee of ${code}`, () => estimate(code));
		this.#fees = { ...this.#fees, ...fees };
		// Where the wallet does not tell its reserve, the last figure stays and the fees count.
		await this.#attempt('reserves', async () => {
			for (const code of assets) this.#reserves[code] = await chain.balance(code);
			await this.#compareReserve(db, network, chain, now);
		});
		for (const code of assets) await this.#attempt(`costs of ${code}`, () => this.#estimateCosts(chain, code));
		const owed = asTexts(await owedNow(db, network, chain));
		this.#upkeepAt = now;
		this.#reported = { fees: asTexts(fees), reserves: asTexts(this.#reserves), owed, costs: this.#costs, hotAddress };
	}

	/** A network deals for as long as its deposits are seen, so what counts is the last look that worked. */
	async #report(network: NetworkName): Promise<void> {
		if (this.#seen === null) return;
		await this.env.RATE_BOOK.getByName('book').report(network, { ...this.#reported, ...this.#seen });
	}

	/** In the background: nothing that is owed waits for addresses. */
	async #fillPool(network: NetworkName): Promise<void> {
		if (await this.#hasLooked()) this.#pool.topUp(this.#addressSupply(network));
	}

	/** The last estimate stays where there is no new one. An asset that never had one is not dealt in (`limits.ts`). */
	async #estimateCosts(chain: Chain, code: AssetId): Promise<void> {
		const { deposit, recipient } = (await chain.houseCosts?.(code)) ?? { deposit: 0n, recipient: 0n };
		this.#costs = { ...this.#costs, [code]: { deposit: deposit.toString(), recipient: recipient.toString() } };
	}

	/**
	 * Only once a look has worked: families that read the chain from there on would never see what came to an address that
	 * was shown before. Then the position is on record, and an outage of any length is made up for.
	 */
	async #hasLooked(): Promise<boolean> {
		return (await this.ctx.storage.get<Position>('position')) !== undefined;
	}

	#addressSupply(network: NetworkName): AddressSupply {
		return {
			network,
			full: poolSize(this.env.ADDRESS_POOL),
			newAddresses: async (count, above) => {
				if (!(await this.#hasLooked())) throw new Error('no look at the chain has worked yet');
				const { chain } = await this.#connected(network);
				const addresses = await this.env.SIGNER.newAddresses(network, count, above);
				const [first] = addresses;
				if (!first || !(await addressSealHolds(keyRing(this.env, 'SEAL_KEY'), first, first.seal)))
					throw new Error('the seal of new addresses does not hold: is SEAL_KEY the same in both Workers?');
				await chain.register(addresses.map(({ derivationIndex, address }) => ({ index: derivationIndex, address })));
				return addresses;
			},
			failed: (error) => {
				logError('pool_not_filled', error, { network });
				this.#remember('pool', error);
			},
		};
	}

	/** Before anything is paid in this tick, so that the books know all that the wallet has seen. */
	async #compareReserve(db: DrizzleD1Database, network: NetworkName, chain: Chain, now: number): Promise<void> {
		if (chain.reserve !== 'balance' || this.#best === null) return;
		const record = new WalletRecord(db, network, this.ctx.storage);
		const feePayer = chain.sweeping?.feePayer ?? 'address';
		const [balances, { height }] = [this.#reserves, this.#best];
		await this.#reserve.compare({ db, network, record, feePayer, balances, height, now });
	}

	async #market(network: NetworkName): Promise<Market | null> {
		try {
			return await this.env.RATE_BOOK.getByName('book').market();
		} catch (error) {
			logError('market_not_read', error, { network });
			return null;
		}
	}

	/** What this deployment can move on the network. */
	#assetsOn(network: NetworkName): AssetId[] {
		return offeredAssets(this.env).filter((code) => assetOf(code).network === network);
	}

	async #attempt(part: string, run: () => Promise<void>): Promise<void> {
		try {
			await run();
		} catch (error) {
			logError('tick_part_failed', error, { part, network: await this.ctx.storage.get('network') });
			this.#remember(part, error);
		}
	}

	#remember(part: string, what: unknown): void {
		const words = what instanceof Error ? what.message : String(what);
		this.#trouble = { at: Date.now(), text: `${part}: ${words.slice(0, MAX_TROUBLE)}` };
	}
}

const pollMilliseconds = (mode: NetworkMode): number =>
	mode.on === 'sandbox' ? SANDBOX_POLL_MILLISECONDS : mode.pollSeconds * 1000;

/** Base units as they cross JSON. */
const asTexts = (units: Partial<Record<AssetId, bigint>>): Partial<Record<AssetId, string>> =>
	Object.fromEntries(Object.entries(units).map(([code, amount]) => [code, amount.toString()]));
