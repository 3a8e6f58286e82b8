import { defineConfig } from 'vitest/config';

const root = new URL('../..', import.meta.url).pathname;

/** The tests of each rule at its own interface. Others reach the rules too, and take longer than a thousand mutants can wait. */
const RULES = [
	'admission',
	'anonymous',
	'bounds',
	'earnings-judge',
	'floor',
	'key-ring',
	'ledger',
	'ledger-proof',
	'lifecycle',
	'lifecycle-emergency',
	'lifecycle-order',
	'lifecycle-steps',
	'known-waits',
	'limits',
	'network-budget',
	'network-fee',
	'quote',
	'reserve-rules',
	'seal',
	'settlement',
	'signer-judge',
	'stray-judge',
	'sweep-judge',
	'verdict',
	'window',
	'withdrawal-judge',
];

/** What `npm run mutate` runs: rules in Node, without a service. Stryker gives each mutant the tests that reach it. */
export default defineConfig({
	resolve: { alias: { 'cloudflare:workers': `${root}test/support/platform-classes.ts` } },
	// Mutated code counts each step that it takes, so a test takes longer than by itself.
	test: { root, include: RULES.map((rule) => `test/unit/${rule}.test.ts`), testTimeout: 15_000 },
});
