/**
 * A price source that takes the connection and never answers, one of eight, costs no payout: neither where a
 * signature is valid for a few seconds only (Solana, on a node with the real virtual machine), nor where many are owed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import { SYSTEM_PROGRAM, solanaWallet } from '../support/solana-wallet.ts';
import { startTickerServer, type TickerServer } from '../support/ticker-server.ts';

const COIN = 1_000_000_000n;
/** Ten slots a second: a blockhash, and with it a signature, is valid for fifteen seconds. */
const PACE = { slotMilliseconds: 100, finalizedAfter: 8 };
const PAYOUTS = 20;
const PATIENCE = 60_000;
const PRICES = {
	BTC: '95000',
	ETH: '3200',
	BNB: '900',
	SOL: '150',
	TRX: '0.3',
	XMR: '380',
	LTC: '95',
	POL: '0.25',
	AVAX: '20',
	DASH: '45',
	USDT: '1',
	USDC: '1',
	DAI: '1',
};

describe('a price source that hangs', () => {
	let node: SolanaNode;
	let tickers: TickerServer;
	let service: TestService;
	let partner: Credentials;
	let recipient: string;
	let orders: CreatedOrder[];

	beforeAll(async () => {
		[node, tickers] = await Promise.all([startSolanaNode(PACE), startTickerServer(PRICES)]);
		service = await startTestService({
			NODE_URL_SOLANA: node.url,
			NODE_POLL_SECONDS_SOLANA: '1',
			PRICES: 'public',
			PRICE_SOURCE_URLS: JSON.stringify(tickers.baseUrls),
		});
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		const hot = await service.hotAddress('Solana');
		node.place(hot, { owner: SYSTEM_PROGRAM, lamports: 1_000n * COIN });
		recipient = (await solanaWallet(node, COIN)).address;
		const newOrder = () =>
			eventually(
				'an order to be taken',
				async () => {
					const answer = await create(service, partner, { toCcy: 'SOL', toAddress: recipient, amount: '1' });
					return answer.code === 0 && answer.data;
				},
				PATIENCE,
			);
		orders = await Promise.all(Array.from({ length: PAYOUTS }, newOrder));
		await service.operator('network/update', { name: 'Solana', send: false });
		await service.operator('sandbox/deposit', { orders: orders.map(({ id }) => id) });
		for (const order of orders) await untilStatus(service, partner, order, 'EXCHANGE', PATIENCE);
		tickers.setManner('coingecko', 'never-answers');
	}, 3 * PATIENCE);
	afterAll(async () => {
		await service?.local.stop();
		await Promise.all([node?.stop(), tickers?.close()]);
	});

	it(
		'lets every one of twenty payouts arrive whose signatures live for fifteen seconds',
		async () => {
			await service.operator('network/update', { name: 'Solana', send: true });
			const done = await Promise.all(orders.map((order) => untilStatus(service, partner, order, 'DONE', PATIENCE)));
			const lamports = done.map(({ to }) => BigInt(String(Math.round(Number(to.tx.amount) * 1e9))));
			const paid = lamports.reduce((sum, each) => sum + each, COIN);
			await eventually('the payouts to be in blocks', async () => node.accountOf(recipient)?.lamports === paid);
			expect(await service.sql('SELECT id FROM transactions WHERE blocked_kind IS NOT NULL')).toEqual([]);
		},
		PATIENCE,
	);

	it('does not delay the snapshot that quotes are made of', async () => {
		const started = performance.now();
		// Answers once a snapshot with the change has been built.
		await service.operator('site/update', { baseFeeBps: 60 });
		expect(performance.now() - started).toBeLessThan(4_000);
		const left = service.logged('price_source_failed').filter(({ source }) => source === 'coingecko');
		expect(left.length).toBeGreaterThan(0);
	});
});
