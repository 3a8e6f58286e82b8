/** One endpoint or event of the document as a section of the page. */
import { resolved } from '../json-schemas.ts';
import { type Media, mayBeUnsigned, type Operation, refusalsIn } from '../operation.ts';
import { fieldsTable, type Schemas, typeText } from './fields.ts';
import { codeBlock, escapeHtml, json, table } from './html.ts';
import { inline, markdown } from './markdown.ts';

const SIGNED = '<a href="#signing">Signed</a>';

function authOf({ security }: Operation): string {
	if (security.length === 0) return 'Unsigned.';
	return mayBeUnsigned(security) ? `${SIGNED} or unsigned.` : `${SIGNED}.`;
}

export function endpointHtml(methods: readonly string[], path: string, operation: Operation, schemas: Schemas): string {
	const badges = methods.map((method) => `<span class="method">${escapeHtml(method)}</span>`).join(' ');
	return section(operation, [
		`<p class="call">${badges} <code>${escapeHtml(path)}</code></p>`,
		`<p class="soft">${authOf(operation)} Weight ${operation['x-weight'] ?? 0}.</p>`,
		markdown(operation.description),
		headersHtml(operation),
		requestHtml(operation, schemas),
		samplesHtml(operation),
		responseHtml(operation, schemas),
		errorsHtml(operation),
	]);
}

export function eventHtml(name: string, operation: Operation, schemas: Schemas): string {
	return section(operation, [
		`<p class="call"><span class="method">EVENT</span> <code>${escapeHtml(name)}</code></p>`,
		'<p class="soft">Headers, verification and retries: <a href="#webhooks">Webhooks</a>.</p>',
		markdown(operation.description),
		requestHtml(operation, schemas),
	]);
}

function section({ operationId, summary }: Operation, parts: readonly string[]): string {
	const heading = `<h3 id="${operationId}-title"><a href="#${operationId}">${escapeHtml(summary)}</a></h3>`;
	const inner = [heading, ...parts].filter((part) => part !== '').join('\n');
	return `<section id="${operationId}" aria-labelledby="${operationId}-title">\n${inner}\n</section>`;
}

/** Those of signing have a chapter of their own. */
function headersHtml({ parameters = [], summary }: Operation): string {
	if (parameters.length === 0) return '';
	const place = parameters.some((one) => one.in === 'query') ? 'Query' : 'Headers';
	const rows = parameters.map(({ name, description }) => [`<code>${escapeHtml(name)}</code>`, inline(description)]);
	return `<h4>${place}</h4>\n${table(`${summary}: ${place.toLowerCase()}`, ['Name', 'Rules'], rows)}`;
}

function requestHtml({ requestBody, summary }: Operation, schemas: Schemas): string {
	const media = requestBody?.content['application/json'];
	if (!media) return '';
	const fields = fieldsTable(`${summary}: request body`, media.schema, schemas, true);
	const example = codeBlock(json(media.example), `${summary}: example request`);
	return ['<h4>Request body</h4>', fields ?? '<p>An empty object, or no body.</p>', example].join('\n');
}

/** Closed until the reader opens one. */
function samplesHtml({ 'x-codeSamples': samples = [], summary }: Operation): string {
	const shown = samples.map(({ label, source }) => {
		const code = codeBlock(source, `${summary}: ${label}`);
		return `<details><summary>${escapeHtml(label)}</summary>\n${code}</details>`;
	});
	return shown.length === 0 ? '' : `<h4>The call in code</h4>\n${shown.join('\n')}`;
}

function responseHtml({ responses, summary }: Operation, schemas: Schemas): string {
	const success = responses['200'];
	const [[contentType, media] = []] = Object.entries(success?.content ?? {});
	if (!success || !contentType || !media) return '';
	const label = `${summary}: example response`;
	const text = typeof media.example === 'string' ? media.example : json(media.example);
	return [
		'<h4>Response</h4>',
		`<p>${inline(success.description)} ${dataText(media, contentType, schemas)}</p>`,
		dataFields(media, summary, schemas),
		codeBlock(text, label),
	].join('\n');
}

function dataOf({ schema }: Media, schemas: Schemas) {
	const data = resolved(schemas, schema).properties?.['data'];
	return typeof data === 'object' ? data : null;
}

function dataText(media: Media, contentType: string, schemas: Schemas): string {
	const data = dataOf(media, schemas);
	if (!data) return `<code>${escapeHtml(contentType)}</code>`;
	return `<code>data</code>: ${escapeHtml(typeText(data))}.`;
}

function dataFields(media: Media, summary: string, schemas: Schemas): string {
	const data = dataOf(media, schemas);
	return (data && fieldsTable(`${summary}: response data`, data, schemas, false)) ?? '';
}

function errorsHtml(operation: Operation): string {
	const rows = refusalsIn(operation)
		.toSorted((a, b) => a.code - b.code)
		.map(({ status, code, msg, when }) => [String(code), `<code>${escapeHtml(msg)}</code>`, status, inline(when)]);
	if (rows.length === 0) return '';
	return `<h4>Errors</h4>\n${table(`${operation.summary}: errors`, ['Code', 'msg', 'HTTP', 'When'], rows)}`;
}
