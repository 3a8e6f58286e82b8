/**
 * `npm run chaos`: the service as `npm start` runs it, under load from several partners, killed with -9 again and again,
 * its processes stopped and continued, its disk full. Then nothing strikes any more, and what the partners were told is
 * compared with what is there (book: contributing, "Chaos and hostile input"). `--kills N` (50), `--seed S` (1). Ends
 * with `N passed, N failed`, and with status 1 where a check failed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../simulate/random.ts';
import type { Credentials } from '../support/partner.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { type Checked, checkAnswers, checkLedger, checkMembers, untilRest } from './checks.ts';
import { Journal, type Member } from './journal.ts';
import { live, operate, replaySpent } from './load.ts';
import { ChaosService } from './service.ts';
import { type Struck, strikeDisk, strikeKills, strikeStops } from './strikes.ts';

const PARTNERS = 5;
/** No limit of a partner or of the site is what is tested. */
const LIMITS = { dailyCapUsd: 1_000_000_000, unpaidShareBps: 10_000 };

async function addMembers(service: ChaosService, receiver: WebhookReceiver): Promise<Member[]> {
	const members: Member[] = [];
	for (let i = 0; i < PARTNERS; i++) {
		const input = { name: `Partner ${i}`, weightPerMinute: 1_000_000, webhookUrl: receiver.url };
		const { data, ok, error } = await operate<Credentials>(service, 'partner/create', input);
		if (!ok) throw new Error(`partner create: ${error}`);
		members.push({ credentials: data, endedSecrets: [], codes: [], rotations: 0 });
	}
	await operate(service, 'site/update', LIMITS);
	return members;
}

function report({ serveSeconds, notes, kills }: Struck, journal: Journal, members: readonly Member[]): void {
	const sorted = serveSeconds.toSorted((one, other) => one - other);
	const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
	console.log(
		`\n${kills} kills; until it served again: median ${median.toFixed(1)} s, worst ${(sorted.at(-1) ?? 0).toFixed(1)} s`,
	);
	for (const note of notes) console.log(note);
	const rotations = members.reduce((sum, member) => sum + member.rotations, 0);
	console.log(
		`${rotations} rotations and ${journal.nonces.length} priced calls acknowledged, ${journal.lost} answers lost`,
	);
	const answers = [...journal.answers].sort().map(([call, times]) => `${call}: ${times}`);
	console.log(`answers by call and code: ${answers.join(', ')}`);
}

function judge(checks: readonly Checked[], seed: number, kills: number, followed: number): void {
	console.log();
	for (const [name, faults] of checks) {
		console.log(`${faults.length === 0 ? 'holds ' : 'FAILED'}  ${name}`);
		for (const fault of faults.slice(0, 10)) console.log(`        ${fault}`);
		if (faults.length > 10) console.log(`        and ${faults.length - 10} more`);
	}
	const failed = checks.filter(([, faults]) => faults.length > 0).length;
	console.log(`\nseed ${seed}, ${kills} kills, ${followed} orders followed`);
	console.log(`${checks.length - failed} passed, ${failed} failed`);
	process.exitCode = failed > 0 ? 1 : 0;
}

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { kills: { type: 'string' }, seed: { type: 'string' } } });
	const [kills, seed] = [Number(values.kills ?? 50), Number(values.seed ?? 1)];
	if (!Number.isInteger(kills) || kills < 0 || !Number.isInteger(seed))
		throw new Error('--kills N and --seed S are numbers');
	const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-chaos-'));
	const receiver = await startWebhookReceiver();
	const service = await ChaosService.inFolder(folder, { ADDRESS_POOL: '100' });
	try {
		await service.launch();
		await service.untilServing();
		const members = await addMembers(service, receiver);
		const journal = new Journal();
		let isOver = false;
		const random = new Random(seed);
		const world = { service, journal, random, isOver: () => isOver };
		// What a partner does next is drawn apart, so that its order of calls does not move the kills.
		const partners = members.map((member, i) => live({ ...world, random: new Random(seed + 1 + i) }, member, i > 0));
		const struck = await strikeKills(world, kills);
		await strikeStops(world, struck);
		const disk = await strikeDisk(world, struck);
		isOver = true;
		await Promise.all(partners);
		await replaySpent(world, 50);
		const rest = await untilRest(service, journal, receiver);
		const checks = [...rest, ...(await checkMembers(service, members)), await checkLedger(service)];
		report(struck, journal, members);
		judge([...checks, ...checkAnswers(journal), ...disk], seed, struck.kills, journal.orders.length);
	} finally {
		await service.stop();
		await receiver.close();
		if (!process.env['KEEP_STATE']) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
	}
}

main().catch((error) => {
	console.error(error instanceof Error ? (error.stack ?? error.message) : error);
	console.log('0 passed, 1 failed');
	process.exit(1);
});
