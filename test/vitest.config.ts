import { defineConfig } from 'vitest/config';
import { markdownText } from './support/markdown-text.ts';
import { PlainSummary } from './support/plain-summary.ts';

export default defineConfig({
	plugins: [markdownText],
	test: {
		root: new URL('..', import.meta.url).pathname,
		include: ['test/**/*.test.ts'],
		pool: 'forks',
		// What a file needs costs more to load and to bundle than most files run, and nothing in it is left changed.
		isolate: false,
		globalSetup: ['test/support/template.ts'],
		// One more than cores of a small machine: who tests with nodes mostly waits.
		maxWorkers: 3,
		testTimeout: 60_000,
		hookTimeout: 120_000,
		reporters: ['default', new PlainSummary()],
	},
});
