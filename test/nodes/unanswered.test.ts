/** Networks whose nodes answer nothing yet, or are of another chain, beside others on the sandbox: one service has all of them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { ADDRESS_ON } from '../support/addresses.ts';
import { type Anvil, type Relay, startAnvil, startRelay } from '../support/anvil.ts';
import { followRunbook } from '../support/follow-runbook.ts';
import { create } from '../support/orders.ts';
import { type Credentials, call, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';
import { installTokens } from '../support/tokens.ts';

/** No node listens there. */
const NOBODY = 'http://127.0.0.1:9';
const AVALANCHE_CHAIN_ID = 43_114;

let anvil: Anvil;
/** A node of Avalanche's main chain, where the service expects a test chain. */
let main: Anvil;
/** Between the service and anvil. It is out of order at first. */
let relay: Relay;
let service: TestService;
let partner: Credentials;

const variables = (polygon: string) => ({
	NODE_URL_ETHEREUM: relay.url,
	NODE_POLL_SECONDS_ETHEREUM: '1',
	NODE_URL_AVALANCHE: main.url,
	NODE_URL_POLYGON: polygon,
});

beforeAll(async () => {
	[anvil, main] = await Promise.all([
		startAnvil({ chainId: TEST_CHAIN_ID, automine: false }),
		startAnvil({ chainId: AVALANCHE_CHAIN_ID, automine: false }),
	]);
	await installTokens(anvil, 'Ethereum');
	relay = await startRelay(anvil.url, () => ({ error: { code: -32603, message: 'out of order' } }));
	service = await startTestService(variables(NOBODY));
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
});
afterAll(async () => {
	await Promise.all([service?.local.stop(), relay?.stop()]);
	await Promise.all([anvil?.stop(), main?.stop()]);
});

it('a network without an answer offers its coin and its tokens, but pays out none of them', async () => {
	const { data } = await call<{ code: string; network: string }[]>(service, '/api/v1/currencies', {});
	const onPolygon = data.filter(({ network }) => network === 'Polygon').map(({ code }) => code);
	expect(onPolygon.sort()).toEqual(['DAIPOL', 'POL', 'USDCPOL', 'USDTPOL']);
	const toPolygon = { toCcy: 'USDTPOL', toAddress: ADDRESS_ON.Polygon };
	expect((await create(service, partner, toPolygon)).code).toBe(11);
	const fromOther = { fromCcy: 'USDTBEP20', amount: '150', refundAddress: ADDRESS_ON.BSC };
	expect((await create(service, partner, { ...fromOther, toCcy: 'LTC', toAddress: ADDRESS_ON.Litecoin })).code).toBe(0);
});

it('a network on a test chain moves no coins of a node that is on the main chain', async () => {
	interface Check {
		readonly ok: boolean;
		readonly detail: string;
	}
	const { checks } = await service.operator<{ checks: Check[] }>('network/check', { name: 'Avalanche' });
	const wrong = checks.filter(({ ok }) => !ok).map(({ detail }) => detail);
	expect(wrong).toEqual(Array(2).fill(`the node is on chain ${AVALANCHE_CHAIN_ID}, not on ${TEST_CHAIN_ID}`));
});

// Its network works afterwards.
it('a network takes no orders while a node is down, and recovers by itself', async () => {
	await takeBeyondReserve(service, 'ETH');
	expect((await create(service, partner)).code).toBe(11);
	relay.intercept(() => undefined);
	await eventually('orders to be taken', async () => (await create(service, partner)).code === 0, 40_000);
});

it('a network whose node is down goes on once another URL is put first, as its runbook says', async () => {
	const { step, elsewhere, end } = followRunbook('A node is down or lies', () => service);
	const NETWORK = 'Polygon';
	await step('network check NETWORK', { NETWORK });
	await elsewhere('wrangler secret put NODE_URL_NETWORK -c src/agents/wrangler.toml', async () => {
		await service.local.stop();
		service = await startTestService(variables(`${anvil.url} ${NOBODY}`), service.stateDirectory);
	});
	expect(await step('network check NETWORK', { NETWORK })).toMatch(/^ *Polygon +signer +\S+ chain id +yes/m);
	await end();
	await takeBeyondReserve(service, 'POL');
	const toPolygon = { toCcy: 'POL', toAddress: ADDRESS_ON.Polygon };
	await eventually('orders to be taken', async () => (await create(service, partner, toPolygon)).code === 0, 40_000);
});
