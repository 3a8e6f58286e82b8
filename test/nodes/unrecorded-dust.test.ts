/** Dust beyond what is recorded of one order stands in `ledger check` before its address is swept, on a real node. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { DUST_PER_ORDER } from '../../src/treasury/deposits/watch-list.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, LTC_REFUND } from '../support/orders.ts';
import { createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';
import { installTokens } from '../support/tokens.ts';

const DUST = 1_000n;
const BEYOND = 7;
const CONFIRMATIONS = 12;

describe.skipIf(!isInstalled('anvil'))('more dust than is recorded of one order', { timeout: 240_000 }, () => {
	let anvil: Anvil;
	let service: TestService;
	let order: CreatedOrder;
	let payer: string;
	const stateDirectory = mkdtempSync(join(tmpdir(), 'partner-exchange-dust-'));

	beforeAll(async () => {
		anvil = await startAnvil({ chainId: TEST_CHAIN_ID, automine: false });
		await installTokens(anvil, 'Ethereum');
		const variables = { NODE_CHAIN_ETHEREUM: 'regtest', NODE_POLL_SECONDS_ETHEREUM: '1' };
		service = await startTestService({ NODE_URL_ETHEREUM: anvil.url, ...variables }, stateDirectory);
		await takeBeyondReserve(service, 'ETH', 'LTC');
		const partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		[payer = ''] = (await anvil.rpc('eth_accounts')) as string[];
		const terms = { fromCcy: 'ETH', toCcy: 'LTC', amount: '0.1', toAddress: LTC_REFUND, refundAddress: payer };
		order = await eventually('Ethereum to take orders', async () => {
			const { code, data } = await create(service, partner, terms);
			return code === 0 ? data : null;
		});
	}, 240_000);
	afterAll(async () => {
		await service?.local.stop();
		await anvil?.stop();
		rmSync(stateDirectory, { recursive: true, force: true });
	});

	async function payDust(times: number): Promise<void> {
		for (let sent = 0; sent < times; sent += 1)
			await anvil.rpc('eth_sendTransaction', { from: payer, to: order.from.address, value: `0x${DUST.toString(16)}` });
		await anvil.mine(1);
	}
	const ether = async () =>
		(await service.operator<{ wallets: Record<string, string | null>[] }>('ledger/check')).wallets.find(
			(wallet) => wallet['asset'] === 'ETH',
		);
	const isRecorded = async () =>
		(await service.sql('SELECT dust_count FROM orders WHERE id = ?', order.id))[0]?.['dust_count'] === DUST_PER_ORDER;

	test('is a sum of its own, and the books agree', async () => {
		await payDust(DUST_PER_ORDER);
		await eventually('the dust to be recorded', isRecorded, 60_000);
		expect(await ether()).toMatchObject({ result: 'ok', unrecorded: null });
		await payDust(BEYOND);
		expect(await ether()).toMatchObject({ result: 'ok', unrecorded: '0.000000000000007' });
		await anvil.mine(CONFIRMATIONS);
		expect(await ether()).toMatchObject({ result: 'ok', unrecorded: '0.000000000000007' });
	});

	test('excuses nothing that is missing there', async () => {
		const held = (BigInt(DUST_PER_ORDER) - 1n) * DUST;
		await anvil.rpc('anvil_setBalance', order.from.address, `0x${held.toString(16)}`);
		expect(await ether()).toMatchObject({ result: 'differs', difference: '-0.000000000000001', unrecorded: null });
	});
});
