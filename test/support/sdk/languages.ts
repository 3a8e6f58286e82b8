/** The clients in other languages, laid out as a partner would, and how their programs are run. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled } from '../nodes.ts';

const SDK = join(import.meta.dirname, '../../../src/sdk');
const DRIVERS = join(import.meta.dirname, 'clients');

export interface Language {
	readonly name: 'Python' | 'PHP' | 'Go';
	/** What it runs on. */
	readonly program: string;
	/** Puts the client and these programs into a folder. `of`: a program's name without its ending, to its source file. */
	readonly layOut: (folder: string, of: Readonly<Record<string, string>>) => void;
	/** The words that run one of them there. */
	readonly run: (program: string) => readonly [command: string, ...args: string[]];
}

const flat = (name: Language['name'], program: string, client: string, ending: string): Language => ({
	name,
	program,
	layOut: (folder, of) => {
		cpSync(join(SDK, client), join(folder, client.slice(client.indexOf('/'))));
		for (const [each, source] of Object.entries(of)) cpSync(source + ending, join(folder, each + ending));
	},
	run: (each) => [program, each + ending],
});

/** Each program is a package of its own, and is built once. */
const GO: Language = {
	name: 'Go',
	program: 'go',
	layOut: (folder, of) => {
		writeFileSync(join(folder, 'go.mod'), 'module example.com/shop\n\ngo 1.18\n');
		cpSync(join(SDK, 'go'), join(folder, 'partnerexchange'), { recursive: true });
		for (const [each, source] of Object.entries(of)) {
			mkdirSync(join(folder, each), { recursive: true });
			cpSync(`${source}.go`, join(folder, each, 'main.go'));
			execFileSync('go', ['build', '-o', join('bin', each), `./${each}`], { cwd: folder, stdio: 'inherit' });
		}
		execFileSync('go', ['vet', './...'], { cwd: folder, stdio: 'inherit' });
	},
	run: (each) => [`bin/${each}`],
};

/** Those that can be run here: in CI all of them (`nodes.ts`). */
export const LANGUAGES: readonly Language[] = [
	flat('Python', 'python3', 'python/partner_exchange.py', '.py'),
	flat('PHP', 'php', 'php/PartnerExchange.php', '.php'),
	GO,
].filter(({ program }) => isInstalled(program));

export const DRIVER = join(DRIVERS, 'drive');
