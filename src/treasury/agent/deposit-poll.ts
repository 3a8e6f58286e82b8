/**
 * The part of a poll that finds deposits. It asks the chain, records, settles, and wakes the agents that have to pay.
 * The cursor is stored only after everything before it is recorded: after a crash the next poll reads that part of the
 * chain again.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { networkMode } from '../../chains/configuration.ts';
import { keyRing } from '../../crypto/key-ring.ts';
import type { WaitingDeposit } from '../../orders/progress.ts';
import { log } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import type { AgentsEnv } from '../../ports/env.ts';
import { wakeWebhooks } from '../../ports/wake.ts';
import type { Market, NetworkReport } from '../../pricing/market.ts';
import type { Connection } from '../connection.ts';
import { type DepositDepth, pollChain } from '../deposits/record.ts';
import { settleOrders } from '../deposits/settle.ts';
import { type Best, bestOf, stalledText } from '../deposits/stalled.ts';
import { Arrivals } from '../deposits/unattributed.ts';
import { summaryOf, type UnseenSince, unseenAfter } from '../deposits/unseen.ts';
import { bookCredits } from '../ledger/reserve.ts';
import { Screener } from '../screening/screener.ts';
import { isScreeningOn } from '../screening/service.ts';
import { isReadOnce } from '../sweeps/swept.ts';
import { type Listed, paymentsOf } from './funds.ts';
import type { ErrorMemory } from './last-error.ts';
import { hasWork } from './pace.ts';

/** When nothing new is found, the position is stored this often. */
const POSITION_MILLISECONDS = 10_000;

/** In the agent's storage. */
interface Position {
	readonly cursor: string;
	/** Unix milliseconds of the poll that reached it. */
	readonly at: number;
	/** Counts polls (`watch-list.ts`). */
	readonly turn: number;
	/** Assets that this poll could not see. */
	readonly unseenSince: UnseenSince;
}

export class DepositPoll {
	readonly #env: AgentsEnv;
	readonly #storage: DurableObjectStorage;
	readonly #errors: ErrorMemory;
	readonly #wake: (network: NetworkName) => Promise<void>;
	#screener: Screener | null = null;
	#count: number | null = null;
	#arrivals: Arrivals | null = null;
	readonly waiting = new WaitingDeposits();
	/** The best block that the last poll saw; null before the first. */
	best: Best | null = null;
	/** Null where addresses are queried, and before the first poll. */
	listed: Listed | null = null;
	/** The last poll came at the slow pace and found nothing to do here, neither in D1 nor on the chain. */
	isStill = false;
	/** The view of the last poll that worked; null before the first. */
	seen: Pick<NetworkReport, 'at' | 'unseenSince'> | null = null;

	/** `wake`: makes the agent poll again at once. */
	constructor(
		env: AgentsEnv,
		storage: DurableObjectStorage,
		errors: ErrorMemory,
		wake: (network: NetworkName) => Promise<void>,
	) {
		this.#env = env;
		this.#storage = storage;
		this.#errors = errors;
		this.#wake = wake;
	}

