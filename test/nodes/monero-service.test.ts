/** Payouts of the real service on a real monerod and both wallets; the deposits are the sandbox's. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localSecrets } from '../../src/local/secrets.ts';
import { reorganise, XMR } from '../support/monero-wallets.ts';
import { type Monero, startMonero, startTamperer, type Tamperer, type Wallet } from '../support/monerod.ts';
import { isInstalled } from '../support/nodes.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { commandsOf } from '../support/printed-commands.ts';
import { restoredAfter } from '../support/restored.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';

const SETUP_MILLISECONDS = 300_000;
const PATIENCE = 180_000;
/** Above the minimum, and not what the order asks for. */
const ODD = '0.11';

describe.skipIf(!isInstalled('monerod') || !isInstalled('monero-wallet-rpc'))('a payout on Monero', () => {
	let monero: Monero;
	let view: Wallet;
	let walletRelay: Tamperer;
	let daemonRelay: Tamperer;
	let service: TestService;
	let partner: Credentials;
	let variables: Readonly<Record<string, string>>;

	beforeAll(async () => {
		const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-monero-'));
		const seed = mnemonicToSeedSync(localSecrets(folder).SEED);
		monero = await startMonero();
		const [viewOnly, cold] = await Promise.all([monero.viewOnlyWallet(seed), monero.coldWallet(seed)]);
		view = viewOnly;
		[walletRelay, daemonRelay] = await Promise.all([startTamperer(view.url), startTamperer(monero.daemonUrl)]);
		variables = {
			NODE_CHAIN_MONERO: 'regtest',
			NODE_POLL_SECONDS_MONERO: '1',
			NODE_URL_MONERO: daemonRelay.url,
			MONERO_WALLET_URL: walletRelay.url,
			MONERO_COLD_WALLET_URL: cold.url,
		};
		service = await startTestService(variables, folder);
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		await takeBeyondReserve(service, 'XMR');
		const hot = await service.hotAddress('Monero');
		for (let coins = 0; coins < 3; coins++) await monero.pay(hot, 5n * XMR);
		await monero.mine(12);
	}, SETUP_MILLISECONDS);
	afterAll(async () => {
		await service?.local.stop();
		await Promise.all([walletRelay?.stop(), daemonRelay?.stop()]);
		await monero?.stop();
		if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	async function paidOrder(toAddress: string, amount?: string): Promise<CreatedOrder> {
		const made = async () => {
			const { code, data } = await create(service, partner, { toCcy: 'XMR', toAddress });
			return code === 0 && data;
		};
		const order = await eventually('the order to be taken', made, PATIENCE);
		await service.operator('sandbox/deposit', { orders: [order.id], ...(amount && { amount }) });
		return order;
	}
	interface Waiting {
		readonly order: string;
		readonly onChain: string;
		readonly do: string;
	}
	interface Row {
		readonly id: string;
		readonly state: string;
		readonly tx_id: string;
		readonly amount: string;
		readonly waits_kind: string | null;
		readonly blocked_kind: string | null;
	}
	const payout = async ({ id }: CreatedOrder): Promise<Row | undefined> =>
		(await service.sql<Row>('SELECT * FROM transactions WHERE order_id = ?', id))[0];

	it(
		'that was signed while the nodes were down, and made unmineable by a reorganisation, arrives once, by itself',
		async () => {
			const down = { code: -38, message: 'no connection to daemon' };
			walletRelay.tamper({
				response: (_, { method }, answer) => (method === 'submit_transfer' ? { ...answer, error: down } : answer),
				request: (_, body) => (body.method === 'submit_transfer' ? { ...body, method: 'get_version' } : body),
			});
			daemonRelay.tamper({
				response: (path, _, answer) => (path === '/send_raw_transaction' ? { ...answer, status: 'BUSY' } : answer),
				request: (path, body) => (path === '/send_raw_transaction' ? { tx_as_hex: '00' } : body),
			});
			const to = await monero.recipient();
			const order = await paidOrder(to);
			const isSigned = async () => {
				const row = await payout(order);
				return row?.state === 'signed' && row;
			};
			const first = await eventually('the payout to be signed', isSigned, PATIENCE);
			expect(first.waits_kind ?? 'broadcast-failed').toBe('broadcast-failed');
			await reorganise(monero, view);
			walletRelay.tamper(null);
			daemonRelay.tamper(null);
			await service.sql('UPDATE transactions SET next_attempt_at = 0 WHERE order_id = ?', order.id);
			await untilStatus(service, partner, order, 'DONE', PATIENCE);
			const row = await payout(order);
			expect(row?.tx_id).not.toBe(first.tx_id);
			expect(row?.blocked_kind).toBeNull();
			await monero.mine(12);
			expect(await monero.received(to)).toBe(BigInt(first.amount));
			expect((await readOrder(service, partner, order)).to.tx.id).toBe(row?.tx_id);
		},
		2 * PATIENCE,
	);

	it(
		'of an order in EMERGENCY that was made after a backup is found in a restored one, booked by the printed command, and not made again',
		async () => {
			const [to, other] = [await monero.recipient(), await monero.recipient()];
			const [order, unpaid] = [await paidOrder(to, ODD), await paidOrder(other, ODD)];
			for (const each of [order, unpaid]) await untilStatus(service, partner, each, 'EMERGENCY', PATIENCE);
			let paid: Row | undefined;
			const old = service;
			service = await restoredAfter(
				old,
				async () => {
					const { id, token } = order;
					const chosen = await signed(old, partner, '/api/v1/emergency', { id, token, choice: 'EXCHANGE' });
					expect(chosen).toMatchObject({ code: 0 });
					await untilStatus(old, partner, order, 'DONE', PATIENCE);
					paid = await payout(order);
					await monero.mine(12);
				},
				variables,
			);
			const { json, refusal, run } = operatorOf(() => service);
			const show = async () => (await json<{ waiting: Waiting[] }>('restored', 'show')).waiting;
			// The wallet first makes five thousand addresses, which nobody has been shown.
			const isReady = async () => {
				const { status, stdout } = await run('restored', 'show', '--json');
				const found: Waiting[] = status === 0 ? JSON.parse(stdout).waiting : [];
				return found.every(({ onChain }) => !onChain.includes(' ')) && found.length === 2 && found;
			};
			const waiting = await eventually('both to be looked for', isReady, PATIENCE);
			const of = ({ id }: CreatedOrder) => waiting.find((each) => each.order === id);
			expect(of(unpaid)).toMatchObject({ onChain: 'nothing', do: `restored confirm ${unpaid.id}` });
			expect(of(order)?.onChain).toBe(paid?.tx_id);
			expect(await refusal('restored', 'confirm', order.id)).toContain(paid?.tx_id);
			expect(of(order)?.do).toContain(`restored paid ${order.id} --tx-id ${paid?.tx_id}`);
			await json('restored', 'paid', order.id, '--tx-id', paid?.tx_id ?? '', '--reason', 'sent after the backup');
			await untilStatus(service, partner, order, 'DONE', PATIENCE);
			expect((await readOrder(service, partner, order)).to.tx.id).toBe(paid?.tx_id);
			// A wallet that does not say what it sent: a person looks, and until they say so nothing is confirmed.
			const silent = { error: { code: -1, message: 'no list' } };
			walletRelay.tamper({ response: (_, { method }, answer) => (method === 'get_transfers' ? silent : answer) });
			const [unread] = await show();
			for (const { line } of commandsOf({ attention: [], waiting: unread ? [unread] : [] }))
				expect(await refusal(...line.split(' '))).toContain('Monero cannot tell');
			expect(unread?.do).toContain('`--looked`');
			await json('restored', 'confirm', unpaid.id, '--looked');
			walletRelay.tamper(null);
			expect(await show()).toEqual([]);
			expect(await monero.received(to)).toBe(BigInt(paid?.amount ?? 0));
			expect(await monero.received(other)).toBe(0n);
		},
		3 * PATIENCE,
	);
});
