/** Our own child processes and what memory they hold; from /proc where there is one, else from ps. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface Process {
	readonly pid: number;
	readonly parent: number;
	readonly name: string;
	/** Resident memory. */
	readonly kilobytes: number;
}

export const childrenNamed = (name: string): Process[] =>
	processes().filter((child) => child.parent === process.pid && child.name === name);

function processes(): Process[] {
	try {
		return readdirSync('/proc')
			.filter((entry) => /^\d+$/.test(entry))
			.flatMap((entry): Process[] => {
				try {
					return [fromStatus(Number(entry), readFileSync(`/proc/${entry}/status`, 'utf8'))];
				} catch {
					// It ended in the meantime.
					return [];
				}
			});
	} catch {
		const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss=,comm='], { encoding: 'utf8' }).trim().split('\n');
		return lines.map((line) => {
			const [pid, parent, kilobytes, ...command] = line.trim().split(/\s+/);
			const name = command.join(' ').split('/').at(-1) ?? '';
			return { pid: Number(pid), parent: Number(parent), kilobytes: Number(kilobytes), name };
		});
	}
}

function fromStatus(pid: number, status: string): Process {
	const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1];
	return { pid, parent: Number(field('PPid')), name: field('Name') ?? '', kilobytes: Number(field('VmRSS') ?? 0) };
}

/**
 * What a process has computed so far, all threads together. Where there is no /proc, `ps` says it in hundredths of a second
 * at best.
 */
export function cpuMilliseconds(pid: number): number {
	try {
		const threads = readdirSync(`/proc/${pid}/task`);
		const nanoseconds = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]);
		return nanoseconds.reduce((sum, each) => sum + Number(each), 0) / 1e6;
	} catch {
		const time = execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }).trim();
		return time.split(/[:-]/).reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
	}
}
