/** A Worker as it is deployed: one file, built as `wrangler deploy` builds it. */
import { join } from 'node:path';
import { type BuildResult, build } from 'esbuild';
import { staticPages } from '../../src/local/static-pages.ts';
import { ALIAS, TEXTS } from '../../src/local/workers.ts';
import { SRC } from './house.ts';

/** `entry`: its path below `src`. The OpenAPI document is a module of its own when deployed; `withTexts` has it too. */
export async function bundleOf(
	entry: string,
	{ minify = false, withTexts = true } = {},
): Promise<BuildResult<{ write: false; metafile: true }>> {
	await staticPages();
	return build({
		entryPoints: [join(SRC, entry)],
		bundle: true,
		write: false,
		metafile: true,
		minify,
		format: 'esm',
		target: 'es2024',
		conditions: ['workerd', 'worker', 'browser'],
		external: ['cloudflare:*'],
		alias: ALIAS,
		loader: withTexts ? TEXTS : { '.txt': 'empty' },
	});
}
