/**
 * Sweeps that fail on chain, on a real EVM node: they cost their fee and move nothing, are made again after a pause, and
 * after too many failures wait for the operator. Ethereum runs on anvil, the payouts are the sandbox's.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { SIGNER_WORKER } from '../../src/local/workers.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { type Anvil, fill, type Relay, startAnvil, startRelay } from '../support/anvil.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { call, callData, installTokens, tokenBalance } from '../support/tokens.ts';

const PATIENCE_MILLISECONDS = 60_000;
const AMOUNT = toBaseUnits('300', 6);
/** Deep enough for every amount: anvil calls a block final that has 64 above it. */
const DEEP = 80;
const HOUR = 3_600_000;
/** The first bytes of a token's transfer: of all that is sent here, only sweeps are one. */
const TOKEN_TRANSFER = 'a9059cbb';

interface Row {
	readonly id: string;
	readonly state: string;
	readonly tx_id: string | null;
	readonly settled_tx_id: string | null;
	readonly fee: string | null;
	readonly blocked_kind: string | null;
	readonly waits_kind: string | null;
}

describe.skipIf(!isInstalled('anvil'))('a sweep that fails on chain', { timeout: 240_000 }, () => {
	let anvil: Anvil;
	let relay: Relay;
	let service: TestService;
	let partner: Credentials;
	let hot: string;
	let payer: string;

	beforeAll(async () => {
		anvil = await startAnvil({ chainId: TEST_CHAIN_ID, automine: false });
		await installTokens(anvil, 'Ethereum');
		relay = await startRelay(anvil.url);
		service = await startTestService({ NODE_URL_ETHEREUM: relay.url, NODE_POLL_SECONDS_ETHEREUM: '1' });
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		hot = await service.hotAddress('Ethereum');
		payer = await fill(anvil, hot);
		await onAndOn(
			'the reserve to be booked',
			async () => (await service.sql('SELECT * FROM reserve_entries')).length > 0,
		);
		await eventually('Ethereum to take orders', async () => (await newOrder()) !== null, PATIENCE_MILLISECONDS);
	}, 300_000);
	afterAll(async () => {
		await service?.local.stop();
		await Promise.all([relay?.stop(), anvil?.stop()]);
		if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	async function newOrder(): Promise<CreatedOrder | null> {
		const terms = { fromCcy: 'USDTERC20', toCcy: 'LTC', amount: '300', toAddress: LTC_REFUND, refundAddress: payer };
		const { code, data } = await create(service, partner, terms);
		return code === 0 ? data : null;
	}

	/** While it waits, blocks come. */
	const onAndOn = <T>(what: string, probe: () => Promise<T | null | undefined | false>, blocks = 2): Promise<T> =>
		eventually(
			what,
			async () => {
				const found = await probe();
				if (!found) await anvil.mine(blocks);
				return found;
			},
			PATIENCE_MILLISECONDS,
		);

	const contract = String(assetOf('USDTERC20').contract);

	async function paidOrder(): Promise<CreatedOrder> {
		const order = await eventually('an order', newOrder, PATIENCE_MILLISECONDS);
		await call(anvil, contract, callData.mint(order.from.address, AMOUNT));
		await anvil.mine(12);
		await untilStatus(service, partner, order, 'DONE', PATIENCE_MILLISECONDS);
		return order;
	}

	/** The newest first. */
	const sweepsOf = ({ from }: CreatedOrder) =>
		service.sql<Row>(
			`SELECT id, state, tx_id, settled_tx_id, fee, blocked_kind, waits_kind FROM transactions
			 WHERE kind = 'sweep' AND pay_in_address = ? ORDER BY planned_at DESC`,
			from.address,
		);

	/** Everything of the address is judged at the next poll. */
	async function wake({ id, from }: CreatedOrder): Promise<void> {
		await service.sql('UPDATE sweep_candidates SET next_attempt_at = 0 WHERE order_id = ?', id);
		await service.sql(
			"UPDATE transactions SET next_attempt_at = 0 WHERE state <> 'final' AND pay_in_address = ?",
			from.address,
		);
	}

	async function freeze({ from }: CreatedOrder, isFrozen: boolean): Promise<void> {
		await call(anvil, contract, callData.freeze(from.address, isFrozen));
		await anvil.mine(1);
	}

	/** The token freezes the address after the signer has simulated the sweep, and before a block takes it. */
	async function failOnce(order: CreatedOrder): Promise<Row> {
		relay.intercept(({ method, params }) =>
			method === 'eth_sendRawTransaction' && String(params[0]).includes(TOKEN_TRANSFER)
				? { error: { code: -32000, message: 'the node is busy' } }
				: undefined,
		);
		await onAndOn('the sweep to be signed', async () => {
			await wake(order);
			return (await sweepsOf(order))[0]?.state === 'signed';
		});
		await freeze(order, true);
		relay.intercept(() => undefined);
		return onAndOn(
			'the sweep to fail',
			async () => {
				await wake(order);
				const [sweep] = await sweepsOf(order);
				return (sweep?.waits_kind === 'move-failed' || sweep?.blocked_kind === 'reverted') && sweep;
			},
			1,
		);
	}

	/** The failure is deep enough, and the token lets the address pay again. */
	async function settle(order: CreatedOrder): Promise<Row> {
		await freeze(order, false);
		await anvil.mine(DEEP);
		return eventually('the failure to be final', async () => {
			await wake(order);
			const [sweep] = await sweepsOf(order);
			return sweep?.state === 'final' && sweep;
		});
	}

	/** As if so much time had passed since. */
	const age = ({ from }: CreatedOrder, milliseconds: number) =>
		service.sql(
			"UPDATE transactions SET final_at = final_at - ?2 WHERE kind = 'sweep' AND pay_in_address = ?1",
			...[from.address, milliseconds],
		);

	/** The candidate was judged, and no transaction was planned. */
	async function expectNoPlan(order: CreatedOrder): Promise<void> {
		const before = (await sweepsOf(order)).length;
		await service.sql('UPDATE sweep_candidates SET next_attempt_at = 0 WHERE order_id = ?', order.id);
		await eventually('the candidate to be judged', async () => {
			const [candidate] = await service.sql<{ at: number }>(
				'SELECT next_attempt_at AS at FROM sweep_candidates WHERE order_id = ?',
				order.id,
			);
			return candidate && candidate.at > 0;
		});
		expect(await sweepsOf(order)).toHaveLength(before);
	}

	async function expectExactBooks(): Promise<void> {
		const { wallets } = await service.operator<{ wallets: { asset: string }[] }>('ledger/check');
		const ours = wallets.filter(({ asset }) => asset === 'ETH' || asset === 'USDTERC20');
		expect(ours).toMatchObject(ours.map(({ asset }) => ({ asset, difference: '0', result: 'ok' })));
	}

	const held = ({ from }: CreatedOrder) => tokenBalance(anvil, 'USDTERC20', from.address);

	it('costs its fee and moves nothing, and another one moves the coins after a pause', async () => {
		const order = await paidOrder();
		const first = await failOnce(order);
		expect(first).toMatchObject({ state: 'sent', blocked_kind: null, settled_tx_id: null });
		const failed = await settle(order);
		expect(failed).toMatchObject({ id: first.id, settled_tx_id: first.tx_id, waits_kind: null, blocked_kind: null });
		expect(BigInt(failed.fee ?? '0')).toBeGreaterThan(0n);
		expect(await held(order)).toBe(AMOUNT);
		await expectExactBooks();

		await expectNoPlan(order);
		await age(order, HOUR);
		const before = await tokenBalance(anvil, 'USDTERC20', hot);
		const second = await onAndOn('the second sweep to be final', async () => {
			await wake(order);
			const [sweep] = await sweepsOf(order);
			return sweep?.id !== first.id && sweep?.state === 'final' && sweep;
		});
		expect(second.settled_tx_id).toBeNull();
		expect(await held(order)).toBe(0n);
		expect((await tokenBalance(anvil, 'USDTERC20', hot)) - before).toBe(AMOUNT);
		await expectExactBooks();
	});

	it('is made again a few times only: then the operator is told, and the signer counts for itself', async () => {
		const order = await paidOrder();
		await anvil.rpc('anvil_setBalance', order.from.address, '0xde0b6b3a7640000');
		for (let failures = 1; failures <= 5; failures++) {
			await failOnce(order);
			await settle(order);
			expect((await sweepsOf(order)).filter((each) => each.settled_tx_id !== null)).toHaveLength(failures);
			await age(order, 100 * HOUR);
		}
		await expectNoPlan(order);
		const waiting = await service.operator<{ area: string; subject: string; cause: string }[]>('attention');
		expect(waiting.filter(({ subject }) => subject === order.id)).toMatchObject([
			{ area: 'incident', cause: expect.stringContaining('sweep-failing') },
		]);
		await expectExactBooks();

		// D1 says that all of it is long ago. The journal knows better.
		await age(order, 31 * 24 * HOUR);
		await eventually('the signer to refuse', async () => {
			await wake(order);
			return service.logged('signing_refused').some(({ kind }) => kind === 'failed-too-often');
		});
		expect(await held(order)).toBe(AMOUNT);
		await age(order, -31 * 24 * HOUR);
		await expectOnlyTheOperatorRetries(order);
	});

	/** Who writes D1 alone gains nothing: the signer refuses until the operator's command has told it. */
	async function expectOnlyTheOperatorRetries(order: CreatedOrder): Promise<void> {
		const refusals = () => service.logged('signing_refused').filter(({ kind }) => kind === 'failed-too-often').length;
		await service.sql("DELETE FROM transactions WHERE state = 'planned' AND pay_in_address = ?", order.from.address);
		await service.sql('UPDATE sweep_candidates SET retried_at = 9000000000000 WHERE order_id = ?', order.id);
		const before = refusals();
		await eventually('the signer to refuse again', async () => {
			await wake(order);
			return refusals() > before;
		});
		await service.sql("DELETE FROM transactions WHERE state = 'planned' AND pay_in_address = ?", order.from.address);
		await service.sql('UPDATE sweep_candidates SET retried_at = NULL WHERE order_id = ?', order.id);

		await expectNoPlan(order);
		await service.operator('order/sweep', { id: order.id, reason: 'the token lets it pay again' });
		const waiting = await service.operator<{ subject: string }[]>('attention');
		expect(waiting.filter(({ subject }) => subject === order.id)).toEqual([]);
		await onAndOn('the coins to be swept', async () => (await held(order)) === 0n);
		await onAndOn('that sweep to be final', async () => {
			await wake(order);
			return (await sweepsOf(order))[0]?.state === 'final';
		});
		await expectExactBooks();
		const log = await service.operator<{ command: string }[]>('audit/list', { subject: order.id });
		expect(log).toMatchObject([
			{ command: 'order sweep', changes: { reason: 'the token lets it pay again', failures: 5 } },
		]);
		await expect(service.operator('order/sweep', { id: order.id, reason: 'once more' })).rejects.toThrow(
			'nothing is left to sweep',
		);
	}

	it('may not be followed by another one while a reorganisation can bring it back, whatever D1 says', async () => {
		const order = await paidOrder();
		await anvil.rpc('anvil_setBalance', order.from.address, '0xde0b6b3a7640000');
		const { id } = await failOnce(order);
		await service.operator('network/update', { name: 'Ethereum', send: false });
		await freeze(order, false);
		await service.sql("UPDATE transactions SET state = 'final', settled_tx_id = tx_id, final_at = 1 WHERE id = ?", id);
		const forged = crypto.randomUUID();
		await service.sql(
			`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset, state, planned_at, next_attempt_at)
			 SELECT ?2, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset, 'planned', 0, 9000000000000 FROM transactions WHERE id = ?1`,
			...[id, forged],
		);
		const vaults = await service.local.miniflare.getDurableObjectNamespace('VAULT', SIGNER_WORKER);
		const vault = vaults.get(vaults.idFromName('vault')) as unknown as {
			sign(network: string, ids: readonly string[]): Promise<{ signed?: object; refused?: object }[]>;
		};
		expect(await vault.sign('Ethereum', [forged])).toMatchObject([{ refused: { kind: 'last-one-reverted' } }]);
		await anvil.mine(DEEP);
		expect(await vault.sign('Ethereum', [forged])).toMatchObject([{ signed: { amount: AMOUNT } }]);
	});
});
