/**
 * Litecoin and Dash, both of two judges, with the co-signer as a process of its own: payers pay to outputs of two keys, and each
 * payment has both signatures. A Litecoin node stands in for Dash's too, with other prefixes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check, hex } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTransaction } from '../../src/chains/utxo/transaction-bytes.ts';
import { judgeKeyLines } from '../../src/local/judge-keys.ts';
import { freePort } from '../../src/local/ports.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';
import { fair, type HouseProcess, startHouseProcess, startWire, type Wire } from '../support/signers-house.ts';
import { startTickerServer, type TickerServer } from '../support/ticker-server.ts';

const FINAL = 6;
const WAIT_MILLISECONDS = 120_000;
const SIGNER_SEED = `${'abandon '.repeat(11)}about`;
const COSIGNER_SEED = `${'zoo '.repeat(11)}wrong`;
const SHARED = { SEAL_KEY: 's'.repeat(43), DEPLOYMENT: 'test' };
const BOTH = { COSIGNER_KEY: 'c'.repeat(43), COSIGNED: 'Litecoin,Dash' };
const TWO_KEYS_BYTES = 71;

const base58 = createBase58check(sha256);
/** The same script in the other network's words. */
const withPrefix = (address: string, prefix: number): string =>
	base58.encode(Uint8Array.of(prefix, ...base58.decode(address).subarray(1)));

