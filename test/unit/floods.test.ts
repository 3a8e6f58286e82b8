/** Node answers that a stranger can make arbitrarily long are read in parts, and delay nothing else. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jsonRpc } from '../../src/chains/rpc/json-rpc.ts';
import { explain, type Memory } from '../../src/chains/solana/explain.ts';

type Answer = (method: string, params: never) => unknown;

let server: Server;
let url = '';
let answer: Answer = () => null;

beforeAll(async () => {
	server = createServer(async (request, response) => {
		const body = JSON.parse(await new Response(request as never).text());
		const one = ({ id, method, params }: { id: number; method: string; params: never }) => ({
			id,
			jsonrpc: '2.0',
			result: answer(method, params),
		});
		response.end(JSON.stringify(Array.isArray(body) ? body.map(one) : one(body)));
	});
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

it('Solana: a deposit below ten thousand transactions of a stranger is found by the scan after the next', async () => {
	const ACCOUNT = 'AwRmXDy2owyDXzzxFwjtWqh5QFEz4BqK2qdxtKtPmcr8';
	// Base58 has no zero.
	const floodOf = (i: number) =>
		i
			.toString(9)
			.replaceAll(/\d/g, (digit) => String(Number(digit) + 1))
			.padStart(64, 'z');
	const DEPOSIT = 'D'.repeat(64);
	const signatures = Array.from({ length: 10_400 }, (_, i) => ({
		signature: floodOf(i),
		slot: 9,
		err: 'failed',
		confirmationStatus: 'finalized',
	}));
	signatures.push({ signature: DEPOSIT, slot: 1, err: null as never, confirmationStatus: 'finalized' });
	const read: unknown[] = [];
	answer = (method, params) => {
		if (method !== 'getSignaturesForAddress') {
			read.push(params);
			return null;
		}
		const { before } = (params as [string, { before?: string }])[1];
		const from = before === undefined ? 0 : signatures.findIndex(({ signature }) => signature === before) + 1;
		return signatures.slice(from, from + 200);
	};
	const memory: Memory = { barren: new Set(), credited: new Set(), deep: new Map() };
	const watched = { address: ACCOUNT, asset: 'SOL' as const, known: [], swept: 0n };
	const grown = [{ ...watched, place: ACCOUNT, balance: 5n, unexplained: 5n }];
	await explain(jsonRpc([url]), grown, memory);
	expect(read).toEqual([]);
	await explain(jsonRpc([url]), grown, memory);
	// Only the one relevant transaction is read.
	expect(read.map((params) => (params as string[])[0])).toEqual([DEPOSIT]);
});
