/**
 * ChainAgent: one Durable Object for each network, and that network's only writer. Its alarm polls: it finds deposits,
 * settles what is final, moves every transaction on, and sets the next alarm at the network's pace (`agent/pace.ts`). Each
 * poll reads chain and D1 again, so a missed poll or a reorganisation needs no code of its own. The alarm never throws, and sets
 * the next one. When one part of a poll fails, the others still run. What methods promise says `ports/chain-agent.ts`.
 */
import { DurableObject } from 'cloudflare:workers';
import { type AssetId, assetOf } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { NetworkMode } from '../chains/configuration.ts';
import type { Chain } from '../chains/port.ts';
import { chainOf } from '../chains/registry.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { codeVersion } from '../platform/d1/code-version.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { logError } from '../platform/log.ts';
import { flushMetrics } from '../platform/metrics/metric.ts';
import { observe } from '../platform/metrics/observe.ts';
import type { AgentCopy, ChainAgentRpc } from '../ports/chain-agent.ts';
import type { AgentsEnv } from '../ports/env.ts';
import type { ReserveClaim } from '../ports/reserves.ts';
import { wakeWebhooks } from '../ports/wake.ts';
import { marketOrNull } from '../pricing/market-now.ts';
import { AddressPool, type AddressSupply, beforeBook, newSealedAddresses, poolSize } from './addresses/supply.ts';
import { Background } from './agent/background.ts';
import { AgentStorage } from './agent/copy.ts';
import { DepositPoll } from './agent/deposit-poll.ts';
import { fundsOf, holdingsOf, holdsAny } from './agent/funds.ts';
import { errorMemory, modeOrNoted } from './agent/last-error.ts';
import { followMilliseconds, isBusy, Pace } from './agent/pace.ts';
import { SignerMemory } from './agent/signer-memory.ts';
import { assetsOn, Upkeep } from './agent/upkeep.ts';
import type { Connection } from './connection.ts';
import { signReserves } from './reserves/sign.ts';
import { screenForRefund } from './screening/orders.ts';
import { advanceTransactions } from './transactions/advance.ts';

export class ChainAgent extends DurableObject<AgentsEnv> implements ChainAgentRpc {
	readonly #errors = errorMemory(() => this.ctx.storage.get('network'));
	readonly #deposits = new DepositPoll(this.env, this.ctx.storage, this.#errors, (network) => this.wake(network));
	readonly #upkeep = new Upkeep(this.env, this.ctx.storage, this.#errors);
	readonly #pool = new AddressPool(this.ctx.storage);
	readonly #stored = new AgentStorage(this.ctx.storage);
	readonly #background = new Background(this.env, this.#errors, this.#stored, (...on) => this.#chain(...on));
	readonly #signer = new SignerMemory(this.ctx.storage, this.env.SIGNER);
	readonly #pace = new Pace(this.ctx.storage);
	#connection: Connection | null = null;

	async rearm(network: NetworkName): Promise<void> {
		await this.ctx.storage.put('network', network);
		await this.#pace.rearm();
	}

