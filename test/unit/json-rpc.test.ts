/** Answers of a node are bounded in time, bytes, values and length of error texts, whatever the node does. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import { type JsonRpc, jsonRpc, RpcError } from '../../src/chains/rpc/json-rpc.ts';
import { solanaRpc } from '../../src/chains/solana/node.ts';
import { utxoRpc } from '../../src/chains/utxo/node.ts';
import { type Intercepted, type Interception, type Relay, startRelay } from '../support/anvil.ts';
import { MANNER_NAMES, type Manner, startLyingNode } from '../support/lying-node.ts';

/** One answer may take ten seconds; the rest allows for a busy machine. */
const WITHIN_MILLISECONDS = 25_000;
/** The longest error text made from a node's nonsense, characters. */
const LONGEST_LINE = 600;

const failureOf = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error);

/** These are valid errors of a node. Every other nonsense counts as no answer. */
const SAYS_NO: readonly Manner[] = [
	'an error as long as a book',
	'an error that is no text',
	'an error about our limit',
];

describe.concurrent('a node whose answer is', () => {
	it.each(MANNER_NAMES)(
		'%s counts as no answer, quickly and with a short reason',
		async (manner) => {
			const node = await startLyingNode(manner);
			try {
				const started = performance.now();
				const rpc = jsonRpc([node.url]);
				const [single, batch] = await Promise.all([
					failureOf(rpc.call('eth_blockNumber')),
					failureOf(rpc.batch([{ method: 'eth_blockNumber', params: [] }])),
				]);
				expect(performance.now() - started).toBeLessThan(WITHIN_MILLISECONDS);
				expect(batch).toBeInstanceOf(ChainUnavailable);
				expect(single).toBeInstanceOf(SAYS_NO.includes(manner) ? RpcError : ChainUnavailable);
				for (const { message } of [single, batch] as Error[]) expect(message.length).toBeLessThan(LONGEST_LINE);
			} finally {
				await node.stop();
			}
		},
		60_000,
	);
});

describe('the next node', () => {
	it.each<Manner>(['a web page', 'a hung up call', 'null', 'five million numbers'])(
		'is asked when the preferred one answers with %s',
		async (manner) => {
			const [liar, honest] = await Promise.all([startLyingNode(manner), startRelay(null, () => ({ result: '0x10' }))]);
			try {
				expect(await jsonRpc([liar.url, honest.url]).call('eth_blockNumber')).toBe('0x10');
			} finally {
				await Promise.all([liar.stop(), honest.stop()]);
			}
		},
	);

	const ERROR = (code: number) => ({ error: { code, message: `the error ${code}` } });

	/** What the call is answered when the first node answers with `first`, and the second knows the height. */
	async function answerAfter(first: Interception | Manner, rpcOf: (urls: string[]) => JsonRpc) {
		const [one, other] = await Promise.all([
			typeof first === 'function' ? startRelay(null, first) : startLyingNode(first),
			startRelay(null, () => ({ result: 16 })),
		]);
		try {
			const rpc = rpcOf([one.url, other.url]);
			const [single, batch] = await Promise.all([
				failureOf(rpc.call('getblockcount')),
				failureOf(rpc.batch([{ method: 'getblockcount', params: [] }])),
			]);
			return { single, batch, asked: other.calls.length };
		} finally {
			await Promise.all([one.stop(), other.stop()]);
		}
	}

	const utxo = (urls: string[]) => utxoRpc({ urls });

	it.each([-28, -9, -10, -18])(
		'is asked when the preferred one answers with %s, which is about its state',
		async (code) => {
			expect(await answerAfter(() => ERROR(code), utxo)).toEqual({ single: 16, batch: [16], asked: 2 });
		},
	);

	it('is asked when the preferred one of Solana is behind (-32005)', async () => {
		const node =
			(rest: Intercepted): Interception =>
			({ method }) =>
				method === 'getGenesisHash' ? { result: '11111111111111111111111111111111' } : rest;
		const [one, other] = await Promise.all([
			startRelay(null, node(ERROR(-32005))),
			startRelay(null, node({ result: 16 })),
		]);
		try {
			const rpc = solanaRpc(NETWORKS.Solana, { urls: [one.url, other.url], chain: 'regtest' });
			expect(await rpc.call('getSlot')).toBe(16);
		} finally {
			await Promise.all([one.stop(), other.stop()]);
		}
	});

	it('is asked when the preferred one answers 429 with an error in JSON', async () => {
		expect(await answerAfter('an error about our limit', jsonRpc)).toEqual({ single: 16, batch: [16], asked: 2 });
	});

	it.each([-26, -5, -32005])('is not asked when the preferred one refuses the request with %s', async (code) => {
		const { single, batch, asked } = await answerAfter(() => ERROR(code), utxo);
		expect([single, ...(batch as unknown[])]).toEqual([new RpcError(code, `the error ${code}`), expect.any(RpcError)]);
		expect(asked).toBe(0);
	});

	it('does not hide what the preferred one said where it does not answer either', async () => {
		const [one, other] = await Promise.all([startRelay(null, () => ERROR(-28)), startLyingNode('a hung up call')]);
		try {
			expect(await failureOf(utxo([one.url, other.url]).call('getblockcount'))).toMatchObject({ code: -28 });
		} finally {
			await Promise.all([one.stop(), other.stop()]);
		}
	});

	it('is named in errors by its host, without key or password', async () => {
		const node = await startLyingNode('a web page');
		try {
			const { host } = new URL(node.url);
			const { message } = (await failureOf(
				jsonRpc([`http://name:secret@${host}/v3/key-of-ours`]).call('eth_blockNumber'),
			)) as Error;
			expect(message).toContain(host);
			expect(message).not.toMatch(/secret|key-of-ours/);
		} finally {
			await node.stop();
		}
	});
});

