/** A provider that speaks plain HTTP, over a real node. Each answer may be changed on its way: that is how it lies. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JsonRpc, RpcError } from '../../src/chains/rpc/json-rpc.ts';

export interface Asked {
	readonly method: string;
	/** With its query. */
	readonly path: string;
	readonly body: string;
}

export type Said = { readonly status?: number } & (
	| { readonly text: string }
	| { readonly json: unknown }
	| { readonly bytes: Uint8Array }
);

export interface Front {
	/** Without a dialect in front. */
	readonly url: string;
	/** Each request so far. */
	readonly asked: Asked[];
	/** Changes answers; null where it leaves this one as it is. Undone by setting it back. */
	lie: (asked: Asked, said: () => Promise<Said>) => Promise<Said | null> | Said | null;
	stop(): Promise<void>;
}

/** A node takes sixteen calls at once and refuses the next one, so the front asks one after the other. */
export function oneAtATime(node: JsonRpc): JsonRpc {
	let last: Promise<unknown> = Promise.resolve();
	const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
		const next = last.then(ask, ask);
		last = next.catch(() => undefined);
		return next;
	};
	return {
		call: (method, ...params) => inTurn(() => node.call(method, ...params)),
		batch: (calls) => inTurn(() => node.batch(calls)),
	};
}

/** Decoded transactions of the best chain and the mempool. It indexes blocks itself, because a node need not. */
export function transactionReader<T>(node: JsonRpc): (txId: string) => Promise<T> {
	const hashes: string[] = [];
	const blocks = new Map<string, string>();

	async function readOn(): Promise<void> {
		const count = Number(await node.call('getblockcount'));
		const at = (height: number) => node.call('getblockhash', height);
		while (hashes.length > 0 && (hashes.length > count + 1 || (await at(hashes.length - 1)) !== hashes.at(-1)))
			hashes.pop();
		for (let height = hashes.length; height <= count; height++) {
			const hash = String(await at(height));
			hashes.push(hash);
			for (const txId of ((await node.call('getblock', hash, 1)) as { tx: string[] }).tx) blocks.set(txId, hash);
		}
	}

	let reading: Promise<void> = Promise.resolve();
	return async (txId) => {
		const isPooled = ((await node.call('getrawmempool')) as string[]).includes(txId);
		if (!isPooled) reading = reading.then(readOn, readOn);
		await reading;
		const hash = isPooled ? undefined : blocks.get(txId);
		return (await node.call('getrawtransaction', txId, true, ...(hash === undefined ? [] : [hash]))) as T;
	};
}

/** The transactions of a block, decoded. Each block is asked for once. */
export function blockReader<T>(node: JsonRpc): (hash: string) => Promise<readonly T[]> {
	const read = new Map<string, Promise<readonly T[]>>();
	const readBlock = async (hash: string) => ((await node.call('getblock', hash, 2)) as { tx: T[] }).tx;
	return (hash) => {
		const block = read.get(hash) ?? readBlock(hash);
		read.set(hash, block);
		return block;
	};
}

/** An error of the node is HTTP 404, as where nothing was found. */
export async function startFront(answer: (asked: Asked) => Promise<Said>): Promise<Front> {
	const said = async (asked: Asked): Promise<Said> => {
		try {
			return (await front.lie(asked, () => answer(asked))) ?? (await answer(asked));
		} catch (error) {
			return { status: error instanceof RpcError ? 404 : 502, text: String(error) };
		}
	};
	const server = createServer(async (request, response) => {
		const chunks: Uint8Array[] = [];
		for await (const chunk of request) chunks.push(chunk);
		const body = Buffer.concat(chunks).toString();
		const asked: Asked = { method: request.method ?? '', path: request.url ?? '', body };
		front.asked.push(asked);
		const answered = await said(asked);
		response.statusCode = answered.status ?? 200;
		if ('text' in answered) response.setHeader('content-type', 'text/plain').end(answered.text);
		else if ('bytes' in answered) response.setHeader('content-type', 'application/octet-stream').end(answered.bytes);
		else response.setHeader('content-type', 'application/json').end(JSON.stringify(answered.json));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const front: Front = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		asked: [],
		lie: () => null,
		stop: () =>
			new Promise((resolve) => {
				server.closeAllConnections();
				server.close(() => resolve());
			}),
	};
	return front;
}
