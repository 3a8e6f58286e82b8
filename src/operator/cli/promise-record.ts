/**
 * The TXT record with the key of promises: partners compare it with what the service publishes (book: verify, "Keys"). It is asked
 * for from this machine: a Worker hears what the owner of its account lets it hear.
 */
import { resolveTxt } from 'node:dns/promises';
import type { PublishedKeys } from '../../ports/promises.ts';
import { fine, type Row, unknown, wrong } from '../doctor/row.ts';

const TIMEOUT_MILLISECONDS = 10_000;
const SHOWN = 'promises in DNS';

const nameOf = (host: string): string => `_partner-exchange.${host}`;
const textOf = (publicKey: string): string => `v=1; ed25519=${publicKey}`;

/** For setup; empty where the service does not answer. */
export async function recordAdvice(url: URL): Promise<string> {
	const keys = await publishedKeys(url).catch(() => null);
	const newest = keys?.keys.at(-1);
	if (!newest) return '';
	return `\nSo that partners can verify your addresses ("Verify it yourself" in the book), add this TXT record:\n  ${nameOf(url.hostname)}  "${textOf(newest.publicKey)}"`;
}

/** For `doctor`. Never throws. */
export async function recordRow(url: URL, lookUp: (name: string) => Promise<string[][]> = resolveTxt): Promise<Row> {
	try {
		const { keys } = await publishedKeys(url);
		const records = await lookUp(nameOf(url.hostname)).catch((error: NodeJS.ErrnoException) => {
			if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return [];
			throw error;
		});
		const found = records.map((parts) => parts.join('')).filter((text) => text.startsWith('v=1; ed25519='));
		return comparedRow(url.hostname, keys, found);
	} catch (error) {
		return unknown('keys', SHOWN, (error as Error).message, 'run doctor again');
	}
}

/** A key whose time has not come may stand there already. */
function comparedRow(host: string, keys: PublishedKeys['keys'], found: readonly string[]): Row {
	const newest = textOf(keys.at(-1)?.publicKey ?? '');
	const advice = `the TXT record ${nameOf(host)} "${newest}"`;
	if (found.length === 0) return fine('keys', SHOWN, `partners cannot compare the key: ${advice} would let them`);
	const strange = found.filter((text) => !keys.some(({ publicKey }) => text === textOf(publicKey)));
	if (strange.length > 0)
		return wrong(
			'keys',
			SHOWN,
			`${nameOf(host)} has "${strange[0]}", a key that the service does not publish`,
			`find out who is right: the signer's key, or the record; then set ${advice}`,
		);
	if (found.includes(newest)) return fine('keys', SHOWN, `${nameOf(host)} has the newest key`);
	return wrong('keys', SHOWN, `${nameOf(host)} has an older key alone`, `add ${advice}`);
}

async function publishedKeys(url: URL): Promise<PublishedKeys> {
	const address = new URL('/.well-known/partner-exchange-keys.json', url);
	const answer = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
	if (!answer.ok) throw new Error(`${address} answers HTTP ${answer.status}`);
	return (await answer.json()) as PublishedKeys;
}
