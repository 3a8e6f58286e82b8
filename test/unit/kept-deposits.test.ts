/**
 * What triggers keep of deposits and of earnings: what it says
 * of pay-in addresses and of what partners are owed, and that `ledger check` finds it wrong whatever was tampered with.
 */
import { drizzle } from 'drizzle-orm/d1';
import { beforeAll, describe, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { unpaidOrders } from '../../src/treasury/earnings/store.ts';
import { proveBooks } from '../../src/treasury/ledger/check.ts';
import { openAddresses } from '../../src/treasury/sweeps/swept.ts';
import { addOrders, orderIdOf } from '../support/database.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';

const KEYS = keyRing({ SEAL_KEY: 'A'.repeat(43) }, 'SEAL_KEY');
const BOOKED_AT = Date.UTC(2026, 10, 1);
/** Larger than 64 bits, and such that limbs carry. */
const HUGE = 123_456_789_999_999_999_999_999_999_999n;
const NOTHING_WRONG = { unbalanced: [], differing: [], brokenSeals: [], flows: [], withoutPiece: [], wronglyPaid: [] };

const { d1, run } = sqliteD1();
const db = drizzle(d1);
const proven = () => proveBooks(db, KEYS, { now: BOOKED_AT + 3_600_000, fullFrom: 0 });

beforeAll(() => {
	run(`INSERT INTO partners (id, name, api_key, api_secret_sealed, webhook_secret_sealed, created_at, updated_at)
		VALUES ('partner', 'Partner', 'key', '', '', 0, 0)`);
});

describe('kept deposits', () => {
	/** Ids as the service makes them: the proofs go by their first characters. */
	const id = (i: number) => `${i.toString(16).padStart(2, '0')}000000-0000-4000-8000-000000000000`;
	const deposit = (i: number, state: string, amount: bigint, more = '') =>
		run(
			`INSERT INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, dust, first_seen_at, last_seen_at)
			VALUES ('Ethereum', ?1, '0', ?2, ?3, 'ETH', ?4, ?5, 0, 1, 1)`,
			`tx ${i}${more}`,
			id(i),
			`kept ${i}`,
			`${amount}`,
			state,
		);
	const sweep = (i: number, amount: bigint, fee: bigint, state = 'final') =>
		run(
			`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset,
				state, raw, tx_id, fee, planned_at, sent_at, final_at, next_attempt_at)
			VALUES (?1, 'sweep', 'Ethereum', 'ETH', 'hot', ?2, 0, ?3, ?4, 'ETH', ?5, 'raw', ?1, ?6, 2, 2, ?7, 2)`,
			`sweep ${i}`,
			`${amount}`,
			`kept ${i}`,
			i,
			state,
			`${fee}`,
			state === 'final' ? 2 : null,
		);
	async function opened() {
		const found = (await openAddresses(db, 'Ethereum', 'address', -1)).get('ETH');
		return { open: found?.open.map(({ address }) => address), remainder: found?.remainder };
	}

	beforeAll(async () => {
		const addresses = [3, 9, 250].map((i) => `kept ${i}`);
		await addOrders(run, { addresses, expiresAt: 0, status: 'EXPIRED' });
		for (const i of [3, 9, 250]) run('UPDATE orders SET id = ? WHERE pay_in_address = ?', id(i), `kept ${i}`);
	});

	it('leave at swept addresses what the sweeps did not take, and name the open ones', async () => {
		deposit(3, 'final', HUGE);
		deposit(9, 'seen', 40n);
		expect(await opened()).toEqual({ open: ['kept 3', 'kept 9'], remainder: 0n });
		run("UPDATE deposits SET payout_id = 'p' WHERE tx_id = 'tx 3'");
		sweep(3, HUGE - 100n, 60n, 'sent');
		// Under way: the chain is asked what is there.
		expect(await opened()).toEqual({ open: ['kept 3', 'kept 9'], remainder: 0n });
		run("UPDATE transactions SET state = 'final', final_at = 2 WHERE id = 'sweep 3'");
		expect(await opened()).toEqual({ open: ['kept 9'], remainder: 40n });
		// Something came late to the swept address, so it is open again, with all that it got and gave.
		deposit(3, 'seen', 5n, ' late');
		expect(await opened()).toEqual({ open: ['kept 3', 'kept 9'], remainder: 0n });
		run("UPDATE deposits SET state = 'gone' WHERE tx_id = 'tx 3 late'");
		expect(await opened()).toEqual({ open: ['kept 9'], remainder: 40n });
		expect(await openAddresses(db, 'Ethereum', null, Date.now())).toEqual(new Map());
	});

	it('stay the same when rows are deleted with their order', async () => {
		run('DELETE FROM deposits WHERE order_id = ?', id(3));
		run("DELETE FROM transactions WHERE id = 'sweep 3'");
		expect(await opened()).toEqual({ open: ['kept 9'], remainder: 40n });
		expect(await proven()).toMatchObject(NOTHING_WRONG);
	});

	it('are proven: a deposit or a sum that was changed past the triggers is found', async () => {
		deposit(250, 'final', 7n);
		run('UPDATE deposit_sums SET limb_0 = limb_0 + 1 WHERE part = ?', 'fa');
		expect((await proven()).differing).toMatchObject([{ asset: 'ETH', kept: 8n, found: 7n }]);
		run('UPDATE deposit_sums SET limb_0 = limb_0 - 1 WHERE part = ?', 'fa');
		expect(await proven()).toMatchObject(NOTHING_WRONG);
		run('DELETE FROM deposits');
	});
});

describe('unpaid earnings', () => {
	const earner = () => orderIdOf('Ethereum', 'NEW', 'earner');
	const unpaid = async () => (await unpaidOrders(db, 'partner')).map(({ orderId }) => orderId);

	it('are listed until a payout pays for them, and again when it is given up', async () => {
		await addOrders(run, { addresses: ['earner'], expiresAt: 0, status: 'NEW' });
		const add = (account: string, amount: string) =>
			run(`INSERT INTO ledger_entries VALUES (null, ?, 'paid', ?, 'XMR', ?, ?)`, earner(), account, amount, BOOKED_AT);
		add('partner', '-9');
		add('wallet', '9');
		expect(await unpaid()).toEqual([earner()]);
		run(`INSERT INTO partner_payouts (id, partner_id, asset, network, address, amount, usd_cents, order_count, planned_at)
			VALUES ('payout', 'partner', 'XMR', 'Monero', 'to', '9', 1, 1, 1)`);
		run("INSERT INTO partner_payout_orders VALUES (?, 'payout')", earner());
		expect(await unpaid()).toEqual([]);
		expect(await proven()).toMatchObject(NOTHING_WRONG);
		run('DELETE FROM partner_payout_orders');
		expect(await unpaid()).toEqual([earner()]);
	});

	it('are proven: an order that is wrongly listed, or not, is found', async () => {
		run('DELETE FROM unpaid_earnings WHERE order_id = ?', earner());
		expect((await proven()).wronglyPaid).toEqual([earner()]);
		run("INSERT INTO unpaid_earnings VALUES (?, 'partner', 1)", earner());
		expect(await proven()).toMatchObject(NOTHING_WRONG);
	});
});
