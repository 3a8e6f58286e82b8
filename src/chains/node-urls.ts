/**
 * An operator's variables for the way to a network's nodes: their URLs, and headers that are sent with each call (an
 * access token of a tunnel, say). What is wrong is an error that names the variable and never shows its value. Pure.
 */
import { ConfigurationError } from '../crypto/key-ring.ts';
import { jsonOrNull } from '../platform/json.ts';

/** By host, as in a URL; `ANY_HOST` has those for all hosts. */
export type NodeHeaders = Readonly<Record<string, Readonly<Record<string, string>>>>;

const ANY_HOST = '*';
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const HEADER_NAME = /^[\w-]{1,100}$/;
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,4094}[\x21-\x7e])?$/;

/** A dialect in front of a URL: `esplora+https://…`. Without one it is the usual dialect of the network's nodes. */
const DIALECT = /^(esplora|blockbook)\+(?=https?:)/;

export type NamedDialect = 'esplora' | 'blockbook';

/** The URL alone, and the dialect that is named in front of it. */
export function splitDialect(text: string): { readonly dialect: NamedDialect | null; readonly url: string } {
	const [, dialect = null] = DIALECT.exec(text) ?? [];
	return { dialect: dialect as NamedDialect | null, url: text.replace(DIALECT, '') };
}

/**
 * Plain `http:` shows the credentials, and lets anybody on the way answer for the node. So on a main chain it
 * only goes to this machine. @throws ConfigurationError
 */
export function requireNodeUrls(variable: string, urls: readonly string[], chain: 'main' | 'regtest'): void {
	for (const text of urls) {
		const url = URL.parse(text);
		if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
			throw new ConfigurationError(`${variable} is not a list of http(s) URLs with one space between two`);
		if (url.protocol === 'http:' && chain === 'main' && !LOOPBACK.test(url.hostname))
			throw new ConfigurationError(
				`${variable} reaches ${url.host} by plain http:, which shows all that is sent: use https:`,
			);
	}
}

/**
 * From a JSON object of names and values, or of hosts and such objects, or from lines `Name: value`. @throws
 * ConfigurationError
 */
export function nodeHeaders(variable: string, text: string): NodeHeaders {
	const written = text.trim().startsWith('{') ? jsonOrNull(text) : fromLines(text);
	const isByHost = isRecord(written) && Object.values(written).some(isRecord);
	const headers = isByHost ? written : { [ANY_HOST]: written };
	if (!Object.values(headers).every(areHeaders))
		throw new ConfigurationError(
			`${variable} is neither a JSON object of header names and values, nor of hosts and such objects, nor lines "Name: value"`,
		);
	return headers as NodeHeaders;
}

/** The headers for one host, `host:port` where the URL has a port. */
export const headersFor = (headers: NodeHeaders | undefined, host: string): Readonly<Record<string, string>> => ({
	...headers?.[ANY_HOST],
	...headers?.[host],
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const areHeaders = (value: unknown): boolean =>
	isRecord(value) &&
	Object.keys(value).length > 0 &&
	Object.entries(value).every(
		([name, each]) => HEADER_NAME.test(name) && typeof each === 'string' && HEADER_VALUE.test(each),
	);

function fromLines(text: string): Record<string, string> {
	const lines = text.split('\n').filter((line) => line.trim() !== '');
	return Object.fromEntries(
		lines.map((line) => {
			const [name = '', ...value] = line.split(':');
			return [name.trim(), value.join(':').trim()];
		}),
	);
}
