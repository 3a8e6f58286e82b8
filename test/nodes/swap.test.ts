/**
 * One real swap, end to end: litecoind and anvil, the service in workerd, a partner over HTTP and their webhook
 * receiver. Litecoin and Ethereum run on nodes, the rest on the sandbox; the two can be mixed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { fromBaseUnits, toBaseUnits } from '../../src/money/units.ts';
import { type Anvil, type Relay, startAnvil, startRelay } from '../support/anvil.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { isInstalled } from '../support/nodes.ts';
import { create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { provenHour } from '../support/proven-hour.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';
import { installTokens } from '../support/tokens.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

const CONFIRMATIONS = { Litecoin: 6, Ethereum: 12 };
const RECIPIENT = '0x000000000000000000000000000000000000bEEF';

describe.skipIf(!isInstalled('litecoind') || !isInstalled('anvil'))('one real swap', () => {
	let litecoind: Litecoind;
	let anvil: Anvil;
	/** Between the service and anvil. */
	let relay: Relay;
	let receiver: WebhookReceiver;
	let service: TestService;
	let partner: Credentials;
	let refundAddress: string;
	const stateDirectory = mkdtempSync(join(tmpdir(), 'partner-exchange-nodes-'));
	const variables = () => ({
		NODE_URL_LITECOIN: litecoind.url,
		NODE_CHAIN_LITECOIN: 'regtest',
		NODE_URL_ETHEREUM: relay.url,
		NODE_POLL_SECONDS_LITECOIN: '1',
		NODE_CHAIN_ETHEREUM: 'regtest',
		NODE_POLL_SECONDS_ETHEREUM: '1',
	});

	beforeAll(async () => {
		[litecoind, anvil, receiver] = await Promise.all([
			startLitecoind(),
			startAnvil({ chainId: TEST_CHAIN_ID, automine: false }),
			startWebhookReceiver(),
		]);
		await installTokens(anvil, 'Ethereum');
		relay = await startRelay(anvil.url);
		service = await startTestService(variables(), stateDirectory, {}, { pages: true });
		await takeBeyondReserve(service, 'ETH', 'LTC');
		partner = await createPartner(service, { webhookUrl: receiver.url, weightPerMinute: 1_000_000 });
		refundAddress = String(await litecoind.rpc('getnewaddress'));
		await eventually('both networks to take orders', async () => {
			const answer = await create(service, partner, { refundAddress });
			return answer.code === 0;
		});
	});
	afterAll(async () => {
		await Promise.all([service?.local.stop(), litecoind?.stop(), receiver?.close()]);
		await Promise.all([relay?.stop(), anvil?.stop()]);
		rmSync(stateDirectory, { recursive: true, force: true });
	});

	const balanceOf = async (address: string): Promise<bigint> =>
		BigInt(String(await anvil.rpc('eth_getBalance', address, 'latest')));

	/** The hot wallets' reserves, filled as an operator would. */
	async function fillReserves(): Promise<void> {
		const [ether] = await anvilAccounts();
		const hot = await service.hotAddress('Ethereum');
		await anvil.rpc('eth_sendTransaction', { from: ether, to: hot, value: `0x${(10n ** 19n).toString(16)}` });
		await anvil.mine(1);
	}

	const anvilAccounts = async (): Promise<string[]> => (await anvil.rpc('eth_accounts')) as string[];

	it('turns a Litecoin deposit into an Ethereum payout, to the last wei', async () => {
		await fillReserves();
		const { data: order } = await create(service, partner, { toAddress: RECIPIENT, refundAddress });
		receiver.clear();
		const txId = await litecoind.rpc('sendtoaddress', order.from.address, '2');
		const pending = await untilStatus(service, partner, order, 'PENDING');
		expect(pending.from.tx).toEqual({ id: txId, amount: '2' });

		await litecoind.mine(CONFIRMATIONS.Litecoin - 1);
		await new Promise((wait) => setTimeout(wait, 3_000));
		expect((await readOrder(service, partner, order)).status).toBe('PENDING');

		await litecoind.mine(1);
		const done = await untilStatus(service, partner, order, 'DONE', 30_000);
		await anvil.mine(1);
		expect(fromBaseUnits(await balanceOf(RECIPIENT), 18)).toBe(done.to.tx.amount);
		expect(done.to.tx.id).toMatch(/^0x[0-9a-f]{64}$/);

		await receiver.waitFor((_, index) => index === 2);
		const seen = receiver.received.map(({ json }) => json as { data: { sequence: number; order: { status: string } } });
		const bySequence = seen.map(({ data }) => data).toSorted((a, b) => a.sequence - b.sequence);
		expect(bySequence.map(({ sequence, order: { status } }) => [sequence, status])).toEqual([
			[1, 'PENDING'],
			[2, 'EXCHANGE'],
			[3, 'DONE'],
		]);
		for (const delivery of receiver.received) expect(verify(delivery, partner.webhookSecret)).toBe(true);
	});

	it('turns an Ether deposit into a Litecoin payout that spends deposits and change', async () => {
		const toAddress = String(await litecoind.rpc('getnewaddress'));
		const [payer = ''] = await anvilAccounts();
		const { data: order } = await create(service, partner, {
			fromCcy: 'ETH',
			toCcy: 'LTC',
			amount: '0.02',
			toAddress,
			refundAddress: payer,
		});
		const value = `0x${toBaseUnits('0.02', 18).toString(16)}`;
		const txId = await anvil.rpc('eth_sendTransaction', { from: payer, to: order.from.address, value });
		await anvil.mine(1);
		const pending = await untilStatus(service, partner, order, 'PENDING');
		expect(pending.from.tx).toEqual({ id: txId, amount: '0.02' });
		await anvil.mine(CONFIRMATIONS.Ethereum);
		const done = await untilStatus(service, partner, order, 'DONE', 30_000);
		await litecoind.mine(1);
		const received = String(await litecoind.rpc('getreceivedbyaddress', toAddress, 1));
		expect(toBaseUnits(received, 8)).toBe(toBaseUnits(String(done.to.tx.amount), 8));
	});

	it('sees both deposits of one transaction that pays two orders from inside a contract', async () => {
		// Half of what it is paid to each of the two addresses in its input, as exchanges pay many at once.
		const half = (word: string) => `60006000600060006002340460${word}355af150`;
		const splitter = '0x00000000000000000000000000000000000057A7';
		await anvil.rpc('anvil_setCode', splitter, `0x${half('00')}${half('20')}00`);
		const [payer = ''] = await anvilAccounts();
		const toAddress = String(await litecoind.rpc('getnewaddress'));
		// What the first deposit left of the reserve pays both.
		const terms = { fromCcy: 'ETH', toCcy: 'LTC', amount: '0.015', toAddress, refundAddress: payer };
		const [first, second] = [await create(service, partner, terms), await create(service, partner, terms)];
		const words = [first, second].map(({ data }) => data.from.address.slice(2).toLowerCase().padStart(64, '0'));
		const value = `0x${toBaseUnits('0.03', 18).toString(16)}`;
		const call = { from: payer, to: splitter, value, data: `0x${words.join('')}`, gas: '0x30d40' };
		const txId = await anvil.rpc('eth_sendTransaction', call);
		await anvil.mine(1);
		for (const { data: order } of [first, second]) {
			const pending = await untilStatus(service, partner, order, 'PENDING', 30_000);
			expect(pending.from.tx).toEqual({ id: txId, amount: '0.015' });
		}
	});

	it('leaves books that are exact to the last unit, swept deposits and fees included', async () => {
		await eventually(
			'every transaction to be final',
			async () => {
				await Promise.all([anvil.mine(CONFIRMATIONS.Ethereum), litecoind.mine(3)]);
				await new Promise((wait) => setTimeout(wait, 2_000));
				const open = await service.sql("SELECT id FROM transactions WHERE state <> 'final'");
				const reserve = await service.sql("SELECT asset FROM reserve_entries WHERE asset = 'ETH'");
				return open.length === 0 && reserve.length > 0;
			},
			90_000,
		);
		const { differences, wallets } = await service.operator<{
			differences: number;
			wallets: { asset: string; difference: string; result: string }[];
		}>('ledger/check');
		expect(wallets.filter(({ asset }) => asset === 'ETH' || asset === 'LTC')).toMatchObject([
			{ difference: '0', result: 'ok' },
			{ difference: '0', result: 'ok' },
		]);
		expect(differences).toBe(0);
	}, 180_000);

	it('publishes a balance that is not there where its own node lies, and who asks another node is told', async () => {
		const hot = (await service.hotAddress('Ethereum')).toLowerCase();
		const more = 10n ** 18n;
		// The balances of many addresses come in one answer, a word each, as a program ends with them: the hot wallet's first.
		relay.intercept(async ({ method, params }) => {
			const [{ data = '' } = {}] = params as { data?: string }[];
			if (method !== 'eth_call' || !data.toLowerCase().includes(`6000f3${hot.slice(2)}`)) return undefined;
			const result = String(await anvil.rpc(method, ...params));
			const first = BigInt(result.slice(0, 66)) + more;
			return { result: `0x${first.toString(16).padStart(64, '0')}${result.slice(66)}` };
		});
		const { file, verified } = await provenHour(service);
		const lying = await verified(file, { Litecoin: litecoind.url, Ethereum: relay.url });
		expect(lying).toMatchObject({ status: 0, stderr: '' });
		relay.intercept(() => undefined);
		const away = await verified(file, { Litecoin: litecoind.url, Ethereum: 'http://127.0.0.1:1' });
		expect([away.status, away.stderr]).toEqual([3, expect.stringContaining('on Ethereum could not be looked up')]);
		const { status, stderr } = await verified(file, { Litecoin: litecoind.url, Ethereum: anvil.url });
		expect([status, stderr.toLowerCase()]).toEqual([1, expect.stringContaining(`${hot} on ethereum is not there`)]);
	});
});
