/**
 * Sweeps that fail on chain, on a real EVM node: they cost their fee and move nothing, are made again after a pause, and
 * after too many failures wait for the operator. Ethereum runs on anvil, the payouts are the sandbox's.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Remembered } from '../../src/ports/signer.ts';
import { isInstalled } from '../support/nodes.ts';
import type { CreatedOrder } from '../support/orders.ts';
import { eventually } from '../support/service.ts';
import {
	AMOUNT,
	DEEP,
	HOUR,
	type SweptEthereum,
	startSweptEthereum,
	TOKEN_CONTRACT,
} from '../support/swept-ethereum.ts';
import { call, callData, tokenBalance } from '../support/tokens.ts';

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

interface Vault {
	sign(network: string, ids: readonly string[], remembered: Remembered): Promise<Answer<unknown>>;
}

describe.skipIf(!isInstalled('anvil'))('a sweep that fails on chain', { timeout: 240_000 }, () => {
	let world: SweptEthereum;
	let anvil: SweptEthereum['anvil'];
	let service: SweptEthereum['service'];
	let onAndOn: SweptEthereum['onAndOn'];
	const wake = (order: CreatedOrder) => world.wake(order);
	const age = (order: CreatedOrder, milliseconds: number) => world.age(order, milliseconds);
	const held = (order: CreatedOrder) => world.held(order);

	beforeAll(async () => {
		world = await startSweptEthereum();
		({ anvil, service, onAndOn } = world);
	}, 300_000);
	afterAll(() => world?.stop());

	async function paidOrder(): Promise<CreatedOrder> {
		const order = await world.newOrder();
		await world.pay(order);
		return order;
	}

	/** The newest first. */
	const sweepsOf = ({ from }: CreatedOrder) =>
		service.sql<Row>(
			`SELECT id, state, tx_id, settled_tx_id, fee, blocked_kind, waits_kind FROM transactions
			 WHERE kind = 'sweep' AND asset = 'USDTERC20' AND pay_in_address = ? ORDER BY planned_at DESC`,
			from.address,
		);

	async function freeze({ from }: CreatedOrder, isFrozen: boolean): Promise<void> {
		await call(anvil, TOKEN_CONTRACT, callData.freeze(from.address, isFrozen));
		await anvil.mine(1);
	}

	/** The token freezes the address after the signer has simulated the sweep, and before a block takes it. */
	async function failOnce(order: CreatedOrder): Promise<Row> {
		world.relay.intercept(({ method, params }) =>
			method === 'eth_sendRawTransaction' && String(params[0]).includes(TOKEN_TRANSFER)
				? { error: { code: -32000, message: 'the node is busy' } }
				: undefined,
		);
		await onAndOn('the sweep to be signed', async () => {
			await wake(order);
			return (await sweepsOf(order))[0]?.state === 'signed';
		});
		await freeze(order, true);
		world.relay.intercept(() => undefined);
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

	it('costs its fee and moves nothing, and another one moves the coins after a pause', async () => {
		const order = await paidOrder();
		const first = await failOnce(order);
		expect(first).toMatchObject({ state: 'sent', blocked_kind: null, settled_tx_id: null });
		const failed = await settle(order);
		expect(failed).toMatchObject({ id: first.id, settled_tx_id: first.tx_id, waits_kind: null, blocked_kind: null });
		expect(BigInt(failed.fee ?? '0')).toBeGreaterThan(0n);
		expect(await held(order)).toBe(AMOUNT);
		await world.expectExactBooks();

		await expectNoPlan(order);
		await age(order, HOUR);
		const before = await tokenBalance(anvil, 'USDTERC20', world.hot);
		const second = await onAndOn('the second sweep to be final', async () => {
			await wake(order);
			const [sweep] = await sweepsOf(order);
			return sweep?.id !== first.id && sweep?.state === 'final' && sweep;
		});
		expect(second.settled_tx_id).toBeNull();
		expect(await held(order)).toBe(0n);
		expect((await tokenBalance(anvil, 'USDTERC20', world.hot)) - before).toBe(AMOUNT);
		await world.expectExactBooks();
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
		const named = async () => {
			// A judgement that began before the failures were old may have been written last.
			await service.sql('UPDATE sweep_candidates SET next_attempt_at = 0 WHERE order_id = ?', order.id);
			const waiting = await service.operator<{ area: string; subject: string; cause: string }[]>('attention');
			const rows = waiting.filter(({ subject }) => subject === order.id);
			return rows.length > 0 && rows;
		};
		// Blocks come here too: once an agent has seen the coin there, nothing more is swept until it has gone back.
		expect(await onAndOn('the operator to be told', named)).toMatchObject([
			{ area: 'incident', cause: expect.stringContaining('sweep-failing') },
		]);
		await world.expectExactBooks();

		// D1 says that all of it is long ago. The journal knows better.
		await age(order, 31 * 24 * HOUR);
		// Blocks come: the coin there, which the order did not ask for, is on its way back meanwhile.
		await onAndOn('the signer to refuse', async () => {
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
		// Blocks come here too: the next sweep waits for the return of the coin.
		await onAndOn('the signer to refuse again', async () => {
			await wake(order);
			return refusals() > before;
		});
		await service.sql("DELETE FROM transactions WHERE state = 'planned' AND pay_in_address = ?", order.from.address);
		await service.sql('UPDATE sweep_candidates SET retried_at = NULL WHERE order_id = ?', order.id);

		await expectNoPlan(order);
		await service.operator('order/sweep', { id: order.id, reason: 'the token lets it pay again' });
		const waiting = await service.operator<{ subject: string }[]>('attention');
		expect(waiting.filter(({ subject }) => subject === order.id)).toEqual([]);
		await onAndOn('the coins to be swept', async () => {
			await wake(order);
			return (await held(order)) === 0n;
		});
		await onAndOn('that sweep to be final', async () => {
			await wake(order);
			return (await sweepsOf(order))[0]?.state === 'final';
		});
		await world.expectExactBooks();
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
			id,
			forged,
		);
		const vault = service.object<Vault>('VAULT', 'vault');
		const judged = async () => (await vault.sign('Ethereum', [forged], { entries: 0, nextIndex: 0 })).answer;
		expect(await judged()).toMatchObject([{ refused: { kind: 'last-one-reverted' } }]);
		await anvil.mine(DEEP);
		expect(await judged()).toMatchObject([{ signed: { amount: AMOUNT } }]);
	});
});
