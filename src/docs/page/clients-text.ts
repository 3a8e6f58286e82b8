/** `/docs/clients`: what the service gives away to integrate with, and an example in each language. Markdown. Pure. */

export const CLIENTS_PATH = '/docs/clients';
export const FILES_PATH = '/docs/sdk';

/** Each file that is given away, by its name. */
export type ClientFiles = ReadonlyMap<string, string | Uint8Array>;

interface Language {
	readonly title: string;
	/** The name in a fence of Markdown. */
	readonly fence: string;
	readonly example: string;
	/** Commands to type before the example runs; `package` stands for the package's file. */
	readonly install: readonly string[];
	readonly note: string;
}

const LANGUAGES: readonly Language[] = [
	{
		title: 'TypeScript and JavaScript',
		fence: 'ts',
		example: 'swap.ts',
		install: [
			'curl -fO "$BASE_URL/docs/sdk/package"',
			'npm install ./package',
			'curl -fO "$BASE_URL/docs/sdk/swap.ts"',
		],
		note: 'Node from 20.3, Workers, Deno and Bun. Everything that it can do: [the client library](/docs/book/client). Install the file, and nothing by its name alone: in npm’s registry the name is nobody’s.',
	},
	{
		title: 'Python',
		fence: 'py',
		example: 'swap.py',
		install: ['curl -fO "$BASE_URL/docs/sdk/partner_exchange.py"', 'curl -fO "$BASE_URL/docs/sdk/swap.py"'],
		note: 'Python 3.8 and its standard library.',
	},
	{
		title: 'PHP',
		fence: 'php',
		example: 'swap.php',
		install: ['curl -fO "$BASE_URL/docs/sdk/PartnerExchange.php"', 'curl -fO "$BASE_URL/docs/sdk/swap.php"'],
		note: 'PHP 8.0 with `allow_url_fopen`, and openssl for `https:`.',
	},
	{
		title: 'Go',
		fence: 'go',
		example: 'swap.go',
		install: [
			'mkdir -p partnerexchange swap',
			'curl -f -o partnerexchange/partnerexchange.go "$BASE_URL/docs/sdk/partnerexchange.go"',
			'curl -f -o swap/main.go "$BASE_URL/docs/sdk/swap.go"',
		],
		note: 'Go 1.18 and its standard library.',
	},
	{
		title: 'curl and openssl',
		fence: 'sh',
		example: 'curl.sh',
		install: ['curl -fO "$BASE_URL/docs/sdk/curl.sh"'],
		note: 'For a first look, and for languages that have no client here: it shows what is signed.',
	},
];

const ROWS: readonly (readonly [file: string, use: string])[] = [
	['partner_exchange.py', 'client for Python'],
	['PartnerExchange.php', 'client for PHP'],
	['partnerexchange.go', 'client for Go'],
	['vectors.json', 'requests with their signatures, and webhooks with their verdicts: for a client of your own'],
	['bruno.tgz', 'a collection for Bruno: every call, signed'],
	['SHA256SUMS', 'the hash of each file here, for `sha256sum -c --ignore-missing SHA256SUMS`'],
];

const linked = (name: string): string => `[\`${name}\`](${FILES_PATH}/${name})`;

/** `source`: where the source of this service is; null where its operator names no place. */
export function clientsText(files: ClientFiles, source: string | null): string {
	const packageName = [...files.keys()].find((name) => /^partner-exchange-.+\.tgz$/.test(name)) ?? '';
	const rows = [[packageName, 'client for TypeScript and JavaScript, with its types'] as const, ...ROWS];
	return [
		'# Clients and files',
		'What you integrate with comes from this service. The clients sign, try again what is safe to try again, set a wrong clock right and verify webhooks. None depends on another package, and tests hold all of them to the same vectors and run their examples against the service.',
		['| File | What it is |', '|---|---|', ...rows.map(([name, use]) => `| ${linked(name)} | ${use} |`)].join('\n'),
		'Keep the file in your repository: a service has the files of its own version alone, and newer ones after an update. [Changes](/docs/changelog) come as a [feed](/docs/changelog.atom), too.',
		'The collection’s script signs each request. A run of all of it creates an order that nobody pays, a reference code, and a key and an endpoint that it deletes again. It does not rotate your secret unless the variable `mayRotate` is `yes`.',
		...(source === null ? [] : [`The source of this service: [${source}](${source}).`]),
		...LANGUAGES.flatMap((language) => sectionOf(language, files, packageName)),
		'## For language models',
		`[\`mcp.ts\`](${FILES_PATH}/mcp.ts) is a server of the Model Context Protocol: it lets an assistant quote, create and follow an order. It runs beside the TypeScript client, as its first lines say. Every page here is Markdown under the same address with \`.md\`, and [\`/llms.txt\`](/llms.txt) lists them.`,
	].join('\n\n');
}

const sectionOf = ({ title, fence, example, install, note }: Language, files: ClientFiles, packageName: string) => [
	`## ${title}`,
	note,
	`\`\`\`sh\n${install.join('\n').replaceAll(/\bpackage\b/g, packageName)}\n\`\`\``,
	`\`\`\`${fence}\n${String(files.get(example)).trimEnd()}\n\`\`\``,
];
