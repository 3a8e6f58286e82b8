import { defineConfig } from 'vitest/config';
import base from '../vitest.config.ts';

/** `npm run screenshots`: not among the tests, because nobody but a person can judge what it draws. */
export default defineConfig({
	...base,
	test: {
		...base.test,
		projects: [
			{
				extends: true,
				test: {
					name: 'screenshots',
					include: ['test/screenshots/*.shots.ts'],
					globalSetup: ['test/support/template.ts'],
				},
			},
		],
		testTimeout: 300_000,
		hookTimeout: 300_000,
	},
});
