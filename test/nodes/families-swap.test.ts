/**
 * Swaps across the chain families, each from a signed create to its last webhook: one service, and a node of every
 * family. Litecoin, Ethereum and Monero are real nodes, Solana is the real virtual machine behind our own RPC, Tron is
 * a stand-in. Afterwards the books agree with every chain, to the last unit.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import type { NetworkName } from '../../src/catalog/networks.ts';
import { localSecrets } from '../../src/local/secrets.ts';
import { AGENTS_WORKER, API_WORKER, SIGNER_WORKER } from '../../src/local/workers.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { CUSTOMER, type Ethereum, startEthereum } from '../support/ethereum.ts';
import { type Litecoind, startLitecoind } from '../support/litecoind.ts';
import { type Monero, startMonero, type Wallet } from '../support/monerod.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { provenHour } from '../support/proven-hour.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import { type SolanaWallet, SYSTEM_PROGRAM, solanaWallet } from '../support/solana-wallet.ts';
import { installTokens } from '../support/tokens.ts';
import { startTronStandIn, type TronStandIn } from '../support/tron-stand-in.ts';
import {
	type ReceivedWebhook,
	startWebhookReceiver,
	verify,
	type WebhookReceiver,
} from '../support/webhook-receiver.ts';

const PROGRAMS = ['litecoind', 'anvil', 'monerod', 'monero-wallet-rpc'];
/** Longest wait for one step, on a busy machine. */
const PATIENCE_MILLISECONDS = 120_000;
const TRON_RECIPIENT = 'TV2WNCetEM7AKm8u4VoM4hkXpPxWmTMtjQ';
/** Five slots a second, and what is confirmed is final soon, for the test's sake. */
const SOLANA_PACE = { slotMilliseconds: 200, finalizedAfter: 8 };
/** More blocks than any deposit of these networks asks for. */
const DEEP = 24;
/** What Monero's wallets ask for, by digest. */
const LOGIN = { user: 'operator', password: 'a pass/word' };

/** Its wallet proves nothing here, and something is owed in it. */
const MONERO_ALONE = /^not covered: \S+ XMR is owed, and the wallets show 0 XMR, 0 %\.\n$/;

interface LedgerCheck {
	readonly wallets: readonly { readonly asset: AssetId; readonly difference: string | null; readonly result: string }[];
}

