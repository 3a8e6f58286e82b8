/** Files that are text where vitest imports the Workers' code, as wrangler and the local start bundle them. */
import type { Plugin } from 'vitest/config';

export const markdownText: Plugin = {
	name: 'markdown-text',
	transform: (code, id) => (/\.(?:md|txt)$/.test(id) ? `export default ${JSON.stringify(code)};` : null),
};
