/** `/docs/clients`: what the service gives away to integrate with, and an example in each language. Markdown. Pure. */
import text from './clients.md';
import { filled } from './filled.ts';

export const CLIENTS_PATH = '/docs/clients';
export const FILES_PATH = '/docs/sdk';

/** Each file that is given away, by its name. */
export type ClientFiles = ReadonlyMap<string, string | Uint8Array>;

const EXAMPLES = ['swap.ts', 'swap.py', 'swap.php', 'swap.go', 'curl.sh'];

/** `source`: where the source of this service is; null where its operator names no place. */
export function clientsText(files: ClientFiles, source: string | null): string {
	const packageName = [...files.keys()].find((name) => /^partner-exchange-.+\.tgz$/.test(name)) ?? '';
	const examples = EXAMPLES.map((name) => [name, String(files.get(name)).trimEnd()] as const);
	const known = source === null ? text.replace(/^.*\{source\}.*\n\n/m, '') : text;
	return filled(known, { package: packageName, source: source ?? '', ...Object.fromEntries(examples) });
}
