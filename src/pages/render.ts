/** A page as the answer. */
import type { JSX } from 'hono/jsx/jsx-runtime';
import { pageHeaders } from './headers.ts';

interface Options extends NonNullable<Parameters<typeof pageHeaders>[0]> {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
}

export async function render(page: JSX.Element | Promise<JSX.Element>, options: Options = {}): Promise<Response> {
	const { status = 200, headers, ...exceptions } = options;
	const html = `<!doctype html>${await htmlOf(page)}`;
	return new Response(html, { status, headers: { ...pageHeaders(exceptions), ...headers } });
}

/** The marks of an isolate become elements, so that nobody copies them; attributes and the title can have none. */
export const htmlOf = async (page: JSX.Element | Promise<JSX.Element>): Promise<string> =>
	String(await page).replaceAll(/<title>[^<]*|>[^<]*\u2068[^<]*/g, (text) =>
		text.startsWith('<title>') ? text : text.replaceAll('\u2068', '<bdi>').replaceAll('\u2069', '</bdi>'),
	);
