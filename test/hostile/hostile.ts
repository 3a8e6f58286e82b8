/**
 * `npm run hostile -- --requests 100000 --seed S`: generated requests to every endpoint, page and operator command of a
 * running service (`README.md` beside this file). None may be answered with a 99 or a 500, each gets the
 * envelope and a code of its endpoint, and refused calls change nothing. Status 1 when anything is wrong.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../cast/random.ts';
import { hostileDraws } from '../support/hostile.ts';
import { Caller, exchange } from '../support/hostile-calls.ts';
import * as cases from '../support/hostile-cases.ts';
import { CUT_OFF, GARBLED } from '../support/hostile-requests.ts';
import { stateOf } from '../support/hostile-state.ts';
import { mayChange } from '../support/hostile-target.ts';
import { HOSTILE_VARIABLES, type HostileWorld, hostileWorld } from '../support/hostile-world.ts';
import { createPartner } from '../support/partner.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { NO_REQUESTS } from './no-requests.ts';
import { commandCases, drawnCommandCases, strangerCases } from './operator-cases.ts';
import { type Command, commandsOf } from './operator-targets.ts';
import { drawnPageCases, pageCases, pagePaths } from './page-cases.ts';
import { Tally } from './tally.ts';

/** From so many requests on, each list is sent whole; of pages and commands, which share their lists, a part. */
const WHOLE = 100_000;
const PART = 0.5;
/** Until so much of the run was made, random requests are added to the endpoints, then to the pages, then to the commands. */
const UNTIL = { api: 0.45, pages: 0.7, operator: 1 };
const CHUNK = 40;
/** Of the body that every list draws besides. */
const DRAWN = 20;
/** Events of the log that say that we failed. */
const FAILURES = ['request_failed', 'operator_command_failed', 'page_failed'];

interface Run extends HostileWorld {
	readonly service: TestService;
	readonly caller: Caller;
	readonly tally: Tally;
	readonly random: Random;
	readonly requests: number;
	/** Counts up: each chunk of random requests has a seed of its own. */
	seed: number;
}

const share = <T>({ random, requests }: Run, all: readonly T[], part = 1): T[] => {
	const probability = Math.min(1, requests / WHOLE) * part;
	return probability >= 1 ? [...all] : all.filter(() => random.chance(probability));
};

/** Random requests to each in turn, until so much of the run is made. */
async function fill<T>(run: Run, until: number, all: readonly T[], send: (one: T, seed: number) => Promise<void>) {
	for (let i = 0; all.length > 0 && run.tally.made < run.requests * until; i++) {
		const one = all[i % all.length];
		if (one !== undefined) await send(one, run.seed++);
	}
}

async function attackApi(run: Run): Promise<void> {
	const { caller, tally, partner, targets } = run;
	for (const target of targets) {
		const { wrong } = cases.bodiesFor(target, { drawn: DRAWN, seed: run.seed });
		const all = [
			...cases.signedBodies(partner, target, share(run, wrong)),
			...cases.unsignedBodies(target, share(run, wrong, PART)),
			...share(run, cases.wrongHeaders(partner)(target)),
			...cases.otherEncodings(partner)(target),
			...cases.wrongIdempotencyKeys(partner)(target),
			...share(run, cases.elsewhere(partner, targets)(target)),
		];
		await tally.run(caller, target.name, all);
	}
	await fill(run, UNTIL.api, targets, (target, seed) => {
		const bodies = hostileDraws(target.base ?? {}, target.fields, CHUNK, seed);
		const wrong = bodies.filter(({ bytes }) => !mayChange(target, bytes));
		return tally.run(caller, target.name, cases.signedBodies(partner, target, wrong));
	});
}

/** Bytes that are no request, or half of one. */
async function attackConnections({ service, targets, tally }: Run): Promise<void> {
	for (const [name, lines] of [...GARBLED, ...CUT_OFF]) {
		const cut = CUT_OFF.some(([other]) => other === name);
		const answers = await Promise.all(
			targets.map(({ method, path }) => exchange(service, lines(method, path), { cut })),
		);
		for (const answer of answers) tally.noteRaw(name, answer);
	}
	for (const [name, lines] of NO_REQUESTS) tally.noteRaw(name, await exchange(service, lines));
}

