/**
 * Coins of another asset at an order's address on Solana go back: the service in workerd, Solana on a node with the real
 * virtual machine and the real Token program.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { type Relay, startRelay } from '../support/anvil.ts';
import { ageOrder, moveBent } from '../support/archived.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { endPauses } from '../support/pauses.ts';
import { eventually, POLL_MILLISECONDS, startTestService, type TestService } from '../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import { placeTokens, type SolanaWallet, SYSTEM_PROGRAM, solanaWallet, tokensOf } from '../support/solana-wallet.ts';

const COIN = 1_000_000_000n;
const DOLLAR = 1_000_000n;
const USDT = assetOf('USDTSOL').contract ?? '';
const USDC = assetOf('USDCSOL').contract ?? '';
const FOREIGN_MINT = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';
const PACE = { slotMilliseconds: 200, finalizedAfter: 8 };
const TOKENS = 1_000_000n * DOLLAR;
const WAIT_MILLISECONDS = 100_000;

describe('coins of another asset on Solana', { timeout: 3 * WAIT_MILLISECONDS }, () => {
	let node: SolanaNode;
	let relay: Relay;
	let service: TestService;
	let partner: Credentials;
	let payer: SolanaWallet;

	beforeAll(async () => {
		node = await startSolanaNode(PACE);
		relay = await startRelay(node.url);
		service = await startTestService({
			NODE_URL_SOLANA: relay.url,
			NODE_CHAIN_SOLANA: 'regtest',
			NODE_POLL_SECONDS_SOLANA: '1',
		});
		const hot = await service.hotAddress('Solana');
		node.place(hot, { owner: SYSTEM_PROGRAM, lamports: 1_000n * COIN });
		payer = await solanaWallet(node, 1_000n * COIN);
		for (const mint of [USDT, USDC]) {
			node.placeMint(mint, 6, hot);
			for (const owner of [hot, payer.address]) await placeTokens(node, mint, owner, TOKENS);
		}
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		await eventually('Solana to take orders', () => ordered('SOL', '1.5'));
		await eventually('the reserve', async () => (await reserves()).length === 3);
	}, 3 * WAIT_MILLISECONDS);
	afterAll(async () => {
		await service?.local.stop();
		await relay?.stop();
		await node?.stop();
	});

	const reserves = () => service.sql("SELECT DISTINCT asset FROM reserve_entries WHERE network = 'Solana'");
	async function ordered(fromCcy: string, amount: string): Promise<CreatedOrder | null> {
		const terms = { fromCcy, toCcy: 'LTC', amount, toAddress: LTC_REFUND, refundAddress: payer.address };
		const { code, data } = await create(service, partner, terms);
		return code === 0 ? data : null;
	}
	const newOrder = (fromCcy: string, amount: string) =>
		eventually('an order', () => ordered(fromCcy, amount), WAIT_MILLISECONDS);
	const look = (order: CreatedOrder) =>
		service
			.object<{ findStrays(network: string, orderId: string): Promise<boolean> }>('CHAIN_AGENT', 'Solana')
			.findStrays('Solana', order.id);

	const coins = async () => node.accountOf(payer.address)?.lamports ?? 0n;
	const tokens = (mint: string) => () => tokensOf(node, mint, payer.address);
	const straysOf = (order: CreatedOrder) =>
		service.sql<{ asset: string; counted: string; taken: string; waits: string | null }>(
			'SELECT asset, counted, taken, waits FROM strays WHERE order_id = ? ORDER BY asset',
			order.id,
		);

	/** What the payer has more, once it has more; the books are even all the while. */
	async function returned(held: () => Promise<bigint>): Promise<bigint> {
		const before = await held();
		await expectNoDifference();
		const more = await eventually(
			'the coins to go back',
			async () => {
				await endPauses(service);
				await expectNoDifference();
				return (await held()) > before && (await held()) - before;
			},
			WAIT_MILLISECONDS,
			POLL_MILLISECONDS,
		);
		await eventually(
			'all to be final',
			async () => {
				await endPauses(service);
				return (await open()).length === 0;
			},
			WAIT_MILLISECONDS,
		);
		await expectEvenBooks();
		return more;
	}

	const open = () => service.sql("SELECT kind, asset, state, blocked_kind FROM transactions WHERE state <> 'final'");
	const wallets = async () => {
		const check = await service.operator<{ wallets: { asset: string; result: string }[] }>('ledger/check');
		return check.wallets.filter(({ asset }) => ['SOL', 'USDTSOL', 'USDCSOL'].includes(asset));
	};
	const expectNoDifference = async () =>
		expect((await wallets()).filter(({ result }) => result === 'differs')).toEqual([]);
	const expectEvenBooks = async () =>
		expect((await wallets()).map((wallet) => wallet)).toMatchObject(Array(3).fill({ difference: '0', result: 'ok' }));

	it('gives USDC at the address of a SOL order back, less its cost', async () => {
		const order = await newOrder('SOL', '1.5');
		await payer.payTokens(USDC, order.from.address, 500n * DOLLAR);
		await eventually('it to be found', async () => (await look(order)) && (await straysOf(order)).length > 0);
		const back = await returned(tokens(USDC));
		expect(back < 500n * DOLLAR && back > 495n * DOLLAR).toBe(true);
		const whole = String(500n * DOLLAR);
		expect(await straysOf(order)).toEqual([{ asset: 'USDCSOL', counted: whole, taken: whole, waits: null }]);
		expect((await readOrder(service, partner, order)).status).toBe('NEW');
	});

	it('gives SOL and USDT at the address of a USDC order back, before and after its own deposit', async () => {
		const order = await newOrder('USDCSOL', '300');
		await payer.pay(order.from.address, 2n * COIN);
		await eventually('it to be found', async () => (await look(order)) && (await straysOf(order)).length > 0);
		const sol = await returned(coins);
		expect(sol < 2n * COIN && sol > (199n * COIN) / 100n).toBe(true);

		await payer.payTokens(USDC, order.from.address, 300n * DOLLAR);
		const done = await untilStatus(service, partner, order, 'DONE', WAIT_MILLISECONDS);
		expect(done.from.tx.amount).toBe('300');
		await payer.payTokens(USDT, order.from.address, 200n * DOLLAR);
		await payer.pay(order.from.address, COIN);
		await eventually('both to be found', async () => (await look(order)) && (await straysOf(order)).length === 2);
		const usdt = await returned(tokens(USDT));
		expect(usdt < 200n * DOLLAR && usdt > 195n * DOLLAR).toBe(true);
		await eventually(
			'the other too',
			async () =>
				(await straysOf(order)).every(({ counted, taken }) => counted === taken) && (await open()).length === 0,
			WAIT_MILLISECONDS,
		);
		await expectEvenBooks();
		expect(await straysOf(order)).toMatchObject([{ counted: String(3n * COIN) }, { counted: String(200n * DOLLAR) }]);
		const sent = await service.sql<{ asset: string }>(
			"SELECT asset FROM transactions WHERE kind = 'stray' ORDER BY asset",
		);
		expect(sent.map(({ asset }) => asset)).toEqual(['SOL', 'SOL', 'USDCSOL', 'USDTSOL']);
	});

	it('gives them back once, though the node loses the payment until its blockhash has expired', async () => {
		const order = await newOrder('USDCSOL', '300');
		await payer.pay(order.from.address, 2n * COIN);
		await eventually('it to be found', async () => (await look(order)) && (await straysOf(order)).length > 0);
		const isReturn = async () =>
			(
				await service.sql<{ id: string; state: string; tx_id: string }>(
					"SELECT id, state, tx_id FROM transactions WHERE kind = 'stray' AND pay_in_address = ?",
					order.from.address,
				)
			)[0];
		let lost = 0;
		await eventually('the sweep to be final', async () => {
			const [sweep] = await service.sql<{ state: string }>(
				"SELECT state FROM transactions WHERE kind = 'sweep' AND pay_in_address = ? AND state IN ('sent', 'final')",
				order.from.address,
			);
			return sweep;
		});
		relay.intercept(({ method }) => {
			if (method !== 'sendTransaction') return undefined;
			lost += 1;
			return { error: { code: -32005, message: 'Node is behind' } };
		});
		const before = await coins();
		const first = await eventually(
			'the return to be signed',
			async () => {
				const row = await isReturn();
				return row && row.state !== 'planned' && lost > 0 && row;
			},
			WAIT_MILLISECONDS,
		);
		node.advance(170);
		relay.intercept(() => undefined);
		await service.sql('UPDATE transactions SET next_attempt_at = 0 WHERE id = ?', first.id);
		await eventually('it to go back', async () => (await coins()) > before, WAIT_MILLISECONDS);
		await eventually('all to be final', async () => (await open()).length === 0, WAIT_MILLISECONDS);
		const second = await isReturn();
		expect(second?.id).toBe(first.id);
		expect(second?.tx_id).not.toBe(first.tx_id);
		const back = (await coins()) - before;
		expect(back < 2n * COIN && back > (199n * COIN) / 100n).toBe(true);
		await expectEvenBooks();
	});

	it('shows a token that is not listed, and sends it back whole where the operator asks', async () => {
		const order = await newOrder('SOL', '1.5');
		node.placeMint(FOREIGN_MINT, 6, payer.address);
		await placeTokens(node, FOREIGN_MINT, payer.address, TOKENS);
		const tx = await payer.payTokens(FOREIGN_MINT, order.from.address, 77n);
		const named = async () =>
			service.operator<{ transaction: unknown[]; unlisted?: unknown[]; strays: unknown[] }>('order/find-stray', {
				id: order.id,
				tx,
			});
		await eventually('it to be found', async () => (await named()).unlisted);
		const found = await named();
		expect(found.transaction).toMatchObject([{ network: 'Solana', asset: null, token: FOREIGN_MINT }]);
		expect(found.unlisted).toMatchObject([{ network: 'Solana', token: FOREIGN_MINT, smallestUnits: '77' }]);
		expect(found.strays).toEqual([]);
		await expectEvenBooks();
		expect(await service.sql('SELECT 1 FROM transactions WHERE pay_in_address = ?', order.from.address)).toEqual([]);
		const before = await tokens(FOREIGN_MINT)();
		await service.operator('order/return-stray', {
			id: order.id,
			asset: FOREIGN_MINT,
			reason: 'the payer asks for it',
		});
		await eventually(
			'the return',
			async () => {
				await expectNoDifference();
				await look(order);
				const sql = 'SELECT asked_at AS asked, waits FROM unlisted_tokens WHERE order_id = ?';
				const [row] = await service.sql<{ asked: number | null; waits: string | null }>(sql, order.id);
				expect(row?.waits).toBeNull();
				return row?.asked === null;
			},
			WAIT_MILLISECONDS,
		);
		expect((await tokens(FOREIGN_MINT)()) - before).toBe(77n);
		await expectEvenBooks();
	});

	/** An order that was never paid and is over for long, and one that is younger. */
	async function overLongAgo(): Promise<CreatedOrder> {
		const order = await newOrder('USDCSOL', '300');
		await newOrder('USDCSOL', '300');
		await service.sql("UPDATE orders SET status = 'EXPIRED', holds_cap = 0 WHERE id = ?", order.id);
		await ageOrder(service, order.id, 40);
		return order;
	}
	const find = ({ id }: CreatedOrder) =>
		service.operator<{ beyondDeposits: unknown; ofNoOrder: unknown[] }>('order/find-stray', { id });

	it('records a payment to an order that is watched no more, once a look has found it', async () => {
		const order = await overLongAgo();
		await payer.payTokens(USDC, order.from.address, 70n * DOLLAR);
		await eventually('the look', async () => (await find(order)).beyondDeposits !== null);
		await eventually(
			'the deposit',
			async () => {
				await expectNoDifference();
				const [deposit] = await service.sql('SELECT state FROM deposits WHERE order_id = ?', order.id);
				return deposit?.['state'] === 'final';
			},
			WAIT_MILLISECONDS,
		);
		await find(order);
		expect(await service.sql('SELECT * FROM overflows')).toEqual([]);
		await expectEvenBooks();
	});

	it('counts a payment to an archived order with what belongs to no order, and sweeps it when it is told to', async () => {
		const order = await overLongAgo();
		await moveBent(service, [order.id], { before: Date.now() });
		await payer.payTokens(USDC, order.from.address, 400n * DOLLAR);
		await payer.pay(order.from.address, 2n * COIN);
		await eventually('the look', async () => (await find(order)).ofNoOrder.length === 2);
		expect((await find(order)).ofNoOrder).toEqual([
			{ network: 'Solana', asset: 'SOL', came: '2', atAddress: '2' },
			{ network: 'Solana', asset: 'USDCSOL', came: '400', atAddress: '400' },
		]);
		await expectEvenBooks();
		await service.operator('order/sweep', { id: order.id, reason: 'the payer asks for it' });
		await eventually(
			'the sweeps',
			async () => {
				await service.sql('UPDATE overflows SET due_at = 0 WHERE due_at > 0');
				await expectNoDifference();
				return (await service.sql('SELECT 1 FROM overflows WHERE counted <> swept')).length === 0;
			},
			WAIT_MILLISECONDS,
		);
		await expectEvenBooks();
	});
});
