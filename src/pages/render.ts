/** A page as the answer. */
import type { JSX } from 'hono/jsx/jsx-runtime';
import { pageHeaders } from './headers.ts';

interface Options extends NonNullable<Parameters<typeof pageHeaders>[0]> {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
}

export async function render(page: JSX.Element | Promise<JSX.Element>, options: Options = {}): Promise<Response> {
	const { status = 200, headers, ...exceptions } = options;
	const html = `<!doctype html>${await page}`;
	return new Response(html, { status, headers: { ...pageHeaders(exceptions), ...headers } });
}
