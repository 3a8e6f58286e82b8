/**
 * What the client library has from the OpenAPI document is up to date: types, the table of calls and the vectors.
 * `npm run sdk:generate` writes these files.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';
import { openApiDocument } from '../../src/docs/document.ts';
import { collectionOf, textOf } from '../../src/local/client/collection.ts';
import { files, importsOf, packagesOf } from '../support/house.ts';
import { operationsOf } from '../support/openapi.ts';
import { formatted } from '../support/sdk/formatted.ts';
import { callsOf, operationsTable, wireTypes } from '../support/sdk/types.ts';
import { vectorsText } from '../support/sdk/vectors.ts';
import { SURFACE } from '../support/surface.ts';

const SDK = join(import.meta.dirname, '../../src/sdk');
const document = openApiDocument(SURFACE);

describe('the document and the client library, after `npm run sdk:generate`', () => {
	it.each([
		{ file: '../docs/openapi.json.txt', text: `${JSON.stringify(document, null, '\t')}\n` },
		{ file: 'wire.d.ts', text: wireTypes(document) },
		{ file: 'vectors.json', text: vectorsText() },
		{ file: 'operations.ts', text: operationsTable(document) },
	])('has a $file that is up to date', async ({ file, text }) => {
		await expect(file.endsWith('.txt') ? text : formatted(text, file)).toMatchFileSnapshot(join(SDK, file));
	});
});

it('the collection has every endpoint, and no other', () => {
	const listed = Object.entries(collectionOf(document))
		.filter(([name]) => name.endsWith('.bru') && !/^collection|^environments/.test(name))
		.map(([, text]) => {
			const method = ['get', 'post', 'delete'].find((each) => textOf(text, each) !== '') ?? '';
			return `${method.toUpperCase()} ${/^url: \{\{baseUrl\}\}([^?\n]+)/m.exec(textOf(text, method))?.[1]}`;
		});
	expect(listed).toEqual(operationsOf(document).map(({ name }) => name));
});

it('the client library imports nothing but its own files', () => {
	const own = files.filter((file) => /^sdk\/[\w-]+\.ts$/.test(file));
	expect(own).toContain('sdk/index.ts');
	const others = own.flatMap((file) => [
		...packagesOf(file),
		...importsOf(file).flatMap(({ to }) => (to.startsWith('sdk/') ? [] : [to])),
	]);
	expect(others).toEqual([]);
});

it('the chapter of the client library names each method', () => {
	const text = CHAPTERS.find(({ name }) => name === 'client')?.text ?? '';
	const calls = text.split(/^## /m).find((section) => section.startsWith('Calls\n')) ?? '';
	expect(callsOf(document).filter(({ name }) => !calls.includes(`\`${name}\``))).toEqual([]);
});
