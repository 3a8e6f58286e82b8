/**
 * `npm run stack -- WORKER < lines`: lines of a log, with each place of the deployed code as a place of the source (book:
 * bad-hour, "Log events"). The Worker is bundled as this clone would deploy it, so the clone must be at the commit that
 * is deployed.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CONFIGURATIONS = {
	api: 'wrangler.toml',
	agents: 'src/agents/wrangler.toml',
	signer: 'src/signer/wrangler.toml',
	pages: 'src/pages/wrangler.toml',
	operator: 'src/operator/wrangler.toml',
} as const;

/** Line and column, both from 1, as V8 writes them. */
const PLACE = /\bindex\.js:(\d+):(\d+)/g;

const [worker = ''] = process.argv.slice(2);
if (!Object.hasOwn(CONFIGURATIONS, worker)) {
	console.error(`name a Worker: npm run stack -- ${Object.keys(CONFIGURATIONS).join('|')} < lines`);
	process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-stack-'));
try {
	const map = bundle(CONFIGURATIONS[worker as keyof typeof CONFIGURATIONS]);
	const lines = readFileSync(0, 'utf8');
	process.stdout.write(
		lines.replaceAll(PLACE, (place, line, column) => inSource(map, place, Number(line), Number(column))),
	);
} finally {
	rmSync(folder, { recursive: true, force: true });
}

function bundle(configuration: string): SourceMap {
	const wrangler = join(ROOT, 'node_modules/wrangler/bin/wrangler.js');
	const words = ['deploy', '--dry-run', '--env=', '--outdir', folder, '-c', join(ROOT, configuration)];
	execFileSync(process.execPath, [wrangler, ...words], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
	return new SourceMap(JSON.parse(readFileSync(join(folder, 'index.js.map'), 'utf8')));
}

/** The place as it is, where the bundle has code of its own there. */
function inSource(map: SourceMap, place: string, line: number, column: number): string {
	const origin = map.findOrigin(line, column);
	if (!('fileName' in origin)) return place;
	const path = relative(ROOT, resolve(folder, origin.fileName));
	return `${path}:${origin.lineNumber}:${origin.columnNumber}`;
}