async function attackPages(run: Run): Promise<void> {
	const { caller, tally, service } = run;
	const paths = pagePaths(run.order);
	for (const path of paths) await tally.run(caller, 'pages', share(run, pageCases(path, service.url), PART));
	await fill(run, UNTIL.pages, paths, (path, seed) =>
		tally.run(caller, 'pages', drawnPageCases(path, service.url, CHUNK, seed)),
	);
}

async function attackOperator(run: Run, commands: readonly Command[]): Promise<void> {
	const { caller, tally, service } = run;
	const { OPERATOR_TOKEN: token } = service.local.secrets;
	for (const command of commands)
		await tally.run(caller, command.path, share(run, commandCases(token, command, DRAWN), PART));
	await fill(run, UNTIL.operator, commands, (command, seed) =>
		tally.run(caller, command.path, drawnCommandCases(token, command, CHUNK, seed)),
	);
}

/** Bodies that may be right, from a partner whose state may change. */
async function sendStrangeBodies(run: Run): Promise<void> {
	const other = await createPartner(run.service, { weightPerMinute: 1_000_000, maxRefCodes: 1000 });
	for (const target of run.targets) {
		const { strange } = cases.bodiesFor(target, { drawn: DRAWN, seed: run.seed });
		await run.tally.run(run.caller, target.name, cases.strangeBodies(other, target, strange));
	}
}

/** What refused calls changed: the tables whose rows differ, `but` for one. */
async function unchanged(run: Run, stage: string, attack: () => Promise<void>, but?: string): Promise<void> {
	const before = await stateOf(run.service);
	await attack();
	const after = await stateOf(run.service);
	for (const [table, rows] of Object.entries(after)) {
		if (table === but) continue;
		const old = new Set(before[table]);
		const added = rows.filter((row) => !old.has(row));
		if (added.length > 0)
			run.tally.fail(`${stage} changed ${table}: ${added.length} rows, as ${added[0]?.slice(0, 200)}`);
		else if (rows.length !== before[table]?.length) run.tally.fail(`${stage} removed rows of ${table}`);
	}
	run.tally.progress(stage);
}

async function attack(run: Run): Promise<void> {
	const { id: partner } = run.partner;
	const commands = commandsOf({ id: run.order, order: run.order, orders: [run.order], partner });
	await unchanged(run, 'endpoints', () => attackApi(run));
	await unchanged(run, 'connections', () => attackConnections(run));
	await unchanged(run, 'pages', () => attackPages(run));
	await unchanged(run, 'commands without the token', async () => {
		for (const [n, command] of commands.entries())
			await run.tally.run(run.caller, 'operator, no token', strangerCases(command, n));
	});
	await sendStrangeBodies(run);
	await attackOperator(run, commands);
	run.tally.progress('commands');
	for (const event of FAILURES)
		for (const line of run.service.logged(event).slice(0, 5))
			run.tally.fail(`log: ${JSON.stringify(line).slice(0, 600)}`);
}

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
	const [requests, seed] = [Number(values.requests ?? WHOLE), Number(values.seed ?? 1)];
	if (!(requests > 0) || !Number.isInteger(seed)) throw new Error('--requests N and --seed S are numbers');
	const stateDirectory = mkdtempSync(join(tmpdir(), 'partner-exchange-hostile-'));
	const service = await startTestService(HOSTILE_VARIABLES, stateDirectory, {}, { pages: true });
	const caller = new Caller(service);
	const tally = new Tally();
	try {
		const world = await hostileWorld(service);
		await attack({ ...world, service, caller, tally, random: new Random(seed), requests, seed: seed * 1_000_000 });
		tally.print();
		console.log(`\nseed ${seed}, ${tally.made} requests, ${tally.wrong} wrong`);
		process.exitCode = tally.wrong > 0 ? 1 : 0;
	} finally {
		caller.close();
		await service.local.stop();
		rmSync(stateDirectory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
	}
}

main().catch((error) => {
	console.error(error instanceof Error ? (error.stack ?? error.message) : error);
	process.exit(1);
});
