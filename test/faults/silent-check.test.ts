/**
 * A difference between wallets and books is excused only by what transactions under way can explain, and only for a time.
 * Somebody who has the key of a hot wallet and writes D1 cannot silence the comparison with a row.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, serviceForFile } from '../support/service.ts';

const file = serviceForFile({});
const HOUR = 3_600_000;
const COIN = 100_000_000n;

interface Wallet {
	readonly asset: string;
	readonly result: string;
	readonly difference: string;
	readonly reason: string | null;
}

interface Check {
	readonly differences: number;
	readonly moving: number;
	readonly wallets: readonly Wallet[];
}

const sql = (statement: string, ...values: unknown[]) => file.current().sql(statement, ...values);
const check = () => file.current().operator<Check>('ledger/check');
const litecoin = async () => (await check()).wallets.find(({ asset }) => asset === 'LTC');

/** Coins leave the hot wallet, and nothing of ours knows it. */
const steal = (amount: bigint) =>
	file
		.current()
		.object<{ broadcast(payout: object): Promise<void> }>('SANDBOX_LEDGER', 'Litecoin')
		.broadcast({ txId: crypto.randomUUID(), asset: 'LTC', to: 'thief', amount: amount.toString(), fee: '0' });

/** A row of D1 that says that a transaction is under way. */
async function plant(state: 'signed' | 'sent', amount: bigint, signedAt: number, kind = 'withdrawal'): Promise<string> {
	const id = crypto.randomUUID();
	await sql(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at,
			next_attempt_at, raw, tx_id, signed_at, sent_at)
		 VALUES (?, ?, 'Litecoin', 'LTC', 'x', ?, 1, ?, ?, ?, '{}', ?, ?, ?)`,
		id,
		kind,
		amount.toString(),
		state,
		signedAt,
		Date.now() + 24 * HOUR,
		id,
		signedAt,
		state === 'sent' ? signedAt : null,
	);
	return id;
}

const remove = (id: string) => sql('DELETE FROM transactions WHERE id = ?', id);

beforeAll(() => eventually('the books to agree', async () => (await check()).differences === 0));

describe('a difference', () => {
	it('that a transaction under way explains is moving, up to its amount and its highest fee', async () => {
		const id = await plant('signed', 5n * COIN, Date.now());
		await steal(5n * COIN);
		expect(await litecoin()).toMatchObject({ result: 'moving', difference: '-5' });
		await steal(COIN / 20n);
		expect(await litecoin()).toMatchObject({ result: 'moving', difference: '-5.05' });
		await steal(COIN);
		expect(await litecoin()).toMatchObject({
			result: 'differs',
			difference: '-6.05',
			reason: 'transactions of our own explain -5.1 to 0',
		});
		await remove(id);
	});

	it('is explained for as long as its network needs, and no longer', async () => {
		const before = await litecoin();
		const young = await plant('signed', 10n * COIN, Date.now() - HOUR / 2);
		expect(await litecoin()).toMatchObject({ result: 'moving' });
		await remove(young);
		for (const at of [Date.now() - 3 * HOUR, Date.now() + 5 * HOUR]) {
			const id = await plant('signed', 10n * COIN, at);
			expect(await litecoin()).toMatchObject({ result: 'differs', difference: before?.difference });
			await remove(id);
		}
	});

	it('of a theft is reported while a planted transaction of one unit is under way, whatever the row says', async () => {
		await steal(50_000n * COIN);
		for (const kind of ['withdrawal', 'consolidation', 'earnings']) {
			const id = await plant('sent', 1n, Date.now(), kind);
			expect(await litecoin()).toMatchObject({ result: 'differs' });
			await remove(id);
		}
	});

	it('of a theft is an incident, also while a planted transaction is under way', async () => {
		await plant('sent', 1n, Date.now());
		for (let i = 0; i < 2; i++) {
			await sql('UPDATE periodic_checks SET due_at = 0');
			await file.current().local.runScheduled();
		}
		const incident = await eventually('the incident', async () => {
			const [row] = await sql("SELECT * FROM incidents WHERE kind = 'books-differ' AND subject = 'LTC'");
			return row;
		});
		expect(String(incident['detail'])).toContain('-50006.04999999');
	});
});
