/**
 * Makes the fixture of the newest release: `npm run release:fixture -- COMMIT` (book: contributing, "Releasing").
 * The API Worker, the agents Worker and the signer are bundled from that commit, minified and compressed, without their texts. They are built
 * with the packages of this clone.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { FIXTURE, RELEASE_BUNDLES } from './release.ts';

const CLONE = join(import.meta.dirname, '../../..');
const ENTRIES = { api: 'src/api/index.ts', agents: 'src/agents/index.ts', signer: 'src/signer/index.ts' } as const;

const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error('name the commit of the release');
const git = (...words: string[]) => execFileSync('git', words, { cwd: CLONE, maxBuffer: 1 << 30 });
const hash = git('rev-parse', '--verify', `${commit}^{commit}`).toString().trim();

const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-release-'));
try {
	execFileSync('tar', ['-x', '-C', folder], { input: git('archive', hash) });
	symlinkSync(join(CLONE, 'node_modules'), join(folder, 'node_modules'));
	for (const [worker, path] of Object.entries(RELEASE_BUNDLES)) {
		const code = await bundle(join(folder, ENTRIES[worker as keyof typeof ENTRIES]));
		writeFileSync(path, brotliCompressSync(code));
	}
	const migrations = readdirSync(join(folder, 'migrations')).sort();
	const release = { commit: hash, newestMigration: migrations.at(-1) };
	writeFileSync(FIXTURE, `${JSON.stringify(release, null, '\t')}\n`);
} finally {
	rmSync(folder, { recursive: true, force: true });
}

async function bundle(entry: string): Promise<Uint8Array> {
	const { outputFiles } = await build({
		entryPoints: [entry],
		bundle: true,
		write: false,
		minify: true,
		format: 'esm',
		target: 'es2024',
		conditions: ['workerd', 'worker', 'browser'],
		external: ['cloudflare:*'],
		plugins: [
			{
				name: 'without-texts',
				setup: ({ onLoad }) => onLoad({ filter: /\.(?:md|txt)$/ }, () => ({ contents: '', loader: 'text' })),
			},
		],
	});
	const [file] = outputFiles;
	if (!file) throw new Error(`esbuild made nothing of ${entry}`);
	return file.contents;
}
