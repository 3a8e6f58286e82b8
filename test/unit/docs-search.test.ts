/** The search of the docs: how often its index is made. */
import { afterEach, expect, it, vi } from 'vitest';
import { openApiDocument } from '../../src/docs/document.ts';
import { docsPages } from '../../src/pages/docs/routes.tsx';

const FIVE_MINUTES = 300_000;

afterEach(() => {
	vi.useRealTimers();
});

it('is made once for all searches of five minutes', async () => {
	vi.useFakeTimers({ toFake: ['Date'] });
	const openApi = vi.fn(async () => JSON.stringify(openApiDocument([])));
	const pages = docsPages();
	const search = async (path: string) => (await pages.request(path, {}, { desk: { openApi } })).text();
	expect(await search('/docs/search?q=nonce')).toContain('/docs/');
	expect(await search('/docs/search?q=signature')).not.toBe(await search('/docs/search?q=nothing+at+all'));
	expect(JSON.parse(await search('/docs/search.json'))).not.toEqual([]);
	expect(openApi).toHaveBeenCalledTimes(1);
	vi.setSystemTime(Date.now() + FIVE_MINUTES);
	await search('/docs/search?q=nonce');
	await search('/docs/search?q=signature');
	expect(openApi).toHaveBeenCalledTimes(2);
});
