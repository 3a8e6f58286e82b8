import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { BroadcastRejected, ChainUnavailable } from '../../src/chains/errors.ts';
import type { DepositRef } from '../../src/chains/port.ts';
import { joinable } from '../../src/chains/utxo/consolidation.ts';
import { utxoChain } from '../../src/chains/utxo/family.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { utxoSigner } from '../../src/chains/utxo/signing.ts';
import { feeOf } from '../support/chain-costs.ts';

/** A node with scripted answers that no real node can be made to give. */
type Answer = { result: unknown } | { error: { code: number; message: string } };
type Script = Record<string, (...params: never[]) => Answer>;

const ADDRESS = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';
const BLOCK = 'b'.repeat(64);
const TX = 'a'.repeat(64);
const UNKNOWN: Answer = { error: { code: -5, message: 'Invalid or non-wallet transaction id' } };
const INFO: Answer = {
	result: { chain: 'main', blocks: 1_000, bestblockhash: BLOCK, initialblockdownload: false, difficulty: 4.6e-10 },
};

let server: Server;
let script: Script = {};
let asked: { method: string; params: unknown[] }[] = [];
let url = '';

beforeAll(async () => {
	server = createServer(async (request, response) => {
		const body = JSON.parse(await new Response(request as never).text());
		const answer = ({ id, method, params }: { id: number; method: string; params: never[] }) => {
			asked.push({ method, params });
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
		getblockheader: () => ({ result: { height: 989, confirmations: 12 } }),
		// Of our chain, and it watches the hot wallet: else it is not used.
		getblockchaininfo: () => INFO,
		getaddressinfo: () => ({ result: { iswatchonly: true } }),
		// As litecoind writes it; read as text where it is a fraction.
		getmempoolinfo: () => ({ result: { mempoolminfee: '0.00001000', minrelaytxfee: '0.00001000' } }),
	};
	asked = [];
});

const chain = () =>
	utxoChain(NETWORKS.Litecoin, { urls: [url], chain: 'main' }, 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh');
const signer = () => utxoSigner(NETWORKS.Litecoin, { urls: [url], chain: 'main' }, new Uint8Array(64).fill(1));
const entry = (more: object) => ({
	txid: TX,
	category: 'receive',
	address: ADDRESS,
	amount: 1,
	vout: 0,
	confirmations: 3,
	blockheight: 998,
	...more,
});
const scanOf = async (...transactions: object[]) => {
	script['getblockchaininfo'] = () => INFO;
	script['listsinceblock'] = () => ({ result: { transactions, removed: [], lastblock: BLOCK } });
	return (await chain().scan(BLOCK, async () => [])).deposits;
};
const walletTransaction = (more: object): Answer => ({
	result: { txid: TX, confirmations: 6, blockheight: 995, hex: '', details: [entry({})], ...more },
});

describe('a scan', () => {
	/** As litecoind 0.21.2.1 listed a peg-out of 3 LTC, with this many blocks on top of it. */
	const pegOut = (confirmations: number) => [
		entry({ mweb_out: '0'.repeat(64), vout: undefined, amount: 3, txid: 'd'.repeat(64), confirmations }),
		entry({ category: confirmations < 6 ? 'immature' : 'hogex', vout: 1, amount: 3, confirmations }),
	];

	test.each([
		['waiting while it cannot be spent', 5, { immature: true }],
		['a deposit like any other afterwards', 6, {}],
	])('credits an MWEB peg-out once, as the output on the chain: %s', async (_name, confirmations, more) => {
		expect(await scanOf(...pegOut(confirmations))).toEqual([
			{
				txId: TX,
				position: '1',
				address: ADDRESS,
				asset: 'LTC',
				amount: 300_000_000n,
				confirmations,
				height: 998,
				irreversible: false,
				...more,
			},
		]);
	});

	test('credits a coinbase, which waits while it cannot be spent', async () => {
		const coinbase = { generated: true, amount: '12.50000000' };
		expect(await scanOf(entry({ ...coinbase, category: 'immature' }))).toMatchObject([
			{ amount: 1_250_000_000n, immature: true },
		]);
		expect((await scanOf(entry({ ...coinbase, category: 'generate' })))[0]).not.toHaveProperty('immature');
	});

	test.each([
		['a payment of ours', { category: 'send', amount: -1 }],
		['the coinbase of a block that was undone', { category: 'orphan' }],
		['a conflicted transaction', { confirmations: -2, blockheight: undefined }],
		['an output without an address', { address: undefined }],
		['an output of nothing', { amount: 0 }],
	])('credits nothing for %s', async (_name, more) => {
		expect(await scanOf(entry(more))).toEqual([]);
	});

	test('takes a ChainLock for irreversible', async () => {
		expect(await scanOf(entry({ chainlock: true }))).toMatchObject([{ irreversible: true }]);
		expect(await scanOf(entry({ chainlock: false }))).toMatchObject([{ irreversible: false }]);
	});

	test('does not report an unconfirmed transaction of the wallet that is not in the mempool', async () => {
		script['gettransaction'] = () => walletTransaction({ confirmations: 0 });
		script['getmempoolentry'] = () => UNKNOWN;
		expect(await scanOf(entry({ confirmations: 0 }))).toEqual([]);
	});

	test('reports the block when the transaction leaves the mempool for it between two requests', async () => {
		let asks = 0;
		script['gettransaction'] = () => walletTransaction({ confirmations: asks++ === 0 ? 0 : 1 });
		script['getmempoolentry'] = () => UNKNOWN;
		expect(await scanOf(entry({ confirmations: 0 }))).toMatchObject([{ confirmations: 1, height: 995 }]);
	});

	test('asks only the mempool for its entries: fifty strangers’ transactions are more bytes than one answer may have', async () => {
		const txIds = Array.from({ length: 50 }, (_, i) => i.toString(16).padStart(64, '0'));
		script['getmempoolentry'] = () => ({ result: { ancestorcount: 1 } });
		script['gettransaction'] = (txId: string) => walletTransaction({ txid: txId, hex: '00'.repeat(390_000) });
		const deposits = await scanOf(...txIds.map((txid) => entry({ txid, confirmations: 0, blockheight: undefined })));
		expect(deposits.map(({ confirmations }) => confirmations)).toEqual(Array(50).fill(0));
		expect(asked.some(({ method }) => method === 'gettransaction')).toBe(false);
	});

	test('continues a little deeper when this node does not know the block of the cursor', async () => {
		const BEFORE = 'c'.repeat(64);
		script['getblockchaininfo'] = () => INFO;
		script['getblockheader'] = (hash: string) =>
			hash === BLOCK ? { result: { height: 989, confirmations: 12 } } : UNKNOWN;
		script['getblockhash'] = (height: number) => (height === 986 ? { result: BEFORE } : UNKNOWN);
		script['listsinceblock'] = (since: string) =>
			since === BEFORE ? { result: { transactions: [entry({})], lastblock: BLOCK } } : UNKNOWN;
		const scan = await chain().scan(`${'f'.repeat(64)}:998`, async () => []);
		expect(scan).toMatchObject({ deposits: [{ txId: TX }], cursor: `${BLOCK}:989` });
	});

	test.each([
		['an entry that is no entry', [{ txid: TX }]],
		['an amount with an exponent', [entry({ amount: '1e8' })]],
		['a confirmation at no height', [entry({ blockheight: undefined })]],
		['a list that is none', 'nothing'],
		['null', null],
	])('that gets %s is refused without a crash', async (_name, transactions) => {
		script['getblockchaininfo'] = () => INFO;
		script['listsinceblock'] = () => ({ result: { transactions, lastblock: BLOCK } });
		await expect(chain().scan(BLOCK, async () => [])).rejects.toThrow(ChainUnavailable);
	});

	test.each([
		['of another chain', { chain: 'regtest' }],
		['that is still catching up', { initialblockdownload: true }],
	])('of a node %s is refused', async (_name, more) => {
		script['getblockchaininfo'] = () => ({ result: { ...('result' in INFO ? (INFO.result as object) : {}), ...more } });
		await expect(chain().scan(null, async () => [])).rejects.toThrow(ChainUnavailable);
	});

	test('of a node that warms up is refused', async () => {
		script['getblockchaininfo'] = () => ({ error: { code: -28, message: 'Loading block index…' } });
		await expect(chain().scan(null, async () => [])).rejects.toThrow(ChainUnavailable);
	});
});

describe('joining small outputs', () => {
	/** A wallet with `small` small outputs and much more in all. `rate` is the node's estimated fee, base units per 1000 vB. */
	const wallet = (small: number, rate: number) => {
		const output = (vout: number, amount: string) => ({ txid: TX, vout, address: ADDRESS, amount, confirmations: 9 });
		const outputs = Array.from({ length: small }, (_, vout) => output(vout, '0.00010000'));
		script['estimatesmartfee'] = () => ({ result: { feerate: (rate / 1e8).toFixed(8) } });
		script['getbalance'] = () => ({ result: '10.0' });
		script['listunspent'] = (...params: never[]) => {
			const { maximumCount } = params[4] as unknown as { maximumCount: number };
			return { result: outputs.slice(0, maximumCount) };
		};
		return chain().consolidation?.();
	};

	test.each([
		['a hundred at the lowest fee are joined', 100, 2_000, { coins: 100, amount: 1_000_000n - 13_684n, fee: 13_684n }],
		['no more than three hundred at once', 5_000, 2_000, { coins: 300, amount: 3_000_000n - 40_884n, fee: 40_884n }],
		['fewer than a hundred stay as they are', 99, 2_000, null],
		['none while fees are not low', 5_000, 4_001, null],
	])('%s', async (_name, small, rate, expected) => {
		expect(await wallet(small, rate)).toEqual(expected);
	});

	test('never takes more than a tenth of what the wallet holds', async () => {
		const outputs = Array.from({ length: 300 }, (_, vout) => ({ txid: TX, vout, amount: 1_000_000n }));
		const of = (held: bigint) =>
			joinable(outputs, { held, rate: 2_000n, hotScriptLength: 22 }, utxoParams(NETWORKS.Litecoin, 'main'));
		expect(of(300_000_000n)).toBeNull();
		expect(of(1_500_000_000n)?.coins).toHaveLength(150);
	});
});

describe('depths', () => {
	const ref = (txId: string): DepositRef => ({ txId, position: '0', address: ADDRESS, asset: 'LTC', amount: 1n });

	test('an error other than "not found" does not count as a dropped deposit', async () => {
		script['gettransaction'] = () => ({ error: { code: -18, message: 'Requested wallet does not exist' } });
		await expect(chain().depths([ref(TX)])).rejects.toThrow(ChainUnavailable);
	});

	test('are read one by one when transactions are too large together; one too large by itself is unknown', async () => {
		const txIds = Array.from({ length: 8 }, (_, i) => i.toString(16).padStart(64, '0'));
		const outputs = (txId: string) => (txId === txIds[7] ? 90_000 : 15_000);
		script['gettransaction'] = (txId: string) =>
			walletTransaction({ txid: txId, details: Array(outputs(txId)).fill({ category: 'receive', amount: 1 }) });
		const depths = await chain().depths(txIds.map(ref));
		expect(depths.slice(0, 7)).toEqual(Array(7).fill(expect.objectContaining({ confirmations: 6 })));
		expect(depths[7]).toBe('unknown');
	});

	test('are null for an unknown, a conflicted and a malformed transaction', async () => {
		script['gettransaction'] = (txId: string) => (txId === TX ? walletTransaction({ confirmations: -1 }) : UNKNOWN);
		expect(await chain().depths([ref(TX), ref('c'.repeat(64)), ref('no id')])).toEqual([null, null, null]);
	});
});

describe('the final amount', () => {
	const ref: DepositRef = { txId: TX, position: '0', address: ADDRESS, asset: 'LTC', amount: 100_000_000n };
	const finalAmount = (...refs: DepositRef[]) => {
		script['gettransaction'] = (txId: string) => (txId.toLowerCase() === TX ? walletTransaction({}) : UNKNOWN);
		return signer().finalAmount(refs, ({ confirmations }) => confirmations >= 6, []);
	};

	test('counts a deposit that matches the chain', async () => {
		expect(await finalAmount(ref)).toBe(100_000_000n);
	});

	test('counts a deposit once, however often and in whatever spelling it is listed', async () => {
		expect(await finalAmount(ref, { ...ref }, { ...ref, txId: TX.toUpperCase() }, { ...ref, position: '00' })).toBe(
			100_000_000n,
		);
	});

	test.each([
		['amount', { amount: 100_000_001n }],
		['address', { address: 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9' }],
		['asset', { asset: 'BTC' as const }],
		['output', { position: '1' }],
		['transaction', { txId: 'c'.repeat(64) }],
	])('counts nothing for another %s', async (_name, more) => {
		expect(await finalAmount({ ...ref, ...more })).toBe(0n);
	});
});

describe('a broadcast', () => {
	const refusal = (code: number, message: string) => {
		script['sendrawtransaction'] = () => ({ error: { code, message } });
		return chain().broadcast('00');
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

	const PARENT = 'c'.repeat(64);
	const missingInputs = (known: Record<string, Answer>) => {
		script['decoderawtransaction'] = () => ({ result: { txid: TX, vin: [{ txid: PARENT }] } });
		script['gettransaction'] = (txId: string) => known[txId] ?? UNKNOWN;
		script['getmempoolentry'] = () => UNKNOWN;
		return refusal(-25, 'bad-txns-inputs-missingorspent');
	};

	test('whose inputs are missing because it confirmed long ago has succeeded', async () => {
		await expect(missingInputs({ [TX]: walletTransaction({}) })).resolves.toBeUndefined();
	});

	test('whose inputs this node has not seen yet is tried again', async () => {
		await expect(missingInputs({})).rejects.toThrow(ChainUnavailable);
	});

	test.each([
		['spent by another', 6],
		['made by a transaction that can no longer confirm', -1],
	])('whose inputs are %s needs a person', async (_name, confirmations) => {
		const parent = walletTransaction({ txid: PARENT, confirmations });
		await expect(missingInputs({ [PARENT]: parent })).rejects.toThrow(BroadcastRejected);
	});
});

describe('registering', () => {
	const addresses = [{ index: 0, address: ADDRESS }];
	beforeEach(() => {
		script['getblockchaininfo'] = () => INFO;
	});

	test('a descriptor wallet gets descriptors with a checksum', async () => {
		script['getaddressinfo'] = () => ({ result: { ismine: false } });
		script['getwalletinfo'] = () => ({ result: { descriptors: true } });
		script['getdescriptorinfo'] = (text: string) => ({ result: { descriptor: `${text}#checksum` } });
		script['importdescriptors'] = () => ({ result: [{ success: true }] });
		await chain().register(addresses);
		expect(asked.at(-1)).toEqual({
			method: 'importdescriptors',
			params: [[{ desc: `addr(${ADDRESS})#checksum`, timestamp: 'now' }]],
		});
	});

	test('an address that the wallet already watches is not imported again', async () => {
		script['getaddressinfo'] = () => ({ result: { ismine: false, iswatchonly: true } });
		await chain().register(addresses);
		expect(asked.map(({ method }) => method)).toEqual(['getblockchaininfo', 'getaddressinfo']);
	});

	test('an address that the wallet refuses is not shown', async () => {
		script['getaddressinfo'] = () => ({ result: {} });
		script['getwalletinfo'] = () => ({ result: { descriptors: false } });
		script['importmulti'] = () => ({ result: [{ success: false, error: { code: -5, message: 'Invalid address' } }] });
		await expect(chain().register(addresses)).rejects.toThrow(ChainUnavailable);
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
		['its mempool takes now', { mempoolminfee: '0.00030000', minrelaytxfee: '0.00001000' }],
		['its operator lets it relay', { mempoolminfee: '0.00001000', minrelaytxfee: '0.00030000' }],
	])('is never below what %s', async (_name, result) => {
		script['estimatesmartfee'] = () => ({ result: { feerate: '0.00010000' } });
		script['getmempoolinfo'] = () => ({ result });
		expect(await feeOf(chain(), 'LTC')).toEqual({ asset: 'LTC', amount: 30n * 233n });
	});

	test('is none while the node takes nothing at our ceiling', async () => {
		script['estimatesmartfee'] = () => ({ result: { feerate: '0.00010000' } });
		script['getmempoolinfo'] = () => ({ result: { mempoolminfee: '0.00500001' } });
		await expect(feeOf(chain(), 'LTC')).rejects.toThrow('takes nothing below 500001');
	});
});
