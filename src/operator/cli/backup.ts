/**
 * `backup` and `restore`, step by step: the service seals and opens, this side only moves lines of text: how to open the
 * backup, the sealed pieces, and the sealed manifest. A restore reads them twice: first for their digest, which the
 * manifest has too, then to write.
 */
import { createHash } from 'node:crypto';
import type { BACKUP_STEPS } from '../backup/backup-steps.ts';
import type { RESTORE_STEPS } from '../backup/restore-steps.ts';
import type { CommandPath } from '../topics/table.ts';
import { linesOf, openTarget } from './backup-lines.ts';
import type { Input } from './parse.ts';
import { type Environment, ServiceError, send } from './service.ts';

type Procedure = (input: Input, environment: Environment) => Promise<unknown>;

async function backup(input: Input, environment: Environment): Promise<unknown> {
	const call = (step: keyof typeof BACKUP_STEPS, facts: Input) =>
		send(`backup/${step}`, facts, environment) as Promise<Input>;
	const target = await openTarget(input, environment);
	const begun = await call('begin', {}).catch(async (error) => {
		await target.abandon();
		throw error;
	});
	const { header, at } = begun;
	try {
		const digest = createHash('sha256');
		const write = async (line: string) => {
			digest.update(`${line}\n`);
			await target.write(line);
		};
		await write(String(header));
		let pieces = 0;
		for (let cursor = begun['next']; cursor; ) {
			const { line, next } = await call('page', { header, piece: ++pieces, cursor });
			await write(String(line));
			cursor = next;
		}
		const { line, rows, journal } = await call('end', { header, at, pieces, digest: digest.digest('hex') });
		await target.write(String(line));
		await target.finish();
		return { file: input['file'], at: new Date(Number(at)).toISOString(), rows, journal };
	} catch (error) {
		await call('break-off', { header }).catch(() => undefined);
		await target.abandon();
		throw error;
	}
}

async function restore(input: Input, environment: Environment): Promise<unknown> {
	const call = (step: keyof typeof RESTORE_STEPS, facts: Input) =>
		send(`restore/${step}`, facts, environment) as Promise<Input>;
	const digest = createHash('sha256');
	let [header, manifest, lines]: [string, string, number] = ['', '', 0];
	for await (const line of linesOf(input, environment)) {
		if (lines === 0) header = line;
		else digest.update(`${manifest}\n`);
		manifest = line;
		lines++;
	}
	if (lines < 3) throw new ServiceError(`${input['file']} is not a whole backup`);
	const ends = { header, manifest };
	const begun = await call('begin', { ...ends, pieces: lines - 2, digest: digest.digest('hex') });
	let piece = -1;
	for await (const line of linesOf(input, environment)) {
		piece++;
		if (piece >= Number(begun['next']) && piece < lines - 1) await call('write', { ...ends, piece, line });
	}
	return call('end', ends);
}

/** Commands that are more than one request, by their path. */
export const PROCEDURES: Readonly<Partial<Record<CommandPath, Procedure>>> = { backup, restore };
