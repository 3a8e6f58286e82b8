/**
 * `npm run chaos`: the service as `npm start` runs it, under load from several partners, killed with -9 again and again,
 * its processes stopped and continued, its disk full; and then on real nodes, which are killed. At the end of each part
 * nothing strikes any more, and what the partners were told is compared with what is there (`README.md` beside this
 * file). `--kills N` (50; 0 leaves the first part out), `--node-kills N` (20; 0 leaves the second out), `--seed S` (1).
 * Ends with `N passed, N failed`, and with status 1 where a check failed.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Checked } from './checks.ts';
import type { Journal, Member } from './journal.ts';
import { killNodes } from './nodes/run.ts';
import { killService } from './sandbox.ts';
import type { Struck } from './strikes.ts';

function reportStrikes({ serveSeconds, notes, kills }: Struck): void {
	const sorted = serveSeconds.toSorted((one, other) => one - other);
	const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
	console.log(
		`\n${kills} kills; until it served again: median ${median.toFixed(1)} s, worst ${(sorted.at(-1) ?? 0).toFixed(1)} s`,
	);
	for (const note of notes) console.log(note);
}

function reportCalls(journal: Journal, members: readonly Member[]): void {
	const rotations = members.reduce((sum, member) => sum + member.rotations, 0);
	console.log(
		`${rotations} rotations and ${journal.nonces.length} priced calls acknowledged, ${journal.lost} answers lost`,
	);
	const answers = [...journal.answers].sort().map(([call, times]) => `${call}: ${times}`);
	console.log(`answers by call and code: ${answers.join(', ')}`);
}

/** Returns how many passed and how many failed. */
function judge(checks: readonly Checked[]): readonly [passed: number, failed: number] {
	console.log();
	for (const [name, faults] of checks) {
		console.log(`${faults.length === 0 ? 'holds ' : 'FAILED'}  ${name}`);
		for (const fault of faults.slice(0, 10)) console.log(`        ${fault}`);
		if (faults.length > 10) console.log(`        and ${faults.length - 10} more`);
	}
	const failed = checks.filter(([, faults]) => faults.length > 0).length;
	return [checks.length - failed, failed];
}

async function strikeSandbox(folder: string, seed: number, kills: number) {
	mkdirSync(folder);
	const { checks, journal, members, struck } = await killService(folder, seed, kills);
	reportStrikes(struck);
	reportCalls(journal, members);
	const judged = judge(checks);
	console.log(`\nseed ${seed}, ${struck.kills} kills, ${journal.orders.length} orders followed`);
	return judged;
}

async function strikeNodes(folder: string, seed: number, kills: number) {
	mkdirSync(folder);
	const run = await killNodes(folder, seed, kills);
	if (run === null) {
		console.log('THE NODES WERE NOT KILLED: this part was left out, for there is no litecoind here');
		return [0, 0] as const;
	}
	reportCalls(run.journal, run.members);
	const judged = judge(run.checks);
	const { nodes, service } = run.struck;
	console.log(
		`\nseed ${seed}, ${nodes} kills of nodes, ${service} of the service, ${run.journal.orders.length} orders followed`,
	);
	return judged;
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: { kills: { type: 'string' }, 'node-kills': { type: 'string' }, seed: { type: 'string' } },
	});
	const [kills, nodeKills] = [Number(values.kills ?? 50), Number(values['node-kills'] ?? 20)];
	const seed = Number(values.seed ?? 1);
	if (![kills, nodeKills].every((count) => Number.isInteger(count) && count >= 0) || !Number.isInteger(seed))
		throw new Error('--kills N, --node-kills N and --seed S are numbers');
	const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-chaos-'));
	try {
		const parts = [
			...(kills > 0 ? [await strikeSandbox(join(folder, 'sandbox'), seed, kills)] : []),
			...(nodeKills > 0 ? [await strikeNodes(join(folder, 'nodes'), seed, nodeKills)] : []),
		];
		const [passed, failed] = [0, 1].map((at) => parts.reduce((sum, part) => sum + (part[at] ?? 0), 0));
		console.log(`${passed} passed, ${failed} failed`);
		process.exitCode = failed ? 1 : 0;
	} finally {
		if (!process.env['KEEP_STATE']) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
	}
}

main().catch((error) => {
	console.error(error instanceof Error ? (error.stack ?? error.message) : error);
	console.log('0 passed, 1 failed');
	process.exit(1);
});
