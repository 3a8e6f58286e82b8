/**
 * Real swaps from and to Tron, end to end: the service in workerd, Tron on the stand-in for a full node
 * (test/support/tron-stand-in.ts), the rest on the sandbox, a partner over HTTP.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromBaseUnits } from '../../src/money/units.ts';
import { isInstalled } from '../support/nodes.ts';
import { create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { startTronStandIn, type TronStandIn } from '../support/tron-stand-in.ts';

const TRX = 1_000_000n;
/** Of nobody in this test. */
const RECIPIENT = 'TV2WNCetEM7AKm8u4VoM4hkXpPxWmTMtjQ';
const REFUND = 'TNTaxKbS6KAfbWnZobDhBThTxnvq34yxZo';
/** Blocks on top until a deposit is solidified. */
const SOLID = 19;
/** On a busy machine; a quiet one needs seconds. */
const WAIT_MILLISECONDS = 120_000;

describe.skipIf(!isInstalled('anvil'))('swaps from and to Tron', { timeout: 3 * WAIT_MILLISECONDS }, () => {
	let tron: TronStandIn;
	let service: TestService;
	let partner: Credentials;
	let shownUnseen: number | null = null;
	const stateDirectory = mkdtempSync(join(tmpdir(), 'partner-exchange-tron-'));
	const toLitecoin = { toCcy: 'LTC', toAddress: LTC_REFUND, refundAddress: REFUND };

	beforeAll(async () => {
		tron = await startTronStandIn();
		await tron.mine(1);
		const variables = { NODE_URL_TRON: tron.url, NODE_CHAIN_TRON: 'regtest', NODE_POLL_SECONDS_TRON: '1' };
		const polls = () => tron.calls.filter(({ path }) => path === '/wallet/getblockbylimitnext').length;
		tron.intercept((path) => (path === '/wallet/getblockbylimitnext' ? { Error: 'busy' } : undefined));
		service = await startTestService(variables, stateDirectory);
		await eventually('polls that fail', async () => polls() >= 3, WAIT_MILLISECONDS);
		const networks = await service.operator<{ name: string; freeAddresses: number }[]>('network/list');
		shownUnseen = networks.find(({ name }) => name === 'Tron')?.freeAddresses ?? null;
		tron.intercept(() => undefined);
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		const hot = await service.hotAddress('Tron');
		await tron.setBalance(hot, 5_000n * TRX);
		await tron.issue(hot, 50_000n * TRX);
		await eventually(
			'Tron to take orders',
			async () => (await create(service, partner, { ...toLitecoin, fromCcy: 'TRX', amount: '1000' })).code === 0,
			WAIT_MILLISECONDS,
		);
	}, 3 * WAIT_MILLISECONDS);

	afterAll(async () => {
		await service?.local.stop();
		await tron?.stop();
		rmSync(stateDirectory, { recursive: true, force: true });
	});

	it('shows no address before a poll has worked: payments to it would be below the first block that is scanned', () => {
		expect(shownUnseen).toBe(0);
	});

	it('turns a TRX deposit into Litecoin once it is solidified, and not before', async () => {
		const { data: order } = await create(service, partner, { ...toLitecoin, fromCcy: 'TRX', amount: '1000' });
		const txId = await tron.pay(order.from.address, 1_000n * TRX);
		await tron.mine(1);
		const pending = await untilStatus(service, partner, order, 'PENDING', WAIT_MILLISECONDS);
		expect(pending.from.tx).toEqual({ id: txId, amount: '1000' });
		await tron.mine(SOLID - 1);
		await new Promise((wait) => setTimeout(wait, 3_000));
		expect((await readOrder(service, partner, order)).status).toBe('PENDING');
		await tron.mine(1);
		const done = await untilStatus(service, partner, order, 'DONE', WAIT_MILLISECONDS);
		expect(Number(done.to.tx.amount)).toBeGreaterThan(0);
	});

	it('turns a USDT deposit into Litecoin', async () => {
		const { data: order } = await create(service, partner, {
			...toLitecoin,
			fromCcy: 'USDTTRC20',
			amount: '2500.123456',
		});
		const txId = await tron.payToken(order.from.address, 2_500_123_456n);
		await tron.mine(1 + SOLID);
		const done = await untilStatus(service, partner, order, 'DONE', WAIT_MILLISECONDS);
		expect(done.from.tx).toEqual({ id: txId, amount: '2500.123456' });
	});

	it.each(['USDTTRC20', 'TRX'])('turns a Litecoin deposit into %s, to the last unit', async (toCcy) => {
		const held = () => (toCcy === 'TRX' ? tron.balanceOf(RECIPIENT) : tron.tokenBalanceOf(RECIPIENT));
		expect(await held()).toBe(0n);
		const { data: order } = await create(service, partner, { toCcy, toAddress: RECIPIENT });
		await service.operator('sandbox/deposit', { orders: [order.id] });
		const done = await untilStatus(service, partner, order, 'DONE', WAIT_MILLISECONDS);
		await tron.mine(1);
		expect(fromBaseUnits(await held(), 6)).toBe(done.to.tx.amount);
		expect(done.to.tx.id).toMatch(/^[0-9a-f]{64}$/);
	});

	it('refunds a USDT deposit that is too small, less its network fee', async () => {
		const { data: order } = await create(service, partner, { ...toLitecoin, fromCcy: 'USDTTRC20', amount: '2500' });
		await tron.payToken(order.from.address, 30n * TRX);
		await tron.mine(1 + SOLID);
		await untilStatus(service, partner, order, 'EMERGENCY', WAIT_MILLISECONDS);
		await service.operator('order/refund', { id: order.id });
		const expired = await untilStatus(service, partner, order, 'EXPIRED', WAIT_MILLISECONDS);
		await tron.mine(1);
		const back = await tron.tokenBalanceOf(REFUND);
		expect(back > 0n && back < 30n * TRX).toBe(true);
		expect(expired.back.tx.id).toMatch(/^[0-9a-f]{64}$/);
	});

	it('follows every payout until it is final', async () => {
		await tron.mine(SOLID + 1);
		await eventually(
			'all payouts on Tron to be final',
			async () => {
				await service.sql("update transactions set next_attempt_at = 0 where state = 'sent'");
				const rows = await service.sql<{ state: string; blocked_kind: string | null }>(
					"select state, blocked_kind from transactions where network = 'Tron' and kind in ('payout', 'refund')",
				);
				return rows.length === 3 && rows.every(({ state, blocked_kind }) => state === 'final' && blocked_kind === null);
			},
			WAIT_MILLISECONDS,
		);
	});
});
