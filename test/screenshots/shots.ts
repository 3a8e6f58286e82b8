/** Every page in every state that is worth a look. Each group starts what it shows. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { startService } from '../../src/local/service.ts';

interface Shot {
	readonly name: string;
	readonly url: string;
	/** A session, say. */
	readonly options?: BrowserContextOptions;
}

interface Group {
	readonly pages: readonly Shot[];
	stop(): Promise<void>;
}

/** The front, the parts, and what is shown where nothing is. */
async function front(): Promise<Group> {
	const stateDirectory = mkdtempSync(join(tmpdir(), 'partner-exchange-screenshots-'));
	const { url, stop } = await startService({ stateDirectory, port: 0 });
	return {
		pages: [
			{ name: 'front', url: `${url}/` },
			{ name: 'parts', url: `${url}/docs/system` },
			{ name: 'missing', url: `${url}/docs/nothing-here` },
		],
		async stop() {
			await stop();
			rmSync(stateDirectory, { recursive: true, force: true });
		},
	};
}

export const SHOTS: Readonly<Record<string, () => Promise<Group>>> = { front };
