/**
 * Things that are made of files of this checkout and cost more to make than to read, kept in `.wrangler/kept` until one
 * of those files changes: the bundled Workers and the migrations' statements. `npm ci` makes it ahead (`prepare.ts`); a
 * start that finds it missing or out of date makes it again.
 */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const KEPT_FOLDER = join(import.meta.dirname, '../../.wrangler/kept');

export interface Made<T> {
	/** Plain data. */
	readonly value: T;
	/** Paths of the files, and folders, of which it was made. */
	readonly from: readonly string[];
}

interface Kept<T> extends Made<T> {
	/** The state of each path in `from`, in its order. */
	readonly states: readonly string[];
}

/** `name`: of the file that keeps it. Where nothing can be written there, it is made at each call. */
export async function kept<T>(name: string, make: () => Promise<Made<T>>): Promise<T> {
	const path = join(KEPT_FOLDER, `${name}.json`);
	const found = read<T>(path);
	if (found?.from.every((file, i) => stateOf(file) === found.states[i])) return found.value;
	const made = await make();
	write(path, { ...made, states: made.from.map(stateOf) });
	// As it will be read next time: a field that is there and undefined is not there then.
	return JSON.parse(JSON.stringify(made.value)) as T;
}

function read<T>(path: string): Kept<T> | null {
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as Kept<T>;
	} catch {
		// Nothing is kept, or what is there cannot be read: it is made again.
		return null;
	}
}

/** Atomic: the file gets its name when it is whole. */
function write(path: string, content: Kept<unknown>): void {
	const unfinished = `${path}.${process.pid}`;
	try {
		mkdirSync(KEPT_FOLDER, { recursive: true });
		writeFileSync(unfinished, JSON.stringify(content));
		renameSync(unfinished, path);
	} catch {
		// A checkout that may only be read serves as well, a little later.
	}
}

function stateOf(path: string): string {
	const found = statSync(path, { throwIfNoEntry: false });
	return found ? `${found.size} ${found.mtimeMs}` : 'missing';
}
