/**
 * Part one: how fast is each endpoint, measured in hello worlds and in its floor: a bare Worker that makes the same
 * storage calls (`floors-worker.js`)? The machine is never quiet, so endpoint, floor and hello world are measured in turns.
 * Each round of an endpoint is compared with the round of its floor that follows, and with the two rounds of hello world
 * around them; the median round counts.
 */
import { startHello } from './hello.ts';
import { type LoadGenerator, type LoadResult, perSecond, startLoadGenerator } from './load.ts';
import { CREATE_BODIES, ordersToRead, untilPoolsHold } from './orders.ts';
import { median } from './report.ts';
import { type Benched, withService } from './started.ts';
import { ANONYMOUS_NETWORKS, FEED, NETWORK_ADDRESSES, PRICE_BODY, type Traffic } from './traffic.ts';

export interface RatioPlan {
	readonly rounds: number;
	readonly milliseconds: number;
}

export interface Ratio {
	readonly endpoint: string;
	readonly perSecond: number;
	/** To hello world. */
	readonly ratio: number;
	/** To its floor, and the least that this may be; null where it has none. */
	readonly toFloor: number | null;
	readonly leastToFloor: number | null;
	/** The least that the ratio to hello world may be; null where only the floor counts. */
	readonly least: number | null;
	readonly lowest: number;
	readonly highest: number;
	readonly calls: number;
	/** The generator's share of the time, 0 to 1, in the round in which it was busiest. */
	readonly busy: number;
}

interface Measured {
	readonly endpoint: string;
	readonly traffic: Traffic;
	readonly connections?: number;
	/** A bare Worker itself, to show what is possible. */
	readonly isBare?: true;
	readonly least?: number;
	/** The path of the bare Worker, and the least part of its speed. */
	readonly floor?: readonly [path: string, least: number];
	/** Calls of one round, where something runs out before the time does. */
	readonly atMost?: number;
	readonly before?: () => Promise<void>;
}

/** 60 calls a minute for each network and endpoint (book: contract, "Limits"). */
const ANONYMOUS_CALLS = 60;
/** Of one round: 50 addresses of each network's pool, which the agents fill up in steps. */
const CREATES = 450;
const FREE_ADDRESSES = 120;
/** Of each bucket before it is measured: these are stored, those that follow are not. */
const WAKING_CALLS = 2;
const WARM_UP_MILLISECONDS = 700;
/** For all buckets to wake. */
const WAKE_MILLISECONDS = 10_000;
const CONNECTIONS = 32;
const UNLIMITED = Number.POSITIVE_INFINITY;

/** Hello world first, then every endpoint. */
export function measureRatios(plan: RatioPlan): Promise<Ratio[]> {
	return withService(async (benched) => measureEach(benched, plan, await endpointsOf(benched, plan)));
}

export async function measureEach(
	{ port, floorsPort }: Benched,
	plan: RatioPlan,
	endpoints: readonly Measured[],
): Promise<Ratio[]> {
	const hello = await startHello();
	const generator = startLoadGenerator();
	try {
		const against = { generator, plan, port, floorsPort, helloPort: hello.port, hellos: [] as LoadResult[] };
		await helloRound(against, WARM_UP_MILLISECONDS);
		against.hellos.length = 0;
		const ratios: Ratio[] = [];
		for (const endpoint of endpoints) ratios.push(await measure(against, endpoint));
		return [ratioOf({ endpoint: 'hello world', traffic: { kind: 'hello' } }, against.hellos, [1], []), ...ratios];
	} finally {
		await generator.stop();
		await hello.stop();
	}
}

