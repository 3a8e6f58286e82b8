/** Headers of the operator's own, an access token of a tunnel say, are on every call to a network's nodes. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nativeAsset } from '../../src/catalog/assets.ts';
import { networkNamed } from '../../src/catalog/networks.ts';
import { type ChainEnv, chainOf } from '../../src/chains/registry.ts';
import { seedOf } from '../../src/chains/seed.ts';
import { signerOf } from '../../src/chains/signing-registry.ts';
import type { Watching } from '../../src/chains/watching-port.ts';
import { keepingOf } from '../support/keeping.ts';

const SEED = await seedOf(`${'abandon '.repeat(11)}about`);
const TOKEN = { 'CF-Access-Client-Id': 'id', 'CF-Access-Client-Secret': 'secret' };

const ZEROS = '00'.repeat(32);
/** As each family names a deposit. */
const DEPOSITS = {
	utxo: { txId: ZEROS, position: '0' },
	evm: { txId: `0x${ZEROS}`, position: 'native' },
	solana: { txId: '1'.repeat(64), position: 'native' },
	tron: { txId: ZEROS, position: 'native' },
	monero: { txId: ZEROS, position: '0' },
} as const;

/** A check asks for nothing of it. */
const nothingLent = keepingOf() as Watching;

let server: Server;
let host: string;
/** Whether each call had the headers, by the first part of its path. */
const calls: { place: string; withToken: boolean; authorization: string | undefined }[] = [];

beforeAll(async () => {
	server = createServer((request, response) => {
		const { headers, url = '' } = request;
		const withToken = headers['cf-access-client-id'] === 'id' && headers['cf-access-client-secret'] === 'secret';
		calls.push({ place: url.split('/')[1] ?? '', withToken, authorization: headers.authorization });
		request.resume();
		response
			.writeHead(200, { 'content-type': 'application/json' })
			.end('{"jsonrpc":"2.0","id":1,"result":"no answer"}');
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const address = server.address();
	host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});
afterAll(() => server.close());

it.each([
	['Litecoin', ''],
	['Bitcoin', 'esplora+'],
	['Bitcoin', 'blockbook+'],
	['Ethereum', ''],
	['Solana', ''],
	['Tron', ''],
	['Monero', ''],
] as const)(
	'%s at %shttp: watching and signing send them, and the password of the URL beside them',
	async (name, dialect) => {
		const network = name.toUpperCase();
		const at = (place: string) => `${dialect}http://user:password@${host}/${place}`;
		const environment = {
			[`NODE_URL_${network}`]: at('node'),
			[`NODE_HEADERS_${network}`]: JSON.stringify({ [host]: TOKEN, 'other.example': { 'X-Key': 'of another' } }),
			...(name === 'Monero' && { MONERO_WALLET_URL: at('wallet'), MONERO_COLD_WALLET_URL: at('cold') }),
		} as unknown as ChainEnv;
		calls.length = 0;
		const signer = signerOf(environment, name, SEED, { keeping: keepingOf(), addressesBelow: () => 0 });
		const checks = await chainOf(environment, name, signer.hotAddress(), nothingLent).check();
		expect(checks.some(({ ok }) => !ok)).toBe(true);
		await signer.check?.();
		const watching = calls.length;
		const asset = nativeAsset(name);
		const { txId, position } = DEPOSITS[networkNamed(name).family];
		const deposit = { txId, position, address: signer.payInAddress(0), asset, amount: 1n };
		await signer.finalAmount([deposit], () => true, []).catch(() => undefined);
		expect(calls.length).toBeGreaterThan(watching);
		expect(calls.filter(({ withToken }) => !withToken)).toEqual([]);
		const places = new Set(calls.map(({ place }) => place));
		expect(places).toEqual(new Set(name === 'Monero' ? ['node', 'wallet', 'cold'] : ['node']));
		// Monero's programs ask for their own kind of authentication first.
		const basic = `Basic ${btoa('user:password')}`;
		if (networkNamed(name).family !== 'monero') expect(calls.every((call) => call.authorization === basic)).toBe(true);
	},
);
