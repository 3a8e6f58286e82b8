/**
 * When may a start be called done? When a `create` on every network of the sandbox would succeed: the network is quoted
 * by the very isolate that answers callers, and its agent has addresses to give. Nodes may be down, and come when they
 * come; so may public sources of prices.
 */
import type { Miniflare } from 'miniflare';
import { nativeAsset } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { networkMode, offeredNetworks } from '../chains/configuration.ts';
import { type Market, networkReport } from '../pricing/market.ts';
import { MARKET_KEY } from '../pricing/market-reader.ts';
import { snapshotInKv } from '../pricing/snapshot-reader.ts';
import type { ChainAgentRpc } from '../treasury/agent-rpc.ts';
import { API_WORKER } from './workers.ts';

const READY_MILLISECONDS = 30_000;
const PAUSE_MILLISECONDS = 50;
/** UPSTREAM_ERROR: no fresh price, or a network that is silent. Other refusals are the operator's settings. */
const UPSTREAM_ERROR = 11;

interface Awaited {
	readonly miniflare: Miniflare;
	readonly url: string;
	/** Of the secrets: what KV holds counts only with its seal. */
	readonly sealKey: string;
	readonly variables: Readonly<Record<string, string>>;
}

/** @throws when that takes longer than 30 s. */
export async function untilServing(awaited: Awaited): Promise<void> {
	const { miniflare, url, sealKey, variables } = awaited;
	const wanted = offeredNetworks(variables).filter((network) => networkMode(variables, network)?.on === 'sandbox');
	const deadline = Date.now() + READY_MILLISECONDS;
	let waitingFor: readonly NetworkName[] = wanted;
	for (let tries = 0; waitingFor.length > 0; tries++) {
		if (Date.now() > deadline)
			throw new Error(`not serving after 30 s, waiting for ${await withReasons(miniflare, waitingFor)}`);
		if (tries > 0) await new Promise((wait) => setTimeout(wait, PAUSE_MILLISECONDS));
		// On a busy machine the first calls may fail; what counts is that they succeed in time.
		waitingFor = await missing(tries).catch(() => wanted);
	}

	async function missing(tries: number): Promise<NetworkName[]> {
		const notReady = await silentOrEmpty(miniflare, sealKey, wanted);
		return notReady.length > 0 || variables['PRICES'] === 'public' ? notReady : unquoted(url, wanted, tries);
	}
}

/** The networks, each with what last went wrong there. */
async function withReasons(miniflare: Miniflare, networks: readonly NetworkName[]): Promise<string> {
	const agents = await agentsOf(miniflare);
	const each = networks.map(async (network) => {
		const error = await agents(network)
			.lastError()
			.catch(() => null);
		return error ? `${network} (${error.text})` : network;
	});
	return (await Promise.all(each)).join(', ');
}

type Agent = Pick<ChainAgentRpc, 'freeAddresses' | 'lastError'>;

/** As the Worker calls them: every answer of an object comes later. */
async function agentsOf(miniflare: Miniflare) {
	const agents = await miniflare.getDurableObjectNamespace('CHAIN_AGENT', API_WORKER);
	return (network: NetworkName) =>
		agents.get(agents.idFromName(network)) as unknown as {
			[method in keyof Agent]: () => Promise<ReturnType<Agent[method]>>;
		};
}

/** Networks that have not reported to RateBook, or whose agents have no address to give. */
async function silentOrEmpty(
	miniflare: Miniflare,
	sealKey: string,
	wanted: readonly NetworkName[],
): Promise<NetworkName[]> {
	const books = await miniflare.getDurableObjectNamespace('RATE_BOOK', API_WORKER);
	const book = books.get(books.idFromName('book')) as unknown as { market(): Promise<Market> };
	// The first to call may read its snapshot here.
	const CACHE = (await miniflare.getKVNamespace('CACHE', API_WORKER)) as unknown as KVNamespace;
	const kept = await snapshotInKv<Market>({ CACHE, SEAL_KEY: sealKey }, MARKET_KEY, Date.now());
	const markets = [await book.market(), ...(kept ? [kept] : [])];
	const now = Date.now();
	const silent = wanted.filter((network) => markets.some((market) => networkReport(market, network, now) === null));
	if (silent.length > 0) return silent;
	const agents = await agentsOf(miniflare);
	const free = await Promise.all(wanted.map((network) => agents(network).freeAddresses()));
	return wanted.filter((_, i) => free[i] === 0);
}

/**
 * Networks that a caller is not quoted yet: who called before all had reported may have left an older market in the
 * memory of the isolate. As an anonymous caller of a network (RFC 2544) that nobody else is in, each time another one.
 */
async function unquoted(url: string, wanted: readonly NetworkName[], tries: number): Promise<NetworkName[]> {
	const caller = `198.${18 + (tries & 1)}.${Math.floor(Math.random() * 256)}.1`;
	const codes = wanted.map(async (network, i) => {
		const other = wanted[(i + 1) % wanted.length] ?? network;
		const [fromCcy, toCcy] = [nativeAsset(network), nativeAsset(other)];
		const response = await fetch(`${url}/api/v1/price`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'cf-connecting-ip': caller },
			body: JSON.stringify({ type: 'float', fromCcy, toCcy, direction: 'from', amount: '1' }),
		});
		return ((await response.json()) as { code: number }).code;
	});
	const answered = await Promise.all(codes);
	return wanted.filter((_, i) => answered[i] === UPSTREAM_ERROR);
}
