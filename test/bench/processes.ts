/** Our own child processes and what memory they hold; from /proc where there is one, else from ps. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface Process {
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
					return [fromStatus(readFileSync(`/proc/${entry}/status`, 'utf8'))];
				} catch {
					// It ended in the meantime.
					return [];
				}
			});
	} catch {
		const lines = execFileSync('ps', ['-A', '-o', 'ppid=,rss=,comm='], { encoding: 'utf8' }).trim().split('\n');
		return lines.map((line) => {
			const [parent, kilobytes, ...command] = line.trim().split(/\s+/);
			return { parent: Number(parent), kilobytes: Number(kilobytes), name: command.join(' ').split('/').at(-1) ?? '' };
		});
	}
}

function fromStatus(status: string): Process {
	const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1];
	return { parent: Number(field('PPid')), name: field('Name') ?? '', kilobytes: Number(field('VmRSS') ?? 0) };
}
