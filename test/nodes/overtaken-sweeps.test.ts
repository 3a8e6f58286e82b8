/**
 * Moves between our own wallets whose nonce another transaction took, on a real EVM node: they end as failed, once that
 * transaction is final on the nodes of the agents Worker and of the signer, and another one follows. Ethereum runs on anvil, the payouts are the
 * sandbox's.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Interception } from '../support/anvil.ts';
import { isInstalled } from '../support/nodes.ts';
import type { CreatedOrder } from '../support/orders.ts';
import { AMOUNT, DEEP, HOUR, type SweptEthereum, startSweptEthereum } from '../support/swept-ethereum.ts';

interface Row {
	readonly id: string;
	readonly kind: string;
	readonly state: string;
	readonly tx_id: string | null;
	readonly settled_tx_id: string | null;
	readonly fee: string | null;
	readonly blocked_kind: string | null;
	readonly waits_kind: string | null;
	readonly waits_facts: string | null;
}

interface Taken {
	readonly order: CreatedOrder;
	readonly move: Row;
	/** The transaction that took its nonce. */
	readonly by: string;
}

describe.skipIf(!isInstalled('anvil'))('a move whose nonce another transaction took', { timeout: 240_000 }, () => {
	let world: SweptEthereum;
	let anvil: SweptEthereum['anvil'];
	let relay: SweptEthereum['relay'];
	let signerRelay: SweptEthereum['relay'];
	let service: SweptEthereum['service'];
	let onAndOn: SweptEthereum['onAndOn'];
	const wake = (order: CreatedOrder) => world.wake(order);
	const held = (order: CreatedOrder) => world.held(order);

	beforeAll(async () => {
		world = await startSweptEthereum({ signerApart: true });
		({ anvil, relay, signerRelay, service, onAndOn } = world);
	}, 300_000);
	afterAll(() => world?.stop());

	/** The newest first. */
	const movesOf = ({ from }: CreatedOrder) =>
		service.sql<Row>(
			`SELECT id, kind, state, tx_id, settled_tx_id, fee, blocked_kind, waits_kind, waits_facts FROM transactions
			 WHERE pay_in_address = ? ORDER BY planned_at DESC`,
			from.address,
		);

	/** The moves of the order, once the newest one is as it is waited for. */
	const untilMove = (order: CreatedOrder, what: string, is: (row: Row) => boolean, blocks = 0): Promise<Row> =>
		onAndOn(
			what,
			async () => {
				await wake(order);
				const [move] = await movesOf(order);
				return move && is(move) && move;
			},
			blocks,
		);

	/**
	 * An order whose gas, or whose sweep, was signed, and another transaction of the same account is in a block. `node`: how
	 * the agent's node answers from the first broadcast on that reaches it.
	 */
	async function takenFrom(kind: 'gas' | 'sweep', node: Interception = () => undefined): Promise<Taken> {
		const order = await world.newOrder();
		if (kind === 'sweep') await anvil.rpc('anvil_setBalance', order.from.address, '0xde0b6b3a7640000');
		refuseBroadcasts();
		await world.pay(order);
		const move = await untilMove(order, `the ${kind} to be signed`, (row) => row.state === 'signed', 2);
		expect(move.kind).toBe(kind);
		const account = kind === 'gas' ? world.hot : order.from.address;
		await anvil.rpc('anvil_impersonateAccount', account);
		const by = String(await anvil.rpc('eth_sendTransaction', { from: account, to: world.payer, value: '0x0' }));
		await anvil.mine(1);
		relay.intercept(node);
		return { order, move, by };
	}

	const refuseBroadcasts = () =>
		relay.intercept(({ method }) =>
			method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'the node is busy' } } : undefined,
		);

	const waitsFor = (by: string | null) => (row: Row) =>
		row.waits_kind === 'overtaken' && JSON.parse(row.waits_facts ?? '{}').txId === by;

	async function expectEnd({ order, move }: Taken): Promise<void> {
		const ended = await untilMove(order, 'it to end', ({ state }) => state === 'final');
		expect(ended).toMatchObject({ id: move.id, settled_tx_id: move.tx_id, fee: '0', blocked_kind: null });
		expect(await held(order)).toBe(AMOUNT);
		// Who took the nonce of the hot wallet paid with its coins.
		await world.expectExactBooks('USDTERC20');
	}

	/** And the move that follows an hour later and arrives. */
	async function expectEndAndAnother(taken: Taken): Promise<void> {
		const { order, move } = taken;
		await expectEnd(taken);
		await world.age(order, HOUR);
		await onAndOn('the coins to be swept', async () => {
			await wake(order);
			return (await held(order)) === 0n && (await movesOf(order)).every(({ state }) => state === 'final');
		});
		// Who took the nonce of the hot wallet paid with its coins.
		await world.expectExactBooks('USDTERC20');
		expect((await movesOf(order)).filter(({ id }) => id === move.id)).toMatchObject([{ settled_tx_id: move.tx_id }]);
	}

	it('waits until that transaction is final, and ends with nothing booked: a sweep', async () => {
		const taken = await takenFrom('sweep');
		await untilMove(taken.order, 'the other one to be found', waitsFor(taken.by));
		const waiting = await service.operator<{ subject: string; cause: string }[]>('attention');
		expect(waiting.filter(({ subject }) => subject === taken.move.id)).toMatchObject([
			{ cause: expect.stringContaining(taken.by) },
		]);
		await anvil.mine(DEEP);
		await expectEndAndAnother(taken);
		expect(service.logged('sweep_overtaken')).toMatchObject([{ payoutId: taken.move.id, by: taken.by }]);
	});

	it('waits until that transaction is final, and ends with nothing booked: gas', async () => {
		const taken = await takenFrom('gas');
		await untilMove(taken.order, 'the other one to be found', waitsFor(taken.by));
		await anvil.mine(DEEP);
		await expectEndAndAnother(taken);
	});

	it('does not end by the agent’s node alone: the signer looks at its own', async () => {
		const taken = await takenFrom('sweep');
		// A signer's node that lags: it shows no block as final, and few confirmations.
		const height = Number(await anvil.rpc('eth_blockNumber'));
		signerRelay.intercept(lagsAt(height));
		await anvil.mine(DEEP);
		const asked = signerRelay.calls.length;
		await untilMove(taken.order, 'the signer to be asked', (row) => {
			expect(row.state).toBe('signed');
			return signerRelay.calls.slice(asked).some(({ params }) => params[0] === taken.by);
		});
		await untilMove(taken.order, 'it to wait', waitsFor(taken.by));
		signerRelay.intercept(() => undefined);
		await expectEnd(taken);
	});

	const lagsAt =
		(height: number): Interception =>
		async ({ method, params }) => {
			if (method !== 'eth_getBlockByNumber' || (params[0] !== 'latest' && params[0] !== 'finalized')) return undefined;
			const number = params[0] === 'latest' ? height : 0;
			return { result: await anvil.rpc('eth_getBlockByNumber', `0x${number.toString(16)}`, params[1]) };
		};

	it('is closed by the operator where the node cannot tell which one it was, and only with the right one', async () => {
		let whileAsked = async (): Promise<unknown> => undefined;
		const taken = await takenFrom('sweep', async ({ method, params }) => {
			if (method !== 'eth_getTransactionCount' || !String(params[1]).startsWith('0x')) return undefined;
			await whileAsked();
			return { error: { code: -32000, message: 'missing trie node' } };
		});
		await anvil.mine(DEEP);
		const { order, move, by } = taken;
		await untilMove(order, 'nobody to be found', (row) => row.blocked_kind === 'overtaken');
		const attention = await service.operator<{ subject: string; cause: string }[]>('attention');
		expect(attention.filter(({ subject }) => subject === move.id)).toMatchObject([
			{ cause: expect.stringContaining('payout overtaken') },
		]);
		const stranger = String(
			await anvil.rpc('eth_sendTransaction', { from: world.payer, to: world.payer, value: '0x0' }),
		);
		await anvil.mine(DEEP);
		await service.operator('payout/overtaken', { id: move.id, txId: stranger, reason: 'a guess' });
		await untilMove(order, 'the wrong one to be refused', waitsFor(null));
		expect((await movesOf(order))[0]).toMatchObject({ state: 'signed', blocked_kind: 'overtaken' });
		// In the middle of a poll, which has read the row and finds nobody.
		const named = new Promise((done) => {
			whileAsked = async () => {
				whileAsked = async () => undefined;
				done(service.operator('payout/overtaken', { id: move.id, txId: by, reason: 'seen in an explorer' }));
				await named;
			};
		});
		await wake(order);
		await named;
		await untilMove(order, 'it to end', ({ state }) => state === 'final');
		relay.intercept(() => undefined);
		await expectEnd(taken);
	});
});
