/**
 * The files that the Workers' lines go to: `service.log`, and `metrics.log` for what is measured. Each is bounded: when
 * it is full it becomes `<name>.1`, which replaces the one before.
 */
import { createWriteStream, openSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';

/** 64 MiB and 8 MiB, and as much again in the file before. */
const MAX_BYTES = { 'service.log': 67_108_864, 'metrics.log': 8_388_608 } as const;

type Name = keyof typeof MAX_BYTES;

/** `most`: bytes of each file. */
export function lineFiles(
	directory: string,
	most: Readonly<Record<Name, number>> = MAX_BYTES,
): (time: string, line: string) => void {
	const files = {
		'service.log': new BoundedFile(join(directory, 'service.log'), most['service.log']),
		'metrics.log': new BoundedFile(join(directory, 'metrics.log'), most['metrics.log']),
	};
	return (time, line) => files[line.startsWith('{"metric"') ? 'metrics.log' : 'service.log'].write(`${time} ${line}\n`);
}

class BoundedFile {
	readonly #path: string;
	readonly #most: number;
	#stream: WriteStream | null = null;
	#bytes = 0;

	constructor(path: string, most: number) {
		this.#path = path;
		this.#most = most;
	}

	write(line: string): void {
		if (this.#stream && this.#bytes > this.#most) {
			this.#stream.end();
			renameSync(this.#path, `${this.#path}.1`);
			this.#stream = null;
		}
		this.#stream ??= this.#open();
		this.#stream.write(line);
		this.#bytes += Buffer.byteLength(line);
	}

	#open(): WriteStream {
		this.#bytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
		// Opened at once, so that it is there when it is renamed.
		return createWriteStream('', { fd: openSync(this.#path, 'a', 0o600) });
	}
}
