/**
 * Swaps in and out of Solana, end to end: the service in workerd, Solana on a node with the real virtual machine and
 * the real Token program, everything else on the sandbox.
 */
import { base58 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { type Relay, startRelay } from '../support/anvil.ts';
import { create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import { placeTokens, type SolanaWallet, SYSTEM_PROGRAM, solanaWallet, tokensOf } from '../support/solana-wallet.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

const COIN = 1_000_000_000n;
const USDT = assetOf('USDTSOL').contract ?? '';
const USDC = assetOf('USDCSOL').contract ?? '';
/** Five slots a second: a blockhash is valid for half a minute, and confirmed transactions are final soon. */
const PACE = { slotMilliseconds: 200, finalizedAfter: 8 };
const TOKENS = 1_000_000_000_000n;
/** The first signature, after the byte that counts them. */
const idOfWire = (wire: string): string => base58.encode(Buffer.from(wire, 'base64').subarray(1, 65));

interface LedgerCheck {
	readonly wallets: readonly { readonly asset: string; readonly result: string }[];
}

describe('a swap with Solana', () => {
	let node: SolanaNode;
	let relay: Relay;
	let service: TestService;
	let receiver: WebhookReceiver;
	let partner: Credentials;
	let customer: SolanaWallet;

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
		for (const mint of [USDT, USDC]) {
			node.placeMint(mint, 6, hot);
			await placeTokens(node, mint, hot, TOKENS);
		}
		customer = await solanaWallet(node, 1_000n * COIN);
		await placeTokens(node, USDC, customer.address, TOKENS);
		receiver = await startWebhookReceiver();
		partner = await createPartner(service, { webhookUrl: receiver.url, weightPerMinute: 1_000_000 });
		await eventually('both networks to take orders', async () => {
			const answer = await create(service, partner, { toCcy: 'USDTSOL', toAddress: customer.address });
			return answer.code === 0;
		});
	});
	afterAll(async () => {
		await service?.local.stop();
		await receiver?.close();
		await relay?.stop();
		await node?.stop();
	});

	const fromSolana = async (fromCcy: string, amount: string) =>
		(
			await create(service, partner, {
				fromCcy,
				toCcy: 'LTC',
				amount,
				toAddress: LTC_REFUND,
				refundAddress: customer.address,
			})
		).data;

	it('turns a deposit of SOL into a payout, when it is final and not before', async () => {
		const order = await fromSolana('SOL', '1.5');
		// No new slots come, so the deposit stays confirmed and does not become final.
		node.setTicking(false);
		const txId = await customer.pay(order.from.address, toBaseUnits('1.5', 9));
		const pending = await untilStatus(service, partner, order, 'PENDING', 40_000);
		expect(pending.from.tx).toEqual({ id: txId, amount: '1.5' });
		await new Promise((wait) => setTimeout(wait, 3_000));
		expect((await readOrder(service, partner, order)).status).toBe('PENDING');
		node.setTicking(true);
		const done = await untilStatus(service, partner, order, 'DONE', 40_000);
		expect(done.from.tx.amount).toBe('1.5');
		expect(Number(done.to.tx.amount)).toBeGreaterThan(0);
		expect(done.to.amount).toBe(done.to.tx.amount);
	});

	it('pays nothing for a deposit that a fork dropped, and goes on with the next one', async () => {
		const order = await fromSolana('SOL', '2');
		node.setTicking(false);
		await customer.pay(order.from.address, toBaseUnits('2', 9));
		await untilStatus(service, partner, order, 'PENDING', 40_000);
		node.fork(2);
		node.setTicking(true);
		await new Promise((wait) => setTimeout(wait, 4_000));
		expect((await readOrder(service, partner, order)).status).toBe('PENDING');
		expect(await service.sql('select id from transactions where order_id = ?', order.id)).toEqual([]);
		const txId = await customer.pay(order.from.address, toBaseUnits('2', 9));
		const done = await untilStatus(service, partner, order, 'DONE', 40_000);
		expect(done.from.tx).toEqual({ id: txId, amount: '2' });
		const rows = await service.sql('select id from transactions where order_id = ?', order.id);
		expect(rows).toHaveLength(1);
	});

	it('turns a deposit of USDC into a payout, and takes no other token for it', async () => {
		const order = await fromSolana('USDCSOL', '100.25');
		await placeTokens(node, USDT, customer.address, TOKENS);
		await customer.payTokens(USDT, order.from.address, toBaseUnits('100.25', 6));
		await new Promise((wait) => setTimeout(wait, 4_000));
		expect((await readOrder(service, partner, order)).status).toBe('NEW');
		const txId = await customer.payTokens(USDC, order.from.address, toBaseUnits('100.25', 6));
		const done = await untilStatus(service, partner, order, 'DONE', 40_000);
		expect(done.from.tx).toEqual({ id: txId, amount: '100.25' });
	});

	it.each([
		['USDTSOL', USDT],
		['USDCSOL', USDC],
	])('pays %s out to the last unit, and opens the account for it', async (toCcy, mint) => {
		const recipient = await solanaWallet(node, COIN);
		const { data: order } = await create(service, partner, { toCcy, toAddress: recipient.address });
		await service.operator('sandbox/deposit', { orders: [order.id] });
		const done = await untilStatus(service, partner, order, 'DONE', 40_000);
		expect(done.to.tx.id).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/);
		await eventually('the payout to be in a block', async () => (await tokensOf(node, mint, recipient.address)) > 0n);
		expect(await tokensOf(node, mint, recipient.address)).toBe(toBaseUnits(String(done.to.tx.amount), 6));
	});

	it('pays SOL out to the last lamport, once, though the node loses its first answer', async () => {
		const recipient = await solanaWallet(node, COIN);
		const { data: order } = await create(service, partner, { toCcy: 'SOL', toAddress: recipient.address });
		const sent: string[] = [];
		relay.intercept(({ method, params }) => {
			if (method !== 'sendTransaction') return undefined;
			// What is swept meanwhile goes elsewhere.
			const pays = Buffer.from(String(params[0]), 'base64').includes(base58.decode(recipient.address));
			if (!pays) return undefined;
			sent.push(String(params[0]));
			if (sent.length > 1) return undefined;
			// The node accepts the transaction, and answers that it is busy.
			node.send(String(params[0]));
			return { error: { code: -32005, message: 'Node is unhealthy' } };
		});
		await service.operator('sandbox/deposit', { orders: [order.id] });
		const done = await untilStatus(service, partner, order, 'DONE', 40_000);
		const paid = toBaseUnits(String(done.to.tx.amount), 9);
		expect(node.accountOf(recipient.address)?.lamports).toBe(COIN + paid);
		expect(new Set(sent).size).toBe(1);
	});

	it('that expires before the network takes it is signed again by itself, and arrives once', async () => {
		const recipient = await solanaWallet(node, COIN);
		relay.intercept(({ method }) =>
			method === 'sendTransaction' ? { error: { code: -32005, message: 'Node is behind' } } : undefined,
		);
		const { data: order } = await create(service, partner, { toCcy: 'SOL', toAddress: recipient.address });
		await service.operator('sandbox/deposit', { orders: [order.id] });
		const find = async () =>
			(
				await service.sql<{ id: string; blocked: string | null; tx_id: string }>(
					"SELECT id, blocked_kind AS blocked, tx_id FROM transactions WHERE order_id = ? AND state <> 'planned'",
					order.id,
				)
			)[0];
		const signed = await eventually('the payout to be signed', find, 40_000);
		const settle = () =>
			service.operator('payout/settle', { id: signed.id, txId: 'paid-by-hand', reason: 'it was too late' });
		await expect(settle()).rejects.toThrow('may still arrive');
		node.advance(170);
		relay.intercept(() => undefined);
		await service.sql('UPDATE transactions SET next_attempt_at = 0 WHERE id = ?', signed.id);
		const done = await untilStatus(service, partner, order, 'DONE', 40_000);
		expect(done.to.tx.id).not.toBe(signed.tx_id);
		expect(await find()).toMatchObject({ tx_id: done.to.tx.id, blocked: null });
		const versions = await service.sql('SELECT tx_id FROM transaction_versions WHERE transaction_id = ?', signed.id);
		expect(versions).toEqual([{ tx_id: signed.tx_id }]);
		await expect(settle()).rejects.toThrow();
		const paid = toBaseUnits(String(done.to.tx.amount), 9);
		await eventually('it to arrive', async () => node.accountOf(recipient.address)?.lamports === COIN + paid);
	});

	it('that was sent and that no leader took is signed again as well, and the partner reads the new id', async () => {
		const recipient = await solanaWallet(node, COIN);
		// The node accepts the transaction and loses it, as in a congested hour.
		relay.intercept(({ method, params }) =>
			method === 'sendTransaction' ? { result: idOfWire(String(params[0])) } : undefined,
		);
		const { data: order } = await create(service, partner, { toCcy: 'SOL', toAddress: recipient.address });
		await service.operator('sandbox/deposit', { orders: [order.id] });
		const first = await untilStatus(service, partner, order, 'DONE', 40_000);
		node.advance(170);
		relay.intercept(() => undefined);
		await service.sql('UPDATE transactions SET next_attempt_at = 0 WHERE order_id = ?', order.id);
		const second = await eventually('another id to be shown', async () => {
			const shown = await readOrder(service, partner, order);
			return shown.to.tx.id !== first.to.tx.id && shown;
		});
		const paid = toBaseUnits(String(second.to.tx.amount), 9);
		await eventually('it to arrive', async () => node.accountOf(recipient.address)?.lamports === COIN + paid);
		const told = receiver.received.filter(({ rawBody }) => rawBody.includes(order.id));
		const verified = told.every((event) => verify(event, partner.webhookSecret));
		expect([told.filter(({ rawBody }) => rawBody.includes('"DONE"')).length > 0, verified]).toEqual([true, true]);
	});

	it('sweeps what was paid for, and leaves books that are exact to the last lamport, fees and rents included', async () => {
		let differing: unknown = null;
		await eventually(
			'books without a difference',
			async () => {
				const open = await service.sql(
					"SELECT kind, asset, state, blocked_kind FROM transactions WHERE state <> 'final'",
				);
				const { wallets } = await service.operator<LedgerCheck>('ledger/check');
				// The USDT that nobody asked for goes back to its payer, and may be swept for that.
				const swept = await service.sql(
					"SELECT DISTINCT asset FROM transactions WHERE kind = 'sweep' AND asset <> 'USDTSOL' ORDER BY asset",
				);
				differing = { open, swept, wallets: wallets.filter(({ result }) => result !== 'ok') };
				return open.length === 0 && swept.length === 2 && wallets.every(({ result }) => result === 'ok');
			},
			60_000,
		).catch(() => null);
		expect(differing).toEqual({ open: [], swept: [{ asset: 'SOL' }, { asset: 'USDCSOL' }], wallets: [] });
		const [paid] = await service.sql<{ fee: string }>(
			"SELECT fee FROM transactions WHERE kind = 'payout' AND asset = 'USDTSOL'",
		);
		// The rent of the recipient's token account, and the network's fee.
		expect(Number(paid?.fee)).toBeGreaterThan(2_039_280);
	}, 100_000);

	it('holds a payout to an account that is no wallet for the operator', async () => {
		const recipient = await solanaWallet(node, COIN);
		const { data: order } = await create(service, partner, { toCcy: 'SOL', toAddress: recipient.address });
		node.place(recipient.address, { owner: USDT, lamports: COIN });
		await service.operator('sandbox/deposit', { orders: [order.id] });
		const [blocked] = await eventually('the payout to be blocked', async () => {
			const rows = await service.sql<{ facts: string }>(
				'select blocked_facts as facts from transactions where order_id = ? and blocked_facts is not null',
				order.id,
			);
			return rows.length > 0 && rows;
		});
		expect(blocked?.facts).toContain('is no wallet');
		expect(node.accountOf(recipient.address)?.lamports).toBe(COIN);
	});
});
