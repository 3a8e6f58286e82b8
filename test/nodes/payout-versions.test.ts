/**
 * A payout that no block takes, on the real service and a real node: it gets a fee bump, all its versions are one
 * payment, and a caller who abuses the signer can only spend fees ("never a second payment").
 */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { scriptOf } from '../../src/chains/utxo/address.ts';
import { utxoKeys } from '../../src/chains/utxo/keys.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import { signedTransaction } from '../../src/chains/utxo/transaction.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { refusalText } from '../../src/treasury/signer-refusal.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, readOrder } from '../support/orders.ts';
import { eventually } from '../support/service.ts';
import { FINAL, payoutOf, startUtxoService, type UtxoService } from '../support/utxo-service.ts';

/** Longer than a Litecoin payout may wait for a fee bump, also after the fifth, and shorter than four times that. */
const SLOW_MILLISECONDS = 31 * 60_000;

interface Row {
	readonly id: string;
	readonly state: string;
	readonly tx_id: string;
	readonly raw: string;
	readonly blocked_kind: string | null;
}

/** Addresses are made and registered before the first order, which takes long on a busy machine. */
const SETUP_MILLISECONDS = 300_000;

describe.skipIf(!isInstalled('litecoind'))('a payout that no block takes', () => {
	let world: UtxoService;
	let recipient = '';

	beforeAll(async () => {
		world = await startUtxoService(['2', '2', '2', '2', '2', '2']);
	}, SETUP_MILLISECONDS);
	afterAll(() => world?.stop());
	beforeEach(async () => {
		recipient = String(await world.node.rpc('getnewaddress', '', 'bech32'));
	});

	const payout = async ({ id }: CreatedOrder): Promise<Row> => {
		const [row] = await world.service.sql<Row>('SELECT * FROM transactions WHERE order_id = ?', id);
		if (!row) throw new Error('no payout');
		return row;
	};
	const older = (id: string) =>
		world.service.sql<{ tx_id: string; raw: string }>(
			'SELECT tx_id, raw FROM transaction_versions WHERE transaction_id = ? ORDER BY replaced_at',
			id,
		);
	const shownTxId = async (order: CreatedOrder) => (await readOrder(world.service, world.partner, order)).to.tx.id;
	const mempool = async () => (await world.node.rpc('getrawmempool')) as string[];
	const mineOnly = async (...raws: string[]) => world.node.rpc('generateblock', world.refundAddress, raws);
	const received = async () => toBaseUnits(String(await world.node.rpc('getreceivedbyaddress', recipient, 1)), 8);
	const feeOf = async (txId: string) => {
		const { fees } = (await world.node.rpc('getmempoolentry', txId)) as { fees: { base: string } };
		return toBaseUnits(fees.base, 8);
	};

	/** Makes the last version look as old as this. */
	async function age(order: CreatedOrder, milliseconds = SLOW_MILLISECONDS): Promise<void> {
		const { id } = await payout(order);
		await world.service.sql(
			'UPDATE transaction_versions SET replaced_at = replaced_at - ?2 WHERE transaction_id = ?1',
			id,
			milliseconds,
		);
		await world.service.sql(
			'UPDATE transactions SET sent_at = sent_at - ?2, next_attempt_at = 0 WHERE id = ?1',
			id,
			milliseconds,
		);
	}
	const lookAgain = ({ id }: CreatedOrder) =>
		world.service.sql('UPDATE transactions SET next_attempt_at = 0 WHERE order_id = ?', id);

	const untilRaised = (order: CreatedOrder, from: string) =>
		eventually(`the fee of ${from} to be raised`, async () => {
			const row = await payout(order);
			return row.tx_id !== from && (await shownTxId(order)) === row.tx_id && row;
		});

	it('gets two fee bumps, and the partner reads the newest version; no webhook follows', async () => {
		const { order, txId, amount } = await payoutOf(world, recipient);
		await mineOnly();
		await age(order);
		const second = await untilRaised(order, txId);
		expect(await mempool()).toEqual([second.tx_id]);
		await age(order);
		const third = await untilRaised(order, second.tx_id);
		expect(await mempool()).toEqual([third.tx_id]);
		expect((await older(third.id)).map(({ tx_id }) => tx_id)).toEqual([txId, second.tx_id]);

		const shown = await world.service.operator<{ payouts: { txId: string; replaced: { txId: string }[] }[] }>(
			'order/show',
			{ id: order.id },
		);
		expect(shown.payouts[0]?.replaced.map((version) => version.txId)).toEqual([txId, second.tx_id]);
		await world.node.mine(FINAL);
		await lookAgain(order);
		await eventually('the payout to be final', async () => (await payout(order)).state === 'final');
		expect(await shownTxId(order)).toBe(third.tx_id);
		expect(await received()).toBe(toBaseUnits(amount, 8));
		const told = world.receiver.received.filter(({ rawBody }) => rawBody.includes(order.id));
		expect(told).toHaveLength(3);
	});

	it('becomes an older version again when a miner took that one', async () => {
		const { order, txId, amount } = await payoutOf(world, recipient);
		const first = await payout(order);
		await age(order);
		const second = await untilRaised(order, txId);
		await mineOnly(first.raw);
		await lookAgain(order);
		await eventually('the older version to be named', async () => (await shownTxId(order)) === txId);
		expect(await payout(order)).toMatchObject({ tx_id: txId, raw: first.raw, blocked_kind: null });
		expect(await older(first.id)).toEqual([{ tx_id: second.tx_id, raw: second.raw }]);
		await world.node.mine(FINAL - 1);
		await lookAgain(order);
		await eventually('the payout to be final', async () => (await payout(order)).state === 'final');
		expect(await received()).toBe(toBaseUnits(amount, 8));
	});

	it('goes on after a crash between the signer’s record, ours, and the broadcast', async () => {
		const { order, txId } = await payoutOf(world, recipient);
		const { id } = await payout(order);
		// The signer has recorded a version, and the caller died before it was stored.
		const [outcome] = await world.bump([{ payoutId: id, txId }]);
		const replaced = outcome && 'replaced' in outcome ? outcome.replaced : { txId: '', raw: '' };
		expect(await mempool()).toContain(txId);
		await age(order);
		expect((await untilRaised(order, txId)).tx_id).toBe(replaced.txId);
		expect(await mempool()).not.toContain(txId);

		// The same, but the version was stored here as well: only the broadcast is missing.
		const [again] = await world.bump([{ payoutId: id, txId: replaced.txId }]);
		const next = again && 'replaced' in again ? again.replaced : { txId: '', raw: '' };
		await world.service.sql(
			'INSERT INTO transaction_versions VALUES (?1, ?2, ?3, ?4)',
			id,
			replaced.txId,
			replaced.raw,
			Date.now(),
		);
		await world.service.sql(
			'UPDATE transactions SET tx_id = ?2, raw = ?3, next_attempt_at = 0 WHERE id = ?1',
			id,
			next.txId,
			next.raw,
		);
		await eventually('the newest version to be broadcast', async () => (await mempool()).includes(next.txId));
		await lookAgain(order);
		await eventually('the partner to read it', async () => (await shownTxId(order)) === next.txId);
		await world.node.mine(1);
	});

	it('costs at most a bounded number of bounded fees when somebody abuses the signer', async () => {
		const { order, txId, amount } = await payoutOf(world, recipient);
		const { id } = await payout(order);
		const versions = [txId];
		const refusals: unknown[] = [];
		for (let calls = 0; calls < 12; calls++) {
			const [outcome] = await world.bump([{ payoutId: id, txId: versions.at(-1) ?? '' }]);
			if (outcome && 'replaced' in outcome) {
				versions.push(outcome.replaced.txId);
				await world.node.rpc('sendrawtransaction', outcome.replaced.raw, 0);
			} else if (outcome) refusals.push(refusalText(outcome.refused));
		}
		expect(versions).toHaveLength(1 + 5);
		expect(new Set(refusals)).toEqual(new Set(['the fee was bumped 5 times already']));
		expect(await mempool()).toEqual([versions.at(-1)]);
		// Six times the lowest rate for one input and two outputs, far below the ceiling.
		expect(await feeOf(versions.at(-1) ?? '')).toBeLessThan(3_000n);
		// Asked with an old version, or none at all, the signer answers with the newest and makes no other.
		for (const old of [txId, 'f'.repeat(64)]) {
			expect(await world.bump([{ payoutId: id, txId: old }])).toMatchObject([{ replaced: { txId: versions.at(-1) } }]);
		}
		expect(await world.bump([{ payoutId: crypto.randomUUID(), txId }])).toMatchObject([
			{ refused: { kind: 'bump-of-unknown-payment' } },
		]);
		// The agent, which has the newest version, is refused as well, and the operator reads why.
		const [newest] = await world.bump([{ payoutId: id, txId }]);
		const { raw = '' } = newest && 'replaced' in newest ? newest.replaced : {};
		await world.service.sql(
			'UPDATE transactions SET tx_id = ?2, raw = ?3 WHERE id = ?1',
			id,
			versions.at(-1) ?? '',
			raw,
		);
		await age(order);
		await lookAgain(order);
		await eventually('the refusal to be stored', async () => {
			const { payouts } = await world.service.operator<{ payouts: { waitsBecause: string | null }[] }>('order/show', {
				id: order.id,
			});
			return (
				payouts[0]?.waitsBecause ===
				'no block holds it, and no new version of it is signed: the fee was bumped 5 times already'
			);
		});
		await world.node.mine(1);
		expect(await received()).toBe(toBaseUnits(amount, 8));
	});

	it('is not replaced once it is in a block, nor by another payment, whatever D1 says', async () => {
		const { order, txId, amount } = await payoutOf(world, recipient);
		const attacker = String(await world.node.rpc('getnewaddress'));
		const { id } = await payout(order);
		await world.service.sql("UPDATE transactions SET to_address = ?2, amount = '1' WHERE id = ?1", id, attacker);
		const [outcome] = await world.bump([{ payoutId: id, txId }]);
		const raised = outcome && 'replaced' in outcome ? outcome.replaced : { txId: '', raw: '' };
		await world.node.rpc('sendrawtransaction', raised.raw, 0);
		await world.node.mine(1);
		expect(await received()).toBe(toBaseUnits(amount, 8));
		expect(String(await world.node.rpc('getreceivedbyaddress', attacker, 0))).toBe('0');
		expect(await world.bump([{ payoutId: id, txId: raised.txId }])).toEqual([
			{ payoutId: id, refused: { kind: 'bump-of-confirmed' } },
		]);
	});

	it('whose coins another transaction took is shown to the operator with what to do, and never paid again', async () => {
		const { node, service } = world;
		const { order, txId } = await payoutOf(world, recipient);
		const { id, raw } = await payout(order);
		const rival = await rivalOf(raw);
		await mineOnly(rival);
		expect(await mempool()).not.toContain(txId);
		await lookAgain(order);
		const blocked = await eventually('the payout to be blocked', async () => (await payout(order)).blocked_kind);
		expect(blocked).toBe('taken');
		const listed = await service.operator<{ id: string; attention: string[] }[]>('order/list', { attention: true });
		expect(listed.find((each) => each.id === order.id)?.attention).toEqual([
			expect.stringMatching(
				/^the payout is blocked: another transaction .* took its coins or its nonce .*, pay the recipient by hand/,
			),
		]);
		await age(order);
		await node.mine(1);
		await lookAgain(order);
		await eventually('another poll', async () => {
			const [row] = await service.sql<{ next_attempt_at: number }>(
				'SELECT next_attempt_at FROM transactions WHERE id = ?',
				id,
			);
			return Number(row?.next_attempt_at) > 0;
		});
		expect(await older(id)).toEqual([]);
		expect(await received()).toBe(0n);
	});

	/** Another transaction from the same coins of the hot wallet, as only its key can make it. */
	async function rivalOf(raw: string): Promise<string> {
		const { vin } = (await world.node.rpc('decoderawtransaction', raw)) as { vin: { txid: string; vout: number }[] };
		const params = utxoParams(NETWORKS.Litecoin, 'regtest');
		const key = utxoKeys(mnemonicToSeedSync(world.service.local.secrets.SEED), params).hot;
		const coins = vin.map(async ({ txid, vout }) => {
			const { value } = (await world.node.rpc('gettxout', txid, vout, false)) as { value: string | number };
			return { txId: txid, vout, amount: toBaseUnits(String(value), 8), key };
		});
		const script = scriptOf(world.refundAddress, params) ?? new Uint8Array();
		return signedTransaction(await Promise.all(coins), [{ script, amount: 1_000_000n }], true).raw;
	}
});
