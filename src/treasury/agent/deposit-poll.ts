/**
 * The part of a poll that finds deposits: asks the chain, records, settles, wakes what must go on. The cursor is stored only
 * after everything that it passed is recorded: a crash makes the next poll read the same part of the chain again.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { networkMode } from '../../chains/configuration.ts';
import { keyRing } from '../../crypto/key-ring.ts';
import type { Env } from '../../env.ts';
import { log } from '../../log.ts';
import type { Market, NetworkReport } from '../../pricing/market.ts';
import { wakeWebhooks } from '../../webhooks/wake.ts';
import { pollChain } from '../deposits/record.ts';
import { settleOrders } from '../deposits/settle.ts';
import { type Best, bestOf, stalledText } from '../deposits/stalled.ts';
import { summaryOf, type UnseenSince, unseenAfter } from '../deposits/unseen.ts';
import { bookCredits } from '../ledger/reserve.ts';
import type { Connection } from './connection.ts';
import type { ErrorMemory } from './last-error.ts';

/** Where nothing new is found, the position is stored this often. */
const POSITION_MILLISECONDS = 10_000;

/** In the agent's storage. */
interface Position {
	readonly cursor: string;
	/** Unix milliseconds of the poll that reached it. */
	readonly at: number;
	/** Counts polls (`watch-list.ts`); absent in what an older version stored. */
	readonly turn?: number;
	/** Assets that this poll could not see; absent in what an older version stored. */
	readonly unseenSince?: UnseenSince;
}

export class DepositPoll {
	readonly #env: Env;
	readonly #storage: DurableObjectStorage;
	readonly #errors: ErrorMemory;
	#count: number | null = null;
	/** The best block that the last poll saw; null before the first. */
	best: Best | null = null;
	/** What the last poll that worked could see; null before the first. */
	seen: Pick<NetworkReport, 'at' | 'unseenSince'> | null = null;

	constructor(env: Env, storage: DurableObjectStorage, errors: ErrorMemory) {
		this.#env = env;
		this.#storage = storage;
		this.#errors = errors;
	}

	/**
	 * Has one ever worked? No address is given out before: families that read the chain from the first position on would
	 * never see what came to it. With a position an outage of any length is made up for.
	 */
	async hasWorked(): Promise<boolean> {
		return (await this.#position()) !== undefined;
	}

	/** `fees`: what a payment of each asset costs, base units: a deposit worth less is dust. */
	async run(
		{ db, network, chain, hotAddress }: Connection,
		fees: Readonly<Partial<Record<AssetId, bigint>>>,
		market: Market | null,
		now: number,
	): Promise<void> {
		const position = await this.#position();
		// Also after a poll that failed: an address of its turn may be what made it fail.
		this.#count = (this.#count ?? position?.turn ?? 0) + 1;
		const count = this.#count;
		const known = { unseenSince: position?.unseenSince, lastPollAt: position?.at ?? null, fees };
		const poll = { db, network, chain, market, now, count, ...known };
		const { orderIds, cursor, deposits, height, anomalies, unseen } = await pollChain(poll, position?.cursor ?? null);
		for (const anomaly of anomalies) log('chain_anomaly', { network, anomaly });
		if (anomalies.length > 0) this.#errors.note('deposits', summaryOf(anomalies));
		const unseenSince = unseenAfter(unseen ?? [], position ?? null, now);
		this.seen = { at: now, unseenSince };
		if (chain.reserve === 'credits') await bookCredits(db, network, hotAddress, deposits, now);
		this.#noteStalled(network, height, now);
		// A poll that found nothing is stored only now and then: an older `at` favours the payer.
		if (cursor !== position?.cursor || now - position.at > POSITION_MILLISECONDS)
			await this.#storage.put('position', { cursor, at: now, turn: count, unseenSince } satisfies Position);
		const sealKeys = keyRing(this.#env, 'SEAL_KEY');
		const { eventIds, payoutNetworks } = await settleOrders(db, network, orderIds, market, sealKeys, now);
		await wakeWebhooks(this.#env.WEBHOOKS, eventIds);
		// Payouts on this network come later in this poll.
		const others = payoutNetworks.filter((name) => name !== network);
		await Promise.all(others.map((name) => this.#env.CHAIN_AGENT.getByName(name).wake(name)));
	}

	#position(): Promise<Position | undefined> {
		return this.#storage.get<Position>('position');
	}

	#noteStalled(network: NetworkName, height: number, now: number): void {
		this.best = bestOf(this.best, height, now);
		// On a ledger of the sandbox blocks come with payments alone.
		if (networkMode(this.#env, network)?.on !== 'nodes') return;
		const stalled = stalledText(network, this.best, now);
		if (stalled) this.#errors.note('deposits', stalled);
	}
}
