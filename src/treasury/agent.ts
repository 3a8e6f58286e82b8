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
import { type AssetId, assetOf } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { networkMode, offeredAssets } from '../chains/configuration.ts';
import type { Chain } from '../chains/port.ts';
import { chainOf } from '../chains/registry.ts';
import type { Env } from '../env.ts';
import { logError } from '../http/log.ts';
import type { Market } from '../pricing/market.ts';
import { feeInAsset } from '../pricing/network-fee.ts';
import { kickWebhooks } from '../webhooks/kick.ts';
import { depositAddresses } from './balances.ts';
import { payOut } from './pay.ts';
import { refillPool } from './pool.ts';
import { settleOrders } from './settle.ts';
import { lookAtChain } from './watch.ts';

/** Whoever pays on the sandbox kicks its agent; this is for what only time brings. */
const SANDBOX_POLL_MILLISECONDS = 2_000;
/** Fees and reserves are asked for, told to RateBook, and the pool is counted, this often. */
const UPKEEP_MILLISECONDS = 10_000;
/** Where a quiet chain was looked at last is stored this often. */
const POSITION_MILLISECONDS = 10_000;
/** An alarm this late was lost. */
const LATE_MILLISECONDS = 30_000;

interface Position {
	readonly cursor: string;
	/** Unix milliseconds of the look that reached it. */
	readonly at: number;
}

export class ChainAgent extends DurableObject<Env> {
	#chain: Chain | null = null;
	#upkeepAt = 0;
	#fees: Partial<Record<AssetId, bigint>> = {};
	#reserves: Partial<Record<AssetId, bigint>> = {};
	#ticking = false;
	#kicked = false;

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
		const chain = await this.#connected(network);
		const found = this.#assetsOn(network).map(async (code) => [code, await chain.balance(code)] as const);
		return Object.fromEntries(await Promise.all(found));
	}

	/** For `ledger check`: what our addresses hold, base units. @throws where the chain does not answer */
	async holdings(network: NetworkName): Promise<Partial<Record<AssetId, bigint>>> {
		const chain = await this.#connected(network);
		const addresses = await depositAddresses(drizzle(this.env.DB), network);
		const found = this.#assetsOn(network).map(async (code) => {
			const holding = await chain.holdings(code, addresses.get(code) ?? []);
			return [code, holding] as const;
		});
		return Object.fromEntries(await Promise.all(found));
	}

	override async alarm(): Promise<void> {
		const network = await this.ctx.storage.get<NetworkName>('network');
		const mode = network && networkMode(this.env, network);
		if (!network || !mode) return;
		this.#ticking = true;
		this.#kicked = false;
		const started = Date.now();
		try {
			await this.#tick(network, started);
		} catch (error) {
			logError('tick_failed', error, { network });
		} finally {
			this.#ticking = false;
			const pause = mode.on === 'sandbox' ? SANDBOX_POLL_MILLISECONDS : mode.pollSeconds * 1000;
			await this.ctx.storage.setAlarm(this.#kicked ? Date.now() + 1 : Math.max(Date.now() + 1, started + pause));
		}
	}

	async #tick(network: NetworkName, now: number): Promise<void> {
		const db = drizzle(this.env.DB);
		const chain = await this.#connected(network);
		if (now - this.#upkeepAt >= UPKEEP_MILLISECONDS)
			await this.#attempt('upkeep', () => this.#keepUp(db, network, chain, now));
		const market = await this.#market(network);
		await this.#attempt('look', () => this.#look(db, network, chain, market, now));
		await this.#attempt('pay', async () => {
			const paying = { db, network, chain, signer: this.env.SIGNER, now: Date.now() };
			await kickWebhooks(this.env.WEBHOOKS, await payOut(paying));
		});
	}

	async #connected(network: NetworkName): Promise<Chain> {
		this.#chain ??= await this.#connect(network);
		return this.#chain;
	}

	/** The node must see the payout wallet as well: change comes back to it. */
	async #connect(network: NetworkName): Promise<Chain> {
		const hotAddress = await this.env.SIGNER.hotAddress(network);
		const chain = chainOf(this.env, network, hotAddress);
		await chain.register([{ index: -1, address: hotAddress }]);
		return chain;
	}

	/** Looks, records, settles. The cursor moves only after what it passed has been recorded. */
	async #look(
		db: DrizzleD1Database,
		network: NetworkName,
		chain: Chain,
		market: Market | null,
		now: number,
	): Promise<void> {
		const position = await this.ctx.storage.get<Position>('position');
		const look = { db, network, chain, market, fees: this.#fees, now, lastLookAt: position?.at ?? null };
		const { orderIds, cursor } = await lookAtChain(look, position?.cursor ?? null);
		// A look that found nothing is worth a write only now and then: an older `at` favours the payer.
		if (cursor !== position?.cursor || now - position.at > POSITION_MILLISECONDS) {
			await this.ctx.storage.put('position', { cursor, at: now } satisfies Position);
		}
		const { eventIds, payoutNetworks } = await settleOrders(db, network, orderIds, market, now);
		await kickWebhooks(this.env.WEBHOOKS, eventIds);
		await Promise.all(payoutNetworks.map((name) => this.#kickPayer(network, name)));
	}

	async #kickPayer(network: NetworkName, payer: NetworkName): Promise<void> {
		// Our own payouts come later in this tick.
		if (payer !== network) await this.env.CHAIN_AGENT.getByName(payer).kick(payer);
	}

	async #keepUp(db: DrizzleD1Database, network: NetworkName, chain: Chain, now: number): Promise<void> {
		const assets = this.#assetsOn(network);
		const market = await this.#market(network);
		const fees: Partial<Record<AssetId, bigint>> = {};
		for (const code of assets) {
			const fee = feeInAsset(await chain.feeEstimate(code), code, market, now);
			// Without a fee the asset is not quoted until there are fresh prices to tell it by.
			if (fee !== null) fees[code] = fee;
		}
		this.#fees = { ...this.#fees, ...fees };
		// A reserve is shown, not dealt on: where the wallet does not tell it, the last figure stays and the fees count.
		await this.#attempt('reserves', async () => {
			for (const code of assets) this.#reserves[code] = await chain.balance(code);
		});
		const report = { at: now, fees: asTexts(fees), reserves: asTexts(this.#reserves) };
		await this.env.RATE_BOOK.getByName('book').report(network, report);
		this.#upkeepAt = now;
		await refillPool(db, network, chain, this.env.SIGNER, now);
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
		}
	}
}

/** Base units as they cross JSON. */
const asTexts = (units: Partial<Record<AssetId, bigint>>): Partial<Record<AssetId, string>> =>
	Object.fromEntries(Object.entries(units).map(([code, amount]) => [code, amount.toString()]));
