/** The reference as Markdown: each call with its examples and errors. Its fields are in the OpenAPI document. Pure. */
import type { OpenApiDocument } from '../document.ts';
import { callsOf, type Operation, refusalsIn } from '../operation.ts';
import { json } from './html.ts';

export function referenceText(document: OpenApiDocument): string {
	const { info, webhooks } = document;
	const calls = callsOf(document).map(({ method, path, operation }) => callText(`${method} ${path}`, operation));
	const events = Object.entries(webhooks).map(([name, { post }]) => eventText(name, post));
	return [
		`# ${info.title}`,
		`${info.summary} Every field, with its type: /openapi.json (OpenAPI 3.1).`,
		info.description,
		'## Calls',
		...calls,
		'## Events',
		...events,
	].join('\n\n');
}

function callText(name: string, operation: Operation): string {
	const { summary, description, requestBody, responses } = operation;
	const media = Object.values(responses['200']?.content ?? {})[0];
	const request = requestBody?.content['application/json']?.example;
	return [
		`### ${name}`,
		`${summary}. Weight ${operation['x-weight'] ?? 0}.`,
		description,
		...(request === undefined ? [] : ['Request:', fenced(request)]),
		...(media?.example === undefined ? [] : ['Answer:', fenced(media.example)]),
		errorsText(operation),
	].join('\n\n');
}

const eventText = (name: string, { description, requestBody }: Operation): string =>
	[`### ${name}`, description, fenced(requestBody?.content['application/json']?.example)].join('\n\n');

const fenced = (example: unknown): string => `\`\`\`\n${typeof example === 'string' ? example : json(example)}\n\`\`\``;

function errorsText(operation: Operation): string {
	const rows = refusalsIn(operation).map(({ status, code, msg, when }) => `- ${code} ${msg} (HTTP ${status}): ${when}`);
	return ['Errors:', ...rows].join('\n');
}
