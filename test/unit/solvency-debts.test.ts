/** The debts of a moment, by one row of each kind in the database (book: solvency, "The debts"). */
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, it } from 'vitest';
import { readDebts } from '../../src/treasury/solvency/debts.ts';
import { addOrders, addPartner } from '../support/database.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';

async function withOrder() {
	const { d1, run } = sqliteD1();
	await addPartner(run);
	await addOrders(run, { addresses: ['address'], expiresAt: 0, status: 'EXPIRED' });
	const [{ id = '' } = {}] = run('SELECT id FROM orders');
	const order = String(id);
	const deposit = (txId: string, amount: string, more: { state?: string; payout?: string; dust?: number } = {}) =>
		run(
			`INSERT INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, dust, payout_id, first_seen_at, last_seen_at)
			VALUES ('Ethereum', ?, '0', ?, 'address', 'ETH', ?, ?, ?, ?, 1, 1)`,
			txId,
			order,
			amount,
			more.state ?? 'final',
			more.dust ?? 0,
			more.payout ?? null,
		);
	const transaction = (
		transactionId: string,
		kind: string,
		amount: string,
		{ state, finalAt = null }: { readonly state: string; readonly finalAt?: number | null },
	) =>
		run(
			`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, raw, tx_id, sent_at,
				planned_at, next_attempt_at, final_at, settlement_seal, pay_in_address, pay_in_index, sweep_asset)
			VALUES (?1, ?2, ?3, 'Ethereum', 'ETH', 'to', ?4, 1, ?5, ?6, ?7, ?8, 1, 1, ?9, ?10, ?11, ?12, ?13)`,
			transactionId,
			['payout', 'refund'].includes(kind) ? order : null,
			kind,
			amount,
			state,
			state === 'planned' ? null : 'raw',
			state === 'planned' ? null : `tx ${transactionId}`,
			['sent', 'final'].includes(state) ? 1 : null,
			finalAt,
			['payout', 'refund'].includes(kind) ? 'seal' : null,
			...(kind === 'stray' ? ['address', 1, 'ETH'] : [null, null, null]),
		);
	const book = (account: string, amount: string, cause = 'settled') =>
		run(
			"INSERT INTO ledger_entries (order_id, cause, account, asset, amount, at) VALUES (?, ?, ?, 'ETH', ?, 1)",
			order,
			cause,
			account,
			amount,
		);
	const found = async () => {
		const read = await readDebts(drizzle(d1));
		return 'debts' in read
			? read.debts.map(({ creditor, id: of, amount }) => `${creditor} ${of === order ? 'it' : of} ${amount}`).toSorted()
			: read;
	};
	return { run, order, deposit, transaction, book, found };
}

describe('the debts of a moment', () => {
	it('are none where nothing came', async () => {
		expect(await (await withOrder()).found()).toEqual([]);
	});

	it('have final deposits that nothing pays for, dust too, and none that may vanish', async () => {
		const { deposit, found } = await withOrder();
		deposit('one', '100');
		deposit('dust', '7', { dust: 1 });
		deposit('seen', '1000', { state: 'seen' });
		expect(await found()).toEqual(['order it 107']);
	});

	it('have the deposits of a refund until it is sent', async () => {
		const { deposit, transaction, found, run } = await withOrder();
		transaction('refund', 'refund', '90', { state: 'planned' });
		deposit('one', '100', { payout: 'refund' });
		expect(await found()).toEqual(['order it 100']);
		run("UPDATE transactions SET state = 'sent', raw = 'raw', tx_id = 'tx', sent_at = 1");
		expect(await found()).toEqual([]);
	});

	it('have what a payout pays until it is sent, and the partner’s share of it', async () => {
		const { transaction, book, found } = await withOrder();
		transaction('payout', 'payout', '50', { state: 'planned' });
		for (const [account, amount] of [
			['market', '60'],
			['payable', '-50'],
			['partnerPending', '-3'],
			['housePending', '-7'],
		] as const)
			book(account, amount);
		expect(await found()).toEqual(['order it 50', 'partner partner 3']);
	});

	it('have a payout that its chain has refused for good, until it was made in another way', async () => {
		const { transaction, found, run } = await withOrder();
		transaction('payout', 'payout', '50', { state: 'sent', finalAt: 2 });
		expect(await found()).toEqual(['order it 50']);
		run("UPDATE transactions SET state = 'final', settled_tx_id = 'by hand'");
		expect(await found()).toEqual([]);
	});

	it('have strays until their return is sent', async () => {
		const { transaction, found, run, order } = await withOrder();
		run(
			`INSERT INTO strays (network, address, asset, order_id, counted, taken, is_listed, found_at, looked_at)
			VALUES ('Ethereum', 'address', 'ETH', ?, '30', '20', 0, 1, 1)`,
			order,
		);
		expect(await found()).toEqual(['order it 10']);
		transaction('return', 'stray', '18', { state: 'planned' });
		expect(await found()).toEqual(['order it 28']);
	});

	it('have what came from nobody, and what partners have earned', async () => {
		const { run, found } = await withOrder();
		run("INSERT INTO unattributed VALUES ('ETH', '40', '2', '1', 1)");
		run("INSERT INTO partner_dues VALUES ('partner', 'ETH', 0, 0, 0, -9)");
		run('INSERT INTO ledger_pieces (number) VALUES (99)');
		run("INSERT INTO ledger_balances (account, asset, piece, entries, limb_0) VALUES ('partner', 'ETH', 99, 1, -9)");
		expect(await found()).toEqual(['nobody  41', 'partner partner 9']);
	});

	it('are not known where the books have kept another sum', async () => {
		const { run, found } = await withOrder();
		run("INSERT INTO partner_dues VALUES ('partner', 'ETH', 0, 0, 0, -9)");
		expect(await found()).toEqual({ differing: [{ asset: 'ETH', debts: 9n, books: 0n }] });
	});
});
