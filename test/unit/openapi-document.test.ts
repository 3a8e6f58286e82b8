/** The document's rules for rows that the JSON endpoints do not have: feeds, calls without a body, calls with one. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openApiDocument } from '../../src/docs/document.ts';
import { referenceHtml } from '../../src/docs/page/page.ts';
import type { DocumentedEndpoint } from '../../src/ports/endpoint-docs.ts';

const FEED: DocumentedEndpoint = {
	method: 'GET',
	path: '/feed.xml',
	auth: 'none',
	weight: 0,
	id: 'feed',
	tag: 'Feeds',
	summary: 'A feed',
	description: ['Rates, <now>.'],
	request: null,
	response: { contentType: 'application/xml', description: 'The feed.', example: '<rates/>' },
	errors: [],
};

const jsonRow = (method: 'GET' | 'DELETE', more: Partial<DocumentedEndpoint>): DocumentedEndpoint => ({
	method,
	path: '/things',
	auth: 'required',
	weight: 1,
	id: `${method.toLowerCase()}Thing`,
	tag: 'Orders',
	summary: 'A thing',
	description: ['It.'],
	request: null,
	response: { data: z.array(z.string()), description: 'Things.', example: ['a'] },
	errors: [],
	...more,
});

const REMOVE = jsonRow('DELETE', {
	request: { schema: z.object({ name: z.string() }) },
	example: { name: 'a' },
	errors: [6],
});

const DOCUMENT = openApiDocument([FEED, jsonRow('GET', {}), REMOVE]);

describe('a feed', () => {
	const item = DOCUMENT.paths['/feed.xml'];

	it('is documented for GET and HEAD, with ETag and 304, unsigned', () => {
		expect(Object.keys(item ?? {}).toSorted()).toEqual(['get', 'head']);
		expect(Object.keys(item?.get?.responses ?? {})).toEqual(['200', '304', '500']);
		expect(item?.get?.security).toEqual([]);
		expect(item?.get?.responses['200']?.headers).toHaveProperty('ETag');
		expect(item?.get?.parameters?.map(({ name }) => name)).toEqual(['If-None-Match']);
		expect(item?.get?.responses['200']?.content?.['application/xml']?.example).toBe('<rates/>');
	});

	it('has no content in any answer to HEAD', () => {
		expect(Object.values(item?.head?.responses ?? {}).filter(({ content }) => content)).toEqual([]);
		expect(item?.head?.operationId).toBe('feedHead');
	});

	it('is one section of the page, escaped', () => {
		const page = referenceHtml(DOCUMENT).html;
		expect(page.match(/<section id="feed/g)).toHaveLength(1);
		expect(page).toContain('Rates, &lt;now&gt;.');
		expect(page).toContain('&lt;rates/&gt;');
	});
});

describe('two methods of one path', () => {
	const item = DOCUMENT.paths['/things'];

	it('are two operations of one path item', () => {
		expect(Object.keys(item ?? {}).toSorted()).toEqual(['delete', 'get']);
	});

	it('a call without a body requires none and has no errors about bodies', () => {
		expect(item?.get).not.toHaveProperty('requestBody');
		expect(Object.keys(item?.get?.responses ?? {})).toEqual(['200', '401', '429', '500']);
	});

	it('a call with a body can be malformed or too large, and keeps its own codes', () => {
		expect(item?.delete?.requestBody?.required).toBe(true);
		expect(Object.keys(item?.delete?.responses ?? {})).toEqual(['200', '400', '401', '404', '413', '429', '500']);
	});
});
