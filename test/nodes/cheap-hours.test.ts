/**
 * Sweeps that wait for cheap hours, on a real EVM node (book: networks, "Sweeping"). Ethereum runs on anvil; the other
 * side of each order is the sandbox's.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hexOf } from '../support/ethereum.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, ETH_RECIPIENT, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually } from '../support/service.ts';
import { type SweptEthereum, startSweptEthereum } from '../support/swept-ethereum.ts';
import { tokenBalance } from '../support/tokens.ts';

const GWEI = 10n ** 9n;
const [CHEAP, DEAR] = [GWEI / 5n, 20n * GWEI];
const DAY = 86_400_000;

describe.skipIf(!isInstalled('anvil'))('a sweep', { timeout: 240_000 }, () => {
	let world: SweptEthereum;
	let partner: Credentials;

	beforeAll(async () => {
		world = await startSweptEthereum();
		partner = await createPartner(world.service, { weightPerMinute: 1_000_000 });
		await world.service.operator('asset/update', { code: 'USDTERC20', beyondReserve: true });
	}, 300_000);
	afterAll(() => world?.stop());

	/** One block at this base fee; the blocks after an empty one are cheaper by an eighth each. */
	async function mineAt(baseFee: bigint, blocks = 1): Promise<void> {
		for (let mined = 0; mined < blocks; mined++) {
			await world.anvil.rpc('anvil_setNextBlockBaseFeePerGas', hexOf(baseFee));
			await world.anvil.mine(1);
		}
	}

	/** As `eventually`; while it waits, blocks come at this base fee. */
	const onAndOn = <T>(what: string, baseFee: bigint, probe: () => Promise<T | false | undefined>): Promise<T> =>
		eventually(
			what,
			async () => {
				const found = await probe();
				if (!found) await mineAt(baseFee, 2);
				return found;
			},
			120_000,
		);

	const sweepsOf = ({ from }: CreatedOrder) =>
		world.service.sql<{ kind: string; state: string }>(
			"SELECT kind, state FROM transactions WHERE kind IN ('gas', 'sweep') AND pay_in_address = ? ORDER BY planned_at",
			from.address,
		);
	const waitOf = async ({ id }: CreatedOrder) =>
		(
			await world.service.sql<{ since: number | null; next: number }>(
				'SELECT waits_since AS since, next_attempt_at AS next FROM sweep_candidates WHERE order_id = ?',
				id,
			)
		)[0];
	const isSwept = async (order: CreatedOrder) =>
		(await sweepsOf(order)).some(({ kind, state }) => kind === 'sweep' && state === 'final');

	/** Paid and DONE at 20 gwei, where the agent has seen a fifth of one: its sweep waits. */
	async function waitingOrder(): Promise<CreatedOrder> {
		// At 20 gwei the least order is worth more than these.
		await mineAt(CHEAP);
		const order = await world.newOrder();
		await mineAt(DEAR);
		await world.pay(order);
		const wait = await onAndOn('the sweep to wait', DEAR, async () => {
			const found = await waitOf(order);
			return found?.since ? found : undefined;
		});
		expect(wait.next - Number(wait.since)).toBe(DAY);
		expect(await sweepsOf(order)).toEqual([]);
		return order;
	}

	it('waits while gas is dear, and goes with its gas as soon as it is cheap', async () => {
		const order = await waitingOrder();
		// Four polls are one round of planning; each is a second.
		const until = Date.now() + 10_000;
		await onAndOn('ten seconds to pass', DEAR, async () => Date.now() > until);
		expect(await sweepsOf(order)).toEqual([]);
		expect(await world.held(order)).toBe(300_000_000n);
		await onAndOn('the sweep to be final', CHEAP, () => isSwept(order));
		expect((await sweepsOf(order)).map(({ kind }) => kind)).toEqual(['gas', 'sweep']);
		expect(await world.held(order)).toBe(0n);
		await world.expectExactBooks();
	});

	it('goes at once, however dear, where an order needs its coins: that order does not wait', async () => {
		const order = await waitingOrder();
		const terms = {
			fromCcy: 'LTC',
			toCcy: 'USDTERC20',
			amount: '5.5',
			toAddress: ETH_RECIPIENT,
			refundAddress: LTC_REFUND,
		};
		// The hot wallet holds the 300 USDT of the first sweep, and owes more than it has.
		const { code, data } = await create(world.service, partner, terms);
		expect(code).toBe(0);
		await world.service.operator('sandbox/deposit', { orders: [data.id] });
		await onAndOn('the sweep to be final', DEAR, () => isSwept(order));
		await onAndOn(
			'the payout to arrive',
			DEAR,
			async () => (await tokenBalance(world.anvil, 'USDTERC20', ETH_RECIPIENT)) > 0n,
		);
		await untilStatus(world.service, partner, data, 'DONE');
	});

	it('goes after a day, however dear', async () => {
		const order = await waitingOrder();
		await world.service.sql(
			'UPDATE sweep_candidates SET waits_since = waits_since - ?2, next_attempt_at = next_attempt_at - ?2 WHERE order_id = ?1',
			order.id,
			DAY,
		);
		await onAndOn('the sweep to be final', DEAR, () => isSwept(order));
		expect(await world.held(order)).toBe(0n);
		await world.expectExactBooks();
	});
});
