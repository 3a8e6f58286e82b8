import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin';
import { kCurrentWorker } from 'miniflare';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './support/longest-first.ts';
import { markdownText } from './support/markdown-text.ts';
import { memoryFolder } from './support/memory-folder.ts';
import { PlainSummary } from './support/plain-summary.ts';

const root = new URL('..', import.meta.url).pathname;
/** Stays from run to run: the operator's command is started hundreds of times. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'partner-exchange-compile-cache');
// Of this process too, so that all that a test starts has it.
process.env['TMPDIR'] = memoryFolder();

/** Tests in Node: rules by themselves, and the service from outside. */
const service = {
	extends: true as const,
	resolve: { alias: { 'cloudflare:workers': `${root}test/support/platform-classes.ts` } },
	test: {
		name: 'service',
		include: ['test/**/*.test.ts'],
		exclude: ['test/objects/**', 'test/checks/**'],
		pool: 'forks' as const,
		// What a file needs costs more to load and to bundle than most files run, and nothing in it is left changed.
		isolate: false,
		globalSetup: ['test/support/template.ts'],
		// After the tests inside the Workers runtime: the template is made meanwhile, and between these they would end processes
		// that have all loaded.
		sequence: { groupOrder: 1 },
	},
};

/** What `npm run check` looks at: the code, the book and the bundles, rather than what the service does. */
const checks = {
	...service,
	test: { ...service.test, name: 'checks', include: ['test/checks/*.test.ts'], exclude: [] },
};

/** BIP-39: the first of its vectors. */
const SEED = `${'abandon '.repeat(11)}about`;

/** Tests inside the Workers runtime, in the objects themselves. Each file has storage of its own. */
const objects = {
	extends: true as const,
	plugins: [
		cloudflareTest(async () => ({
			main: `${root}test/objects/worker.ts`,
			miniflare: {
				compatibilityDate: '2026-11-01',
				bindings: {
					SANDBOX: 'on',
					SECRETS_KEY: 'A'.repeat(43),
					SEAL_KEY: 'A'.repeat(43),
					SEED,
					D1_MIGRATIONS: await readD1Migrations(`${root}migrations`),
				},
				d1Databases: ['DB'],
				kvNamespaces: ['CACHE'],
				serviceBindings: {
					AGENTS: { name: kCurrentWorker, entrypoint: 'Agents' },
					SIGNER: { name: kCurrentWorker, entrypoint: 'Signer' },
				},
				durableObjects: {
					PARTNER_GATE: { className: 'PartnerGate', useSQLite: true },
					ANONYMOUS_GATE: { className: 'AnonymousGate', useSQLite: true },
					RATE_BOOK: { className: 'RateBook', useSQLite: true },
					SANDBOX_PRICES: { className: 'SandboxPrices', useSQLite: true },
					BARE_OBJECT: { className: 'BareObject', useSQLite: true },
					VAULT: { className: 'Vault', useSQLite: true },
					JOURNAL_VOLUME: { className: 'JournalVolume', useSQLite: true },
				},
			},
		})),
	],
	test: { name: 'objects', include: ['test/objects/*.test.ts'], isolate: false, maxWorkers: 1 },
};

export default defineConfig({
	plugins: [markdownText],
	test: {
		root,
		projects: [service, checks, objects],
		// More than twice the cores of a small machine: tests mostly wait for a service or a node. With more, each takes longer than is won.
		maxWorkers: 6,
		sequence: { sequencer: LongestFirst },
		env: { NODE_COMPILE_CACHE },
		testTimeout: 120_000,
		hookTimeout: 240_000,
		reporters: ['default', new PlainSummary()],
	},
});
