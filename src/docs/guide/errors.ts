/** The table of codes (book: contract, "Errors"). */
import { ERRORS } from '../errors.ts';

export const ERROR_TABLE = [
	'## Errors',
	'',
	'| Code | msg | HTTP | When |',
	'|---|---|---|---|',
	...ERRORS.map(({ code, msg, status, when }) => `| ${code} | \`${msg}\` | ${status} | ${when} |`),
	'',
	'- Codes 3, 4 and 6 cover several causes on purpose; which one it was is not told.',
	'- A missing `X-API-NONCE` is code 3, not code 2. On the endpoints that may be called unsigned, one of `X-API-KEY` and',
	'  `X-API-SIGN` without the other is code 3.',
	'- Codes 5, 10 and 11 say in `Retry-After` when to come back. Retry 11 and 99 with exponential backoff, always with a',
	'  fresh nonce.',
];
