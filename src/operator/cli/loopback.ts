/**
 * A page on this machine that asks for a passkey once: its address is printed, and it is gone with the answer. Passkeys belong
 * to the host `localhost` and not to an IP address. The address has a secret, so that no other page finds it.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { jsonOrNull } from '../../platform/json.ts';
import { ServiceError } from './service.ts';

const WAIT_MILLISECONDS = 10 * 60_000;
const MOST_BYTES = 64 * 1024;

export interface PasskeyPage {
	readonly origin: string;
	readonly ceremony: 'get' | 'create';
	/** In the form of WebAuthn Level 3 for JSON. */
	readonly options: object;
	readonly title: string;
	readonly parts: readonly { readonly title: string; readonly facts: readonly (readonly [string, string])[] }[];
}

/** The credential as the browser gives it, as JSON. @throws ServiceError where nobody answers */
export async function askOnPage(page: PasskeyPage, say: (line: string) => void): Promise<unknown> {
	const { origin } = page;
	const path = `/${randomBytes(16).toString('hex')}`;
	const html = pageOf(page);
	const server = createServer();
	try {
		const answered = new Promise<unknown>((resolve, reject) => {
			server.on('request', (request, response) => {
				const isIt = request.url === path && request.headers.host === new URL(origin).host;
				if (!isIt) return end(response, 404, '');
				if (request.method === 'GET') return end(response, 200, html);
				void takeAnswer(request, origin).then((answer) => {
					end(response, answer === null ? 400 : 200, '');
					if (answer !== null) resolve(answer);
				});
			});
			server.on('error', (error) =>
				reject(new ServiceError(`${origin} cannot be served on this machine: ${error.message}`)),
			);
			setTimeout(() => reject(new ServiceError('nobody used a passkey within ten minutes')), WAIT_MILLISECONDS).unref();
		});
		server.listen(Number(new URL(origin).port), '127.0.0.1', () => say(`open ${origin}${path} and use your passkey`));
		return await answered;
	} finally {
		server.close();
		server.closeAllConnections();
	}
}

/** Null for anything but JSON that the page itself sent. */
async function takeAnswer(request: IncomingMessage, origin: string): Promise<unknown> {
	if (request.method !== 'POST' || request.headers.origin !== origin) return null;
	let text = '';
	for await (const part of request) {
		text += part;
		if (text.length > MOST_BYTES) return null;
	}
	return jsonOrNull(text);
}

function end(response: ServerResponse, status: number, body: string): void {
	response.writeHead(status, {
		'content-type': 'text/html; charset=utf-8',
		'cache-control': 'no-store',
		'content-security-policy':
			"default-src 'none'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
		'referrer-policy': 'same-origin',
	});
	response.end(body);
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters that turn the text around them are shown by their number. */
const HIDDEN = /[\p{Cc}\p{Cf}]/gu;
const shown = (text: string): string =>
	text
		.replaceAll(HIDDEN, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`)
		.replaceAll(/[&<>"]/g, (found) => ESCAPED[found] ?? '');

const SCRIPT = `
const options = JSON.parse(document.getElementById('options').textContent);
const said = document.getElementById('said');
const ask = {
	get: async () => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
	create: async () => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
};
document.querySelector('button').addEventListener('click', async (event) => {
	said.textContent = 'Waiting for your passkey…';
	try {
		const credential = await ask[event.target.dataset.ceremony]();
		const sent = await fetch(location.href, { method: 'POST', body: JSON.stringify(credential.toJSON()) });
		if (!sent.ok) throw new Error('The command did not take it.');
		document.querySelector('main').textContent = 'Done. Go back to the terminal.';
	} catch (error) {
		said.textContent = String(error.message);
	}
});`;

function pageOf({ ceremony, options, title, parts }: PasskeyPage): string {
	const facts = (all: PasskeyPage['parts'][number]['facts']) =>
		all.map(([name, value]) => `<dt>${shown(name)}</dt><dd>${shown(value)}</dd>`).join('');
	const sections = parts.map((part) => `<h2>${shown(part.title)}</h2><dl>${facts(part.facts)}</dl>`).join('');
	const json = JSON.stringify(options).replaceAll('<', '\\u003c');
	return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${shown(title)}</title>
<main><h1>${shown(title)}</h1>${sections}
<p><button type="button" data-ceremony="${ceremony}">Use your passkey</button></p><p id="said" role="status"></p></main>
<script type="application/json" id="options">${json}</script><script>${SCRIPT}</script></html>`;
}