	/**
	 * Has a poll ever worked? Until then no address is given out: a family that reads the chain from its first position
	 * on would never see what was paid before. Once there is a position, the polls after an outage of any length catch
	 * up.
	 */
	async hasWorked(): Promise<boolean> {
		return (await this.#position()) !== undefined;
	}

	/** `wasIdle`: the poll came at the slow pace. @throws where the chain does not answer */
	async run(
		{ db, network, chain, hotAddress }: Connection,
		market: Market | null,
		{ now, wasIdle }: { readonly now: number; readonly wasIdle: boolean },
	): Promise<void> {
		this.isStill = false;
		const isIdle = wasIdle && !(await hasWork(db, network, now));
		const position = await this.#position();
		// Counts failed polls too, because an address of this turn may be the cause of the failure.
		this.#count = (this.#count ?? position?.turn ?? 0) + 1;
		const count = this.#count;
		const known = { unseenSince: position?.unseenSince ?? {}, lastPollAt: position?.at ?? null };
		const poll = { db, network, chain, market, now, count, isIdle, ...known };
		this.#arrivals ??= new Arrivals(db, network);
		const start = position?.cursor ?? null;
		const from = chain.reserve === 'credits' ? await this.#arrivals.start(start) : start;
		const scanned = await pollChain(poll, from);
		const { orderIds, cursor, deposits, depths, height, anomalies, unseen } = scanned;
		if (isReadOnce(network)) this.listed = { start: cursor, payments: new Map() };
		this.waiting.note(depths, now);
		for (const anomaly of anomalies) log('chain_anomaly', { network, anomaly });
		// An asset for which a node did not answer may be read at the next poll; the rest was found once.
		if (unseen) this.#errors.failed('assets', summaryOf(anomalies));
		else this.#errors.worked('assets');
		if (anomalies.length > 0 && !unseen) this.#errors.note('deposits', summaryOf(anomalies));
		const unseenSince = unseenAfter(unseen ?? [], position ?? null, now);
		this.seen = { at: now, unseenSince };
		if (chain.reserve === 'credits') await bookCredits(db, { network, hotAddress }, deposits, now);
		const ofNobody = scanned.elsewhere.filter(({ address }) => address !== hotAddress);
		const found = [...ofNobody, ...(scanned.locked ?? [])];
		if (scanned.settled !== undefined) {
			await this.#arrivals.store({ cursor, settled: scanned.settled, readFrom: scanned.readFrom ?? null, found }, now);
			this.listed = { start: from, payments: paymentsOf(scanned, hotAddress) };
		}
		this.#noteStalled(network, height, now);
		// A poll that found nothing is stored only now and then. An older `at` is in the payer's favour.
		if (cursor !== position?.cursor || now - position.at > POSITION_MILLISECONDS)
			await this.#storage.put('position', { cursor, at: now, turn: count, unseenSince } satisfies Position);
		const sealKeys = keyRing(this.#env, 'SEAL_KEY');
		const settled = await settleOrders({ db, network, sealKeys, screener: this.#screenerOf(network) }, orderIds, {
			market,
			now,
		});
		await wakeWebhooks(this.#env.WEBHOOKS, settled.eventIds);
		// This network's own payouts come later in this poll.
		const others = settled.payoutNetworks.filter((name) => name !== network);
		await Promise.all(others.map((name) => objectNamed(this.#env, this.#env.CHAIN_AGENT, name).wake(name)));
		this.isStill = isIdle && settled.orderIds.length === 0;
	}

	#position(): Promise<Position | undefined> {
		return this.#storage.get<Position>('position');
	}

	#screenerOf(network: NetworkName): Screener | null {
		if (!isScreeningOn(this.#env)) return null;
		this.#screener ??= new Screener(this.#env, () => this.#wake(network));
		return this.#screener;
	}

	#noteStalled(network: NetworkName, height: number, now: number): void {
		this.best = bestOf(this.best, height, now);
		// On a sandbox ledger there is a new block only with each payment.
		if (networkMode(this.#env, network)?.on !== 'nodes') return;
		const stalled = stalledText(network, this.best, now);
		if (stalled) this.#errors.note('deposits', stalled);
	}
}

/** A deposit that no poll saw for so long is not shown. Where many are open, not every poll asks about each. */
const KEPT_MILLISECONDS = 300_000;

class WaitingDeposits {
	readonly #orders = new Map<string, WaitingDeposit & { readonly at: number }>();

	/** Takes the deposits that one poll saw. */
	note(seen: readonly DepositDepth[], now: number): void {
		for (const [orderId, { at }] of this.#orders) if (at < now - KEPT_MILLISECONDS) this.#orders.delete(orderId);
		const noted = new Map<string, DepositDepth>();
		for (const depth of seen) {
			const other = noted.get(depth.orderId);
			if (!other || depth.confirmations < other.confirmations) noted.set(depth.orderId, depth);
		}
		for (const [orderId, { confirmations, usdCents, raisedBlocks }] of noted)
			this.#orders.set(orderId, { confirmations, usdCents, raisedBlocks, at: now });
	}

	/** The deposits of these orders that are known, by the order's id. */
	of(orderIds: readonly string[]): Record<string, WaitingDeposit> {
		return Object.fromEntries(
			orderIds.flatMap((orderId) => {
				const noted = this.#orders.get(orderId);
				if (!noted) return [];
				const { confirmations, usdCents, raisedBlocks } = noted;
				return [[orderId, { confirmations, usdCents, raisedBlocks }]];
			}),
		);
	}
}
