/** What a running service has on disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './service.ts';

/**
 * Every file under it, at one time: SQLite moves what it has from file to file, and takes some away, so that a reading
 * in which a file vanished is done again.
 */
export function contentsOf(stateDirectory: string): Promise<Buffer[]> {
	return eventually('a state folder that stands still', async () => {
		try {
			return readdirSync(stateDirectory, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map((entry) => readFileSync(join(entry.parentPath, entry.name)));
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
			throw error;
		}
	});
}
