/**
 * `npm run bench`: how fast, how prompt and how frugal the service is, on this machine, now. Seven parts, each on a
 * fresh service or database; ends with status 1 when a limit is missed. `--quick` takes a minute and does not judge the
 * memory; `--only=speed`, `latency`, `deposits`, `memory`, `watch`, `years` or `pages` runs one part. `--json=FILE` writes
 * the figures of `speed` and `latency`. `--years=1000000` sets the finished orders of `years`; a tenth of it are open.
 * `--state=DIR` keeps its databases there for the next run. `--minutes=30` has `memory` last so long, instead of some
 * 100 000 calls.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { DEPOSITS, measureDeposits, OPEN_ORDERS } from './deposits.ts';
import { type Latency, measureLatencies, RATE_PER_SECOND } from './latency.ts';
import { type MemoryPlan, measureMemory, SETTLE_SECONDS } from './memory.ts';
import { measurePages, OPEN_PAGES } from './pages.ts';
import { measureRatios, type Ratio } from './ratios.ts';
import { bars, table, verdict } from './report.ts';
import { ANONYMOUS_NETWORKS } from './traffic.ts';
import { measureWatch } from './watch.ts';
import { measureYears } from './years.ts';

const FULL = {
	/** Many and short: what else the machine does comes and goes within seconds. */
	rounds: 15,
	milliseconds: 500,
	latencySeconds: 10,
	memory: { calls: [10_000, 40_000, 70_000, 100_000] } as MemoryPlan,
	years: 100_000,
	state: null as string | null,
};
const QUICK = {
	rounds: 9,
	milliseconds: 150,
	latencySeconds: 2,
	memory: { calls: [2_000, 10_000] },
	years: 5_000,
	state: null,
};

const MEDIAN_SECONDS = 3;
const SLOWEST_SECONDS = 15;
/** Growth between the first and the last measurement, beyond that of hello world; the larger limit counts. */
const GROWTH = 0.1;
const GROWTH_MEGABYTES = 20;

/** Of the speed of a small database. */
const YEARS_RATIO = 0.85;
const CHECK_SECONDS = 5;
/** Of the speed while no page is open. */
/** A thousand pages make 250 calls a second, in the one thread that all Workers share here. */
const PAGES_RATIO = 0.7;

type Plan = typeof FULL;

/** For `--json=FILE`: what was measured, by part. */
const results: Record<string, unknown> = {};

/** Each prints its figures and returns whether it met all limits. */
const PARTS: Readonly<Record<string, (plan: Plan) => Promise<boolean>>> = {
	speed,
	latency,
	deposits,
	memory,
	watch,
	years,
	pages,
};

async function speed(plan: Plan): Promise<boolean> {
	const ratios = await measureRatios(plan);
	console.log('\nSpeed, in hello worlds: a Worker that answers "hello" from a workerd of its own; and in floors\n');
	const rows = ratios.map((found) => {
		const { least, leastToFloor, toFloor } = found;
		return [
			found.endpoint,
			found.perSecond.toFixed(0),
			found.ratio.toFixed(3),
			`${found.lowest.toFixed(3)}–${found.highest.toFixed(3)}`,
			least === null ? '' : `≥ ${least}`,
			toFloor?.toFixed(2) ?? '',
			leastToFloor === null ? '' : `≥ ${leastToFloor}`,
			String(found.calls),
			`${(found.busy * 100).toFixed(0)} %`,
			least === null && leastToFloor === null ? '' : verdict(holdsOf(found)),
		];
	});
	const head = ['endpoint', 'req/s', 'ratio', 'rounds', 'limit', 'to floor', 'limit', 'calls', 'generator', 'verdict'];
	console.log(table([head, ...rows]));
	console.log(`
  32 connections, one request under way on each; "alone": one connection. Every round lies between two rounds of hello
  world and is compared with them; the median of ${plan.rounds} rounds counts, the column "rounds" has the lowest and the highest. A
  floor is a bare Worker that makes the same storage calls for one call after the other, measured after each round.
  "generator" is how busy the load generator was: near 100 % it would be what was measured. All calls were answered with
  code 0. Signed calls are one partner's, so one gate admits them all; the orders created are among the calls. Anonymous
  calls come from ${ANONYMOUS_NETWORKS} networks (/24) of five blocks (/16); their floor has an object for each network.`);
	console.log(`\n${bars(ratios.map(({ endpoint, ratio }) => [endpoint, ratio]))}`);
	results['speed'] = ratios;
	return ratios.every(holdsOf);
}

