/**
 * The variables of a Worker that another one reads. Of secrets it is told the alert endpoint's, which it posts to; of nodes
 * and of the screening service where they are, without what lets one in. Pure.
 */
import { nodeHeaders } from '../chains/node-urls.ts';
import { BY_NAME, type Worker } from './variables.ts';

const TOLD_SECRETS = /^(?:REGION|ALERT_WEBHOOK_URL|ALERT_WEBHOOK_SECRET)$/;
const URLS = /^(?:NODE_URL_[A-Z]+|SCREENING_URL)$/;

/** `notOf`: a Worker that has variables of its own, and is told the others alone. */
export const toldVariables = (env: object, notOf?: Worker): Readonly<Record<string, string>> =>
	Object.fromEntries(
		Object.entries(env).flatMap(([name, value]): [string, string][] => {
			const known = BY_NAME.get(name);
			if (!known || typeof value !== 'string' || (notOf && known.of.includes(notOf))) return [];
			if (URLS.test(name)) return [[name, originsOf(value)]];
			// They are secrets, and only what is wrong with them is told.
			if (name.startsWith('NODE_HEADERS_')) return areHeaders(name, value) ? [] : [[name, MALFORMED]];
			return known.secret && !TOLD_SECRETS.test(name) ? [] : [[name, value]];
		}),
	);

const MALFORMED = 'malformed';

function areHeaders(name: string, text: string): boolean {
	try {
		nodeHeaders(name, text);
		return true;
	} catch {
		return text.trim() === '';
	}
}

/** A text that is no URL gives none. */
const originsOf = (text: string): string =>
	text
		.split(/\s+/)
		.filter(Boolean)
		.map((each) => {
			const url = URL.parse(each);
			return url ? `${url.protocol}//${url.host}` : MALFORMED;
		})
		.join(' ');
