/**
 * `backup` and `restore`, step by step: the service seals and opens, this side only moves lines of text: how to open the
 * backup, the sealed pieces, and the sealed manifest. A restore reads them twice: first for their digest, which the
 * manifest has too, then to write.
 */
import { createHash } from 'node:crypto';
import type { BACKUP_STEPS } from '../backup/backup-steps.ts';
import type { RESTORE_STEPS } from '../backup/restore-steps.ts';
import type { Row } from '../doctor/row.ts';
import type { CommandPath } from '../topics/table.ts';
import { endsOf, linesOf, openTarget } from './backup-lines.ts';
import { verifiedHistory } from './history.ts';
import type { Input } from './parse.ts';
import { type Environment, LOOPBACK, send, serviceUrl } from './service.ts';
import { type HeldFingerprints, verifiedKey } from './verify-key.ts';

/** `secret`: asks the person for one, unseen. */
type Procedure = (
	input: Input,
	environment: Environment,
	secret: (name: string) => Promise<string>,
) => Promise<unknown>;

/** The answer of `doctor`. */
type Examined = Readonly<Record<Row['state'], number>> & { readonly rows: readonly Row[] };

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
	const { pieces, digest, ...ends } = await endsOf(input, environment);
	const begun = await call('begin', { ...ends, pieces, digest });
	let piece = -1;
	for await (const line of linesOf(input, environment)) {
		piece++;
		if (piece >= Number(begun['next']) && piece <= pieces) await call('write', { ...ends, piece, line });
	}
	return call('end', ends);
}

const check: Procedure = async (input, environment, secret) => {
	const ends = await endsOf(input, environment);
	if (!input['offline']) return send('restore/check', { ...ends }, environment);
	// Loaded where it is needed: no other command opens a backup by itself.
	const { openedHere } = await import('./check-backup.ts');
	return openedHere(ends, await secret('SEAL_KEY'));
};

const verify: Procedure = async (input, environment, secret) => {
	const held = (await send('keys/verify', input, environment)) as HeldFingerprints;
	return verifiedKey(held, await secret(held.name));
};

/** With what only this machine can ask: DNS. */
const doctor: Procedure = async (input, environment) => {
	const url = serviceUrl(environment);
	const examined = send('doctor', input, environment) as Promise<Examined>;
	if (LOOPBACK.has(url.hostname)) return examined;
	const { recordRow } = await import('./promise-record.ts');
	const [{ rows, ...counts }, row] = await Promise.all([examined, recordRow(url)]);
	return { ...counts, [row.state]: counts[row.state] + 1, rows: [...rows, row] };
};

/** Commands that are more than one request, or need what only this machine has, by their path. */
export const PROCEDURES: Readonly<Partial<Record<CommandPath, Procedure>>> = {
	backup,
	'backup/check': check,
	doctor,
	'history/verify': verifiedHistory,
	restore,
	'keys/verify': verify,
};
