/** What a Worker's start takes of the CPU: compiling its code and evaluating its modules, in the runtime that serves it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuMilliseconds } from './processes.ts';

/** The runtime that Miniflare starts. */
const WORKERD: string = createRequire(createRequire(import.meta.url).resolve('miniflare'))('workerd').default;
const EMPTY = 'export default { fetch: () => new Response() };';
const CONFIGURATION = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
	services = [(name = "main", worker = (
		modules = [(name = "worker.js", esModule = embed "worker.js")],
		compatibilityDate = "2026-11-01",
	))],
	sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
/** The least of so many starts counts: what else the machine does only adds to it. */
const STARTS = 5;

/**
 * Milliseconds of CPU that each of these scripts, ES modules, takes more than a Worker that does nothing until it is served.
 * They take turns, for the machine's speed changes by the minute.
 */
export async function startupMilliseconds(...scripts: string[]): Promise<number[]> {
	const all = [EMPTY, ...scripts];
	const least = all.map(() => Number.POSITIVE_INFINITY);
	for (let turn = 0; turn < STARTS; turn++)
		for (const [index, script] of all.entries())
			least[index] = Math.min(least[index] ?? Number.NaN, await cpuUntilServed(script));
	const [floor = Number.NaN, ...each] = least;
	return each.map((milliseconds) => milliseconds - floor);
}

async function cpuUntilServed(script: string): Promise<number> {
	const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-startup-'));
	writeFileSync(join(folder, 'worker.js'), script);
	writeFileSync(join(folder, 'config.capnp'), CONFIGURATION);
	// It says on its standard output when it listens; before that it has evaluated its Workers.
	const workerd = spawn(WORKERD, ['serve', join(folder, 'config.capnp'), '--control-fd=1'], { stdio: 'pipe' });
	const problems: Buffer[] = [];
	workerd.stderr.on('data', (text: Buffer) => problems.push(text));
	try {
		await Promise.race([once(workerd.stdout, 'data'), once(workerd, 'exit')]);
		if (workerd.exitCode !== null) throw new Error(`workerd does not start: ${Buffer.concat(problems)}`);
		return cpuMilliseconds(workerd.pid ?? Number.NaN);
	} finally {
		workerd.kill();
		rmSync(folder, { recursive: true, force: true });
	}
}