const holdsOf = ({ ratio, least, toFloor, leastToFloor }: Ratio): boolean =>
	ratio >= (least ?? 0) && (toFloor ?? 1) >= (leastToFloor ?? 0);

async function latency({ latencySeconds }: Plan): Promise<boolean> {
	const measured = await measureLatencies(latencySeconds);
	console.log(`\nLatency at ${RATE_PER_SECOND} calls a second, alone and while ${DEPOSITS} deposits settle\n`);
	const cells = ({ p50, p99, calls }: Latency) => [`${p50.toFixed(1)} ms`, `${p99.toFixed(1)} ms`, String(calls)];
	const rows = measured.map(({ endpoint, alone, settling }) => [endpoint, ...cells(alone), ...cells(settling)]);
	const head = ['endpoint', 'p50', 'p99', 'calls', 'p50, settling', 'p99, settling', 'calls'];
	console.log(table([head, ...rows]));
	console.log(`
  Requests go out at fixed times, whatever the answers do. A latency counts from the time when its request was due, so one
  that waits for a connection counts its wait. "settling": from the command that makes ${DEPOSITS} deposits until all of their
  orders are DONE, the payouts included. Hello world runs in a process of its own, on the same cores.`);
	results['latency'] = measured;
	return true;
}

async function deposits(): Promise<boolean> {
	const times = await measureDeposits();
	console.log(`\nDeposits: ${DEPOSITS} that become final together, with ${OPEN_ORDERS} orders open on nine networks\n`);
	const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
	const medianHolds = times.median <= MEDIAN_SECONDS * 1000;
	const slowestHolds = times.slowest < SLOWEST_SECONDS * 1000;
	console.log(
		table([
			['until DONE', 'took', 'limit', 'verdict'],
			['median order', seconds(times.median), `≤ ${MEDIAN_SECONDS} s`, verdict(medianHolds)],
			['slowest order', seconds(times.slowest), `< ${SLOWEST_SECONDS} s`, verdict(slowestHolds)],
		]),
	);
	console.log(`
  Counted from before the deposits were made, which took the command ${seconds(times.command)}, until the order was seen DONE.`);
	return medianHolds && slowestHolds;
}

async function memory({ memory: planned }: Plan): Promise<boolean> {
	const checkpoints = await measureMemory(planned);
	const [first, last] = [checkpoints[0], checkpoints.at(-1)];
	if (!first || !last) throw new TypeError('no checkpoint');
	const judged = planned !== QUICK.memory;
	const runtime = Math.max(0, last.hello - first.hello);
	const allowed = runtime + Math.max(GROWTH_MEGABYTES, first.service * GROWTH);
	const holds = last.service - first.service <= allowed;
	console.log('\nMemory of workerd, resident, after so many signed price calls, garbage collected\n');
	const rows = checkpoints.map((checkpoint) => {
		const judgement = judged && checkpoint === last ? [`≤ +${allowed.toFixed(0)} MB`, verdict(holds)] : ['', ''];
		const { calls, uncollected, service, hello } = checkpoint;
		const before = `${uncollected.toFixed(0)} MB`;
		return [String(calls), ...grown(service, first.service), ...judgement, before, ...grown(hello, first.hello)];
	});
	const head = ['calls', 'service', 'growth', 'limit', 'verdict', 'uncollected', 'hello world', 'growth'];
	console.log(table([head, ...rows]));
	console.log(`
  Each ${SETTLE_SECONDS} s after the last of the calls, when all isolates have collected their garbage; "uncollected" is before that.
  The allocator grows before it gives back: what hello world grows by is its doing; ${GROWTH_MEGABYTES} MB or ${GROWTH * 100} % above that is noise.`);
	return holds || !judged;
}

async function watch(): Promise<boolean> {
	const costs = await measureWatch();
	console.log('\nWatching: one poll of a chain, with so many pay-in addresses\n');
	const rows = costs.map(({ network, addresses, calls, limit, milliseconds, pollSeconds }) => [
		network,
		addresses,
		String(calls),
		`≤ ${limit}`,
		verdict(calls <= limit),
		`${milliseconds.toFixed(0)} ms`,
		`${pollSeconds} s`,
		`${((milliseconds / 1000 / pollSeconds) * 100).toFixed(1)} %`,
	]);
	console.log(table([['network', 'addresses', 'calls', 'limit', 'verdict', 'took', 'pace', 'of pace'], ...rows]));
	console.log(`
  Calls of JSON-RPC to the node, of which up to 50 are one request. An EVM node is named 500 addresses in a call; a
  Litecoin node knows them, and lists what came. The time of a poll is shown beside the poll interval, not judged:
  both node and database are on this machine.`);
	return costs.every(({ calls, limit }) => calls <= limit);
}

