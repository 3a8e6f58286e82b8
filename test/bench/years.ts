/**
 * Part six: is the service as fast after years? A database with many finished and open orders, copied from real ones by
 * SQL while the service is stopped, against a small one: the same calls to both in turns, as ratios. The small one has a
 * page of each list, so that a list of fifty rows is compared with one of fifty.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NETWORK_NAMES } from '../../src/catalog/networks.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { childrenNamed, cpuMilliseconds } from '../support/processes.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { lowerQuartile, median } from './report.ts';
import { databaseIn, lengthen, prepare, readSeed, type Seeded, writeSeed } from './years-state.ts';

export interface YearsPlan {
	readonly finished: number;
	readonly open: number;
	readonly rounds: number;
	/** Where both state folders are kept for the next run; null keeps none. */
	readonly state: string | null;
}

export interface YearsResult {
	readonly ratios: readonly Compared[];
	/** Without the pauses between comparisons of the wallets: copied orders have no coins, so they differ. */
	readonly checkSeconds: number;
	readonly checkCpuSeconds: number;
	readonly megabytes: number;
	readonly madeSeconds: number;
}

/** Milliseconds of one call. */
interface Compared {
	readonly what: string;
	/** What workerd computes: other work on the machine does not change it. */
	readonly cpu: Sides<number>;
	readonly wall: Sides<number>;
}

interface Sides<T> {
	readonly small: T;
	readonly full: T;
}

/** A service, and how many milliseconds its workerd has computed. */
interface Measured {
	readonly service: TestService;
	readonly cpu: () => number;
}

/** More than a page of each list. */
const SMALL = { finished: 100, open: 100 };
const VARIABLES = {
	ADDRESS_POOL: '200',
	// Their polls are no part of what is measured; the swaps need the other two.
	...Object.fromEntries(
		NETWORK_NAMES.filter((name) => name !== 'Litecoin' && name !== 'Ethereum').map((name) => [
			`NODE_POLL_SECONDS_${name.toUpperCase()}`,
			'60',
		]),
	),
};
/** Calls of one round: enough to measure. A swap waits for polls, so it takes seconds. */
const CALLS = 8;
const SWAPS = 2;
/** Of `ledger check`: three, of 1.5 s (`operator/commands/ledger.ts`). */
const PAUSES_MILLISECONDS = 4_500;
/** Ledger checks, of which the median counts. */
const PROOFS = 3;

export async function measureYears(plan: YearsPlan): Promise<YearsResult> {
	const folder = plan.state ?? mkdtempSync(join(tmpdir(), 'partner-exchange-years-'));
	try {
		const seeded = await statesIn(folder, plan);
		const full = await startOn(join(folder, 'full'));
		const small = await startOn(join(folder, 'small'));
		try {
			const { partner, done, madeSeconds } = seeded;
			const ratios: Compared[] = [];
			for (const [what, call, times] of callsOf(partner, done))
				ratios.push({ what, ...(await inTurns({ small, full }, call, plan.rounds, times)) });
			const checks = [];
			for (let i = 0; i < PROOFS; i++) checks.push(await cost(full, (service) => service.operator('ledger/check'), 1));
			const secondsOf = (list: readonly number[]) => median(list) / 1000;
			return {
				ratios,
				checkSeconds: secondsOf(checks.map(({ wall }) => wall - PAUSES_MILLISECONDS)),
				checkCpuSeconds: secondsOf(checks.map(({ cpu }) => cpu)),
				megabytes: statSync(databaseIn(join(folder, 'full'))).size / 1e6,
				madeSeconds,
			};
		} finally {
			await Promise.all([small, full].map(({ service }) => service.local.stop()));
		}
	} finally {
		if (plan.state === null) rmSync(folder, { recursive: true, force: true });
	}
}

async function startOn(state: string): Promise<Measured> {
	prepare(databaseIn(state));
	const before = workerds();
	const service = await startTestService(VARIABLES, state);
	const [pid] = workerds().filter((one) => !before.includes(one));
	if (pid === undefined) throw new Error('the service has no workerd');
	return { service, cpu: () => cpuMilliseconds(pid) };
}

const workerds = (): number[] => childrenNamed('workerd').map(({ pid }) => pid);

/** Makes the two state folders, unless they are there with as many orders. */
async function statesIn(folder: string, { finished, open }: YearsPlan): Promise<Seeded> {
	const [small, full] = [join(folder, 'small'), join(folder, 'full')];
	const kept = readSeed(folder);
	if (kept?.copies.finished === finished && kept.copies.open === open) return kept;
	for (const name of [small, full]) if (existsSync(name)) rmSync(name, { recursive: true });
	mkdirSync(small, { recursive: true });
	const orders = await seed(small);
	cpSync(small, full, { recursive: true });
	await lengthen(databaseIn(small), SMALL, orders);
	const started = performance.now();
	await lengthen(databaseIn(full), { finished, open }, orders);
	const { partner, done } = orders;
	const madeSeconds = (performance.now() - started) / 1000;
	const seeded: Seeded = { copies: { finished, open }, madeSeconds, partner, done };
	writeSeed(folder, seeded);
	return seeded;
}

