/**
 * Real and sandbox networks do not mix. A deployment with one network on a main chain (here anvil with Ethereum's chain
 * id) trades at public prices, has no sandbox, and pays nothing out there for deposits on a sandbox.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { localSecrets } from '../../src/local/secrets.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { browserForFile, openPage } from '../support/browser.ts';
import { CabinetVisitor } from '../support/cabinet.ts';
import { COIN, CUSTOMER, hexOf } from '../support/ethereum.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, call, createPartner } from '../support/partner.ts';
import {
	eventually,
	operatorAt,
	startTestService,
	type TestService,
	takeBeyondReserve,
	testVariables,
} from '../support/service.ts';
import { type Started, startProcess } from '../support/started.ts';
import { startTickerServer, type TickerServer } from '../support/ticker-server.ts';
import { installTokens } from '../support/tokens.ts';

const RECIPIENT = '0x000000000000000000000000000000000000bEEF';
/** The sandbox's table says 3200. */
const PUBLIC_ETHER = '4444';
const PATIENCE = 30_000;

browserForFile();

interface Check {
	readonly network: string;
	readonly ok: boolean;
	readonly detail: string;
}

describe('a deployment with a network on a main chain', () => {
	let anvil: Anvil;
	let tickers: TickerServer;
	let main: Record<string, string>;

	beforeAll(async () => {
		[anvil, tickers] = await Promise.all([
			startAnvil({ chainId: 1, automine: false }),
			startTickerServer({ ETH: PUBLIC_ETHER, BNB: '600', LTC: '95', USDT: '1', USDC: '1', DAI: '1' }),
		]);
		await installTokens(anvil, 'Ethereum');
		main = {
			NODE_URL_ETHEREUM: anvil.url,
			NODE_CHAIN_ETHEREUM: 'main',
			NODE_POLL_SECONDS_ETHEREUM: '1',
			PRICE_SOURCE_URLS: JSON.stringify(tickers.baseUrls),
		};
	});
	afterAll(async () => {
		await Promise.all([anvil?.stop(), tickers?.close()]);
	});

	it.each([
		['a sandbox beside it', { SANDBOX: 'on' }, /there is no sandbox while Ethereum is on nodes of a main chain/],
		[
			'a test chain beside it',
			{ NODE_URL_LITECOIN: 'http://127.0.0.1:9', NODE_CHAIN_LITECOIN: 'regtest' },
			/Litecoin is on a test chain while Ethereum is on nodes of a main chain: unset NODE_URL_LITECOIN/,
		],
	])('is not started with %s', async (_, more: Record<string, string>, why) => {
		await expect(startTestService({ ...main, ...more })).rejects.toThrow(why);
	});

	describe('as a person starts it', () => {
		const folder = mkdtempSync(join(inject('stateFolders'), 'worlds-'));
		let started: Started;
		let service: Pick<TestService, 'url' | 'operator'>;

		beforeAll(async () => {
			started = await startProcess(folder, testVariables(main));
			const { url } = started;
			service = { url, operator: operatorAt(url, localSecrets(folder).OPERATOR_TOKEN) };
		});
		afterAll(async () => {
			await started?.kill();
			rmSync(folder, { recursive: true, force: true });
		});

		it('is told from a test deployment by what the start prints', async () => {
			await eventually('the line', async () => started.output().includes('public sources'));
			expect(started.output()).toMatch(/on nodes of a main chain: Ethereum/);
			expect(started.output()).toMatch(/off: Bitcoin, Litecoin/);
		});

		it('has a page for each order that leads to the explorer of its chain, and tells it nothing of the order', async () => {
			await takeBeyondReserve(service, 'USDTERC20');
			const partner = await createPartner(service);
			const swap = { fromCcy: 'ETH', toCcy: 'USDTERC20', amount: '1', toAddress: RECIPIENT, refundAddress: RECIPIENT };
			const made = async () => {
				const { code, data } = await create(service, partner, swap);
				return code === 0 && data;
			};
			const order = await eventually('an order to be taken', made, PATIENCE);
			const payment = { from: CUSTOMER, to: order.from.address, value: hexOf(COIN) };
			const txId = String(await anvil.rpc('eth_sendTransaction', payment));
			await anvil.mine(1);
			await untilStatus(service, partner, order, 'PENDING', PATIENCE);
			const url = `${service.url}/o/${order.id}`;
			const explorer = `https://etherscan.io/tx/${txId}`;
			expect((await fetch(url)).headers.get('referrer-policy')).toBe('no-referrer');
			const { page, problems, close } = await openPage(`${url}#${order.token}`);
			const link = page.getByRole('link', { name: 'See it in an explorer' });
			expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
				explorer,
				'noopener noreferrer',
			]);
			// The explorer itself is not asked.
			const told: string[] = [];
			await page.context().route('https://etherscan.io/**', async (route, request) => {
				told.push(request.url(), JSON.stringify(await request.allHeaders()), request.postData() ?? '');
				await route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>explorer</title>' });
			});
			const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
			await opened.waitForLoadState();
			expect(await opened.evaluate('[location.href, document.referrer, window.opener]')).toEqual([explorer, '', null]);
			expect(told[0]).toBe(explorer);
			expect(told.join(' ')).not.toMatch(new RegExp(`referer|${order.token}|${order.id}`, 'i'));
			expect(problems).toEqual([]);
			await opened.close();
			await close();
			const cabinet = await new CabinetVisitor(service).enter(partner.id);
			expect((await cabinet.get(`/cabinet/orders/${order.id}`)).text).toContain(
				`<a href="${explorer}" rel="noreferrer"`,
			);
		});
	});

	describe('that was a sandbox before, with a payout to Ethereum owed', () => {
		let service: TestService;
		let partner: Credentials;
		let order: CreatedOrder;

		beforeAll(async () => {
			const sandbox = await startTestService({ DEPLOYMENT: 'local' });
			partner = await createPartner(sandbox, { weightPerMinute: 1_000_000 });
			const hot = await sandbox.hotAddress('Ethereum');
			await anvil.rpc('anvil_setBalance', hot, `0x${(10n ** 20n).toString(16)}`);
			order = (await create(sandbox, partner, { toAddress: RECIPIENT })).data;
			await sandbox.operator('network/update', { name: 'Ethereum', send: false });
			await sandbox.operator('sandbox/deposit', { orders: [order.id] });
			await untilStatus(sandbox, partner, order, 'EXCHANGE', PATIENCE);
			await sandbox.local.stop();
			service = await startTestService(main, sandbox.stateDirectory);
		});
		afterAll(() => service?.local.stop());

		it('pays nothing there for a deposit of the sandbox, and says why', async () => {
			await service.operator('network/update', { name: 'Ethereum', send: true });
			await eventually(
				'the signer to refuse',
				async () =>
					service.logged('signing_refused').some(({ refused }) => /worked on the sandbox/.test(String(refused))),
				PATIENCE,
			);
			await anvil.mine(1);
			expect(BigInt(String(await anvil.rpc('eth_getBalance', RECIPIENT, 'latest')))).toBe(0n);
			expect((await readOrder(service, partner, order)).status).toBe('EXCHANGE');
			await eventually('the operator to be told', async () => {
				const { payouts } = await service.operator<{ payouts: { held: string | null }[] }>('order/show', {
					id: order.id,
				});
				return payouts[0]?.held?.includes('deploy a signer and a database of their own');
			});
		});

		it('gives no address of it to anybody, and says so when it is checked', async () => {
			const { checks } = await service.operator<{ checks: Check[] }>('network/check', { name: 'Ethereum' });
			expect(checks.filter(({ ok }) => !ok).map(({ detail }) => detail)).toContainEqual(
				expect.stringContaining('deploy a signer and a database of their own'),
			);
		});

		it('has no sandbox: its commands say so, and its networks are off', async () => {
			await expect(service.operator('sandbox/deposit', { orders: [order.id] })).rejects.toThrow('there is no sandbox');
			await expect(service.operator('sandbox/price', { coin: 'ETH', usd: '1' })).rejects.toThrow('there is no sandbox');
			const { data } = await call<{ network: string }[]>(service, '/api/v1/currencies', '{}');
			expect([...new Set(data.map(({ network }) => network))]).toEqual(['Ethereum']);
			const back = { fromCcy: 'ETH', toCcy: 'LTC', amount: '1', toAddress: LTC_REFUND, refundAddress: RECIPIENT };
			expect((await create(service, partner, back)).code).toBe(1);
		});

		it('trades at public prices, though PRICES is not set', async () => {
			const body = { type: 'float', fromCcy: 'ETH', toCcy: 'USDTERC20', direction: 'from', amount: '1' };
			const quoted = await eventually(
				'a quote',
				async () => {
					const answer = await call<{ from: { usd: string } }>(service, '/api/v1/price', JSON.stringify(body));
					return answer.code === 0 && answer.data;
				},
				PATIENCE,
			);
			expect(quoted.from.usd).toBe(`${PUBLIC_ETHER}.00`);
		});

		it('and the sandbox, which is deployed on its own again, pays for it', async () => {
			await service.local.stop();
			service = await startTestService({ DEPLOYMENT: 'local' }, service.stateDirectory);
			await service.sql("UPDATE transactions SET next_attempt_at = 0 WHERE state = 'planned'");
			await untilStatus(service, partner, order, 'DONE', PATIENCE);
		});
	});

	describe('whose signer lacks a variable that its API Worker has', () => {
		let bsc: Anvil;
		let service: TestService;
		let partner: Credentials;
		let order: CreatedOrder;
		const variables = () => ({ ...main, NODE_URL_BSC: bsc.url, NODE_CHAIN_BSC: 'main', NODE_POLL_SECONDS_BSC: '1' });
		async function deploy(signer: Readonly<Record<string, string>>): Promise<void> {
			await service.local.stop();
			service = await startTestService(variables(), service.stateDirectory, signer);
			await service.sql("UPDATE transactions SET next_attempt_at = 0 WHERE state = 'planned'");
		}
		const told = () =>
			service
				.operator<{ area: string; cause: string }[]>('attention')
				.then((rows) => rows.filter(({ area }) => area === 'transaction').map(({ cause }) => cause));

		beforeAll(async () => {
			bsc = await startAnvil({ chainId: 56, automine: false });
			service = await startTestService(variables());
			partner = await createPartner(service, { weightPerMinute: 1_000_000 });
			await takeBeyondReserve(service, 'ETH');
			await anvil.rpc('anvil_setBalance', await service.hotAddress('Ethereum'), `0x${(10n ** 20n).toString(16)}`);
			const swap = { fromCcy: 'BNB', toCcy: 'ETH', amount: '1', toAddress: RECIPIENT, refundAddress: RECIPIENT };
			const made = async () => {
				const { code, data } = await create(service, partner, swap);
				return code === 0 && data;
			};
			order = await eventually('an order to be taken', made, PATIENCE);
			await service.operator('network/update', { name: 'Ethereum', send: false });
			await bsc.rpc('eth_sendTransaction', { from: CUSTOMER, to: order.from.address, value: hexOf(COIN) });
			await bsc.mine(1);
			await untilStatus(service, partner, order, 'PENDING', PATIENCE);
			await bsc.mine(100);
			await untilStatus(service, partner, order, 'EXCHANGE', PATIENCE);
			await service.operator('network/update', { name: 'Ethereum', send: true });
		}, 120_000);
		afterAll(async () => {
			await service?.local.stop();
			await bsc?.stop();
		});

		it.each([
			['NODE_URL_BSC', /the signer does not run BSC, where the deposit is: give it its NODE_URL_BSC/],
			['DEPLOYMENT', /DEPLOYMENT is not set: on main chains the signer signs nothing/],
		])('%s is named, and nothing is paid until it is set', async (name, pattern) => {
			await deploy({ [name]: '' });
			await eventually('it to be named', async () => (await told()).some((cause) => pattern.test(cause)), PATIENCE);
			expect((await readOrder(service, partner, order)).status).toBe('EXCHANGE');
		});

		it('and once each is set, the order is paid', async () => {
			await deploy({});
			await untilStatus(service, partner, order, 'DONE', PATIENCE);
			expect(await told()).toEqual([]);
		});
	});
});
