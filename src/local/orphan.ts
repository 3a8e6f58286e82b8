/**
 * npm passes no SIGKILL on: when it, or the shell between it and us, is gone, nobody is left to stop this process.
 * Where there is no /proc only the direct parent is watched.
 */
import { readFileSync } from 'node:fs';

const LOOK_MILLISECONDS = 500;

/** Parent of a process; null where that cannot be seen. */
function parentOf(pid: number): number | null {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
	} catch {
		return null;
	}
}

/** Calls `stop` once when npm started this process and is gone. A process started by hand outlives its terminal. */
export function whenOrphaned(stop: () => void): void {
	if (!process.env['npm_lifecycle_event']) return;
	const shell = process.ppid;
	const npm = parentOf(shell);
	const looking = setInterval(() => {
		if (process.ppid === shell && parentOf(shell) === npm) return;
		clearInterval(looking);
		stop();
	}, LOOK_MILLISECONDS);
	looking.unref();
}
