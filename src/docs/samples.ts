/**
 * `x-codeSamples` of an operation: a call with its example body, in each language that the repository has an example of.
 * One template for each language. Each runs as it is, with BASE_URL, API_KEY and API_SECRET in the environment (book:
 * client, "Other languages"). Pure.
 */
import type { DocumentedEndpoint } from '../ports/endpoint-docs.ts';
import { filled } from './page/filled.ts';
import templates from './samples.md';

export interface CodeSample {
	readonly lang: 'Shell' | 'TypeScript' | 'Python' | 'PHP';
	readonly label: string;
	readonly source: string;
}

const [curl = '', typescript = '', python = '', php = ''] = Array.from(
	templates.matchAll(/^```\w+\n([\s\S]*?)\n```$/gm),
	([, source]) => source,
);
const SIGNED: readonly CodeSample[] = [
	{ lang: 'Shell', label: 'curl', source: curl },
	{ lang: 'TypeScript', label: 'partner-exchange/sdk', source: typescript },
	{ lang: 'Python', label: 'Python', source: python },
	{ lang: 'PHP', label: 'PHP', source: php },
];

export function samplesOf({ id, method, path, auth, request, example }: DocumentedEndpoint): CodeSample[] {
	const query = request?.inQuery ? `?${new URLSearchParams(Object(example))}` : '';
	// Such an address needs no signature.
	if (auth === 'none' || query) return [{ lang: 'Shell', label: 'curl', source: `curl -s "$BASE_URL${path}${query}"` }];
	// Inside single quotes of each of the four languages: the examples have neither quotes nor backslashes.
	const body = request || method !== 'GET' ? JSON.stringify(example ?? {}) : '';
	const input = request ? inputText(example) : '';
	// `id` is also the name of the client's method.
	const values = { id, method, path, body, data: body && ' --data-binary "$BODY"', input: input === '{}' ? '' : input };
	return SIGNED.map(({ source, ...words }) => ({ ...words, source: filled(source, values) }));
}

const inputText = (example: unknown): string =>
	JSON.stringify(example, null, 2)
		.replaceAll(/"(\w+)":/g, '$1:')
		.replaceAll('"', "'");
