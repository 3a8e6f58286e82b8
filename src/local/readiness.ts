/**
 * When may a start be called done? When a `create` on every network of the sandbox would succeed: the network is quoted
 * by the very isolate that answers callers, and its agent has addresses to give. Nodes may be down, and come when they
 * come; so may public sources of prices.
 */
import { nativeAsset } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { networkMode, offeredNetworks } from '../chains/configuration.ts';

const READY_MILLISECONDS = 30_000;
const PAUSE_MILLISECONDS = 50;
/** UPSTREAM_ERROR: no fresh price, or a network that is silent. Other refusals are the operator's settings. */
const UPSTREAM_ERROR = 11;

interface Awaited {
	readonly url: string;
	readonly operatorToken: string;
	readonly variables: Readonly<Record<string, string>>;
}

/** The fields of a record of `network list` that are read. */
interface Listed {
	readonly name: NetworkName;
	readonly answers: boolean;
	readonly freeAddresses: number | null;
	readonly lastError: string | null;
}

/** @throws when that takes longer than 30 s. */
export async function untilServing({ url, operatorToken, variables }: Awaited): Promise<void> {
	const wanted = offeredNetworks(variables).filter((network) => networkMode(variables, network)?.on === 'sandbox');
	const deadline = Date.now() + READY_MILLISECONDS;
	let listed: readonly Listed[] = [];
	let waitingFor: readonly NetworkName[] = wanted;
	for (let tries = 0; waitingFor.length > 0; tries++) {
		if (Date.now() > deadline)
			throw new Error(`not serving after 30 s, waiting for ${withReasons(waitingFor, listed)}`);
		if (tries > 0) await new Promise((wait) => setTimeout(wait, PAUSE_MILLISECONDS));
		// On a busy machine the first calls may fail; what counts is that they succeed in time.
		waitingFor = await missing(tries).catch(() => wanted);
	}

	async function missing(tries: number): Promise<readonly NetworkName[]> {
		listed = await networkList(url, operatorToken);
		const isReady = ({ answers, freeAddresses }: Listed) => answers && freeAddresses !== 0;
		const ready = new Set(listed.filter(isReady).map(({ name }) => name));
		const notReady = wanted.filter((network) => !ready.has(network));
		return notReady.length > 0 || variables['PRICES'] === 'public' ? notReady : unquoted(url, wanted, tries);
	}
}

/** One call says of all networks whether they were scanned, and how many addresses they have to give. */
async function networkList(url: string, operatorToken: string): Promise<Listed[]> {
	const response = await fetch(`${url}/operator/v1/network/list`, {
		method: 'POST',
		headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
		body: '{}',
	});
	return ((await response.json()) as { data: Listed[] }).data;
}

/** The networks, each with what last went wrong there. */
function withReasons(networks: readonly NetworkName[], listed: readonly Listed[]): string {
	const each = networks.map((network) => {
		const error = listed.find(({ name }) => name === network)?.lastError;
		return error ? `${network} (${error})` : network;
	});
	return each.join(', ');
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
