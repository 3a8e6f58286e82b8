import { defineConfig } from 'vitest/config';
import { PlainSummary } from './support/plain-summary.ts';

export default defineConfig({
	test: {
		root: new URL('..', import.meta.url).pathname,
		include: ['test/**/*.test.ts'],
		pool: 'forks',
		// One more than cores of a small machine: who tests with nodes mostly waits.
		maxWorkers: 3,
		testTimeout: 60_000,
		hookTimeout: 120_000,
		reporters: ['default', new PlainSummary()],
	},
});
