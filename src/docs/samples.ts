/**
 * `x-codeSamples` of an operation: a call with its example body, in each language that the repository has an example of.
 * One template for each language. Each runs as it is, with BASE_URL, API_KEY and API_SECRET in the environment (book:
 * client, "Other languages"). Pure.
 */
import type { DocumentedEndpoint } from '../ports/endpoint-docs.ts';

export interface CodeSample {
	readonly lang: 'Shell' | 'TypeScript' | 'Python' | 'PHP';
	readonly label: string;
	readonly source: string;
}

const sample = (lang: CodeSample['lang'], label: string, ...lines: readonly string[]): CodeSample => ({
	lang,
	label,
	source: lines.join('\n'),
});

/** Inside single quotes of each of the four languages: the examples have neither quotes nor backslashes. */
const bodyOf = ({ request, example, method }: DocumentedEndpoint): string | null =>
	(request && !request.inQuery) || method !== 'GET' ? JSON.stringify(example ?? {}) : null;

export function samplesOf(endpoint: DocumentedEndpoint): CodeSample[] {
	const { method, path, auth, request, example } = endpoint;
	const query = request?.inQuery ? `?${new URLSearchParams(Object(example))}` : '';
	// Such an address needs no signature.
	if (auth === 'none' || query) return [sample('Shell', 'curl', `curl -s "$BASE_URL${path}${query}"`)];
	const body = bodyOf(endpoint);
	return [shell(method, path, body), typeScript(endpoint), python(method, path, body), php(method, path, body)];
}

const shell = (method: string, path: string, body: string | null): CodeSample =>
	sample(
		'Shell',
		'curl',
		`BODY='${body ?? ''}'`,
		'T=$(date +%s) N=$(openssl rand -hex 16)',
		`S=$(printf '%s\\n%s\\n%s' "$T" "$N" "$BODY" | openssl dgst -sha256 -hmac "$API_SECRET" | sed 's/^.* //')`,
		`curl -s -X ${method} "$BASE_URL${path}"${body === null ? '' : ' --data-binary "$BODY"'} \\`,
		'  -H "X-API-KEY: $API_KEY" -H "X-API-SIGN: $S" -H "X-API-NONCE: $N" -H "X-API-TIMESTAMP: $T"',
	);

/** `id` is also the name of the client's method. */
function typeScript({ id, request, example }: DocumentedEndpoint): CodeSample {
	const body = request
		? JSON.stringify(example, null, 2)
				.replaceAll(/"(\w+)":/g, '$1:')
				.replaceAll('"', "'")
		: '';
	return sample(
		'TypeScript',
		'partner-exchange/sdk',
		"import { createClient } from 'partner-exchange/sdk';",
		'',
		"const { BASE_URL = '', API_KEY = '', API_SECRET = '' } = process.env;",
		'const exchange = createClient({ url: BASE_URL, apiKey: API_KEY, apiSecret: API_SECRET });',
		`const answer = await exchange.${id}(${body === '{}' ? '' : body});`,
		'console.log(answer);',
	);
}

const python = (method: string, path: string, body: string | null): CodeSample =>
	sample(
		'Python',
		'Python',
		'import hashlib, hmac, os, time, urllib.error, urllib.request, uuid',
		'',
		`body = b'${body ?? ''}'`,
		'timestamp, nonce = str(int(time.time())), uuid.uuid4().hex',
		"message = f'{timestamp}\\n{nonce}\\n'.encode() + body",
		"sign = hmac.new(os.environ['API_SECRET'].encode(), message, hashlib.sha256).hexdigest()",
		"headers = {'X-API-KEY': os.environ['API_KEY'], 'X-API-SIGN': sign, 'X-API-NONCE': nonce, 'X-API-TIMESTAMP': timestamp}",
		`request = urllib.request.Request(os.environ['BASE_URL'] + '${path}', body or None, headers, method='${method}')`,
		'try:',
		'    print(urllib.request.urlopen(request).read().decode())',
		'except urllib.error.HTTPError as refused:',
		'    print(refused.read().decode())',
	);

const php = (method: string, path: string, body: string | null): CodeSample =>
	sample(
		'PHP',
		'PHP',
		`$body = '${body ?? ''}';`,
		'$timestamp = (string) time();',
		'$nonce = bin2hex(random_bytes(16));',
		"$sign = hash_hmac('sha256', \"$timestamp\\n$nonce\\n$body\", getenv('API_SECRET'));",
		'$header = [\'X-API-KEY: \' . getenv(\'API_KEY\'), "X-API-SIGN: $sign", "X-API-NONCE: $nonce", "X-API-TIMESTAMP: $timestamp"];',
		`$http = ['method' => '${method}', 'header' => $header, 'content' => $body, 'ignore_errors' => true];`,
		`echo file_get_contents(getenv('BASE_URL') . '${path}', false, stream_context_create(['http' => $http]));`,
	);
