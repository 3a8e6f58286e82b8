/** TypeScript text as the house formats it. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const BIOME = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
const RULES = join(import.meta.dirname, '../../checks/lint.json');

/** `name`: of the file that the text is for. */
export const formatted = (text: string, name: string): string =>
	execFileSync(process.execPath, [BIOME, 'format', `--config-path=${RULES}`, `--stdin-file-path=${name}`], {
		input: text,
		encoding: 'utf8',
	});
