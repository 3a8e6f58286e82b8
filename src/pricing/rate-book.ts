/**
 * RateBook: one Durable Object that builds the market snapshot every ten seconds and whenever something that is in it
 * changes, and renders the feed of it while somebody reads the feed. It never throws from its alarm (the platform drops
 * an alarm that fails too often) and always re-arms.
 */
import { DurableObject } from 'cloudflare:workers';
import { NETWORK_NAMES, type NetworkName } from '../catalog/networks.ts';
import type { Settings } from '../catalog/settings.ts';
import { loadSettings } from '../catalog/store.ts';
import { type ChainConfiguration, offeredAssets } from '../chains/configuration.ts';
import { withNetworks } from '../chains/told.ts';
import { keyRing } from '../crypto/key-ring.ts';
import { KeptDecisions } from '../decisions/kept.ts';
import { mendSettings } from '../decisions/mend.ts';
import type { Decided } from '../decisions/rules.ts';
import { codeVersion } from '../platform/d1/code-version.ts';
import { logError } from '../platform/log.ts';
import { observe } from '../platform/metrics/observe.ts';
import { MINUTE_MILLISECONDS } from '../platform/time.ts';
import { within } from '../platform/within.ts';
import type { OwnEnv } from '../ports/env.ts';
import type { RateBookRpc, Vitals } from '../ports/rate-book.ts';
import { currentPrices } from './current-prices.ts';
import { type Feed, isServable, renderFeed } from './feed.ts';
import { FEED_KEY } from './feed-reader.ts';
import { type Market, type NetworkReport, networkReport } from './market.ts';
import { MARKET_KEY, useMarket } from './market-reader.ts';
import { keptSnapshot } from './snapshot-reader.ts';

/** At least every 15 s (book: contract, "Prices"). */
const REFRESH_MILLISECONDS = 10_000;
/**
 * To render all pairs takes more time than all else here, so it ends this long after the feed was last asked for. A reader
 * of the feed asks every five seconds (`feed-reader.ts`); who comes after that waits for one rendering.
 */
const FEED_READ_MILLISECONDS = 5 * MINUTE_MILLISECONDS;
/** Networks report one after another when the service starts; one build serves them all. */
const NEW_NETWORK_MILLISECONDS = 500;
/** Longest wait for the signer's answer: prices must not wait for it. */
const SIGNER_MILLISECONDS = 3_000;
const STORED = 'market';
const CRON_AT = 'cronAt';
/** Doctors that ask at the same time. */
const MAX_PROBES = 20;

export class RateBook extends DurableObject<OwnEnv> implements RateBookRpc {
	#market: Market | null = null;
	#refreshing: Promise<Market> | null = null;
	readonly #decisions = new KeptDecisions(this.ctx.storage);
	#feed: Feed | null = null;
	#feedAskedAt = 0;
	#rendering: Promise<Feed> | null = null;
	#probes: readonly string[] = [];

	constructor(ctx: DurableObjectState, env: OwnEnv) {
		super(ctx, env);
		observe(env);
		ctx.blockConcurrencyWhile(async () => {
			this.#market = (await ctx.storage.get<Market>(STORED)) ?? null;
		});
	}

	/** The snapshot as it is now; built first where there is none. */
	async market(): Promise<Market> {
		return this.#market ?? this.#refresh();
	}

