/** A visitor of the console over HTTP: signs in, keeps the cookie, fills in forms as a browser without JavaScript would. */
import type { TestService } from './service.ts';

export interface Visited {
	readonly status: number;
	readonly html: string;
	readonly headers: Headers;
}

export interface Visitor {
	readonly cookie: string;
	get(path: string): Promise<Visited>;
	/** `headers` go over those of a browser. */
	post(
		path: string,
		fields: Readonly<Record<string, string>>,
		headers?: Readonly<Record<string, string>>,
	): Promise<Visited>;
}

const visited = async (response: Response): Promise<Visited> => ({
	status: response.status,
	html: await response.text(),
	headers: response.headers,
});

export function visitor({ url }: Pick<TestService, 'url'>, own: Readonly<Record<string, string>> = {}): Visitor {
	return {
		cookie: own['cookie'] ?? '',
		get: async (path) => visited(await fetch(url + path, { headers: own, redirect: 'manual' })),
		post: async (path, fields, headers = {}) =>
			visited(
				await fetch(url + path, {
					method: 'POST',
					redirect: 'manual',
					headers: { origin: url, ...own, ...headers },
					body: new URLSearchParams(fields),
				}),
			),
	};
}

/** Tries a token; the visitor has the cookie that came back, if any. */
export async function signIn(
	service: TestService,
	token: string,
	own: Readonly<Record<string, string>> = {},
): Promise<Visited & { readonly visitor: Visitor }> {
	const answer = await visitor(service, own).post('/operator/sign-in', { token, to: '/operator' });
	const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
	return { ...answer, visitor: visitor(service, { ...own, cookie }) };
}

/** The hidden fields of the form that sends to `action`. */
export function hiddenFields({ html }: Visited, action: string): Record<string, string> {
	const [form = ''] = html.match(new RegExp(`<form[^>]*action="${action}"[\\s\\S]*?</form>`)) ?? [];
	const fields = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
	return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]));
}