describe('a host that takes no batch', () => {
	it('is asked for each call alone from then on, with the same answers', async () => {
		let [batches, alone] = [0, 0];
		// JSON-RPC 2.0: what is no valid request is answered by one error with this code.
		const server = createServer(async (request, response) => {
			const body = JSON.parse(await text(request)) as { readonly id: number; readonly method: string } | unknown[];
			const no = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid Request' } };
			if (Array.isArray(body)) batches += 1;
			else alone += 1;
			const error = { code: -32601, message: 'no such method' };
			const found = Array.isArray(body)
				? no
				: { jsonrpc: '2.0', id: body.id, ...(body.method === 'known' ? { result: body.id } : { error }) };
			response.end(JSON.stringify(found));
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		try {
			const rpc = jsonRpc([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
			const calls = ['known', 'known', 'unknown'].map((method) => ({ method, params: [] }));
			const answers = [0, 1, new RpcError(-32601, 'no such method')];
			expect(await rpc.batch(calls)).toEqual(answers);
			expect(await rpc.batch(calls)).toEqual(answers);
			expect([batches, alone]).toEqual([1, 6]);
		} finally {
			server.close();
		}
	});
});

describe('a batch', () => {
	let relay: Relay;
	let rpc: JsonRpc;

	beforeAll(async () => {
		relay = await startRelay(null);
		rpc = jsonRpc([relay.url]);
	});
	afterAll(() => relay.stop());

	const calls = ['first', 'second', 'third'].map((method) => ({ method, params: [] }));

	it('is matched by the ids of its answers, not by their order', async () => {
		relay.intercept(({ method }) => ({ result: method }));
		expect(await rpc.batch(calls)).toEqual(['first', 'second', 'third']);
	});

	it('whose answers have other ids counts as unanswered', async () => {
		relay.intercept(({ method }) => ({ result: method, id: 77 }));
		expect((await rpc.batch(calls)).map((answer) => answer instanceof ChainUnavailable)).toEqual([true, true, true]);
	});

	it('with two answers for one id gets one answer', async () => {
		relay.intercept(({ method }) => ({ result: method, id: 1 }));
		const answers = await rpc.batch(calls);
		expect(answers.map((answer) => answer instanceof ChainUnavailable)).toEqual([true, false, true]);
	});
});
