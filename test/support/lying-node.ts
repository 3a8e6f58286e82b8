/**
 * A node that lies: an HTTP server that answers as no node should, or passes calls on to a real node and changes its
 * answers. Each lie is described where it is defined.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RpcCall } from './anvil.ts';

const MEBIBYTE = 1024 * 1024;
const DRIP_MILLISECONDS = 1_000;

const json = (response: ServerResponse, value: unknown): void => {
	response.setHeader('content-type', 'application/json');
	response.end(typeof value === 'string' ? value : JSON.stringify(value));
};

/** A JSON text as the answer to a single call, or to a batch of one. */
const resultText = (text: string): string => `{"jsonrpc":"2.0","id":1,"result":${text}}`;

const MANNERS = {
	'a web page': (response) => {
		response.setHeader('content-type', 'text/html');
		response.end('<!doctype html><title>Welcome</title>');
	},
	'a hung up call': (response) => response.destroy(),
	silence: () => {
		// The connection stays open, and nothing is ever said.
	},
	'a byte a second': (response) => {
		response.setHeader('content-type', 'application/json');
		const drip = setInterval(() => response.write(' '), DRIP_MILLISECONDS);
		response.once('close', () => clearInterval(drip));
		response.write(' ');
	},
	'a text without end': (response) => {
		response.setHeader('content-type', 'application/json');
		const part = 'a'.repeat(MEBIBYTE);
		const pour = (): void => {
			while (!response.destroyed && response.write(part));
		};
		response.on('drain', pour);
		response.write('{"jsonrpc":"2.0","id":1,"result":"');
		pour();
	},
	'a size that it does not keep': (response) => {
		response.setHeader('content-length', String(1024 * MEBIBYTE));
		response.write('{');
	},
	'brackets five million deep': (response) => json(response, resultText('['.repeat(5_000_000))),
	'brackets and their ends, a hundred thousand deep': (response) =>
		json(response, resultText('['.repeat(100_000) + ']'.repeat(100_000))),
	'five million numbers': (response) => json(response, resultText(`[${'0,'.repeat(4_999_999)}0]`)),
	'an error as long as a book': (response) =>
		json(response, { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'blah '.repeat(2_000_000) } }),
	'an error that is no text': (response) =>
		json(response, { jsonrpc: '2.0', id: 1, error: { code: { valueOf: 1 }, message: { toString: 1 } } }),
	'an error about our limit': (response) => {
		response.statusCode = 429;
		json(response, { jsonrpc: '2.0', id: 1, error: { code: -32007, message: 'too many requests' } });
	},
	nothing: (response) => response.end(),
	null: (response) => json(response, 'null'),
	'a redirect': (response) => {
		response.writeHead(302, { location: 'http://127.0.0.1:1/' });
		response.end();
	},
} as const satisfies Record<string, (response: ServerResponse) => unknown>;

export type Manner = keyof typeof MANNERS;
export const MANNER_NAMES = Object.keys(MANNERS) as Manner[];

interface RpcAnswer {
	readonly id: unknown;
	readonly result?: unknown;
	readonly error?: unknown;
}

/** Takes the node's true result and returns the false one; an `Error` becomes an error of the node. */
export type Lie = (call: RpcCall, truth: unknown) => unknown;

export interface LyingNode {
	readonly url: string;
	/** HTTP requests since the start. */
	requests(): number;
	behave(manner: Manner | Lie): void;
	stop(): Promise<void>;
}

export const truth: Lie = (_, told) => told;

/** `target`: the real node's URL with credentials and path; needed only for lies that change its answers. */
export async function startLyingNode(manner: Manner | Lie, target?: string): Promise<LyingNode> {
	let current = manner;
	let requests = 0;

	function bent(call: RpcCall, answer: RpcAnswer | undefined): unknown {
		if (typeof current !== 'function' || !answer || answer.error) return answer;
		const told = current(call, answer.result);
		if (told instanceof Error) return { jsonrpc: '2.0', id: call.id, error: { code: -32000, message: told.message } };
		return { jsonrpc: '2.0', id: call.id, result: told };
	}

	const server = createServer(async (request, response) => {
		requests += 1;
		response.on('error', () => undefined);
		if (typeof current === 'string') return MANNERS[current](response);
		try {
			const text = await textOf(request);
			const body = JSON.parse(text) as RpcCall | RpcCall[];
			const answers = await forward(target ?? '', text);
			const find = (call: RpcCall) => [answers].flat().find(({ id }) => id === call.id);
			json(response, Array.isArray(body) ? body.map((call) => bent(call, find(call))) : bent(body, find(body)));
		} catch {
			response.destroy();
		}
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { pathname } = new URL(target ?? 'http://node/');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
		requests: () => requests,
		behave(next) {
			current = next;
		},
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

async function forward(target: string, body: string): Promise<RpcAnswer | RpcAnswer[]> {
	const url = new URL(target);
	const credentials = Buffer.from(`${url.username}:${url.password}`).toString('base64');
	const headers: Record<string, string> = { 'content-type': 'application/json' };
	if (url.username) headers['authorization'] = `Basic ${credentials}`;
	url.username = '';
	url.password = '';
	const response = await fetch(url, { method: 'POST', headers, body });
	return JSON.parse(await response.text(), keepExact) as RpcAnswer | RpcAnswer[];
}

/** Amounts with a fraction become texts, which the service reads as well. */
function keepExact(_key: string, value: unknown, context?: { source?: string }): unknown {
	return typeof value === 'number' && !Number.isSafeInteger(value) ? context?.source : value;
}

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString('utf8');
}
