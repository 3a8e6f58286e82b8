/**
 * Part two: how prompt is the service at a rate that it can keep up with, alone and while deposits settle? Beside hello
 * world at the same rate, because a busy machine is late with everything.
 */
import { createOrders, DEPOSITS, settleDeposits } from './deposits.ts';
import { startHello } from './hello.ts';
import { type LoadResult, startLoadGenerator } from './load.ts';
import { CREATE_BODIES, ordersToRead, untilPoolsHold } from './orders.ts';
import { percentile } from './report.ts';
import { type Benched, withService } from './started.ts';
import { FEED, NETWORK_ADDRESSES, PRICE_BODY, type Traffic } from './traffic.ts';

export const RATE_PER_SECOND = 100;
/** Of each network, before orders are created. */
const FREE_ADDRESSES = 150;
const WARM_UP_MILLISECONDS = 2_000;
/** Longer than deposits take. */
const DEADLINE_MILLISECONDS = 60_000;
const UNLIMITED = Number.POSITIVE_INFINITY;

export interface Latency {
	/** Milliseconds. */
	readonly p50: number;
	readonly p99: number;
	readonly calls: number;
}

export interface Latencies {
	readonly endpoint: string;
	readonly alone: Latency;
	/** While the deposits of `DEPOSITS` orders settle. */
	readonly settling: Latency;
}

const latencyOf = ({ latencies }: LoadResult): Latency => ({
	p50: percentile(latencies, 0.5),
	p99: percentile(latencies, 0.99),
	calls: latencies.length,
});

/** Hello world first. */
export function measureLatencies(seconds: number): Promise<Latencies[]> {
	return withService(async (benched) => {
		const hello = await startHello();
		const generator = startLoadGenerator();
		try {
			const traffics = { 'hello world': { kind: 'hello' } as const, ...(await trafficsTo(benched)) };
			const measured: Latencies[] = [];
			for (const [endpoint, traffic] of Object.entries<Traffic>(traffics)) {
				const port = traffic.kind === 'hello' ? hello.port : benched.port;
				const load = { port, traffic, atMost: UNLIMITED, ratePerSecond: RATE_PER_SECOND };
				await untilPoolsHold(benched.service, FREE_ADDRESSES);
				await createOrders(benched, DEPOSITS);
				await generator.run({ ...load, milliseconds: WARM_UP_MILLISECONDS });
				const alone = await generator.run({ ...load, milliseconds: seconds * 1_000 });
				const settled = settleDeposits(benched.service);
				const settling = await generator.run({ ...load, milliseconds: DEADLINE_MILLISECONDS }, settled);
				await settled;
				measured.push({ endpoint, alone: latencyOf(alone), settling: latencyOf(settling) });
			}
			return measured;
		} finally {
			await generator.stop();
			await hello.stop();
		}
	});
}

async function trafficsTo({ service, partner }: Benched): Promise<Record<string, Traffic>> {
	const signedTo = (path: string, bodies: readonly string[]) => ({ kind: 'signed', partner, path, bodies }) as const;
	return {
		'feed, unchanged': { kind: 'get', path: FEED, ifNoneMatch: '*' },
		'anonymous price': { kind: 'anonymous', path: '/api/v1/price', body: PRICE_BODY, addresses: NETWORK_ADDRESSES },
		'signed price': signedTo('/api/v1/price', [PRICE_BODY]),
		'signed order': signedTo('/api/v1/order', await ordersToRead(service, partner)),
		'signed create': { ...signedTo('/api/v1/create', CREATE_BODIES), idempotent: true },
	};
}
