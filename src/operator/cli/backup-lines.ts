/**
 * Where the lines of a backup are: in a file, or in the service's R2 bucket. A file is written under another name first,
 * so a file of the wanted name is always whole. In the bucket each line is an object; without the last one it is no
 * backup.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Input } from './parse.ts';
import { type Environment, ServiceError, send } from './service.ts';

interface Target {
	write(line: string): Promise<void>;
	finish(): Promise<void>;
	abandon(): Promise<void>;
}

/** @throws ServiceError where it exists, or cannot be written */
export const openTarget = (input: Input, environment: Environment): Promise<Target> | Target =>
	input['r2'] ? bucketTarget(String(input['file']), environment) : fileTarget(String(input['file']));

async function fileTarget(path: string): Promise<Target> {
	if (existsSync(path)) throw new ServiceError(`${path} exists; name a new file`);
	const partial = `${path}.part`;
	const target = await open(partial, 'w', 0o600).catch((error) => {
		throw new ServiceError(`${path} cannot be written: ${error.message}`);
	});
	return {
		async write(line) {
			await target.write(`${line}\n`);
		},
		async finish() {
			await target.sync();
			await target.close();
			await rename(partial, path);
		},
		async abandon() {
			await target.close().catch(() => undefined);
			await rm(partial, { force: true });
		},
	};
}

function bucketTarget(name: string, environment: Environment): Target {
	let number = 0;
	return {
		async write(line) {
			await send('backup/keep', { name, number: number++, line }, environment);
		},
		async finish() {},
		async abandon() {},
	};
}

/** The first and the last line of a backup, and the facts that the lines between show unopened. `digest`: SHA-256 of all lines but the last, in hex. */
export interface Ends {
	readonly header: string;
	readonly manifest: string;
	readonly pieces: number;
	readonly digest: string;
}

/** @throws ServiceError where it has too few lines */
export async function endsOf(input: Input, environment: Environment): Promise<Ends> {
	const digest = createHash('sha256');
	let [header, manifest, lines]: [string, string, number] = ['', '', 0];
	for await (const line of linesOf(input, environment)) {
		if (lines === 0) header = line;
		else digest.update(`${manifest}\n`);
		manifest = line;
		lines++;
	}
	if (lines < 3) throw new ServiceError(`${input['file']} is not a whole backup`);
	return { header, manifest, pieces: lines - 2, digest: digest.digest('hex') };
}

export async function* linesOf(input: Input, environment: Environment): AsyncGenerator<string> {
	const name = String(input['file']);
	if (!input['r2']) {
		if (!existsSync(name)) throw new ServiceError(`there is no file ${name}`);
		yield* createInterface({ input: createReadStream(name), crlfDelay: Number.POSITIVE_INFINITY });
		return;
	}
	for (let number = 0; ; number++) {
		const { line } = (await send('backup/kept', { name, number }, environment)) as { line: string | null };
		if (line === null) return;
		yield line;
	}
}
