/** What a running service has on disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './service.ts';

/**
 * Every file under it, at one time. SQLite moves data between files and deletes some, so a reading in which a file
 * disappeared is repeated.
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
