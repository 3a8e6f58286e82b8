/**
 * Who writes D1 writes rows of transactions too, and each lowers what the wallets should hold. The signer is asked whether
 * it has signed them, so a theft of that amount is not silent, whatever the row says and however old it claims to be.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { create, untilStatus } from '../support/orders.ts';
import { createPartner } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const file = serviceForFile({});
const COIN = 100_000_000n;
const YEAR = 365 * 24 * 3_600_000;
const AMOUNT = 3n * COIN;

interface Check {
	readonly differences: number;
	readonly asked: number;
	readonly older: number;
	readonly unasked: number;
	readonly unsigned: readonly { readonly transaction: string; readonly what: string }[];
	readonly wallets: readonly { readonly asset: string; readonly result: string }[];
}

const UNSIGNED = 'the signer has not signed it';
const OTHER_TERMS = 'the signer has signed it for another kind, network, asset or amount';

const sql = (statement: string, ...values: unknown[]) => file.current().sql(statement, ...values);
const check = (input: object = {}) => file.current().operator<Check>('ledger/check', input);
const litecoin = ({ wallets }: Check) => wallets.find(({ asset }) => asset === 'LTC')?.result;

const ledger = () => file.current().object<{ broadcast(payout: object): Promise<void> }>('SANDBOX_LEDGER', 'Litecoin');
const steal = (amount: bigint) =>
	ledger().broadcast({ txId: crypto.randomUUID(), asset: 'LTC', to: 'thief', amount: amount.toString(), fee: '0' });
/** Nothing of ours knows it either: the wallet and the books are even again. */
const giveBack = (id: string) => sql('DELETE FROM transactions WHERE id = ?', id);

interface Planted {
	readonly kind: string;
	readonly state: 'sent' | 'final';
	readonly at: number;
	readonly finalAt?: number;
	readonly fee?: string;
}

async function plant({ kind, state, at, finalAt, fee }: Planted, amount = AMOUNT): Promise<string> {
	const id = crypto.randomUUID();
	await sql(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at,
			next_attempt_at, raw, tx_id, signed_at, sent_at, final_at, fee)
		 VALUES (?1, ?2, 'Litecoin', 'LTC', 'x', ?3, 1, ?4, ?5, 9e15, '{}', ?1, ?5, ?5, ?6, ?7)`,
		id,
		kind,
		amount.toString(),
		state,
		at,
		finalAt ?? null,
		fee ?? null,
	);
	return id;
}

let payoutId: string;

beforeAll(async () => {
	const service = file.current();
	const partner = await createPartner(service);
	const { data: order } = await create(service, partner);
	await service.operator('sandbox/deposit', { orders: [order.id], amount: '2' });
	await untilStatus(service, partner, order, 'DONE');
	const [payout] = await sql("SELECT id FROM transactions WHERE kind = 'payout'");
	payoutId = String(payout?.['id']);
	await eventually('the books to agree', async () => (await check()).differences === 0);
});

describe('the signer', () => {
	it('knows every transaction of the service', async () => {
		const [signed] = await sql("SELECT count(*) AS number FROM transactions WHERE state <> 'planned'");
		const checked = await check({ full: true });
		expect(checked).toMatchObject({ differences: 0, unsigned: [], older: 0, unasked: 0 });
		expect(checked.asked).toBe(signed?.['number']);
	});
});

describe('a theft of the amount of', () => {
	const now = Date.now();
	const cases: readonly (readonly [string, Planted, object])[] = [
		['a planted sent withdrawal', { kind: 'withdrawal', state: 'sent', at: now }, {}],
		['a planted final withdrawal of today', { kind: 'withdrawal', state: 'final', at: now, finalAt: now }, {}],
		[
			'planted final earnings with an old date',
			{ kind: 'earnings', state: 'final', at: now - YEAR, finalAt: now - YEAR },
			{ full: true },
		],
		['planted final earnings without a date', { kind: 'earnings', state: 'final', at: now - YEAR }, { full: true }],
	];
	it.each(cases)('%s is no silence: the row is named, although the wallet agrees', async (_, planted, how) => {
		const before = litecoin(await check());
		const id = await plant(planted);
		await steal(AMOUNT);
		const found = await check(how);
		expect(litecoin(found)).toBe(before);
		expect(found.differences).toBeGreaterThan(0);
		expect(found.unsigned).toEqual([{ transaction: id, what: UNSIGNED }]);
		await giveBack(id);
		await steal(-AMOUNT);
	});

	it('a planted fee is no silence, also of a row that says that a person settled it', async () => {
		const id = await plant({ kind: 'withdrawal', state: 'final', at: now, finalAt: now, fee: AMOUNT.toString() }, 1n);
		await sql("UPDATE transactions SET settled_tx_id = 'by hand' WHERE id = ?", id);
		expect((await check()).unsigned).toEqual([
			{ transaction: id, what: 'its fee is more than the signer lets a transaction cost' },
		]);
		await sql("UPDATE transactions SET fee = '0' WHERE id = ?", id);
		expect((await check()).unsigned).toEqual([]);
		await giveBack(id);
	});
});

describe('a payout that the signer has signed', () => {
	it.each([
		['its amount is raised', "amount = amount || '0'", OTHER_TERMS],
		['it becomes a withdrawal', "kind = 'withdrawal', order_id = NULL, settlement_seal = NULL", OTHER_TERMS],
		['its asset is another', "asset = 'DASH'", OTHER_TERMS],
		[
			'it names another transaction',
			"tx_id = tx_id || 'x'",
			'its transaction id is none that the signer has signed for it',
		],
	])('is named when %s', async (_, change, what) => {
		const [row] = await sql(
			'SELECT kind, order_id, settlement_seal, amount, asset, tx_id FROM transactions WHERE id = ?',
			payoutId,
		);
		await sql(`UPDATE transactions SET ${change} WHERE id = ?`, payoutId);
		expect((await check()).unsigned).toEqual([{ transaction: payoutId, what }]);
		await sql(
			`UPDATE transactions SET kind = ?, order_id = ?, settlement_seal = ?, amount = ?, asset = ?, tx_id = ?
			 WHERE id = ?`,
			row?.['kind'],
			row?.['order_id'],
			row?.['settlement_seal'],
			row?.['amount'],
			row?.['asset'],
			row?.['tx_id'],
			payoutId,
		);
		expect((await check()).unsigned).toEqual([]);
	});
});

describe('the hourly check', () => {
	it('makes an incident of the first finding, which stays until a person clears it', async () => {
		const id = await plant({ kind: 'withdrawal', state: 'sent', at: Date.now() });
		await sql('UPDATE periodic_checks SET due_at = 0');
		await file.current().local.runScheduled();
		await giveBack(id);
		const attention = () => file.current().operator<{ subject: string; cause: string; todo: string }[]>('attention');
		const named = await eventually('the incident', async () =>
			(await attention()).find(({ cause }) => cause.startsWith('transaction-unsigned')),
		);
		expect(named.cause).toContain(`${id}: ${UNSIGNED}`);
		expect(named.todo).toContain('`alert clear transaction-unsigned transactions`');
	});
});
