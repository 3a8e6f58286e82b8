/** `GET /.well-known/partner-exchange-keys.json`: the keys that promises are signed with, by the signer's own word (book: verify). */
import { FOR_BROWSERS } from '../http/for-browsers.ts';
import { Remembered } from '../platform/remembered.ts';
import type { Env } from '../ports/env.ts';

const HEADERS = { ...FOR_BROWSERS, 'content-type': 'application/json', 'cache-control': 'public, max-age=300' };

/** A flood asks the signer once a second. */
const remembered = new Remembered<string>();

export async function promiseKeys({ SIGNER }: Pick<Env, 'SIGNER'>, background: (work: Promise<unknown>) => void) {
	const read = async () => `${JSON.stringify(await SIGNER.promiseKeys(), null, '\t')}\n`;
	return new Response(await remembered.get('keys', read, background), { headers: HEADERS });
}
