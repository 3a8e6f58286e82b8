/** A payment that was sent at a backup, and whose fee was bumped after it: D1 and journal know the earlier version alone. */
import { copyFileSync, cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { expect, inject, it } from 'vitest';
import { SIGNER_WORKER } from '../../src/local/workers.ts';
import { startRelay } from '../support/anvil.ts';
import { earn, paidTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { create, ETH_RECIPIENT, readOrder, untilStatus } from '../support/orders.ts';
import { createPartner } from '../support/partner.ts';
import { madeInRun } from '../support/run-folders.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import { SYSTEM_PROGRAM, solanaWallet } from '../support/solana-wallet.ts';
import { MIGRATED } from '../support/template.ts';
import { FINAL, payoutOf, startUtxoService } from '../support/utxo-service.ts';

/** A payment is bumped half an hour after it was sent. */
const SLOW_MILLISECONDS = 31 * 60_000;
const COIN = 1_000_000_000n;
/** The first signature, after the byte that counts them. */
const idOfWire = (wire: string): string => base58.encode(Buffer.from(wire, 'base64').subarray(1, 65));
const LEDGER = join('data/do', `${SIGNER_WORKER}-SandboxLedger`);

interface Row {
	readonly id: string;
	readonly state: string;
	readonly tx_id: string;
	readonly raw: string;
	readonly waits: string | null;
	readonly blocked: string | null;
}

interface Waiting {
	readonly subject: string;
	readonly cause: string;
	readonly todo: string;
}

/** The only one of its kind on the network. */
async function rowOf(service: TestService, kind: string, network = '%'): Promise<Row> {
	const rows = await service.sql<Row>(
		`SELECT id, state, tx_id, raw, waits_kind AS waits, blocked_kind AS blocked FROM transactions
		 WHERE kind = ? AND network LIKE ?`,
		kind,
		network,
	);
	const [row] = rows;
	if (!row || rows.length > 1) throw new Error(`${rows.length} rows are ${kind}`);
	return row;
}

/** A new service with the secrets and the sandbox of `before`, which has stopped, and with D1 and journal of the backup. */
async function restoredFrom(before: TestService, backup: string, vars: Readonly<Record<string, string>>) {
	const folder = mkdtempSync(join(inject('stateFolders'), 'state-'));
	cpSync(await madeInRun(MIGRATED), folder, { recursive: true });
	copyFileSync(join(before.stateDirectory, 'secrets.json'), join(folder, 'secrets.json'));
	cpSync(join(before.stateDirectory, LEDGER), join(folder, LEDGER), { recursive: true });
	const service = await startTestService(vars, folder);
	await operatorOf(() => service).json('restore', backup);
	return service;
}

it('is followed as its later version, which the restored journal has forgotten, and is never paid by hand', async () => {
	const world = await startUtxoService(['2', '2']);
	const { node, partner } = world;
	let { service } = world;
	const to = String(await node.rpc('getnewaddress', '', 'bech32'));
	const { order } = await payoutOf(world, to);
	const payout = () => rowOf(service, 'payout');
	const lookNow = () => service.sql('UPDATE transactions SET next_attempt_at = 0');
	const first = await eventually('the payout to be sent', async () => {
		const row = await payout();
		return row.state === 'sent' && row;
	});
	const backup = join(service.stateDirectory, 'backup');
	await operatorOf(() => service).json('backup', backup);
	await service.sql('UPDATE transactions SET sent_at = sent_at - ? WHERE order_id = ?', SLOW_MILLISECONDS, order.id);
	await lookNow();
	const bumped = await eventually('the fee to be bumped', async () => {
		const row = await payout();
		return row.tx_id !== first.tx_id && row;
	});
	await service.local.stop();
	await node.rpc('generateblock', world.refundAddress, [bumped.raw]);

	service = await restoredFrom(service, backup, {
		NODE_URL_LITECOIN: node.url,
		NODE_CHAIN_LITECOIN: 'regtest',
		NODE_POLL_SECONDS_LITECOIN: '1',
	});
	const { json, run } = operatorOf(() => service);
	await eventually('the service to see that its coins are taken', async () => (await payout()).waits === 'taken-by');
	expect(await payout()).toMatchObject({ state: 'sent', tx_id: first.tx_id, blocked: null });

	// Whatever is printed now leads to no second payment.
	const { id } = await payout();
	const attention = await service.operator<Waiting[]>('attention');
	const row = attention.find(({ subject }) => subject === id);
	expect(row?.cause).toContain(`another transaction (${bumped.tx_id}) took its coins`);
	expect(row?.todo).toMatch(/^`restored show`/);
	const { waiting } = await json<{ waiting: { order: string; onChain: string; do: string }[] }>('restored', 'show');
	expect(waiting).toMatchObject([{ order: order.id, onChain: bumped.tx_id }]);
	expect(waiting[0]?.do).toBe(`restored paid ${id} --tx-id ${bumped.tx_id} --reason R`);
	for (const command of [
		['payout', 'settle', id, '--tx-id', 'ab'.repeat(32), '--reason', 'paid it by hand'],
		['payout', 'give-up', id, '--reason', 'it has not arrived'],
		['order', 'refund', order.id],
		['restored', 'confirm', order.id],
	])
		expect((await run(...command)).status, command.join(' ')).not.toBe(0);

	await node.mine(FINAL);
	await lookNow();
	// The agent's book of coins is not in the backup: it was read again, from before the hot wallet's first coins.
	await eventually('the books to agree', async () => {
		const { wallets } = await service.operator<{ wallets: { asset: string; difference: string }[] }>('ledger/check');
		return wallets.find(({ asset }) => asset === 'LTC')?.difference === '0';
	});
	await eventually('the later version to be followed', async () => {
		await lookNow();
		const { state, tx_id: txId } = await payout();
		return state === 'final' && txId === bumped.tx_id;
	});
	expect(await readOrder(service, partner, order)).toMatchObject({ status: 'DONE', to: { tx: { id: bumped.tx_id } } });
	expect(String(await node.rpc('getreceivedbyaddress', to, 1))).toBe(order.to.amount);
	expect(await json('ledger', 'check')).toMatchObject({ differences: 0 });
	await world.stop();
	await service.local.stop();
}, 300_000);

it('where nothing but time ended the earlier version, waits for a person, who books the later one as it is printed', async () => {
	const node: SolanaNode = await startSolanaNode({ slotMilliseconds: 200, finalizedAfter: 8 });
	const relay = await startRelay(node.url);
	const vars = { NODE_URL_SOLANA: relay.url, NODE_CHAIN_SOLANA: 'regtest', NODE_POLL_SECONDS_SOLANA: '1' };
	let service = await startTestService(vars);
	node.place(await service.hotAddress('Solana'), { owner: SYSTEM_PROGRAM, lamports: 1_000n * COIN });
	const partner = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 200 });
	const [recipient, earner] = [await solanaWallet(node, COIN), await solanaWallet(node, COIN)];
	await paidTo(service, partner, earner.address, { asset: 'SOL' });
	const order = await eventually('orders to be taken', async () => {
		const { code, data } = await create(service, partner, { toCcy: 'SOL', toAddress: recipient.address });
		return code === 0 && data;
	});
	const [payout, earnings] = [() => rowOf(service, 'payout', 'Solana'), () => rowOf(service, 'earnings')];
	const lookNow = () => service.sql('UPDATE transactions SET next_attempt_at = 0');
	const paidAt = (address: string) => (node.accountOf(address)?.lamports ?? 0n) - COIN;
	const [paid, earned] = [() => paidAt(recipient.address), () => paidAt(earner.address)];
	await earn(service, partner, { toAddress: ETH_RECIPIENT });
	// The node accepts the first version of each payment and loses it.
	relay.intercept(({ method, params }) =>
		method === 'sendTransaction' ? { result: idOfWire(String(params[0])) } : undefined,
	);
	await service.operator('sandbox/deposit', { orders: [order.id] });
	await untilStatus(service, partner, order, 'DONE', 40_000);
	await operatorOf(() => service).json('earnings', 'pay-out', partner.id);
	await eventually('the earnings to be sent', async () => (await earnings()).state === 'sent');
	const [first, firstEarnings] = [await payout(), await earnings()];
	const backup = join(service.stateDirectory, 'backup');
	await operatorOf(() => service).json('backup', backup);
	node.advance(170);
	relay.intercept(() => undefined);
	await lookNow();
	const [later, laterEarnings] = await eventually('another version of each to arrive', async () => {
		await lookNow();
		const rows = [await payout(), await earnings()] as const;
		const areLater = rows[0].tx_id !== first.tx_id && rows[1].tx_id !== firstEarnings.tx_id;
		return areLater && paid() > 0n && earned() > 0n && rows;
	});
	const amounts = [paid(), earned()];
	await service.local.stop();

	service = await restoredFrom(service, backup, vars);
	const { json, refusal, run } = operatorOf(() => service);
	await eventually('the signer to refuse another version', async () => {
		await lookNow();
		const rows = [await payout(), await earnings()];
		return rows.every(({ waits }) => waits === 'fee-not-bumped');
	});
	const attention = await service.operator<Waiting[]>('attention');
	for (const { id } of [first, firstEarnings])
		expect(attention.find(({ subject }) => subject === id)?.todo).toMatch(/^`restored show`/);
	const { waiting } = await json<{ waiting: { order: string; onChain: string; do: string }[] }>('restored', 'show');
	expect(waiting).toMatchObject([
		{ order: order.id, onChain: later.tx_id },
		{ order: null, transaction: firstEarnings.id, do: 'restored confirm --own' },
	]);
	const words = String(waiting[0]?.do).split(' ');
	expect(words.slice(0, 2)).toEqual(['restored', 'paid']);
	expect((await run('restored', 'confirm', order.id)).status).not.toBe(0);
	await json(...words);
	// What belongs to no order is not confirmed either, and the refusal names the command that books it.
	const books = `restored paid ${firstEarnings.id} --tx-id ${laterEarnings.tx_id} --reason R`;
	expect(await refusal('restored', 'confirm', '--own')).toContain(`\`${books}\``);
	await json(...books.split(' '));
	await json('restored', 'confirm', '--own');
	await eventually('both to be final', async () => {
		await lookNow();
		const rows = [await payout(), await earnings()];
		const areLater = rows[0]?.tx_id === later.tx_id && rows[1]?.tx_id === laterEarnings.tx_id;
		return areLater && rows.every(({ state }) => state === 'final');
	});
	expect(await readOrder(service, partner, order)).toMatchObject({ status: 'DONE', to: { tx: { id: later.tx_id } } });
	expect([paid(), earned()]).toEqual(amounts);
	expect((await json<{ waiting: object[] }>('restored', 'show')).waiting).toEqual([]);
	await service.local.stop();
	await relay.stop();
	await node.stop();
}, 300_000);
