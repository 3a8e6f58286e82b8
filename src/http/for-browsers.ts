/** Headers that let browsers read from any page: the unsigned endpoints and the documents, their refusals included. */
import type { HeaderFields } from './refusals.ts';

export const ORIGIN = '*';

export const FOR_BROWSERS: HeaderFields = {
	'access-control-allow-origin': ORIGIN,
	/** When to come back, and what to quote to the operator. */
	'access-control-expose-headers': 'Retry-After, X-Request-Id, ETag',
};
