/**
 * The treasury on real nodes: litecoind and anvil, the service in workerd. What is deposited is swept, what is put into
 * the hot wallets is booked, what every transaction costs is counted, and `ledger check` is exact to the last unit.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hex } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { hotKey } from '../../src/chains/evm/keys.ts';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { fromBaseUnits, toBaseUnits } from '../../src/money/units.ts';
import { type Anvil, type Relay, startAnvil, startRelay } from '../support/anvil.ts';
import { ORDER } from '../support/costs/figures.ts';
import { beyondIdle, idleOf } from '../support/counted/order.ts';
import { COUNTING, takeEvents } from '../support/counted/service.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import {
	eventually,
	startTestService,
	type TestService,
	takeBeyondReserve,
	testVariables,
} from '../support/service.ts';
import { startProcess } from '../support/started.ts';
import { call, callData, installTokens, tokenBalance } from '../support/tokens.ts';

const CONFIRMATIONS = { Litecoin: 6, Ethereum: 12 };
/** For what takes several polls of the agents, on a busy machine too. */
const PATIENCE_MILLISECONDS = 60_000;
const COLD_WALLET = '0x00000000000000000000000000000000C01dBa5e';
const RECIPIENT = '0x000000000000000000000000000000000000bEEF';

interface Wallet {
	readonly asset: string;
	readonly books: string;
	readonly held: string;
	readonly difference: string;
	readonly result: string;
}

interface LedgerCheck {
	readonly differences: number;
	readonly wallets: readonly Wallet[];
	readonly attention: readonly { readonly kind: string; readonly held: string }[];
}

interface OwnTransaction {
	readonly kind: string;
	readonly state: string;
	readonly asset: string;
	readonly amount: string;
	readonly fee: string | null;
	readonly txId: string;
}

