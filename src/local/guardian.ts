/**
 * Ends workerd when the launcher is gone, whatever ended the launcher: `kill -9` gives it no chance to do so itself,
 * and an orphan would hold the port and the state. Runs as a process of its own; its standard input is a pipe from the
 * launcher that closes with the launcher's death.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const LOOK_MILLISECONDS = 100;

const launcher = Number(process.argv[2]);
const found = new Set<number>();

/** Pairs of process id and parent's; from /proc where there is one, else from ps. */
function processes(): [number, number][] {
	try {
		return readdirSync('/proc')
			.filter((name) => /^\d+$/.test(name))
			.flatMap((name): [number, number][] => {
				try {
					const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
					return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
				} catch {
					// The process ended while we looked.
					return [];
				}
			});
	} catch {
		const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
		return lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
	}
}

/** Of the launcher, from its threads where the system tells: that costs much less than to read every process there is. */
function children(): number[] {
	try {
		return readdirSync(`/proc/${launcher}/task`).flatMap((thread) =>
			readFileSync(`/proc/${launcher}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
		);
	} catch {
		return processes().flatMap(([pid, parent]) => (parent === launcher ? [pid] : []));
	}
}

function look(): void {
	for (const pid of children()) if (pid !== process.pid) found.add(pid);
}

const looking = setInterval(look, LOOK_MILLISECONDS);

process.stdin.resume().on('end', () => {
	clearInterval(looking);
	const running = new Map(processes());
	for (const pid of found) {
		// Orphans only: a number that was given to somebody else's process since has another parent.
		if (!running.has(pid) || (running.get(pid) !== 1 && running.get(pid) !== launcher)) continue;
		try {
			process.kill(pid, 'SIGKILL');
		} catch {
			// It ended by itself meanwhile.
		}
	}
	process.exit(0);
});
