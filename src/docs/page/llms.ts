/** `/llms.txt`: what there is to read, for language models (llmstxt.org). Pure. */

export const LLMS_PATH = '/llms.txt';

export interface Listed {
	/** The page's; its Markdown has the same with `.md`. */
	readonly path: string;
	readonly title: string;
	readonly summary?: string;
}

const ABOUT =
	'Swaps of crypto assets for partners, by one signed HTTP API: ask for a price, create an order, your user pays its address, ' +
	'the service pays the recipient. Amounts are decimal text. Each call is signed by HMAC-SHA256 over its very bytes.';

const MACHINES: readonly string[] = [
	'- [OpenAPI 3.1](/openapi.json): every call, field, error and event',
	'- [OpenAPI 3.0](/openapi-3.0.json): the same for older generators',
	'- [Status](/status.json): what works now',
];

/** `groups`: pages by their heading, in the order in which they are read. */
export const llmsText = (groups: readonly (readonly [heading: string, pages: readonly Listed[]])[]): string =>
	[
		'# Partner Exchange',
		`> ${ABOUT}`,
		...groups.map(([heading, pages]) => [`## ${heading}`, '', ...pages.map(lineOf)].join('\n')),
		['## For machines', '', ...MACHINES].join('\n'),
		'',
	].join('\n\n');

const lineOf = ({ path, title, summary }: Listed): string =>
	`- [${title}](${path}.md)${summary === undefined ? '' : `: ${summary}`}`;
