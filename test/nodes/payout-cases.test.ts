/**
 * Payouts that are stuck, on a real EVM node: "a stuck, failed or reverted payout becomes an operator's case with what
 * to do, never a second payment". Ethereum runs on anvil, the deposits are the sandbox's.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { fromBaseUnits } from '../../src/money/units.ts';
import { type Anvil, type Relay, startAnvil, startRelay } from '../support/anvil.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';

/** `PUSH0 PUSH0 REVERT`, with pushes that every EVM knows. */
const REVERTS = '0x60006000fd';

/** Of anvil's own accounts. */
const PAYER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

/** Addresses are made and registered before the first order, which takes long on a busy machine. */
const SETUP_MILLISECONDS = 300_000;

describe.skipIf(!isInstalled('anvil'))('a payout that cannot go on', () => {
	let anvil: Anvil;
	let relay: Relay;
	let service: TestService;
	let partner: Credentials;
	let hot = '';

	beforeAll(async () => {
		anvil = await startAnvil({ chainId: TEST_CHAIN_ID, automine: false });
		relay = await startRelay(anvil.url);
		service = await startTestService({ NODE_URL_ETHEREUM: relay.url, NODE_POLL_SECONDS_ETHEREUM: '1' });
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		await takeBeyondReserve(service, 'ETH');
		await eventually('orders to be taken', async () => (await create(service, partner)).code === 0, 200_000);
		hot = await service.hotAddress('Ethereum');
		await anvil.rpc('anvil_setBalance', hot, `0x${(10n ** 19n).toString(16)}`);
	}, SETUP_MILLISECONDS);
	afterAll(async () => {
		await service?.local.stop();
		await Promise.all([relay?.stop(), anvil?.stop()]);
		if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	async function paidOrder(toAddress: string): Promise<CreatedOrder> {
		const { data: order, text } = await create(service, partner, { toAddress });
		expect(order?.id, text).toBeTruthy();
		await service.operator('sandbox/deposit', { orders: [order.id] });
		return order;
	}

	const payout = async ({ id }: CreatedOrder) => {
		const [row] = await service.sql<{ state: string; blocked: string | null; tx_id: string | null; id: string }>(
			'SELECT id, state, blocked_kind AS blocked, tx_id FROM transactions WHERE order_id = ?',
			id,
		);
		return row;
	};
	const attention = async ({ id }: CreatedOrder): Promise<string[]> => {
		const listed = await service.operator<{ id: string; attention: string[] }[]>('order/list', { attention: true });
		return listed.find((order) => order.id === id)?.attention ?? [];
	};
	const look = ({ id }: CreatedOrder) =>
		service.sql('UPDATE transactions SET next_attempt_at = 0 WHERE order_id = ?', id);
	const balanceOf = async (address: string) => BigInt(String(await anvil.rpc('eth_getBalance', address, 'latest')));

	it('because the recipient reverts is blocked, with what to do, and is not sent again', async () => {
		const recipient = '0x00000000000000000000000000000000000c0de1';
		const order = await paidOrder(recipient);
		await untilStatus(service, partner, order, 'DONE', 40_000);
		const { tx_id: txId } = (await payout(order)) ?? {};
		// It accepted the payment in the simulation.
		await anvil.rpc('anvil_setCode', recipient, REVERTS);
		await anvil.mine(20);
		await look(order);
		await eventually('the payout to be blocked', async () => (await payout(order))?.blocked);
		expect(await attention(order)).toEqual([
			expect.stringMatching(
				`^the payout is blocked: the chain took it and reverted it .${txId}.*, pay the recipient by hand`,
			),
		]);
		await look(order);
		await new Promise((wait) => setTimeout(wait, 2_500));
		expect(await payout(order)).toMatchObject({ state: 'sent', tx_id: txId });
		expect(await balanceOf(recipient)).toBe(0n);
		expect(Number(await anvil.rpc('eth_getTransactionCount', hot, 'pending'))).toBe(1);

		const { id } = (await payout(order)) ?? {};
		const settled = {
			id,
			txId: `0x${'AB'.repeat(32)}`,
			reason: 'the recipient is a contract; paid to another address',
		};
		expect(await service.operator('payout/settle', settled)).toMatchObject({
			txId,
			settledTxId: `0x${'ab'.repeat(32)}`,
		});
		expect((await readOrder(service, partner, order)).to.tx.id).toBe(`0x${'ab'.repeat(32)}`);
		expect(await attention(order)).toEqual([]);
		const { wallets } = await service.operator<{ wallets: { asset: string; books: string }[] }>('ledger/check');
		const [{ fee } = { fee: '0' }] = await service.sql<{ fee: string }>(
			'SELECT fee FROM transactions WHERE id = ?',
			id,
		);
		// Nothing but the fee has left the wallet. Its ten coins are booked as reserve once enough blocks have shown them.
		const spent = -BigInt(fee);
		const books = [spent, spent + 10n ** 19n].map(
			(units) => `${units < 0n ? '-' : ''}${fromBaseUnits(units < 0n ? -units : units, 18)}`,
		);
		expect(books).toContain(wallets.find(({ asset }) => asset === 'ETH')?.books);
	});

	it('because another transaction used its nonce is blocked, and delays no later payout', async () => {
		relay.intercept(({ method }) =>
			method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'the node is busy' } } : undefined,
		);
		const [first, second] = [
			await paidOrder('0x00000000000000000000000000000000000c0de2'),
			await paidOrder('0x00000000000000000000000000000000000c0de3'),
		];
		const signed = async () => (await Promise.all([first, second].map(payout))).every((row) => row?.state === 'signed');
		await eventually('both payouts to be signed', signed, 40_000);

		// Somebody else who has the key spends the nonce of the first.
		await anvil.rpc('anvil_impersonateAccount', hot);
		const rival = await anvil.rpc('eth_sendTransaction', {
			from: hot,
			to: '0x00000000000000000000000000000000000c0de4',
			value: '0x1',
		});
		await anvil.mine(1);
		relay.intercept(() => undefined);
		for (const order of [first, second]) await look(order);
		await untilStatus(service, partner, second, 'DONE', 40_000);
		expect(await payout(first)).toMatchObject({ state: 'signed', blocked: null });
		// While that one may be undone, or may be a version that the journal has forgotten, nobody is asked to pay.
		expect(await attention(first)).toEqual([
			expect.stringMatching(`^the payout waits .*another transaction .${rival}. took its coins or its nonce`),
		]);
		await anvil.mine(100);
		await look(first);
		await eventually('the payout to be blocked', async () => (await payout(first))?.blocked === 'taken');
		expect(await attention(first)).toEqual([
			expect.stringMatching(
				`^the payout is blocked: another transaction .${rival}. took its coins or its nonce.*, pay the recipient by hand`,
			),
		]);
		// Neither is it broadcast as another transaction, nor does the one behind it wait in later polls.
		// The same entry beside a payout that arrived does not make anyone pay it again.
		const { id: arrived } = (await payout(second)) ?? {};
		await service.sql(
			`UPDATE transactions SET blocked_kind = 'taken', blocked_facts = '{"message":"","txId":null}' WHERE id = ?`,
			arrived,
		);
		const settled = service.operator('payout/settle', { id: arrived, txId: 'by-hand', reason: 'it says so' });
		await expect(settled).rejects.toThrow('the chain has');
		const third = await paidOrder('0x00000000000000000000000000000000000c0de5');
		await untilStatus(service, partner, third, 'DONE', 40_000);
		await anvil.mine(1);
		expect(await balanceOf('0x00000000000000000000000000000000000c0de2')).toBe(0n);
		expect(await balanceOf('0x00000000000000000000000000000000000c0de5')).toBeGreaterThan(0n);
	});

	it('whose nonce its own later version used, which the journal has forgotten, has arrived', async () => {
		relay.intercept(({ method }) =>
			method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'the node is busy' } } : undefined,
		);
		const to = '0x00000000000000000000000000000000000c0de6';
		const order = await paidOrder(to);
		await eventually('the payout to be signed', async () => (await payout(order))?.state === 'signed', 40_000);
		const [{ amount } = { amount: '' }] = await service.sql<{ amount: string }>(
			'SELECT amount FROM transactions WHERE order_id = ?',
			order.id,
		);
		await anvil.rpc('anvil_impersonateAccount', hot);
		const value = `0x${BigInt(amount).toString(16)}`;
		const later = await anvil.rpc('eth_sendTransaction', { from: hot, to, value });
		await anvil.mine(100);
		relay.intercept(() => undefined);
		await look(order);
		await eventually('the later version to be followed', async () => {
			const { state, tx_id: txId } = (await payout(order)) ?? {};
			await look(order);
			return state === 'final' && txId === later;
		});
		await untilStatus(service, partner, order, 'DONE', 40_000);
		expect(await balanceOf(to)).toBe(BigInt(amount));
	});

	it('because the node refuses it is blocked with what to do, and is paid as soon as the node takes it', async () => {
		relay.intercept(({ method }) =>
			method === 'eth_sendRawTransaction'
				? { error: { code: -32000, message: 'insufficient funds for gas' } }
				: undefined,
		);
		const order = await paidOrder('0x00000000000000000000000000000000000c0de6');
		await eventually('the payout to be blocked', async () => (await payout(order))?.blocked, 40_000);
		expect(await attention(order)).toEqual([expect.stringMatching('fill the hot wallet if it lacks coins')]);
		relay.intercept(() => undefined);
		await look(order);
		await untilStatus(service, partner, order, 'DONE', 40_000);
		expect(await attention(order)).toEqual([]);
	});

	it('because the network has dropped it is shown after an hour, broadcast again unchanged, and arrives', async () => {
		const recipient = '0x00000000000000000000000000000000000c0de7';
		const order = await paidOrder(recipient);
		await untilStatus(service, partner, order, 'DONE', 40_000);
		const { tx_id: txId } = (await payout(order)) ?? {};
		relay.intercept(({ method }) =>
			method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'the node is busy' } } : undefined,
		);
		await anvil.rpc('anvil_dropTransaction', txId);
		await look(order);
		await eventually('the operator to be told', async () => (await attention(order)).length > 0);
		expect(await attention(order)).toEqual([
			expect.stringMatching(/^the payout waits since 20.*: neither chain nor mempool holds it; it is broadcast again/),
		]);
		await service.sql(
			'UPDATE transactions SET sent_at = sent_at - 3700000, next_attempt_at = 0 WHERE order_id = ?',
			order.id,
		);
		await eventually('the payout to be blocked', async () => (await payout(order))?.blocked);
		expect(await attention(order)).toEqual([
			expect.stringMatching(/^the payout is blocked: neither chain nor mempool holds it, 61 minutes after it was sent/),
		]);
		relay.intercept(() => undefined);
		await look(order);
		await eventually('it to be broadcast again', async () => anvil.rpc('eth_getTransactionByHash', txId));
		await anvil.mine(20);
		await look(order);
		await eventually('the payout to be final', async () => (await payout(order))?.state === 'final');
		expect(await payout(order)).toMatchObject({ tx_id: txId, blocked: null });
		expect(await balanceOf(recipient)).toBeGreaterThan(0n);
	});

	it('because no block takes it, or the node says nothing of it, asks for nothing but time, and arrives', async () => {
		const order = await paidOrder('0x00000000000000000000000000000000000c0ded');
		await untilStatus(service, partner, order, 'DONE', 40_000);
		const { tx_id: firstTxId } = (await payout(order)) ?? {};
		await service.sql(
			'UPDATE transactions SET sent_at = sent_at - 3700000, next_attempt_at = 0 WHERE order_id = ?',
			order.id,
		);
		// A version with a higher fee is made at once, and is not blocked until the chain was asked for it too.
		await eventually('the next version to be blocked', async () => {
			await look(order);
			const { blocked, tx_id: txId } = (await payout(order)) ?? {};
			return blocked === 'unconfirmed' && txId !== firstTxId;
		});
		expect(await attention(order)).toEqual([
			expect.stringContaining('it may still confirm and needs nothing but time'),
		]);
		// Each version of it.
		relay.intercept(({ method }) =>
			/^eth_getTransaction(Receipt|ByHash)$/.test(method)
				? { error: { code: -32000, message: 'missing trie node' } }
				: undefined,
		);
		const waits = async () => {
			await look(order);
			const [row] = await service.sql('SELECT waits_kind AS kind FROM transactions WHERE order_id = ?', order.id);
			return row?.['kind'] === 'depth-unknown';
		};
		await eventually('the depth to be unknown', waits);
		expect(await attention(order)).toEqual([expect.stringContaining('needs nothing but time')]);
		await anvil.mine(100);
		relay.intercept(() => undefined);
		await eventually('the payout to be final', async () => {
			await look(order);
			return (await payout(order))?.state === 'final';
		});
		expect(await attention(order)).toEqual([]);
	});

	it('because only an earlier journal had its bytes and another transaction took its nonce is paid by hand and closed as printed', async () => {
		const recipient = '0x00000000000000000000000000000000000c0dee';
		const order = await paidOrder(recipient);
		await untilStatus(service, partner, order, 'DONE', 40_000);
		const { tx_id: txId, id } = (await payout(order)) ?? {};
		// As `restored paid` books it; an hour later the chain has lost it.
		await service.sql(
			"UPDATE transactions SET raw = '', sent_at = sent_at - 3700000, next_attempt_at = 0 WHERE order_id = ?",
			order.id,
		);
		await anvil.rpc('anvil_dropTransaction', txId);
		await look(order);
		await eventually('the payout to be blocked', async () => (await payout(order))?.blocked === 'lost-without-bytes');
		const [told = ''] = await attention(order);
		expect(told).toMatch(/look in an explorer whether another transaction took its coins or its nonce/);
		expect(told).toContain(`\`payout settle ${id} --tx-id T --reason R\``);
		await anvil.rpc('anvil_impersonateAccount', hot);
		await anvil.rpc('eth_sendTransaction', { from: hot, to: recipient, value: '0x1' });
		const byHand = String(await anvil.rpc('eth_sendTransaction', { from: PAYER, to: recipient, value: '0x2' }));
		await anvil.mine(1);
		await service.operator('payout/settle', { id, txId: byHand, reason: 'its nonce is taken' });
		expect((await readOrder(service, partner, order)).to.tx.id).toBe(byHand);
		expect(await attention(order)).toEqual([]);
	});

	const giveUp = (id: string) => service.operator('payout/give-up', { id, reason: 'the recipient does not take it' });
	const refund = async (order: CreatedOrder) => {
		await service.operator('order/refund', { id: order.id });
		const view = await untilStatus(service, partner, order, 'EXPIRED', 40_000);
		expect(view.back.tx.id).toBeTruthy();
		expect(view.to.tx.id).toBeNull();
	};

	it('because its recipient does not take coins is given up and sent back, and is not paid when they take them later', async () => {
		const recipient = '0x00000000000000000000000000000000000c0de8';
		await anvil.rpc('anvil_setCode', recipient, REVERTS);
		const order = await paidOrder(recipient);
		await eventually('the payout to be blocked', async () => (await payout(order))?.blocked, 40_000);
		const { id = '' } = (await payout(order)) ?? {};
		expect(await attention(order)).toEqual([
			expect.stringMatching(`^the payout is blocked: .*revert.*; if it cannot be made: .payout give-up ${id}.`),
		]);
		await giveUp(id);
		await refund(order);
		await anvil.rpc('anvil_setCode', recipient, '0x');
		await look(order);
		await new Promise((wait) => setTimeout(wait, 2_500));
		expect(await balanceOf(recipient)).toBe(0n);
		const { unbalanced } = await service.operator<{ unbalanced: unknown[] }>('ledger/check');
		expect(unbalanced).toEqual([]);
	});

	/** Delays the node's answers to one method, for calls that name `about`, until the returned function is called. */
	function keepWaiting(method: string, about = '') {
		const { promise: letGo, resolve } = Promise.withResolvers<undefined>();
		const { promise: asked, resolve: note } = Promise.withResolvers<void>();
		relay.intercept((call) => {
			if (call.method !== method || !JSON.stringify(call.params).toLowerCase().includes(about)) return undefined;
			note();
			return letGo;
		});
		return {
			asked,
			letGo() {
				relay.intercept(() => undefined);
				resolve(undefined);
			},
		};
	}

	it('because it is given up while the signer is signing is not signed', async () => {
		const recipient = '0x00000000000000000000000000000000000c0de9';
		const nonces = await anvil.rpc('eth_getTransactionCount', hot, 'pending');
		const node = keepWaiting('eth_estimateGas', recipient);
		const order = await paidOrder(recipient);
		await node.asked;
		await giveUp(String((await payout(order))?.id));
		node.letGo();
		await eventually('the signer to refuse it', async () =>
			service.logged('payout_refused').some(({ reason }) => reason === 'it was given up: it is never signed'),
		);
		await refund(order);
		expect(await balanceOf(recipient)).toBe(0n);
		expect(await anvil.rpc('eth_getTransactionCount', hot, 'pending')).toBe(nonces);
	});

	it('is not given up once the signer has signed it, and is paid', async () => {
		const node = keepWaiting('eth_sendRawTransaction');
		const order = await paidOrder('0x00000000000000000000000000000000000c0dea');
		await node.asked;
		const { id = '', state } = (await payout(order)) ?? {};
		expect(state).toBe('signed');
		await expect(giveUp(id)).rejects.toThrow('is signed, so it may arrive, and is never given up');
		node.letGo();
		await untilStatus(service, partner, order, 'DONE', 40_000);
		await anvil.mine(1);
	});

	it('because the node is down when it is to be sent says so, and so does the payout that waits behind it', async () => {
		relay.intercept(({ method }) => {
			if (method === 'eth_sendRawTransaction') throw new Error('the node is down');
			return undefined;
		});
		const orders = [
			await paidOrder('0x00000000000000000000000000000000000c0deb'),
			await paidOrder('0x00000000000000000000000000000000000c0dec'),
		];
		const ids = new Map<string, string>();
		await eventually(
			'both to be signed and to say why they wait',
			async () => {
				for (const order of orders) {
					const why = (await attention(order))[0];
					if (why?.startsWith('the payout waits since')) ids.set(order.id, why);
				}
				return ids.size === 2;
			},
			40_000,
		);
		expect([...ids.values()].toSorted()).toEqual([
			expect.stringContaining('no node answered'),
			expect.stringMatching(/waits for [0-9a-f-]{36}, whose nonce comes first$/),
		]);
		relay.intercept(() => undefined);
		for (const order of orders) await look(order);
		for (const order of orders) await untilStatus(service, partner, order, 'DONE', 40_000);
		for (const order of orders) expect(await attention(order)).toEqual([]);
		await anvil.mine(1);
	});
});
