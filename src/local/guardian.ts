/**
 * Ends workerd when the launcher is gone, whatever ended the launcher: `kill -9` gives it no chance to do so itself,
 * and an orphan would hold the port and the state. Runs as a process of its own; its standard input is a pipe from the
 * launcher that closes with the launcher's death. A line comes through it whenever the launcher starts a process.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Soon after a line, and later on: each look costs half a millisecond of a core. */
const LOOK_MILLISECONDS = { atFirst: 100, later: 1_000 };
const LOOKS_AT_FIRST = 50;

const launcher = Number(process.argv[2]);
/** The processes that the launcher had started when it was last seen. */
let found: readonly number[] = [];
let looks = 0;

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

/** The launcher's children, from its threads where possible: that costs much less than to read every process. */
function children(): number[] {
	try {
		return readdirSync(`/proc/${launcher}/task`).flatMap((thread) =>
			readFileSync(`/proc/${launcher}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
		);
	} catch {
		return processes().flatMap(([pid, parent]) => (parent === launcher ? [pid] : []));
	}
}

/** A launcher that is gone has no children, not even this one. */
function look(): void {
	const seen = children();
	if (seen.includes(process.pid)) found = seen.filter((pid) => pid !== process.pid);
	looks += 1;
	looking = setTimeout(look, looks < LOOKS_AT_FIRST ? LOOK_MILLISECONDS.atFirst : LOOK_MILLISECONDS.later);
}

let looking = setTimeout(look);

process.stdin.on('data', () => {
	clearTimeout(looking);
	looks = 0;
	look();
});

process.stdin.on('end', () => {
	clearTimeout(looking);
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