async function years({ rounds, years: finished, state }: Plan): Promise<boolean> {
	const open = Math.ceil(finished / 10);
	const measured = await measureYears({ finished, open, rounds, state });
	const { ratios, checkSeconds, checkCpuSeconds, megabytes, madeSeconds } = measured;
	console.log(
		`\nYears: ${finished} finished and ${open} open orders, ${megabytes.toFixed(0)} MB, made in ${madeSeconds.toFixed(0)} s\n`,
	);
	const milliseconds = (time: number) => `${time.toFixed(1)} ms`;
	const rows = ratios.map(({ what, cpu, wall }) => {
		const ratio = cpu.small / cpu.full;
		const took = [cpu.small, cpu.full, wall.small, wall.full].map(milliseconds);
		return [what, ...took, ratio.toFixed(2), `≥ ${YEARS_RATIO}`, verdict(ratio >= YEARS_RATIO)];
	});
	const isFast = checkCpuSeconds <= CHECK_SECONDS;
	const check = ['ledger check', '', `${checkCpuSeconds.toFixed(1)} s`, '', `${checkSeconds.toFixed(1)} s`, ''];
	const head = ['call', 'small, CPU', 'full, CPU', 'small', 'full', 'ratio', 'limit', 'verdict'];
	console.log(table([head, ...rows, [...check, `≤ ${CHECK_SECONDS} s`, verdict(isFast)]]));
	console.log(`
  "small" has a page of each list, so that lists of the same length are compared. CPU is what workerd computes for one
  call, which other work on the machine does not change; it is judged. The time that passed is shown beside it. Of
  ${rounds} rounds, in turns, the lower quartile counts.`);
	return isFast && ratios.every(({ cpu }) => cpu.small / cpu.full >= YEARS_RATIO);
}

async function pages(plan: Plan): Promise<boolean> {
	const { closed, open, answers, unchanged } = await measurePages(plan);
	const holds = open / closed >= PAGES_RATIO;
	console.log(`\nPages: signed price in hello worlds, without and with ${OPEN_PAGES} open pages of orders\n`);
	console.log(
		table([
			['pages', 'closed', 'open', 'ratio', 'limit', 'verdict'],
			[
				String(OPEN_PAGES),
				closed.toFixed(3),
				open.toFixed(3),
				(open / closed).toFixed(2),
				`≥ ${PAGES_RATIO}`,
				verdict(holds),
			],
		]),
	);
	console.log(`\n  ${answers} answers to pages, ${unchanged} of them 304; none of the orders changes.`);
	return holds;
}

function grown(megabytes: number, from: number): [string, string] {
	const growth = Math.round(megabytes - from);
	return [`${megabytes.toFixed(0)} MB`, `${growth < 0 ? '' : '+'}${growth} MB`];
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			quick: { type: 'boolean' },
			only: { type: 'string' },
			years: { type: 'string' },
			state: { type: 'string' },
			json: { type: 'string' },
			minutes: { type: 'string' },
		},
	});
	const parts = Object.entries(PARTS).filter(([name]) => values.only === undefined || values.only === name);
	if (parts.length === 0) throw new Error(`--only takes one of ${Object.keys(PARTS).join(', ')}`);
	const [load = 0] = loadavg();
	console.log(
		`Partner Exchange, on ${availableParallelism()} cores with a load of ${load.toFixed(1)} before we began` +
			`${values.quick ? '; --quick: short rounds, rough figures' : ''}`,
	);
	let allHold = true;
	const plan = {
		...(values.quick ? QUICK : FULL),
		...(values.years && { years: Number(values.years) }),
		...(values.minutes && { memory: { minutes: Number(values.minutes) } }),
		state: values.state ?? null,
	};
	for (const [, run] of parts) allHold = (await run(plan)) && allHold;
	if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, '\t')}\n`);
	console.log(allHold ? '\nAll limits hold.' : '\nA limit was missed.');
	process.exitCode = allHold ? 0 : 1;
}

main().catch((error) => {
	console.error(error instanceof Error ? (error.stack ?? error.message) : error);
	process.exit(1);
});
