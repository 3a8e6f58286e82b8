/**
 * Part one: how fast is each endpoint, measured in hello worlds? The machine is never quiet, so endpoint and hello
 * world are measured in turns, each round of an endpoint is compared with the two rounds of hello world around it, and
 * the median round counts.
 */
import { type CreatedOrder, createBody } from '../support/orders.ts';
import { signed } from '../support/partner.ts';
import { startHello } from './hello.ts';
import { type LoadGenerator, type LoadResult, perSecond, startLoadGenerator } from './load.ts';
import { CREATE_BODIES, untilPoolsHold } from './orders.ts';
import { median } from './report.ts';
import { type Benched, withService } from './started.ts';
import { PRICE_BODY, type Traffic } from './traffic.ts';

export interface RatioPlan {
	readonly rounds: number;
	readonly milliseconds: number;
}

export interface Ratio {
	readonly endpoint: string;
	readonly perSecond: number;
	readonly ratio: number;
	readonly lowest: number;
	readonly highest: number;
	readonly calls: number;
	/** The generator's share of the time, 0 to 1, in the round in which it was busiest. */
	readonly busy: number;
}

interface Measured {
	readonly endpoint: string;
	readonly traffic: Traffic;
	/** Calls of one round, where something runs out before the time does. */
	readonly atMost?: number;
	readonly before?: () => Promise<void>;
}

export const ANONYMOUS_NETWORKS = 400;
/** 60 calls a minute for each network and endpoint (book: contract, "Limits"). */
const ANONYMOUS_CALLS = 60;
/** Of one round: 50 addresses of each network's pool, which the agents fill up in steps. */
const CREATES = 450;
const FREE_ADDRESSES = 120;
const ORDERS_READ = 50;
const WARM_UP_MILLISECONDS = 700;
const UNLIMITED = Number.POSITIVE_INFINITY;

/** One in each of so many /24 networks. */
const ADDRESSES = Array.from({ length: ANONYMOUS_NETWORKS }, (_, i) => `100.${64 + (i >> 8)}.${i & 255}.1`);

/** Hello world first, then every endpoint. */
export function measureRatios(plan: RatioPlan): Promise<Ratio[]> {
	return withService(async (benched) => {
		const hello = await startHello();
		const generator = startLoadGenerator();
		try {
			const endpoints = await endpointsOf(benched, plan);
			const against = { generator, plan, port: benched.port, helloPort: hello.port, hellos: [] as LoadResult[] };
			await helloRound(against, WARM_UP_MILLISECONDS);
			against.hellos.length = 0;
			const ratios: Ratio[] = [];
			for (const endpoint of endpoints) ratios.push(await measure(against, endpoint));
			return [ratioOf('hello world', against.hellos, [1]), ...ratios];
		} finally {
			await generator.stop();
			await hello.stop();
		}
	});
}

async function endpointsOf({ service, partner }: Benched, plan: RatioPlan): Promise<Measured[]> {
	const signedTo = (path: string, bodies: readonly string[]) => ({ kind: 'signed', partner, path, bodies }) as const;
	const anonymousTo = (path: string, body: string) =>
		({ kind: 'anonymous', path, body, addresses: ADDRESSES }) as const;
	const orders: string[] = [];
	for (let i = 0; i < ORDERS_READ; i++) {
		const headers = { 'idempotency-key': `bench-order-${i}` };
		const { data, text } = await signed<CreatedOrder>(service, partner, '/api/v1/create', createBody(), { headers });
		if (!data) throw new Error(`create: ${text}`);
		orders.push(JSON.stringify({ id: data.id, token: data.token }));
	}
	// The warm-up takes one call of each bucket.
	const anonymousCalls = Math.floor((ANONYMOUS_NETWORKS * (ANONYMOUS_CALLS - 2)) / plan.rounds);
	return [
		{ endpoint: 'signed price', traffic: signedTo('/api/v1/price', [PRICE_BODY]) },
		{ endpoint: 'signed order', traffic: signedTo('/api/v1/order', orders) },
		{
			endpoint: 'signed create',
			traffic: { ...signedTo('/api/v1/create', CREATE_BODIES), idempotent: true },
			atMost: CREATES,
			before: () => untilPoolsHold(service, FREE_ADDRESSES),
		},
		{
			endpoint: 'anonymous price',
			traffic: anonymousTo('/api/v1/price', PRICE_BODY),
			atMost: anonymousCalls,
		},
		{
			endpoint: 'anonymous currencies',
			traffic: anonymousTo('/api/v1/currencies', '{}'),
			atMost: anonymousCalls,
		},
	];
}

interface Against {
	readonly generator: LoadGenerator;
	readonly plan: RatioPlan;
	readonly port: number;
	readonly helloPort: number;
	readonly hellos: LoadResult[];
}

async function helloRound({ generator, helloPort, hellos }: Against, milliseconds: number): Promise<number> {
	const traffic: Traffic = { kind: 'hello' };
	const result = await generator.run({ port: helloPort, traffic, milliseconds, atMost: UNLIMITED });
	hellos.push(result);
	return perSecond(result);
}

async function measure(against: Against, { endpoint, traffic, atMost, before }: Measured): Promise<Ratio> {
	const { generator, plan, port } = against;
	// Long enough to wake what the endpoint needs; of the anonymous buckets, each one.
	const warmUp = traffic.kind === 'anonymous' ? ANONYMOUS_NETWORKS : (atMost ?? UNLIMITED);
	const milliseconds = traffic.kind === 'anonymous' ? 10_000 : WARM_UP_MILLISECONDS;
	await generator.run({ port, traffic, milliseconds, atMost: warmUp });
	const results: LoadResult[] = [];
	const ratios: number[] = [];
	let helloBefore = await helloRound(against, plan.milliseconds);
	for (let round = 0; round < plan.rounds; round++) {
		await before?.();
		const load = { port, traffic, milliseconds: plan.milliseconds, atMost: atMost ?? UNLIMITED };
		const result = await generator.run(load);
		const helloAfter = await helloRound(against, plan.milliseconds);
		results.push(result);
		ratios.push(perSecond(result) / ((helloBefore + helloAfter) / 2));
		helloBefore = helloAfter;
	}
	return ratioOf(endpoint, results, ratios);
}

const ratioOf = (endpoint: string, results: readonly LoadResult[], ratios: readonly number[]): Ratio => ({
	endpoint,
	perSecond: median(results.map(perSecond)),
	ratio: median(ratios),
	lowest: Math.min(...ratios),
	highest: Math.max(...ratios),
	calls: results.reduce((sum, { answered }) => sum + answered, 0),
	busy: Math.max(...results.map(({ busy }) => busy)),
});