	state() {
		const { height = null } = this.#deposits.best ?? {};
		const version = codeVersion(this.env);
		return { lastError: this.#errors.last(), freeAddresses: this.#pool.free(), height, version };
	}

	async wake(network: NetworkName): Promise<void> {
		await this.ctx.storage.put('network', network);
		await this.#pace.wake();
	}

	async attend(network: NetworkName, milliseconds: number): Promise<void> {
		await this.ctx.storage.put('network', network);
		const mode = modeOrNoted(this.env, network, this.#errors);
		if (mode) await this.#pace.keep(mode, milliseconds);
	}

	async balances(network: NetworkName): Promise<Partial<Record<AssetId, bigint>>> {
		const { chain } = await this.#connected(network);
		const found = assetsOn(this.env, network).map(async (code) => [code, await chain.balance(code)] as const);
		return Object.fromEntries(await Promise.all(found));
	}

	async funds(network: NetworkName, assets: readonly AssetId[]) {
		return fundsOf(await this.#connected(network), assets);
	}

	async holdings(network: NetworkName) {
		const connection = await this.#connected(network);
		return holdingsOf(connection, assetsOn(this.env, network), this.ctx.storage, this.#deposits.listed);
	}

	async signReserves(network: NetworkName, claim: ReserveClaim) {
		return signReserves(await this.#connected(network), this.env.SIGNER, claim);
	}

	async holdsAny(network: NetworkName, txIds: readonly string[]): Promise<boolean> {
		return holdsAny(await this.#connected(network), txIds);
	}

	waitingDeposits(orderIds: readonly string[]) {
		return this.#deposits.waiting.of(orderIds);
	}

	async drawAddresses(network: NetworkName, count: number) {
		return this.#pool.draw(count, this.#addressSupply(network));
	}

	async recipientProblem(asset: AssetId, to: string): Promise<string | null> {
		const { chain } = await this.#connected(assetOf(asset).network);
		return (await chain.recipientProblem?.(asset, to)) ?? null;
	}

	async resealAddresses(network: NetworkName, change: boolean) {
		const resealed = await this.#pool.reseal(network, keyRing(this.env, 'SEAL_KEY'), change);
		if (change) this.#pool.topUp(this.#addressSupply(network));
		return resealed;
	}

	/** Does not register the hot wallet first: the check itself must report a node that is down. */
	async check(network: NetworkName, hotAddress?: string) {
		return this.#chain(network, hotAddress ?? (await this.env.SIGNER.hotAddress(network))).check();
	}

	async findStrays(network: NetworkName, orderId: string): Promise<boolean> {
		return this.#background.find(await this.#connected(network), orderId);
	}

	async lookUp(network: NetworkName, orderId: string, txId: string) {
		return this.#background.lookUp(await this.#connected(network), orderId, txId);
	}

	async screenForRefund(orderId: string): Promise<void> {
		await screenForRefund(this.env, databaseOf(this.env), orderId);
	}

	async hold(until: number): Promise<void> {
		this.#stored.hold(until);
		if (until === 0) await this.ctx.storage.setAlarm(Date.now() + 1);
	}

	async copy(): Promise<AgentCopy> {
		return this.#stored.copy();
	}

	async restore(copy: AgentCopy): Promise<void> {
		this.#stored.restore(copy);
	}

	override async alarm(): Promise<void> {
		observe(this.env);
		const network = await this.ctx.storage.get<NetworkName>('network');
		const mode = network && modeOrNoted(this.env, network, this.#errors);
		if (!network || !mode) return;
		const started = Date.now();
		if (this.#stored.heldUntil() > started) {
			await this.ctx.storage.setAlarm(started + mode.pollSeconds * 1000);
			return;
		}
		const wasIdle = this.#pace.begin(started);
		try {
			await this.#poll(network, started, mode, wasIdle);
		} catch (error) {
			logError('poll_failed', error, { network });
			this.#errors.failed('connect', error);
		} finally {
			await this.#pace.end(network, mode);
			flushMetrics();
		}
	}

	/** `wasIdle`: it came at the slow pace. @throws where there is no connection */
	async #poll(network: NetworkName, now: number, mode: NetworkMode, wasIdle: boolean): Promise<void> {
		const pace = mode.pollSeconds * 1000;
		const connection = await this.#connected(network);
		this.#errors.worked('connect');
		const { attempt } = this.#errors;
		const market = await marketOrNull(this.env);
		const isUpkeepDue = this.#upkeep.isDue(now, mode, wasIdle);
		const height = this.#deposits.best?.height ?? null;
		if (isUpkeepDue) await attempt('signer', () => this.#signer.compare(network, market?.journalEntries ?? null));
		if (isUpkeepDue) await attempt('upkeep', () => this.#upkeep.run(connection, market, height, now));
		await attempt('deposits', () => this.#deposits.run(connection, market, { now, wasIdle }));
		const { isStill } = this.#deposits;
		if (isUpkeepDue) await attempt('report', () => this.#upkeep.report(connection, this.#deposits.seen, now));
		if (!isStill)
			await attempt('transactions', async () => {
				const asked = { signer: this.#signer.asked(), switches: market?.settings ?? null, now: Date.now() };
				const context = { ...connection, ...asked, followMilliseconds: followMilliseconds(pace) };
				await wakeWebhooks(this.env.WEBHOOKS, await advanceTransactions(context));
			});
		if (isUpkeepDue) await attempt('stock', () => this.#fillPool(network));
		await attempt('signer', () => this.#signer.readOn(connection, this.#deposits.best?.height ?? null));
		if (isUpkeepDue) await this.#background.run(connection, market, this.#upkeep.timing, { pace, isStill });
		await attempt('pace', async () => {
			const isOpen = !isStill && (await isBusy(connection.db, network, now));
			if (!isOpen && !this.#upkeep.lacksPrice && !this.#errors.isFailing()) this.#pace.rest();
		});
	}

	async #connected(network: NetworkName): Promise<Connection> {
		this.#connection ??= await this.#connect(network);
		return this.#connection;
	}

	/** The hot wallet is watched too, because change comes back to it. */
	async #connect(network: NetworkName): Promise<Connection> {
		const hotAddress = await this.#signer.greet(network);
		const chain = this.#chain(network, hotAddress);
		await chain.register([{ index: -1, address: hotAddress }]);
		return { db: databaseOf(this.env), network, chain, hotAddress };
	}

	#chain(network: NetworkName, hotAddress: string): Chain {
		return chainOf(this.env, network, hotAddress, {
			storage: this.ctx.storage,
			before: () => beforeBook(databaseOf(this.env), this.env.SIGNER, network),
			isHeld: () => this.#stored.heldUntil() > Date.now(),
			...this.#signer.lent(network),
		});
	}

	/** In the background, because nothing that is owed may wait for addresses. */
	async #fillPool(network: NetworkName): Promise<void> {
		if (await this.#deposits.hasWorked()) this.#pool.topUp(this.#addressSupply(network));
	}

	#addressSupply(network: NetworkName): AddressSupply {
		return {
			network,
			full: poolSize(this.env.ADDRESS_POOL),
			newAddresses: async (count) => {
				if (!(await this.#deposits.hasWorked())) throw new Error('no poll of the chain has worked yet');
				const [connection, remembered] = [await this.#connected(network), this.#signer.remembered()];
				const supplying = { env: this.env, connection, stored: this.#stored, remembered };
				const addresses = await newSealedAddresses(supplying, count);
				this.#errors.worked('addresses');
				return addresses;
			},
			failed: (error) => {
				logError('pool_not_filled', error, { network });
				this.#errors.failed('addresses', error);
			},
		};
	}
}
