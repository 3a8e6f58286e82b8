/**
 * Swaps from and to real Monero through the whole service: monerod, wallets that ask for a password, the cold wallet
 * known to the signer alone. The other networks are on the sandbox.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localSecrets } from '../../src/local/secrets.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { type Monero, startMonero, type Wallet } from '../support/monerod.ts';
import { isInstalled } from '../support/nodes.ts';
import { create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

const LOCK = 10;
const LOGIN = { user: 'operator', password: 'a pass/word' };
const PATIENCE_MILLISECONDS = 60_000;

describe.skipIf(!isInstalled('monerod') || !isInstalled('monero-wallet-rpc'))('a swap with Monero', () => {
	let monero: Monero;
	let view: Wallet;
	let cold: Wallet;
	let service: TestService;
	let partner: Credentials;
	const stateDirectory = mkdtempSync(join(tmpdir(), 'partner-exchange-monero-'));

	beforeAll(async () => {
		const seed = mnemonicToSeedSync(localSecrets(stateDirectory).SEED);
		monero = await startMonero();
		[view, cold] = await Promise.all([monero.viewOnlyWallet(seed, LOGIN), monero.coldWallet(seed, LOGIN)]);
		service = await startTestService(
			{
				NODE_URL_MONERO: view.url,
				NODE_CHAIN_MONERO: 'regtest',
				NODE_POLL_SECONDS_MONERO: '1',
				MONERO_DAEMON_URL: monero.daemonUrl,
				MONERO_COLD_WALLET_URL: cold.url,
			},
			stateDirectory,
		);
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	}, 300_000);
	afterAll(async () => {
		await Promise.all([service?.local.stop(), monero?.stop()]);
		rmSync(stateDirectory, { recursive: true, force: true });
	});

	it('turns a Monero deposit into a payout when it is ten blocks deep, and not before', async () => {
		const refundAddress = monero.minerAddress;
		const terms = { fromCcy: 'XMR', toCcy: 'LTC', amount: '2', toAddress: LTC_REFUND, refundAddress };
		const { data: order } = await eventually(
			'Monero to take orders',
			async () => {
				const answer = await create(service, partner, terms);
				return answer.code === 0 && answer;
			},
			PATIENCE_MILLISECONDS,
		);
		const txId = await monero.pay(order.from.address, toBaseUnits('2', 12));
		const pending = await untilStatus(service, partner, order, 'PENDING', PATIENCE_MILLISECONDS);
		expect(pending.from.tx).toEqual({ id: txId, amount: '2' });
		await monero.mine(LOCK - 1);
		await new Promise((wait) => setTimeout(wait, 3_000));
		expect((await readOrder(service, partner, order)).status).toBe('PENDING');
		// One more, because a busy monerod leaves a new payment out of a block.
		await monero.mine(2);
		const done = await untilStatus(service, partner, order, 'DONE', PATIENCE_MILLISECONDS);
		expect(done.to.tx.id).toMatch(/^[0-9a-f]{64}$/);
	}, 180_000);

	it('turns a deposit into a Monero payout that the cold wallet signs, to the piconero', async () => {
		const toAddress = await monero.recipient();
		const { data: order } = await create(service, partner, { toCcy: 'XMR', amount: '1', toAddress });
		await service.operator('sandbox/deposit', { orders: [order.id] });
		const done = await untilStatus(service, partner, order, 'DONE', PATIENCE_MILLISECONDS);
		await monero.mine(1);
		const paid = toBaseUnits(String(done.to.tx.amount), 12);
		expect(await monero.received(toAddress)).toBe(paid);
		await monero.miner('refresh');
		const { transfer } = await monero.miner('get_transfer_by_txid', { txid: done.to.tx.id });
		expect(BigInt(transfer.amount)).toBe(paid);
	}, 180_000);

	it('keeps the cold wallet from the API Worker', async () => {
		const variables = await service.local.miniflare.getBindings('partner-exchange');
		expect(variables).toHaveProperty('NODE_URL_MONERO', view.url);
		expect(variables).not.toHaveProperty('MONERO_COLD_WALLET_URL');
		expect(await service.local.miniflare.getBindings('partner-exchange-signer')).toHaveProperty(
			'MONERO_COLD_WALLET_URL',
			cold.url,
		);
	});
});
