/** A request over http to another name of the service, as a browser sends one that was led there. `fetch` sends no Host. */
import { type IncomingHttpHeaders, request } from 'node:http';
import type { TestService } from './service.ts';

interface Answered {
	readonly status: number | undefined;
	readonly text: string;
	readonly headers: IncomingHttpHeaders;
}

/** With `fields` it is a form of that name's own page. */
export const overHttp = (
	{ url }: Pick<TestService, 'url'>,
	{ host, path }: { readonly host: string; readonly path: string },
	headers: Readonly<Record<string, string>>,
	fields?: Readonly<Record<string, string>>,
): Promise<Answered> =>
	new Promise((answered, failed) => {
		const form = fields && { origin: `http://${host}`, 'content-type': 'application/x-www-form-urlencoded' };
		const method = fields ? 'POST' : 'GET';
		const sent = request(url + path, { method, headers: { host, ...form, ...headers } }, (response) => {
			let text = '';
			response.setEncoding('utf8').on('data', (part) => {
				text += part;
			});
			response.on('end', () => answered({ status: response.statusCode, text, headers: response.headers }));
		}).on('error', failed);
		sent.end(fields && new URLSearchParams(fields).toString());
	});