async function endpointsOf({ service, partner }: Benched, plan: RatioPlan): Promise<Measured[]> {
	const signedTo = (path: string, bodies: readonly string[]) => ({ kind: 'signed', partner, path, bodies }) as const;
	const anonymousTo = (path: string, body: string) =>
		({ kind: 'anonymous', path, body, addresses: NETWORK_ADDRESSES }) as const;
	const orders = await ordersToRead(service, partner);
	// Each round calls each network equally often, because it begins with the first one.
	const anonymousCalls = ANONYMOUS_NETWORKS * Math.floor((ANONYMOUS_CALLS - WAKING_CALLS - 1) / plan.rounds);
	const signedPrice = signedTo('/api/v1/price', [PRICE_BODY]);
	return [
		{ endpoint: 'feed', traffic: { kind: 'get', path: FEED }, floor: ['/feed', 0.9] },
		// A feed is rendered every ten seconds: any tag matches.
		{ endpoint: 'feed, unchanged', traffic: { kind: 'get', path: FEED, ifNoneMatch: '*' }, least: 0.85 },
		{ endpoint: 'signed price, alone', traffic: signedPrice, connections: 1, floor: ['/commit', 0.85] },
		{ endpoint: 'signed price', traffic: signedPrice, floor: ['/commit', 1] },
		{ endpoint: 'bare, shared trips', traffic: signedTo('/shared', [PRICE_BODY]), floor: ['/commit', 1], isBare: true },
		{ endpoint: 'signed order', traffic: signedTo('/api/v1/order', orders), floor: ['/order', 1.5] },
		{
			endpoint: 'signed create',
			floor: ['/create', 1.2],
			traffic: { ...signedTo('/api/v1/create', CREATE_BODIES), idempotent: true },
			atMost: CREATES,
			before: () => untilPoolsHold(service, FREE_ADDRESSES),
		},
		{
			endpoint: 'anonymous price',
			floor: ['/object', 0.8],
			traffic: anonymousTo('/api/v1/price', PRICE_BODY),
			atMost: anonymousCalls,
		},
		{
			endpoint: 'anonymous currencies',
			floor: ['/object', 0.8],
			traffic: anonymousTo('/api/v1/currencies', '{}'),
			atMost: anonymousCalls,
		},
	];
}

interface Against {
	readonly generator: LoadGenerator;
	readonly plan: RatioPlan;
	readonly port: number;
	readonly floorsPort: number;
	readonly helloPort: number;
	readonly hellos: LoadResult[];
}

async function helloRound(
	{ generator, helloPort, hellos }: Against,
	milliseconds: number,
	connections = CONNECTIONS,
): Promise<number> {
	const traffic: Traffic = { kind: 'hello' };
	const result = await generator.run({ port: helloPort, traffic, milliseconds, atMost: UNLIMITED, connections });
	if (connections === CONNECTIONS) hellos.push(result);
	return perSecond(result);
}

async function measure(against: Against, measured: Measured): Promise<Ratio> {
	const { generator, plan, floorsPort } = against;
	const { traffic, atMost = UNLIMITED, connections = CONNECTIONS, before, floor, isBare } = measured;
	const port = isBare ? floorsPort : against.port;
	const load = { milliseconds: plan.milliseconds, atMost, connections };
	const runFloor = async ([path]: readonly [string, number], most = load) =>
		perSecond(await generator.run({ ...most, port: floorsPort, traffic: { ...traffic, path } as Traffic }));
	// Long enough to wake what the endpoint needs; of the anonymous buckets, each one.
	const isAnonymous = traffic.kind === 'anonymous';
	const warmUp = { atMost: isAnonymous ? WAKING_CALLS * ANONYMOUS_NETWORKS : atMost, connections };
	const wake = { ...warmUp, milliseconds: isAnonymous ? WAKE_MILLISECONDS : WARM_UP_MILLISECONDS };
	await generator.run({ ...wake, port, traffic });
	if (floor) await runFloor(floor, wake);
	const results: LoadResult[] = [];
	const [toHello, toFloor]: [number[], number[]] = [[], []];
	let helloBefore = await helloRound(against, plan.milliseconds, connections);
	for (let round = 0; round < plan.rounds; round++) {
		await before?.();
		const result = await generator.run({ ...load, port, traffic });
		if (floor) toFloor.push(perSecond(result) / (await runFloor(floor)));
		const helloAfter = await helloRound(against, plan.milliseconds, connections);
		results.push(result);
		toHello.push(perSecond(result) / ((helloBefore + helloAfter) / 2));
		helloBefore = helloAfter;
	}
	return ratioOf(measured, results, toHello, toFloor);
}

const ratioOf = (
	{ endpoint, floor, least }: Measured,
	results: readonly LoadResult[],
	toHello: readonly number[],
	toFloor: readonly number[],
): Ratio => ({
	endpoint,
	perSecond: median(results.map(perSecond)),
	ratio: median(toHello),
	toFloor: floor ? median(toFloor) : null,
	leastToFloor: floor?.[1] ?? null,
	least: least ?? null,
	lowest: Math.min(...toHello),
	highest: Math.max(...toHello),
	calls: results.reduce((sum, { answered }) => sum + answered, 0),
	busy: Math.max(...results.map(({ busy }) => busy)),
});
