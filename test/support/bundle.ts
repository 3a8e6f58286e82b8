/** A Worker as it is deployed: one file, built as `wrangler deploy` builds it. */
import { join } from 'node:path';
import { type BuildResult, build } from 'esbuild';
import { ALIAS, TEXTS } from '../../src/local/workers.ts';
import { SRC } from './house.ts';

/** `entry`: its path below `src`. The book's chapters and the OpenAPI document are modules of their own when deployed; `withTexts` has them too. */
export const bundleOf = (
	entry: string,
	{ minify = false, withTexts = true } = {},
): Promise<BuildResult<{ write: false; metafile: true }>> =>
	build({
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
		loader: { ...TEXTS, ...(!withTexts && { '.md': 'empty', '.txt': 'empty' }) },
	});
