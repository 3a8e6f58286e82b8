import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { BroadcastRejected, ChainUnavailable } from '../../src/chains/errors.ts';
import { joinable } from '../../src/chains/utxo/consolidation.ts';
import { utxoChain } from '../../src/chains/utxo/family.ts';
import { utxoKeys } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { signedTransaction } from '../../src/chains/utxo/transaction.ts';
import { feeOf } from '../support/chain-costs.ts';
import { keepingOf } from '../support/keeping.ts';

/** A node with scripted answers that no real node can be made to give. */
type Answer = { result: unknown } | { error: { code: number; message: string } };
type Script = Record<string, (...params: never[]) => Answer>;

const ADDRESS = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';
const BLOCK = 'b'.repeat(64);
const TX = 'a'.repeat(64);
const INFO: Answer = {
	result: { chain: 'main', blocks: 1_000, bestblockhash: BLOCK, initialblockdownload: false, difficulty: 4.6e-10 },
};

let server: Server;
let script: Script = {};
let url = '';

beforeAll(async () => {
	server = createServer(async (request, response) => {
		const body = JSON.parse(await new Response(request as never).text());
		const answer = ({ id, method, params }: { id: number; method: string; params: never[] }) => {
			const said = script[method]?.(...(Array.isArray(params) ? params : [params as never])) ?? {
				error: { code: -32601, message: 'Method not found' },
			};
			return { id, ...said };
		};
		response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
	});
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => server.close());
beforeEach(() => {
	script = {
		// Of our chain: else it is not used.
		getblockhash: (height: number) => ({ result: height === 0 ? NETWORKS.Litecoin.params.genesis : BLOCK }),
		getblockchaininfo: () => INFO,
		// As litecoind writes it; read as text where it is a fraction.
		getmempoolinfo: () => ({ result: { size: 0, mempoolminfee: '0.00001000', minrelaytxfee: '0.00001000' } }),
	};
});

const chain = () => utxoChain(NETWORKS.Litecoin, { urls: [url], chain: 'main' }, ADDRESS, keepingOf());

/** Of some key, from a coin that does not matter. */
const key = utxoKeys(new Uint8Array(64).fill(1), utxoParams(NETWORKS.Litecoin, 'main')).hot;
const { raw: RAW } = signedTransaction(
	[{ txId: TX, vout: 0, amount: 2_000_000n, key }],
	[{ script: key.script, amount: 1_000_000n }],
	true,
);

describe('joining small outputs', () => {
	test('never takes more than a tenth of what the wallet holds', () => {
		const outputs = Array.from({ length: 300 }, (_, vout) => ({ txId: TX, vout, amount: 1_000_000n }));
		const of = (held: bigint) =>
			joinable(outputs, { held, rate: 2_000n, hotScriptLength: 22 }, utxoParams(NETWORKS.Litecoin, 'main'));
		expect(of(300_000_000n)).toBeNull();
		expect(of(1_500_000_000n)?.coins).toHaveLength(150);
	});
});

describe('a broadcast', () => {
	const refusal = (code: number, message: string) => {
		script['sendrawtransaction'] = () => ({ error: { code, message } });
		return chain().broadcast(RAW);
	};

	test.each([
		[-27, 'Transaction already in block chain'],
		[-27, 'Transaction outputs already in utxo set'],
		[-26, 'txn-already-known'],
		[-26, 'txn-already-in-mempool'],
	])('that is answered with %i %s has succeeded', async (code, message) => {
		await expect(refusal(code, message)).resolves.toBeUndefined();
	});

	test.each([
		[-22, 'TX decode failed. Make sure the tx has at least one input.'],
		[-26, 'dust'],
		[-26, 'mandatory-script-verify-flag-failed (Signature must be zero for failed CHECK(MULTI)SIG operation)'],
		[-26, 'txn-mempool-conflict'],
		[-25, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)'],
	])('that is answered with %i %s needs a person', async (code, message) => {
		await expect(refusal(code, message)).rejects.toThrow(BroadcastRejected);
	});

	test.each([
		[-28, 'Verifying blocks…'],
		[-26, 'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]'],
		[-26, 'mempool full'],
		[-32601, 'Method not found'],
	])('that is answered with %i %s is tried again', async (code, message) => {
		await expect(refusal(code, message)).rejects.toThrow(ChainUnavailable);
	});

	test.each([
		'mempool min fee not met, 141 < 500',
		'min relay fee not met, 282 < 705',
		'insufficient fee, rejecting replacement',
	])('that is answered with %s needs a version with a higher fee', async (message) => {
		await expect(refusal(-26, message)).rejects.toMatchObject({ underpriced: true, needsNewVersion: true });
	});
});

describe('the fee estimate', () => {
	test.each([
		['nothing: the floor', undefined, 2n],
		['less than the floor: the floor', '0.00000001', 2n],
		['a rate: that rate', '0.00010000', 10n],
		['more than the ceiling: the ceiling', 1, 500n],
	])('for a node that estimates %s', async (_name, feerate, satoshiPerVb) => {
		script['estimatesmartfee'] = () => ({ result: { feerate, errors: [], blocks: 3 } });
		expect(await feeOf(chain(), 'LTC')).toEqual({ asset: 'LTC', amount: satoshiPerVb * 233n });
	});

	test.each([
		['its mempool takes now', { size: 0, mempoolminfee: '0.00030000', minrelaytxfee: '0.00001000' }],
		['its operator lets it relay', { size: 0, mempoolminfee: '0.00001000', minrelaytxfee: '0.00030000' }],
	])('is never below what %s', async (_name, result) => {
		script['estimatesmartfee'] = () => ({ result: { feerate: '0.00010000' } });
		script['getmempoolinfo'] = () => ({ result });
		expect(await feeOf(chain(), 'LTC')).toEqual({ asset: 'LTC', amount: 30n * 233n });
	});

	test('is none while the node takes nothing at our ceiling', async () => {
		script['estimatesmartfee'] = () => ({ result: { feerate: '0.00010000' } });
		script['getmempoolinfo'] = () => ({ result: { size: 0, mempoolminfee: '0.00500001' } });
		await expect(feeOf(chain(), 'LTC')).rejects.toThrow('takes nothing below 500001');
	});
});
