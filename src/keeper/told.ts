/**
 * The variables of the API Worker that a command of the operator reads. Of secrets it is told the alert endpoint's, which it
 * posts to; of nodes and of the screening service where they are, without what lets one in. Pure.
 */
import { BY_NAME } from '../configuration/variables.ts';

/** The seal key, until what needs it is asked for as well. */
const TOLD_SECRETS = /^(?:REGION|ALERT_WEBHOOK_URL|ALERT_WEBHOOK_SECRET|SEAL_KEY(?:_[A-Z]+)?)$/;
const URLS = /^(?:NODE_URL_[A-Z]+|MONERO_DAEMON_URL|SCREENING_URL)$/;

export const toldVariables = (env: object): Readonly<Record<string, string>> =>
	Object.fromEntries(
		Object.entries(env).flatMap(([name, value]): [string, string][] => {
			const known = BY_NAME.get(name);
			if (!known || typeof value !== 'string') return [];
			if (URLS.test(name)) return [[name, originsOf(value)]];
			return known.secret && !TOLD_SECRETS.test(name) ? [] : [[name, value]];
		}),
	);

/** What is no URL stays none. */
const originsOf = (text: string): string =>
	text
		.split(/\s+/)
		.filter(Boolean)
		.map((each) => {
			const url = URL.parse(each);
			return url ? `${url.protocol}//${url.host}` : 'malformed';
		})
		.join(' ');
