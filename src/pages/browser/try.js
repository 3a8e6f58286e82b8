// Runs the reference's examples with keys that the visitor makes, against the service that served the page. The keys stay
// in this page: who leaves it makes others.
import { sign } from '../../sdk/sign.ts';

const at = (id) => document.getElementById(id);
const operations = JSON.parse(at('operations').textContent);
const chosen = () => operations.find(({ id }) => id === at('operation').value);
const KEYS_PATH = '/api/v1/sandbox/keys';

/** The order of the reference's examples, in whose place the visitor's own is put. */
const { id: ORDER, token: TOKEN } = JSON.parse(operations.find(({ id }) => id === 'order').body);
let keys = null;
let order = null;

const printed = (value) => JSON.stringify(value, null, 2);
const write = (id, text) => {
	at(id).querySelector('code').textContent = text;
};

const withOwn = (text) => (order === null ? text : text.replaceAll(ORDER, order.id).replaceAll(TOKEN, order.token));

function choose() {
	const { body } = chosen();
	at('body').value = withOwn(body);
	at('body').parentElement.hidden = body === '';
}

async function headersFor(body) {
	const nonce = crypto.randomUUID();
	const timestamp = String(Math.floor(Date.now() / 1000));
	const answer = at('answer').value;
	return {
		'X-API-KEY': keys.apiKey,
		'X-API-TIMESTAMP': timestamp,
		'X-API-NONCE': nonce,
		'X-API-SIGN': await sign(keys.apiSecret, { body, nonce, timestamp }),
		...(answer !== '' && { 'X-Sandbox-Answer': answer }),
	};
}

const TOLD = ['x-refusal-reason', 'retry-after', 'x-budget-remaining', 'x-request-id'];

async function send(method, path, body, headers) {
	const type = body === '' ? {} : { 'Content-Type': 'application/json' };
	const all = { ...type, ...headers };
	const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
	write('request', [`${method} ${path}`, ...lines, ...(body === '' ? [] : ['', body])].join('\n'));
	const response = await fetch(path, { method, headers: all, ...(body !== '' && { body }) });
	const text = await response.text();
	const told = TOLD.filter((name) => response.headers.has(name)).map(
		(name) => `${name}: ${response.headers.get(name)}`,
	);
	const isJson = response.headers.get('content-type')?.startsWith('application/json');
	const shown = isJson ? printed(JSON.parse(text)) : text.slice(0, 4_000);
	write('response', [`HTTP ${response.status}`, ...told, '', shown].join('\n'));
	return isJson ? JSON.parse(text) : null;
}

async function make() {
	const answer = await send('POST', KEYS_PATH, '{}', {});
	if (answer?.code !== 0) {
		at('elsewhere').hidden = answer?.code !== 6;
		at('made').textContent =
			answer?.code === 6 ? 'There are no test keys here.' : 'As many visitors as may came today. Come back tomorrow.';
		return;
	}
	keys = answer.data;
	write('credentials', `API_KEY=${keys.apiKey}\nAPI_SECRET=${keys.apiSecret}`);
	at('credentials').hidden = false;
	at('example').hidden = false;
	at('made').textContent =
		`Yours until ${new Date(keys.expiresAt * 1000).toLocaleString('en')}, for ${keys.orders} orders.`;
	choose();
}

async function run() {
	const { id, method, path, isSigned } = chosen();
	const text = at('body').parentElement.hidden ? '' : at('body').value;
	const isQuery = method === 'GET' && text !== '';
	const body = method === 'GET' ? '' : text;
	const target = isQuery ? `${path}?${new URLSearchParams(JSON.parse(text))}` : path;
	const answer = await send(method, target, body, isSigned ? await headersFor(body) : {});
	at('shown').hidden = false;
	if (id === 'create' && answer?.code === 0 && answer.data.token) order = answer.data;
}

/** `press`: what a button does. A call that fails is said where the answer would be. */
const listen = (id, press) =>
	at(id).addEventListener('click', async () => {
		at(id).disabled = true;
		try {
			await press();
		} catch (error) {
			write('response', String(error));
			at('shown').hidden = false;
		}
		at(id).disabled = false;
	});

listen('make', make);
listen('run', run);
at('operation').addEventListener('change', choose);
at('keys').hidden = false;