/** One finished order and one open one, made through the API. */
async function seed(state: string): Promise<{ partner: Credentials; done: CreatedOrder; open: CreatedOrder }> {
	const service = await startTestService({ ADDRESS_POOL: VARIABLES.ADDRESS_POOL }, state);
	const partner = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 100 });
	await service.operator('site/update', { dailyCapUsd: 1_000_000_000, unpaidShareBps: 10_000 });
	const [done, open] = [(await create(service, partner)).data, (await create(service, partner)).data];
	await service.operator('sandbox/deposit', { orders: [done.id] });
	await untilStatus(service, partner, done, 'DONE');
	// Otherwise every copy would be a payment that is still under way.
	await eventually('its payout to be final', async () => {
		const left = await service.sql("SELECT 1 FROM transactions WHERE state <> 'final'");
		return left.length === 0;
	});
	await service.local.stop();
	return { partner, done, open };
}

type Call = (service: TestService) => Promise<unknown>;

function callsOf(partner: Credentials, done: CreatedOrder): readonly (readonly [string, Call, number])[] {
	const command = (path: string, input: Readonly<Record<string, unknown>> = {}): readonly [string, Call, number] => [
		[path, ...Object.entries(input).map(([name, value]) => (name === 'status' ? String(value) : name))].join(' '),
		(service) => service.operator(path, input),
		CALLS,
	];
	const ofAgent = (method: 'holdings' | 'funds', ...args: unknown[]): Call => {
		return async ({ local }) => {
			const agents = await local.miniflare.getDurableObjectNamespace('CHAIN_AGENT', 'partner-exchange-agents');
			const agent = agents.get(agents.idFromName('Litecoin')) as unknown as Record<
				typeof method,
				(...args: unknown[]) => Promise<unknown>
			>;
			await agent[method]('Litecoin', ...args);
		};
	};
	return [
		['order', (service) => signed(service, partner, '/api/v1/order', { id: done.id, token: done.token }), CALLS],
		['orders', (service) => signed(service, partner, '/api/v1/orders', {}), CALLS],
		['create', (service) => create(service, partner), CALLS],
		['create to DONE', (service) => swap(service, partner), SWAPS],
		['holdings of an agent', ofAgent('holdings'), CALLS],
		['funds of an agent', ofAgent('funds', ['LTC']), CALLS],
		['a run of the cron', (service) => service.local.runScheduled(), CALLS],
		command('order/list'),
		command('order/list', { status: 'EXPIRED' }),
		command('order/list', { status: 'DONE' }),
		command('order/list', { partner: partner.id }),
		command('order/list', { attention: true }),
		command('order/find', { text: done.id.slice(0, 8) }),
		command('order/show', { id: done.id }),
		command('attention'),
		command('payout/list'),
		command('partner/list'),
		command('partner/show', { id: partner.id }),
		command('webhook/list'),
		command('webhook/list', { failed: true }),
		command('webhook/list', { partner: partner.id }),
		command('network/list'),
		command('treasury/show'),
		command('audit/list'),
		command('keys/show'),
	];
}

async function swap(service: TestService, partner: Credentials): Promise<void> {
	const { data } = await create(service, partner);
	await service.operator('sandbox/deposit', { orders: [data.id] });
	await untilStatus(service, partner, data, 'DONE', 120_000);
}

/** Each side in turns; the first round of each is a warm-up. Of each side the lower quartile counts: noise only adds. */
async function inTurns({ small, full }: Sides<Measured>, call: Call, rounds: number, times: number) {
	const costs = { small: [] as Cost[], full: [] as Cost[] };
	for (let round = 0; round <= rounds; round++) {
		// The second one finds a warmer machine.
		const order = round % 2 === 0 ? (['small', 'full'] as const) : (['full', 'small'] as const);
		for (const side of order) costs[side].push(await cost(side === 'small' ? small : full, call, times));
	}
	const quartile = (side: 'small' | 'full', of: keyof Cost) =>
		lowerQuartile(costs[side].slice(1).map((each) => each[of]));
	return {
		cpu: { small: quartile('small', 'cpu'), full: quartile('full', 'cpu') },
		wall: { small: quartile('small', 'wall'), full: quartile('full', 'wall') },
	};
}

interface Cost {
	readonly cpu: number;
	readonly wall: number;
}

/** Milliseconds of one call, of so many one after the other. */
async function cost({ service, cpu }: Measured, call: Call, times: number): Promise<Cost> {
	const [started, computed] = [performance.now(), cpu()];
	for (let i = 0; i < times; i++) await call(service);
	return { cpu: (cpu() - computed) / times, wall: (performance.now() - started) / times };
}
