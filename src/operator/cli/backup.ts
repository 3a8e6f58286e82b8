/**
 * `backup` and `restore`, step by step: the service seals and opens, this side only has the file. The file is lines of
 * text: how to open it, the sealed pieces, and the sealed manifest.
 *
 * A backup is written under another name first, so a file of the wanted name is always whole. A restore reads the file
 * twice: first for its digest, which the manifest has too, then to write.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Input } from './parse.ts';
import { ServiceError, send } from './service.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Procedure = (input: Input, environment: Environment) => Promise<unknown>;

async function backup({ file }: Input, environment: Environment): Promise<unknown> {
	const path = String(file);
	if (existsSync(path)) throw new ServiceError(`${path} exists; name a new file`);
	const call = (step: string, input: Input) => send(`backup/${step}`, input, environment) as Promise<Input>;
	const partial = `${path}.part`;
	const target = await open(partial, 'w', 0o600).catch((error) =>
		refuse(`${path} cannot be written: ${error.message}`),
	);
	const begun = await call('begin', {}).catch(async (error) => {
		await target.close();
		await rm(partial);
		throw error;
	});
	const { header, at } = begun;
	try {
		const digest = createHash('sha256');
		const write = async (line: string) => {
			digest.update(`${line}\n`);
			await target.write(`${line}\n`);
		};
		await write(String(header));
		let pieces = 0;
		for (let cursor = begun['next']; cursor; ) {
			const { line, next } = await call('page', { header, piece: ++pieces, cursor });
			await write(String(line));
			cursor = next;
		}
		const made = await call('end', { header, at, pieces, digest: digest.digest('hex') });
		await target.write(`${made['line']}\n`);
		await target.sync();
		await target.close();
		await rename(partial, path);
		return { file: path, at: new Date(Number(at)).toISOString(), rows: made['rows'], journal: made['journal'] };
	} catch (error) {
		await call('break-off', { header }).catch(() => undefined);
		await target.close().catch(() => undefined);
		await rm(partial, { force: true });
		throw error;
	}
}

async function restore({ file }: Input, environment: Environment): Promise<unknown> {
	const path = String(file);
	const call = (step: string, input: Input) => send(`restore/${step}`, input, environment) as Promise<Input>;
	const digest = createHash('sha256');
	let [header, manifest, lines]: [string, string, number] = ['', '', 0];
	for await (const line of linesOf(path)) {
		if (lines === 0) header = line;
		if (lines > 0) digest.update(`${manifest}\n`);
		manifest = line;
		lines++;
	}
	if (lines < 3) throw new ServiceError(`${path} is not a whole backup`);
	const ends = { header, manifest };
	const begun = await call('begin', { ...ends, pieces: lines - 2, digest: digest.digest('hex') });
	let piece = -1;
	for await (const line of linesOf(path)) {
		piece++;
		if (piece >= Number(begun['next']) && piece < lines - 1) await call('write', { ...ends, piece, line });
	}
	return call('end', ends);
}

async function* linesOf(path: string): AsyncGenerator<string> {
	if (!existsSync(path)) refuse(`there is no file ${path}`);
	const input = createReadStream(path);
	yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

function refuse(message: string): never {
	throw new ServiceError(message);
}

/** Commands that are more than one request, by their path. */
export const PROCEDURES: Readonly<Record<string, Procedure>> = { backup, restore };