describe.skipIf(!isInstalled('litecoind') || !isInstalled('anvil'))('the treasury', { timeout: 180_000 }, () => {
	let litecoind: Litecoind;
	let anvil: Anvil;
	/** Between the service and anvil. */
	let relay: Relay;
	let service: TestService;
	let partner: Credentials;
	let payer: string;
	/** The operator's own Litecoin address. */
	let coldAddress: string;
	const stateDirectory = mkdtempSync(join(tmpdir(), 'partner-exchange-treasury-'));
	const variables = () => ({
		NODE_URL_LITECOIN: litecoind.url,
		NODE_CHAIN_LITECOIN: 'regtest',
		NODE_POLL_SECONDS_LITECOIN: '1',
		NODE_URL_ETHEREUM: relay.url,
		NODE_CHAIN_ETHEREUM: 'regtest',
		NODE_POLL_SECONDS_ETHEREUM: '1',
		WITHDRAW_TO_ETHEREUM: COLD_WALLET,
		WITHDRAW_TO_LITECOIN: coldAddress,
	});

	beforeAll(async () => {
		[litecoind, anvil] = await Promise.all([startLitecoind(), startAnvil({ chainId: TEST_CHAIN_ID, automine: false })]);
		await installTokens(anvil, 'Ethereum');
		coldAddress = String(await litecoind.rpc('getnewaddress'));
		relay = await startRelay(anvil.url);
		service = await startTestService(variables(), stateDirectory, {}, COUNTING);
		await takeBeyondReserve(service, 'ETH', 'LTC');
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		[payer = ''] = (await anvil.rpc('eth_accounts')) as string[];
		await eventually('both networks to take orders', async () => (await newOrder()) !== null, PATIENCE_MILLISECONDS);
	}, 300_000);
	afterAll(async () => {
		await Promise.all([service?.local.stop(), litecoind?.stop()]);
		await Promise.all([relay?.stop(), anvil?.stop()]);
		rmSync(stateDirectory, { recursive: true, force: true });
	});

	const seed = () => mnemonicToSeedSync(service.local.secrets.SEED);

	/** An order from Ether to Litecoin. Null while such orders are refused. */
	async function newOrder(more: Record<string, unknown> = {}): Promise<CreatedOrder | null> {
		const toAddress = String(await litecoind.rpc('getnewaddress'));
		const terms = { fromCcy: 'ETH', toCcy: 'LTC', amount: '0.1', toAddress, refundAddress: payer };
		const { code, data } = await create(service, partner, { ...terms, ...more });
		return code === 0 ? data : null;
	}

	async function ordered(more: Record<string, unknown> = {}): Promise<CreatedOrder> {
		const order = await newOrder(more);
		if (!order) throw new Error('no order was taken');
		return order;
	}

	async function sendEther(to: string, amount: string): Promise<void> {
		const value = `0x${toBaseUnits(amount, 18).toString(16)}`;
		await anvil.rpc('eth_sendTransaction', { from: payer, to, value });
		await anvil.mine(1);
	}

	const balanceOf = async (address: string): Promise<bigint> =>
		BigInt(String(await anvil.rpc('eth_getBalance', address, 'latest')));

	const ledgerCheck = () => service.operator<LedgerCheck>('ledger/check');

	/** Ethereum mines blocks meanwhile; Litecoin only where a test says so. */
	const onAndOn = <T>(what: string, probe: () => Promise<T | null | undefined | false>): Promise<T> =>
		eventually(
			what,
			async () => {
				const found = await probe();
				if (!found) await anvil.mine(2);
				return found;
			},
			PATIENCE_MILLISECONDS,
		);

	/** The books of the assets that are moved here, once nothing is under way. */
	async function settledBooks(): Promise<readonly Wallet[]> {
		await onAndOn('every transaction to be final', async () => {
			const rows = await service.sql("SELECT id FROM transactions WHERE state <> 'final'");
			return rows.length === 0;
		});
		const { wallets } = await ledgerCheck();
		return wallets.filter(({ asset }) => ['ETH', 'LTC', 'USDTERC20'].includes(asset));
	}

	const EXACT = ['ETH', 'LTC', 'USDTERC20'].map((asset) => ({ asset, difference: '0', result: 'ok' }));
	const sorted = (wallets: readonly Wallet[]) => wallets.toSorted((a, b) => a.asset.localeCompare(b.asset));

	async function sweepsOf(order: CreatedOrder): Promise<OwnTransaction[]> {
		const { sweeps } = await service.operator<{ sweeps: OwnTransaction[] }>('order/show', { id: order.id });
		return sweeps;
	}

	it('books what the operator puts into the hot wallets, once it is deep enough, and once', async () => {
		await litecoind.rpc('sendtoaddress', await service.hotAddress('Litecoin'), '20');
		await litecoind.mine(CONFIRMATIONS.Litecoin);
		await sendEther(await service.hotAddress('Ethereum'), '10');
		const reserves = () =>
			service.sql<{ asset: string; amount: string }>(
				"SELECT asset, amount FROM reserve_entries WHERE network IN ('Ethereum', 'Litecoin') ORDER BY asset",
			);
		await onAndOn('both to be booked', async () => (await reserves()).length === 2);
		expect(await reserves()).toEqual([
			{ asset: 'ETH', amount: toBaseUnits('10', 18).toString() },
			{ asset: 'LTC', amount: toBaseUnits('20', 8).toString() },
		]);
		expect(sorted(await settledBooks())).toMatchObject(EXACT);
	});

	it('sweeps a deposit that was paid for, and the books are exact to the wei and the litoshi', async () => {
		const order = await ordered();
		await sendEther(order.from.address, '0.1');
		await untilStatus(service, partner, order, 'PENDING', PATIENCE_MILLISECONDS);
		await anvil.mine(CONFIRMATIONS.Ethereum);
		await untilStatus(service, partner, order, 'DONE', PATIENCE_MILLISECONDS);
		// While the payout can still be dropped, the deposit is not swept.
		expect(await balanceOf(order.from.address)).toBe(toBaseUnits('0.1', 18));
		const before = await takeEvents(service);
		await litecoind.mine(CONFIRMATIONS.Litecoin);
		const [sweep] = await onAndOn('the sweep to be final', async () => {
			const sweeps = await sweepsOf(order);
			return sweeps.some(({ state }) => state === 'final') && sweeps;
		});
		expect(sweep).toMatchObject({ kind: 'sweep', asset: 'ETH' });
		expect(toBaseUnits(sweep?.amount ?? '', 18) + toBaseUnits(sweep?.fee ?? '', 18)).toBe(toBaseUnits('0.1', 18));
		expect(await balanceOf(order.from.address)).toBe(0n);
		// What the book says that a sweep costs. On a busy machine more polls follow it until it is final.
		const events = await takeEvents(service);
		const { rowsWritten } = beyondIdle(events, idleOf([...before, ...events]));
		expect(rowsWritten).toBeGreaterThanOrEqual(ORDER.sweep.rowsWritten * 0.7);
		expect(rowsWritten).toBeLessThanOrEqual(ORDER.sweep.rowsWritten * 1.6);

		const books = sorted(await settledBooks());
		expect(books).toMatchObject(EXACT);
		// To the last unit includes fees, and both networks have taken some.
		const fees = await service.sql<{ network: string }>(
			"SELECT network FROM transactions WHERE fee > '0' ORDER BY network",
		);
		expect(fees.map(({ network }) => network)).toEqual(['Ethereum', 'Litecoin']);
	});

	it('brings gas to a token’s address, sweeps it, and counts both to the last unit: the least order costs at most its share', async () => {
		const quote = { type: 'float', fromCcy: 'USDTERC20', toCcy: 'LTC', direction: 'from', amount: '1' };
		const { from } = (await signed<{ from: { min: string } }>(service, partner, '/api/v1/price', quote)).data;
		// Gas may cost a little more by the time the order is made, and the minimum order grows with it.
		const amount = (Number(from.min) * 1.02).toFixed(6);
		const order = await ordered({ fromCcy: 'USDTERC20', amount });
		const minted = toBaseUnits(amount, 6);
		await call(anvil, String(assetOf('USDTERC20').contract), callData.mint(order.from.address, minted));
		await anvil.mine(CONFIRMATIONS.Ethereum);
		await untilStatus(service, partner, order, 'DONE', PATIENCE_MILLISECONDS);
		await litecoind.mine(CONFIRMATIONS.Litecoin);
		const [gas, sweep] = await onAndOn('the sweep to be final', async () => {
			const sweeps = await sweepsOf(order);
			return sweeps.some(({ kind, state }) => kind === 'sweep' && state === 'final') && sweeps;
		});
		expect([gas, sweep]).toMatchObject([
			{ kind: 'gas', asset: 'ETH', state: 'final' },
			{ kind: 'sweep', asset: 'USDTERC20', amount: fromBaseUnits(minted, 6) },
		]);
		expect(await tokenBalance(anvil, 'USDTERC20', await service.hotAddress('Ethereum'))).toBe(minted);
		// The sweep's own fee is paid from the gas, and what it leaves of it stays there.
		const cost = toBaseUnits(gas?.amount ?? '', 18) + toBaseUnits(gas?.fee ?? '', 18);
		const [earned] = await service.sql<{ amount: string }>(
			"SELECT amount FROM ledger_entries WHERE order_id = ? AND cause = 'paid' AND account = 'house'",
			order.id,
		);
		const assets = await service.operator<{ code: string; priceUsd: string }[]>('asset/list');
		const usd = (code: string) => Number(assets.find((asset) => asset.code === code)?.priceUsd);
		const costUsd = (Number(cost) / 1e18) * usd('ETH');
		const orderUsd = Number(amount) * usd('USDTERC20');
		expect(costUsd).toBeLessThanOrEqual(orderUsd * 0.02);
		// The base fee pays for a quarter of that at least. The rest is the most that the house loses.
		expect(costUsd - (-Number(earned?.amount) / 1e8) * usd('LTC')).toBeLessThanOrEqual(orderUsd * 0.0151);
		expect(sorted(await settledBooks())).toMatchObject(EXACT);
	});

	it('counts what an Ether payout cost to the wei', async () => {
		const order = await ordered({
			fromCcy: 'LTC',
			toCcy: 'ETH',
			amount: '2',
			toAddress: RECIPIENT,
			refundAddress: await litecoind.rpc('getnewaddress'),
		});
		await litecoind.rpc('sendtoaddress', order.from.address, '2');
		await litecoind.mine(CONFIRMATIONS.Litecoin);
		await untilStatus(service, partner, order, 'DONE', PATIENCE_MILLISECONDS);
		expect(sorted(await settledBooks())).toMatchObject(EXACT);
		const [payout] = await service.sql<{ fee: string; tx_id: string }>(
			'SELECT fee, tx_id FROM transactions WHERE order_id = ?',
			order.id,
		);
		const receipt = (await anvil.rpc('eth_getTransactionReceipt', payout?.tx_id)) as Record<string, string>;
		expect(BigInt(payout?.fee ?? 0)).toBe(BigInt(receipt['gasUsed'] ?? 0) * BigInt(receipt['effectiveGasPrice'] ?? 0));
	});

	it('withdraws to the operator’s own addresses exactly what they ask for, and the books stay exact', async () => {
		const ofAsset = async (code: string) => {
			const { assets } = await service.operator<{ assets: Record<string, string>[] }>('treasury/show');
			return assets.find(({ asset }) => asset === code) ?? {};
		};
		const before = await ofAsset('ETH');
		// All of it would leave nothing for the network fee.
		await expect(service.operator('treasury/withdraw', { asset: 'ETH', amount: before['free'] ?? '' })).rejects.toThrow(
			'are more than the',
		);
		await service.operator('treasury/withdraw', { asset: 'ETH', amount: '1.000000000000000001' });
		await service.operator('treasury/withdraw', { asset: 'LTC', amount: '7.00000001' });
		await eventually('Litecoin’s to be sent', async () => (await ofAsset('LTC'))['withdrawn'] === '7.00000001');
		await litecoind.mine(CONFIRMATIONS.Litecoin);
		expect(sorted(await settledBooks())).toMatchObject(EXACT);
		expect(await balanceOf(COLD_WALLET)).toBe(toBaseUnits('1.000000000000000001', 18));
		expect(Number(await litecoind.rpc('getreceivedbyaddress', coldAddress))).toBe(7.00000001);
		const [{ fee } = { fee: '0' }] = await service.sql<{ fee: string }>(
			"SELECT fee FROM transactions WHERE kind = 'withdrawal' AND asset = 'ETH'",
		);
		const spent = toBaseUnits('1.000000000000000001', 18) + BigInt(fee);
		const after = await ofAsset('ETH');
		expect(toBaseUnits(before['held'] ?? '', 18) - toBaseUnits(after['held'] ?? '', 18)).toBe(spent);
		expect(after).toMatchObject({ withdrawn: '1.000000000000000001', owed: '0', reserve: '10' });
	});

	describe('after a kill', () => {
		const recipient = '0x00000000000000000000000000000000c0ffee99';
		let swept: CreatedOrder;
		let paid: CreatedOrder;
		let before: number;
		/** What arrived while the node took nothing: at the address that is swept, and at the recipient. */
		let arrived: readonly bigint[];
		const balances = () => Promise.all([balanceOf(swept.from.address), balanceOf(recipient)]);
		/** The transactions that were sent to the node since then, each as often as it was sent. */
		const broadcasts = () =>
			relay.calls.filter(({ method }) => method === 'eth_sendRawTransaction').map(({ params }) => String(params[0]));
		const isPayout = (raw: string) => raw.includes(recipient.slice(2));
		const payouts = () => broadcasts().slice(before).filter(isPayout);
		const sweeps = () =>
			broadcasts()
				.slice(before)
				.filter((raw) => !isPayout(raw));

		beforeAll(async () => {
			swept = await ordered();
			await sendEther(swept.from.address, '0.1');
			await anvil.mine(CONFIRMATIONS.Ethereum);
			await untilStatus(service, partner, swept, 'DONE', PATIENCE_MILLISECONDS);
			const refundAddress = await litecoind.rpc('getnewaddress');
			paid = await ordered({ fromCcy: 'LTC', toCcy: 'ETH', amount: '2', toAddress: recipient, refundAddress });
			await litecoind.rpc('sendtoaddress', paid.from.address, '2');
			await untilStatus(service, partner, paid, 'PENDING', PATIENCE_MILLISECONDS);
			await service.local.stop();

			before = broadcasts().length;
			relay.intercept(({ method }) =>
				method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'the node is busy' } } : undefined,
			);
			const started = await startProcess(stateDirectory, testVariables(variables()));
			// The deposit of the one order and the payout of the other are final then.
			await litecoind.mine(CONFIRMATIONS.Litecoin);
			await onAndOn(
				'both to be stored and broadcasts to be tried',
				async () => payouts().length > 0 && sweeps().length > 0,
			);
			await started.kill();
			arrived = await balances();
			relay.intercept(() => undefined);
			service = await startTestService(variables(), stateDirectory);
		});

		it('pays exactly once when it is killed after the payout was stored and before it was broadcast', async () => {
			expect(arrived[1]).toBe(0n);
			const done = await untilStatus(service, partner, paid, 'DONE', PATIENCE_MILLISECONDS);
			await anvil.mine(1);
			expect(fromBaseUnits(await balanceOf(recipient), 18)).toBe(done.to.tx.amount);
			// All broadcasts to the recipient, before and after, were one and the same transaction.
			expect(new Set(payouts()).size).toBe(1);
		});

		it('sweeps with one and the same transaction when it is killed before the broadcast', async () => {
			expect(arrived[0]).toBe(toBaseUnits('0.1', 18));
			await onAndOn('the sweep to be final', async () =>
				(await sweepsOf(swept)).some(({ state }) => state === 'final'),
			);
			expect(new Set(sweeps()).size).toBe(1);
			expect(sorted(await settledBooks())).toMatchObject(EXACT);
		});
	});

	it('reports when somebody with the key empties the hot wallet', async () => {
		const { privateKey, address } = hotKey(seed());
		const thief = privateKeyToAccount(`0x${hex.encode(privateKey)}`);
		const held = await balanceOf(address);
		const fee = 21_000n * 10n ** 10n;
		const nonce = Number(await anvil.rpc('eth_getTransactionCount', address, 'latest'));
		const raw = await thief.signTransaction({
			type: 'eip1559',
			chainId: TEST_CHAIN_ID,
			nonce,
			to: RECIPIENT,
			value: held - fee,
			gas: 21_000n,
			maxFeePerGas: 10n ** 10n,
			maxPriorityFeePerGas: 10n ** 10n,
		});
		await anvil.rpc('eth_sendRawTransaction', raw);
		await anvil.mine(1);
		const check = await ledgerCheck();
		expect(check.differences).toBe(1);
		expect(check.wallets.find(({ asset }) => asset === 'ETH')).toMatchObject({ held: '0', result: 'differs' });
		await eventually('the log', async () => service.logged('reserve_missing').length > 0, PATIENCE_MILLISECONDS);
	});
});
