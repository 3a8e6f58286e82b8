/**
 * The work of an agent that nobody waits for, after everything that is owed: consolidations, sweeps, and coins of other assets
 * at pay-in addresses. When one part fails, the others still run.
 */
import { findArchived } from '../../archive/find.ts';
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';
import type { Chain } from '../../chains/port.ts';
import { sumOf } from '../../money/units.ts';
import { findOrder } from '../../orders/store.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import type { AgentsEnv } from '../../ports/env.ts';
import type { Market } from '../../pricing/market.ts';
import type { Connection } from '../connection.ts';
import { isScreeningOn } from '../screening/service.ts';
import { lookAtArchived, lookAtBatch, nextBatch } from '../strays/archived.ts';
import { type LookedUntil, lookForStrays, ordersToLook } from '../strays/find.ts';
import { lookUp } from '../strays/named.ts';
import type { NamedOn } from '../strays/named-answer.ts';
import { planStrays } from '../strays/plan.ts';
import { isPaidByMistake } from '../strays/store.ts';
import { sweepArchived } from '../strays/sweep-archived.ts';
import { planTokens } from '../strays/tokens.ts';
import { recordUnlisted } from '../strays/unlisted.ts';
import type { Timing } from '../sweeps/cheap-hours.ts';
import { planConsolidation, planSweeps } from '../sweeps/plan.ts';
import type { AgentStorage } from './copy.ts';
import type { ErrorMemory } from './last-error.ts';

/** Young addresses are looked at so often, or after so many polls, if that is sooner. */
const LOOK_MILLISECONDS = 300_000;
const POLLS_PER_LOOK = 60;
/** Where each address costs requests of its own, a batch of archived orders is looked at so often. */
const COSTLY_LOOK_MILLISECONDS = HOUR_MILLISECONDS;

type ChainOn = (network: NetworkName, hotAddress: string) => Chain;

export class Background {
	readonly #env: AgentsEnv;
	readonly #errors: ErrorMemory;
	readonly #stored: AgentStorage;
	readonly #chainOn: ChainOn;
	/** Unix milliseconds of the last look at young addresses. */
	#lookedAt = 0;
	#lookedUntil: LookedUntil = new Map();
	/** When archived orders' addresses were last looked at. */
	#archivedAt = 0;
	/** Unix milliseconds: no stray is to be judged before. */
	#dueAt = 0;

	constructor(env: AgentsEnv, errors: ErrorMemory, stored: AgentStorage, chainOn: ChainOn) {
		this.#env = env;
		this.#chainOn = chainOn;
		this.#errors = errors;
		this.#stored = stored;
	}

	/** `pace`: milliseconds from poll to poll. `isStill`: D1 has nothing that is to be moved (`hasWork`). */
	async run(
		connection: Connection,
		market: Market | null,
		timing: Timing,
		{ pace, isStill }: { readonly pace: number; readonly isStill: boolean },
	): Promise<void> {
		const { attempt } = this.#errors;
		const planning = { ...connection, market, timing, now: Date.now() };
		await attempt('consolidation', () => planConsolidation(planning));
		const isLookDue = planning.now - this.#lookedAt >= Math.min(LOOK_MILLISECONDS, POLLS_PER_LOOK * pace);
		if (isLookDue) await attempt('archived addresses', () => this.#lookAtArchived(connection));
		await attempt('strays', async () => {
			if (isLookDue) await this.#lookOn(connection);
			if (!isLookDue && (isStill || planning.now < this.#dueAt)) return;
			const strayDue = await planStrays({
				...planning,
				isScreening: isScreeningOn(this.#env),
				// Networks that share addresses share the hot wallet's.
				chainOn: (name) => this.#chainOn(name, connection.hotAddress),
			});
			this.#dueAt = Math.min(strayDue, await planTokens(planning));
		});
		if (isStill) return;
		await attempt('sweeps', () => planSweeps(planning));
		await attempt('archived sweeps', () => sweepArchived(this.#env, planning));
	}

	/** Looks at one order's address now. False where the network has nothing to do with it. @throws ChainUnavailable */
	async find(connection: Connection, orderId: string): Promise<boolean> {
		const order = await findOrder(connection.db, orderId);
		if (!order) return this.#findArchived(connection, orderId);
		if (!connection.chain.lying || !isPaidByMistake(connection.network, order.fromNetwork)) return false;
		const now = Date.now();
		await lookForStrays(connection, [order], now);
		const tokens = Map.groupBy((await connection.chain.unlisted?.(order.payInAddress)) ?? [], ({ token }) => token);
		const sums = [...tokens].map(([token, held]) => [token, sumOf(held)] as const);
		await recordUnlisted(connection, order, new Map(sums), now);
		this.#dueAt = 0;
		return true;
	}

	async #findArchived(connection: Connection, orderId: string): Promise<boolean> {
		const archived = await findArchived(connection.db, this.#env, orderId);
		if (!archived || !connection.chain.sweeping || !isPaidByMistake(connection.network, archived.order.fromNetwork))
			return false;
		await lookAtArchived(connection, [archived], Date.now());
		return true;
	}

	/** As `ChainAgentRpc.lookUp`. */
	async lookUp(connection: Connection, orderId: string, txId: string): Promise<NamedOn> {
		const { db, network } = connection;
		const live = await findOrder(db, orderId);
		const archived = live ? null : await findArchived(db, this.#env, orderId);
		const order = live ?? archived?.order;
		if (!order || !isPaidByMistake(network, order.fromNetwork)) return 'nothing';
		const now = Date.now();
		const found = await lookUp(connection.chain, order, { txId, now }, async (tokens) => {
			if (archived) return lookAtArchived(connection, [archived], now);
			await lookForStrays(connection, [order], now);
			await recordUnlisted(connection, order, tokens, now);
		});
		this.#dueAt = 0;
		return found;
	}

	async #lookAtArchived(connection: Connection): Promise<void> {
		const { db, network, chain } = connection;
		const now = Date.now();
		if (!chain.lying || !chain.sweeping) return;
		if (networkNamed(network).family === 'tron' && now - this.#archivedAt < COSTLY_LOOK_MILLISECONDS) return;
		this.#archivedAt = now;
		const batch = await nextBatch(db, this.#stored.archivedBelow());
		// First, so that one that cannot be read is passed over.
		this.#stored.noteArchived(batch?.number ?? null);
		if (batch) await lookAtBatch(this.#env, connection, batch, now);
	}

	async #lookOn(connection: Connection): Promise<void> {
		this.#lookedAt = Date.now();
		if (!connection.chain.lying) return;
		const [now, after] = [this.#lookedAt, this.#lookedUntil];
		const asked = { after, now, lookedAt: this.#stored.lookedAt() };
		const { looked, until, ended } = await ordersToLook(connection.db, connection.network, asked);
		await lookForStrays(connection, looked, now);
		this.#lookedUntil = until;
		this.#stored.noteLook(ended, now);
	}
}