	/** The feed as it was last rendered; rendered first where there is none that may be served. */
	async feed(): Promise<Feed> {
		this.#feedAskedAt = Date.now();
		if (this.#feed && isServable(this.#feed, Date.now())) return this.#feed;
		// All who come after a quiet time wait for the same one.
		this.#rendering ??= this.market()
			.then((market) => this.#render(market))
			.finally(() => {
				this.#rendering = null;
			});
		return this.#rendering;
	}

	/** Builds the snapshot again and answers with it: a setting or a price has changed. */
	async changed(decided?: Decided): Promise<Market> {
		if (decided) this.#decisions.decide(decided);
		// One that is under way may have read what it needed before the change.
		await this.#refreshing?.catch(() => undefined);
		const market = await this.#refresh();
		// At once for the calls that this isolate answers.
		useMarket(market);
		return market;
	}

	async decide(decided: Decided): Promise<void> {
		this.#decisions.decide(decided);
	}

	/** A ChainAgent's report on its network; part of the snapshot at once. */
	async report(network: NetworkName, report: NetworkReport): Promise<void> {
		const market = await this.market();
		// Others may have reported while this one waited: what is replaced is what is there now.
		const networks = { ...(this.#market ?? market).networks, [network]: report };
		this.#market = { ...(this.#market ?? market), networks };
		await this.ctx.storage.put(STORED, this.#market);
		// A network that is new here, or was silent, is in the feed from the next build on, which need not wait for its time.
		if (networkReport(market, network, Date.now()) === null)
			await this.ctx.storage.setAlarm(Date.now() + NEW_NETWORK_MILLISECONDS);
	}

	/** For the cron: sets an alarm that was lost, and notes that the cron ran. */
	async wake(): Promise<void> {
		await this.ctx.storage.put(CRON_AT, Date.now());
		const alarm = await this.ctx.storage.getAlarm();
		if (alarm === null || alarm < Date.now() - REFRESH_MILLISECONDS) await this.ctx.storage.setAlarm(Date.now() + 1);
	}

	async probed(id: string): Promise<void> {
		this.#probes = [...this.#probes, id].slice(-MAX_PROBES);
	}

	async vitals(): Promise<Vitals> {
		const cronAt = (await this.ctx.storage.get<number>(CRON_AT)) ?? null;
		return { version: codeVersion(this.env), cronAt, probes: this.#probes };
	}

	override async alarm(): Promise<void> {
		try {
			await this.#refresh();
		} catch (error) {
			logError('market_refresh_failed', error);
		} finally {
			await this.ctx.storage.setAlarm(Date.now() + REFRESH_MILLISECONDS);
		}
	}

	#refresh(): Promise<Market> {
		this.#refreshing ??= this.#build().finally(() => {
			this.#refreshing = null;
		});
		return this.#refreshing;
	}

	async #build(): Promise<Market> {
		const env = await withNetworks(this.env, (work) => this.ctx.waitUntil(work));
		const settings = await this.#settings(env);
		const sources: Record<string, string | null> = {};
		const [prices, signer] = await Promise.all([
			currentPrices(env, this.#market?.prices ?? {}, (name, failure) => {
				sources[name] = failure;
			}),
			this.#askSigner(),
		]);
		const networks = this.#market?.networks ?? {};
		this.#market = { at: Date.now(), prices, sources, networks, settings, ...signer };
		await this.ctx.storage.put(STORED, this.#market);
		this.#share(MARKET_KEY, this.#market);
		const isFeedRead = Date.now() - this.#feedAskedAt < FEED_READ_MILLISECONDS;
		if (isFeedRead) await this.#render(this.#market).catch((error) => logError('feed_not_rendered', error));
		// One of an older snapshot may show what has ended since.
		else this.#feed = null;
		return this.#market;
	}

	/** @throws where D1 is looser than what was decided, and cannot be written: the last snapshot stays in force */
	async #settings(env: ChainConfiguration): Promise<Settings> {
		const load = () => loadSettings(this.env.DB, offeredAssets(env));
		const settings = await load();
		const mended = await mendSettings(this.env, this.#decisions, settings);
		return mended ? load() : settings;
	}

	/** A cap is configuration: while the signer cannot be asked it holds as it was last heard, and none where it never was. */
	async #askSigner(): Promise<Pick<Market, 'payoutCapUsd' | 'journalEntries'>> {
		try {
			const { payoutCapUsd, entries } = await inTime(this.env.SIGNER.limits());
			return { payoutCapUsd, journalEntries: entries };
		} catch (error) {
			logError('signer_limits_not_read', error);
			const { payoutCapUsd = null, journalEntries = null } = this.#market ?? {};
			return { payoutCapUsd, journalEntries };
		}
	}

	async #render(market: Market): Promise<Feed> {
		const feed = await renderFeed(market, Date.now());
		// A newer snapshot may have come meanwhile, with a feed of its own.
		if (market.at === this.#market?.at) {
			this.#feed = feed;
			this.#share(FEED_KEY, feed);
		}
		return feed;
	}

	/**
	 * KV takes one write a second per key and may be slow or down: a snapshot is valid without it. While no network
	 * answers there is nothing to deal on, and a cold isolate does better to ask here.
	 */
	#share(key: string, snapshot: Market | Feed): void {
		const [market, now] = [this.#market, Date.now()];
		if (!market || NETWORK_NAMES.every((name) => networkReport(market, name, now) === null)) return;
		this.ctx.waitUntil(
			this.#put(key, snapshot).catch((error) => logError('snapshot_not_shared', error, { snapshot: key })),
		);
	}

	/** @throws where KV is down, or SEAL_KEY is wrong */
	async #put(key: string, snapshot: Market | Feed): Promise<void> {
		await this.env.CACHE.put(key, await keptSnapshot(keyRing(this.env, 'SEAL_KEY'), key, snapshot));
	}
}

/** @throws Error where it takes longer than the signer is given */
const inTime = <T>(answer: Promise<T>): Promise<T> =>
	within(answer, SIGNER_MILLISECONDS, () => {
		throw new Error('no answer from the signer');
	});