describe.skipIf(!isInstalled('litecoind'))(
	'networks of outputs that two judges spend',
	{ timeout: 3 * WAIT_MILLISECONDS },
	() => {
		let node: Litecoind;
		let tickers: TickerServer;
		let service: TestService;
		let cosigner: HouseProcess;
		let startCosigner: (more?: Record<string, string>) => Promise<HouseProcess>;
		let wire: Wire;
		let partner: Credentials;
		const folders: string[] = [];
		const folder = (): string => {
			const made = mkdtempSync(join(tmpdir(), 'cosigned-'));
			folders.push(made);
			return made;
		};

		beforeAll(async () => {
			[node, tickers] = await Promise.all([startLitecoind(), startTickerServer({ LTC: '100', DASH: '50' })]);
			const chain = {
				NODE_URL_LITECOIN: node.url,
				NODE_CHAIN_LITECOIN: 'regtest',
				NODE_POLL_SECONDS_LITECOIN: '1',
				NODE_URL_DASH: node.url,
				NODE_CHAIN_DASH: 'regtest',
				NODE_POLL_SECONDS_DASH: '1',
			};
			const keysOf = async (SEED: string) =>
				Object.fromEntries(
					(await judgeKeyLines({ SEED, ...chain, ...BOTH })).flatMap((line) => {
						const [name = '', keys = ''] = line.split('=');
						return /LITECOIN|DASH/.test(name) ? [[name, keys]] : [];
					}),
				);
			const prices = { PRICES: 'public', PRICE_SOURCE_URLS: JSON.stringify(tickers.baseUrls) };
			const caps = { SIGNER_DAILY_CAP_USD: '100000' };
			const port = await freePort();
			const own = { ...SHARED, ...BOTH, ...chain, ...prices, ...caps, ...(await keysOf(SIGNER_SEED)) };
			const state = folder();
			startCosigner = (more) =>
				startHouseProcess(state, { ...own, SEED: COSIGNER_SEED, PORT: String(port), ...more }, 'cosigner');
			cosigner = await startCosigner();
			wire = await startWire(`http://127.0.0.1:${port}/`);
			const signer = { ...BOTH, ...caps, ...(await keysOf(COSIGNER_SEED)), COSIGNER_URL: wire.url, SEED: SIGNER_SEED };
			service = await startTestService({ ...SHARED, ...chain, ...prices }, folder(), signer);
			partner = await createPartner(service, { weightPerMinute: 1_000_000 });
			for (const asset of ['LTC', 'DASH'] as const) await takeBeyondReserve(service, asset);
			// Wait until the agents have met the signer, and both know the hot wallets.
			for (const network of ['Litecoin', 'Dash'] as const) {
				const hot = await eventually(`${network}'s hot wallet`, () => service.hotAddress(network), WAIT_MILLISECONDS);
				await node.rpc('sendtoaddress', onNode(hot), '20');
			}
			await node.mine(FINAL);
		}, 3 * WAIT_MILLISECONDS);
		afterAll(async () => {
			await service?.local.stop();
			await cosigner?.kill();
			await Promise.all([wire?.stop(), tickers?.close(), node?.stop()]);
			for (const each of folders) rmSync(each, { recursive: true, force: true });
		});

		/** As the node writes it. */
		const onNode = (address: string): string => (address.startsWith('rltc1') ? address : withPrefix(address, 0x3a));
		const newAddress = async () => String(await node.rpc('getnewaddress', '', 'legacy'));

		/** Of a swap to Litecoin, or from it: paid, and its deposit is final. */
		async function paid(fromCcy: 'DASH' | 'LTC'): Promise<{ order: CreatedOrder; recipient: string }> {
			const recipient = await newAddress();
			const onDash = withPrefix(await newAddress(), 0x8c);
			const sides =
				fromCcy === 'DASH'
					? { fromCcy, toCcy: 'LTC', toAddress: recipient, refundAddress: onDash }
					: { fromCcy, toCcy: 'DASH', toAddress: withPrefix(recipient, 0x8c), refundAddress: await newAddress() };
			const { data } = await eventually(
				'an order',
				async () => {
					const answer = await create(service, partner, { ...sides, amount: '2' });
					return answer.code === 0 && answer;
				},
				WAIT_MILLISECONDS,
			);
			await node.rpc('sendtoaddress', onNode(data.from.address), '2');
			await node.mine(FINAL);
			return { order: data, recipient };
		}

		/** Done, and the recipient got one payment, of which each input shows two keys. */
		async function done({ order, recipient }: Awaited<ReturnType<typeof paid>>): Promise<void> {
			const { to } = await untilStatus(service, partner, order, 'DONE', WAIT_MILLISECONDS);
			const raw = await eventually(
				'the payment at the node',
				async () => String(await node.rpc('getrawtransaction', to.tx.id).catch(() => '')),
				WAIT_MILLISECONDS,
			);
			const { spends } = readTransaction(hex.decode(raw), { x11: false });
			expect(spends.map(({ lock }) => lock?.length)).toEqual(spends.map(() => TWO_KEYS_BYTES));
			await node.mine(FINAL);
			expect(Number(await node.rpc('getreceivedbyaddress', recipient, 1))).toBe(Number(to.tx.amount));
		}

		it.each(['DASH', 'LTC'] as const)('swap %s by a deposit to two keys, and a payout of both', async (fromCcy) => {
			const swap = await paid(fromCcy);
			expect(swap.order.from.address).toMatch(fromCcy === 'LTC' ? /^rltc1q.{58}$/ : /^[89]/);
			await done(swap);
		});

		it('pay nothing for a deposit that the co-signer’s own node does not show', async () => {
			const other = await startLitecoind();
			await cosigner.kill();
			cosigner = await startCosigner({ NODE_URL_DASH: other.url });
			const asked = Promise.withResolvers<string>();
			wire.mishap = async (call, send) => {
				const said = await send(call);
				if (said.text.includes('"kind":"failed"')) asked.resolve(said.text);
				return said;
			};
			const swap = await paid('DASH');
			expect(await asked.promise).toContain('ChainUnavailable');
			expect((await readOrder(service, partner, swap.order)).status).toBe('EXCHANGE');
			wire.mishap = fair;
			await cosigner.kill();
			await other.stop();
			cosigner = await startCosigner();
			await done(swap);
		});

		it('pay once, whatever is cut, lost or killed between the two journals', async () => {
			let calls = 0;
			const killed = Promise.withResolvers<void>();
			wire.mishap = async (call, send) => {
				if (!call.body.includes('"call":"sign"')) return send(call);
				calls += 1;
				if (calls === 1) return null;
				// It is signed, and the answer is lost.
				await send(call);
				killed.resolve();
				return null;
			};
			const swap = await paid('DASH');
			await killed.promise;
			await cosigner.kill();
			// A coin that the signer would choose now, and that the first draft does not spend.
			await node.rpc('sendtoaddress', await service.hotAddress('Litecoin'), '30');
			await node.mine(FINAL);
			wire.mishap = fair;
			cosigner = await startCosigner();
			await done(swap);
		});
	},
);
