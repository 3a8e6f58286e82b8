/** Markdown files as text where vitest imports the Worker's code, as wrangler and the local start bundle them. */
import type { Plugin } from 'vitest/config';

export const markdownText: Plugin = {
	name: 'markdown-text',
	transform: (code, id) => (id.endsWith('.md') ? `export default ${JSON.stringify(code)};` : null),
};
