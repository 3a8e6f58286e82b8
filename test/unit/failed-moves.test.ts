/** One poll of transactions that the chain took and reverted, on SQLite: what ends, what stays open, what it cost. */
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chains/port.ts';
import { advanceTransactions } from '../../src/treasury/transactions/advance.ts';
import type { TransactionContext } from '../../src/treasury/transactions/context.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';

const NOW = 1_800_000_000_000;
const BEFORE = NOW - 3_600_000;

/** A transaction that was sent, and what the chain says of it: `confirmations` deep, and it failed. */
async function polled(kind: 'gas' | 'sweep' | 'withdrawal', confirmations: number, blockedSince: number | null = null) {
	const { d1, run } = sqliteD1();
	const chain = {
		sequential: true,
		transactionDepth: async () => ({ confirmations, irreversible: false, height: 1, reverted: true, fee: 7n }),
	} as unknown as Chain;
	const ofAddress = kind === 'withdrawal' ? [null, null, null] : ['0xours', 7, 'USDTERC20'];
	run(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset,
			state, raw, tx_id, planned_at, signed_at, sent_at, next_attempt_at, final_at, fee, blocked_kind, blocked_facts)
		 VALUES ('it', ?, 'Ethereum', 'ETH', '0xto', '100', 1, ?, ?, ?, 'sent', 'raw', '0xtx', 0, 0, 0, 0, ?, ?, ?, ?)`,
		kind,
		...ofAddress,
		blockedSince,
		blockedSince && '7',
		...(blockedSince ? ['reverted', '{"txId":"0xtx"}'] : [null, null]),
	);
	const context = { db: drizzle(d1), network: 'Ethereum', chain, hotAddress: '0xhot', followMilliseconds: 1, now: NOW };
	await advanceTransactions(context as unknown as TransactionContext);
	const [row] = run('SELECT state, settled_tx_id, final_at, fee, blocked_kind, waits_kind FROM transactions');
	const flows = run('SELECT kind, moved_0 AS moved, fee_0 AS fee FROM wallet_flows WHERE "transactions" <> 0');
	return { row, flows };
}

describe('a transaction that the chain has reverted', () => {
	it.each(['gas', 'sweep'] as const)('%s: stays open until that is final, and nobody is called', async (kind) => {
		const { row, flows } = await polled(kind, 11);
		expect(row).toMatchObject({ state: 'sent', settled_tx_id: null, blocked_kind: null, waits_kind: 'move-failed' });
		expect(flows).toEqual([]);
	});

	it.each(['gas', 'sweep'] as const)('%s: ends then, has cost its fee and moved nothing', async (kind) => {
		const { row, flows } = await polled(kind, 12);
		expect(row).toMatchObject({ state: 'final', settled_tx_id: '0xtx', final_at: NOW, fee: '7', waits_kind: null });
		expect(flows).toEqual([{ kind, moved: 0, fee: 7 }]);
	});

	it.each(['gas', 'sweep'] as const)(
		'%s: ends too where an older version has blocked it, and costs no second fee',
		async (kind) => {
			const { row, flows } = await polled(kind, 12, BEFORE);
			expect(row).toMatchObject({ state: 'final', settled_tx_id: '0xtx', final_at: BEFORE, blocked_kind: null });
			expect(flows).toEqual([{ kind, moved: 0, fee: 7 }]);
		},
	);

	it('stays blocked for the operator where somebody waits for the coins', async () => {
		const { row, flows } = await polled('withdrawal', 12);
		expect(row).toMatchObject({ state: 'sent', settled_tx_id: null, final_at: NOW, blocked_kind: 'reverted' });
		expect(flows).toEqual([{ kind: 'withdrawal', moved: 0, fee: 7 }]);
	});
});