describe.skipIf(!PROGRAMS.every(isInstalled))('a swap across families', { timeout: 4 * PATIENCE_MILLISECONDS }, () => {
	let litecoind: Litecoind;
	let ethereum: Ethereum;
	let solana: SolanaNode;
	let tron: TronStandIn;
	let monero: Monero;
	let view: Wallet;
	let cold: Wallet;
	let receiver: WebhookReceiver;
	let service: TestService;
	let partner: Credentials;
	let customer: SolanaWallet;
	let refund: Partial<Record<NetworkName, string>>;
	const stateDirectory = mkdtempSync(join(tmpdir(), 'partner-exchange-families-'));

	beforeAll(async () => {
		const seed = mnemonicToSeedSync(localSecrets(stateDirectory).SEED);
		[litecoind, ethereum, solana, tron, monero, receiver] = await Promise.all([
			startLitecoind(),
			startEthereum('Ethereum', 'regtest'),
			startSolanaNode(SOLANA_PACE),
			startTronStandIn(),
			startMonero(),
			startWebhookReceiver(),
		]);
		await installTokens(ethereum.anvil, 'Ethereum');
		await tron.mine(1);
		customer = await solanaWallet(solana, toBaseUnits('1000', 9));
		[view, cold] = await Promise.all([monero.viewOnlyWallet(seed, LOGIN), monero.coldWallet(seed, LOGIN)]);
		const regtest = ['LITECOIN', 'ETHEREUM', 'SOLANA', 'TRON', 'MONERO'].map((name) => [
			`NODE_CHAIN_${name}`,
			'regtest',
		]);
		const quick = ['LITECOIN', 'ETHEREUM', 'SOLANA', 'TRON', 'MONERO'].map((name) => [
			`NODE_POLL_SECONDS_${name}`,
			'1',
		]);
		service = await startTestService(
			{
				...Object.fromEntries([...regtest, ...quick]),
				NODE_URL_LITECOIN: litecoind.url,
				NODE_URL_ETHEREUM: ethereum.anvil.url,
				NODE_URL_SOLANA: solana.url,
				NODE_URL_TRON: tron.url,
				NODE_URL_MONERO: monero.daemonUrl,
				MONERO_WALLET_URL: view.url,
				MONERO_COLD_WALLET_URL: cold.url,
			},
			stateDirectory,
			{},
			{ pages: true },
		);
		partner = await createPartner(service, { webhookUrl: receiver.url, weightPerMinute: 1_000_000, afftaxBps: 100 });
		refund = {
			Litecoin: String(await litecoind.rpc('getnewaddress')),
			Ethereum: CUSTOMER,
			Solana: customer.address,
			Tron: TRON_RECIPIENT,
			Monero: monero.minerAddress,
		};
		await eventually('every network to answer', networksAnswer, PATIENCE_MILLISECONDS);
		await takeBeyondReserve(service, 'LTC', 'ETH', 'SOL', 'TRX', 'XMR', 'USDTTRC20');
		await fillReserves();
	}, 4 * PATIENCE_MILLISECONDS);
	afterAll(async () => {
		await service?.local.stop();
		await Promise.all([litecoind, ethereum, solana, tron, monero].map((node) => node?.stop()));
		await receiver?.close();
		rmSync(stateDirectory, { recursive: true, force: true });
	});

	async function networksAnswer(): Promise<boolean> {
		const networks =
			await service.operator<{ name: string; answers: boolean; freeAddresses: number }[]>('network/list');
		return networks.every(({ answers, freeAddresses }) => answers && freeAddresses > 0);
	}

	/** As an operator does it: a plain payment to each hot wallet. */
	async function fillReserves(): Promise<void> {
		await litecoind.rpc('sendtoaddress', await service.hotAddress('Litecoin'), '20');
		await litecoind.mine(DEEP);
		solana.place(await service.hotAddress('Solana'), { owner: SYSTEM_PROGRAM, lamports: toBaseUnits('100', 9) });
		await tron.setBalance(await service.hotAddress('Tron'), toBaseUnits('5000', 6));
		await tron.issue(await service.hotAddress('Tron'), toBaseUnits('5000', 6));
		await ethereum.pay(await service.hotAddress('Ethereum'), toBaseUnits('2', 18));
		await monero.pay(await service.hotAddress('Monero'), toBaseUnits('20', 12));
		await mineOn(['Monero']);
	}

	/** Monero only where it takes part: a dozen of its blocks takes seconds. Solana goes on by itself. */
	async function mineOn(networks: readonly NetworkName[]): Promise<void> {
		await Promise.all([
			litecoind.mine(8),
			ethereum.anvil.mine(DEEP),
			tron.mine(DEEP),
			networks.includes('Monero') && monero.mine(12),
		]);
	}

	const order = async (from: AssetId, to: AssetId, amount: string, toAddress: string): Promise<CreatedOrder> => {
		const refundAddress = refund[assetOf(from).network];
		const answer = await create(service, partner, { fromCcy: from, toCcy: to, amount, toAddress, refundAddress });
		expect(answer).toMatchObject({ code: 0 });
		return answer.data;
	};

	/** Waits for the payout and checks that signed webhooks named every status. Returns what was paid, in base units. */
	async function paidFor(swap: CreatedOrder, txId: string): Promise<bigint> {
		// Solana goes on by itself, so on a busy machine nobody may see PENDING; the webhooks below name it.
		const deposited = await eventually(
			'the deposit to be seen',
			async () => {
				const view = await readOrder(service, partner, swap);
				return view.status !== 'NEW' && view;
			},
			PATIENCE_MILLISECONDS,
		);
		expect(deposited.from.tx).toEqual({ id: txId, amount: swap.from.amount });
		const networks = [swap.from.code, swap.to.code].map((code) => assetOf(code).network);
		await mineOn(networks);
		const done = await untilStatus(service, partner, swap, 'DONE', PATIENCE_MILLISECONDS);
		await mineOn(networks);
		const statusOf = ({ json }: ReceivedWebhook) => (json as { data: { order: typeof done } }).data.order.status;
		const told = await eventually('the webhooks of all changes', async () => {
			const ofSwap = receiver.received.filter(({ json }) => JSON.stringify(json).includes(swap.id));
			// One that is not answered in time comes again.
			return new Set(ofSwap.map(statusOf)).size === 3 && ofSwap;
		});
		expect([...new Set(told.map(statusOf))].toSorted()).toEqual(['DONE', 'EXCHANGE', 'PENDING']);
		for (const delivery of told) expect(verify(delivery, partner.webhookSecret)).toBe(true);
		const { status, to } = (told.map(({ json }) => json) as { data: { sequence: number; order: typeof done } }[])
			.toSorted((a, b) => a.data.sequence - b.data.sequence)
			.at(-1)?.data.order ?? { status: null, to: null };
		expect({ status, to }).toMatchObject({ status: 'DONE', to: { tx: done.to.tx } });
		return toBaseUnits(String(done.to.tx.amount), assetOf(swap.to.code).decimals);
	}

	it('XMR → USDTTRC20, when the deposit is ten blocks deep and not before', async () => {
		const swap = await order('XMR', 'USDTTRC20', '1.5', TRON_RECIPIENT);
		const txId = await monero.pay(swap.from.address, toBaseUnits('1.5', 12));
		await untilStatus(service, partner, swap, 'PENDING', PATIENCE_MILLISECONDS);
		await monero.mine(9);
		await new Promise((wait) => setTimeout(wait, 3_000));
		const paid = await paidFor(swap, txId);
		expect(await tron.tokenBalanceOf(TRON_RECIPIENT)).toBe(paid);
	});

	it('SOL → LTC', async () => {
		const recipient = String(await litecoind.rpc('getnewaddress'));
		const swap = await order('SOL', 'LTC', '1.25', recipient);
		const txId = await customer.pay(swap.from.address, toBaseUnits('1.25', 9));
		const paid = await paidFor(swap, txId);
		expect(toBaseUnits(String(await litecoind.rpc('getreceivedbyaddress', recipient, 1)), 8)).toBe(paid);
	});

	it('USDTERC20 → XMR', async () => {
		const recipient = await monero.recipient();
		const swap = await order('USDTERC20', 'XMR', '200.5', recipient);
		const txId = await ethereum.send('USDTERC20', swap.from.address, toBaseUnits('200.5', 6));
		const paid = await paidFor(swap, txId);
		expect(await monero.received(recipient)).toBe(paid);
	});

	it('TRX → SOL', async () => {
		const recipient = await solanaWallet(solana, toBaseUnits('1', 9));
		const swap = await order('TRX', 'SOL', '1000', recipient.address);
		const txId = await tron.pay(swap.from.address, toBaseUnits('1000', 6));
		await tron.mine(1);
		const paid = await paidFor(swap, txId);
		expect(solana.accountOf(recipient.address)?.lamports).toBe(toBaseUnits('1', 9) + paid);
	});

	it('LTC → ETH', async () => {
		const recipient = '0x000000000000000000000000000000000000bEEF';
		const swap = await order('LTC', 'ETH', '2', recipient);
		const txId = String(await litecoind.rpc('sendtoaddress', swap.from.address, '2'));
		const paid = await paidFor(swap, txId);
		expect(await ethereum.balanceOf(recipient)).toBe(paid);
	});

	it('keeps the nodes from the API Worker, and the wallets of Monero from the agents Worker', async () => {
		const ofApi = await service.local.miniflare.getBindings(API_WORKER);
		expect(Object.keys(ofApi).filter((name) => name.startsWith('NODE_'))).toEqual([]);
		const variables = await service.local.miniflare.getBindings(AGENTS_WORKER);
		expect(variables).toHaveProperty('NODE_URL_MONERO', monero.daemonUrl);
		for (const wallet of ['MONERO_WALLET_URL', 'MONERO_COLD_WALLET_URL']) expect(variables).not.toHaveProperty(wallet);
		const ofSigner = await service.local.miniflare.getBindings(SIGNER_WORKER);
		expect(ofSigner).toHaveProperty('MONERO_COLD_WALLET_URL', cold.url);
	});

	it('leaves books that agree with all five chains, to the last unit', async () => {
		let differing: unknown = null;
		await eventually(
			'books without a difference',
			async () => {
				await Promise.all([ethereum.anvil.mine(DEEP), tron.mine(DEEP), monero.mine(1)]);
				await new Promise((wait) => setTimeout(wait, 1_000));
				const open = await service.sql(
					"SELECT kind, network, state, blocked_facts FROM transactions WHERE state <> 'final'",
				);
				const { wallets } = await service.operator<LedgerCheck>('ledger/check');
				differing = [...open, ...wallets.filter(({ result }) => result !== 'ok')];
				return open.length === 0 && wallets.every(({ result }) => result === 'ok');
			},
			PATIENCE_MILLISECONDS,
		).catch(() => null);
		expect(differing).toEqual([]);
	});

	it('publishes each hour what it holds, and who has the file verifies it at the nodes of the chains', async () => {
		const { file, verified } = await provenHour(service);
		const [{ networks = [] } = {}] = service.logged('reserves_unsigned') as { networks?: string[] }[];
		expect(networks).toContainEqual(expect.stringMatching(/^Monero: .*none is published/));
		expect(networks).toContainEqual(expect.stringMatching(/^Bitcoin: .*sandbox/));
		const urls = { Litecoin: litecoind.url, Ethereum: ethereum.anvil.url, Solana: solana.url, Tron: tron.url };
		for (const network of ['Litecoin', 'Ethereum', 'Solana', 'Tron'] as const)
			expect(file.reserves.map(({ address }) => address)).toContain(await service.hotAddress(network));
		const whole = await verified(file, urls);
		expect(whole.stderr).toMatch(MONERO_ALONE);
		expect(whole.stdout).toMatch(/^Not in it, and counted as nothing: .*\bMonero\b/m);
		// It is of a block: what is spent since was there.
		await ethereum.anvil.rpc('anvil_setBalance', await service.hotAddress('Ethereum'), '0x0');
		expect((await verified(file, urls)).stderr).toMatch(MONERO_ALONE);
		const bent = file.reserves.map((row) => {
			const holdings = row.holdings.map(({ asset, amount }) => ({ asset, amount: String(BigInt(amount) + 1n) }));
			return { ...row, holdings };
		});
		const { status, stderr } = await verified({ ...file, reserves: bent }, urls);
		expect([status, stderr]).toEqual([1, expect.stringContaining('the reserves are not those that were signed')]);
		// Tron's node tells nothing of coins of an earlier block: with more than there is now, it cannot tell.
		for (const { network, address, holdings } of file.reserves)
			expect(stderr).toContain(
				`${address} on ${network} ${holdings[0]?.asset === 'TRX' ? 'could not be looked up' : 'is not there'}`,
			);
	});

	it('publishes nothing that a node of another chain would take for its own, or that a chain which lost its block has', async () => {
		const { file, verified } = await provenHour(service);
		const hot = await service.hotAddress('Litecoin');
		const said = async (node: string, chain: 'main' | 'regtest' = 'regtest') =>
			(await verified(file, { Litecoin: node }, chain)).stderr;
		expect(await said(litecoind.url, 'main')).toContain(`${hot} on Litecoin: its wallet has not signed this`);
		expect(await said('http://127.0.0.1:1')).toContain(`${hot} on Litecoin could not be looked up`);
		const row = file.reserves.find(({ address }) => address === hot);
		const [, hash = ''] = / in block \d+ (\w+)$/.exec(row?.message ?? '') ?? [];
		await litecoind.rpc('invalidateblock', hash);
		await litecoind.mine(DEEP);
		expect(await said(litecoind.url)).toContain(`${hot} on Litecoin: Litecoin has no block`);
	});
});
