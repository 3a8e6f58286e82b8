/**
 * The treasury on Solana: deposits are swept, the payout wallet's reserve is booked, fees and rents are counted, and
 * `ledger check` is exact to the last lamport.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { create, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import {
	placeTokens,
	type SolanaWallet,
	SYSTEM_PROGRAM,
	solanaWallet,
	tokenAccountOf,
} from '../support/solana-wallet.ts';

const COIN = 1_000_000_000n;
const TOKENS = 1_000_000_000_000n;
const USDT = assetOf('USDTSOL').contract ?? '';
const USDC = assetOf('USDCSOL').contract ?? '';
const PACE = { slotMilliseconds: 200, finalizedAfter: 8 };
/** For what takes several looks of the agent, on a busy machine too. */
const PATIENCE_MILLISECONDS = 120_000;

interface LedgerCheck {
	readonly wallets: readonly { readonly asset: string; readonly difference: string; readonly result: string }[];
}

describe('the treasury on Solana', { timeout: 400_000 }, () => {
	let node: SolanaNode;
	let service: TestService;
	let partner: Credentials;
	let customer: SolanaWallet;

	beforeAll(async () => {
		node = await startSolanaNode(PACE);
		service = await startTestService({
			NODE_URL_SOLANA: node.url,
			NODE_CHAIN_SOLANA: 'regtest',
			NODE_POLL_SECONDS_SOLANA: '1',
		});
		const vaults = await service.local.miniflare.getDurableObjectNamespace('VAULT', 'partner-exchange-signer');
		const vault = vaults.get(vaults.idFromName('vault')) as unknown as { hotAddress(network: string): Promise<string> };
		const hot = await vault.hotAddress('Solana');
		customer = await solanaWallet(node, 1_000n * COIN);
		for (const mint of [USDT, USDC]) {
			node.placeMint(mint, 6, hot);
			await placeTokens(node, mint, customer.address, TOKENS);
		}
		node.place(hot, { owner: SYSTEM_PROGRAM, lamports: 100n * COIN });
		await customer.payTokens(USDT, hot, TOKENS / 2n);
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		await eventually(
			'both networks to take orders',
			async () => (await create(service, partner, { toCcy: 'USDTSOL', toAddress: customer.address })).code === 0,
			PATIENCE_MILLISECONDS,
		);
	}, PATIENCE_MILLISECONDS);
	afterAll(async () => {
		await service?.local.stop();
		await node?.stop();
	});

	async function booksAreExact(): Promise<void> {
		const exact = ['SOL', 'USDCSOL', 'USDTSOL'].map((asset) => ({ asset, difference: '0', result: 'ok' }));
		const wallets = await eventually(
			'books without a difference',
			async () => {
				const open = await service.sql("SELECT id FROM payouts WHERE state <> 'final'");
				if (open.length > 0) return null;
				const found = (await service.operator<LedgerCheck>('ledger/check')).wallets;
				const ours = found.filter(({ asset }) => exact.some((each) => each.asset === asset));
				return ours.every(({ result }) => result === 'ok') && ours;
			},
			PATIENCE_MILLISECONDS,
		);
		expect(wallets.toSorted((a, b) => a.asset.localeCompare(b.asset))).toMatchObject(exact);
	}

	it('books what the operator put into the wallet', async () => {
		await booksAreExact();
	});

	it.each([
		['SOL', '2'],
		['USDCSOL', '300'],
	])('sweeps a deposit of %s that was paid for, and the books stay exact', async (fromCcy, amount) => {
		const terms = { fromCcy, toCcy: 'LTC', amount, toAddress: LTC_REFUND, refundAddress: customer.address };
		const { data: order } = await create(service, partner, terms);
		const { address } = order.from;
		const units = toBaseUnits(amount, assetOf(fromCcy === 'SOL' ? 'SOL' : 'USDCSOL').decimals);
		await (fromCcy === 'SOL' ? customer.pay(address, units) : customer.payTokens(USDC, address, units));
		await untilStatus(service, partner, order, 'DONE', PATIENCE_MILLISECONDS);
		const [swept] = await eventually(
			'the sweep to be final',
			async () => {
				const rows = await service.sql<{ amount: string; fee: string }>(
					"SELECT amount, fee FROM payouts WHERE kind = 'sweep' AND state = 'final' AND pay_in_address = ?",
					address,
				);
				return rows.length > 0 && rows;
			},
			PATIENCE_MILLISECONDS,
		);
		expect(swept?.amount).toBe(units.toString());
		expect(node.accountOf(address)).toBeNull();
		expect(node.accountOf(await tokenAccountOf(address, USDC))).toBeNull();
		await booksAreExact();
	});

	it('pays out, and counts the rent of what it opened', async () => {
		const recipient = await solanaWallet(node, COIN);
		const { data: order } = await create(service, partner, { toCcy: 'USDTSOL', toAddress: recipient.address });
		await service.operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(service, partner, order, 'DONE', PATIENCE_MILLISECONDS);
		await booksAreExact();
		const [paid] = await service.sql<{ fee: string }>(
			"SELECT fee FROM payouts WHERE kind = 'payout' AND order_id = ?",
			order.id,
		);
		expect(Number(paid?.fee)).toBeGreaterThan(2_039_280);
	});
});
