/**
 * A server of the Model Context Protocol over standard input and output: an assistant may quote, create an order and
 * follow it. It sends no coins: the user pays the order's address. BASE_URL, API_KEY and API_SECRET are in the environment; an
 * app key suffices. An assistant starts it by `node mcp.ts` (Node from 22.18), in a folder with the client library.
 *
 * The protocol's few messages are written here, because its official package (1.32.2) brings seventeen others, an HTTP
 * framework among them, for what is one table of tools.
 */
import { createInterface } from 'node:readline';
import { createClient, ExchangeError } from 'partner-exchange/sdk';

const { BASE_URL = '', API_KEY, API_SECRET } = process.env;
const exchange = createClient({ url: BASE_URL, apiKey: API_KEY, apiSecret: API_SECRET });

const NEWEST_FIRST = ['2025-06-18', '2025-03-26', '2024-11-05'];
const WRONG = { parse: -32_700, request: -32_600, method: -32_601, parameters: -32_602 };

type Texts = Readonly<Record<string, string>>;

interface Tool {
	readonly name: string;
	readonly description: string;
	/** Each argument with what it is; all are text, and all are needed. */
	readonly takes: Texts;
	readonly readOnly: boolean;
	readonly run: (given: Texts) => Promise<unknown>;
}

const TERMS = {
	fromCcy: 'The asset that the user pays with, as `assets` lists it: LTC, USDTTRC20.',
	toCcy: 'The asset that the user receives.',
	amount: 'How much of fromCcy the user pays: a decimal number.',
};

const termsOf = ({ fromCcy = '', toCcy = '', amount = '' }: Texts) =>
	({ type: 'float', fromCcy, toCcy, direction: 'from', amount }) as const;

const TOOLS: readonly Tool[] = [
	{
		name: 'assets',
		description: 'Lists the assets that can be swapped, with their networks and contracts.',
		takes: {},
		readOnly: true,
		run: () => exchange.assets({}),
	},
	{
		name: 'quote',
		description: 'What a swap brings now, and its limits. The rate floats: the one of the final deposit counts.',
		takes: TERMS,
		readOnly: true,
		run: (given) => exchange.price(termsOf(given)),
	},
	{
		name: 'create_order',
		description:
			'Creates an order. Show the user from.amount, from.code, from.network and from.address: they pay it themselves. Ask the user for both addresses, and never make one up. Keep id and token.',
		takes: {
			...TERMS,
			toAddress: 'Where the user receives toCcy.',
			refundAddress: 'Where coins of fromCcy go if they cannot be swapped.',
			idempotencyKey: '8 to 128 letters, one for each order that is meant: the same key never makes a second order.',
		},
		readOnly: false,
		run: ({ toAddress = '', refundAddress = '', idempotencyKey, ...terms }) =>
			exchange.create({ ...termsOf(terms), toAddress, refundAddress }, { idempotencyKey }),
	},
	{
		name: 'follow_order',
		description: 'The order now: NEW, PENDING, EXCHANGE, DONE, EXPIRED or EMERGENCY. Ask every 30 to 60 seconds.',
		takes: { id: 'The id of the order.', token: 'The token that create_order returned.' },
		readOnly: true,
		run: ({ id = '', token = '' }) => exchange.order({ id, token }),
	},
];

const listed = ({ name, description, takes, readOnly }: Tool) => ({
	name,
	description,
	inputSchema: {
		type: 'object',
		properties: Object.fromEntries(
			Object.entries(takes).map(([key, of]) => [key, { type: 'string', description: of }]),
		),
		required: Object.keys(takes),
	},
	annotations: { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: true },
});

/** The request is wrong: its sender is told how. */
class WrongRequest extends Error {
	readonly code: number;
	constructor(code: number, message: string) {
		super(message);
		this.code = code;
	}
}

/** A refusal is an answer too: the assistant reads it and mends the call. */
async function callTool(name: unknown, given: Texts) {
	const tool = TOOLS.find((each) => each.name === name);
	if (!tool) throw new WrongRequest(WRONG.parameters, `there is no tool ${String(name)}`);
	const missing = Object.keys(tool.takes).filter((key) => typeof given[key] !== 'string');
	if (missing.length > 0) throw new WrongRequest(WRONG.parameters, `as text, please: ${missing.join(', ')}`);
	try {
		return { content: [{ type: 'text', text: JSON.stringify(await tool.run(given)) }] };
	} catch (error) {
		if (!(error instanceof ExchangeError)) throw error;
		return { content: [{ type: 'text', text: error.message }], isError: true };
	}
}

interface Message {
	readonly id?: string | number;
	readonly method?: unknown;
	readonly params?: { readonly name?: unknown; readonly arguments?: Texts; readonly protocolVersion?: string };
}

async function answerTo({ method, params = {} }: Message): Promise<unknown> {
	if (method === 'initialize') {
		const protocolVersion = NEWEST_FIRST.find((each) => each === params.protocolVersion) ?? NEWEST_FIRST[0];
		return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'partner-exchange', version: '1.0.0' } };
	}
	if (method === 'ping') return {};
	if (method === 'tools/list') return { tools: TOOLS.map(listed) };
	if (method === 'tools/call') return callTool(params.name, params.arguments ?? {});
	throw new WrongRequest(WRONG.method, `there is no method ${String(method)}`);
}

const send = (message: object): void =>
	void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

async function handle(line: string): Promise<void> {
	let id: string | number | null = null;
	try {
		const message = parsed(line);
		// A notification is not answered.
		if (message.id === undefined) return;
		id = message.id;
		send({ id, result: await answerTo(message) });
	} catch (error) {
		const code = error instanceof WrongRequest ? error.code : WRONG.request;
		send({ id, error: { code, message: error instanceof Error ? error.message : String(error) } });
	}
}

function parsed(line: string): Message {
	try {
		const message: unknown = JSON.parse(line);
		if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message;
	} catch {
		throw new WrongRequest(WRONG.parse, 'not JSON');
	}
	throw new WrongRequest(WRONG.request, 'one message a line');
}

createInterface({ input: process.stdin }).on('line', (line) => void handle(line));
