/** One poll of a move whose nonce another transaction took, on SQLite: when it ends, and that nothing waits for it. */
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, it } from 'vitest';
import { BroadcastRejected, ChainUnavailable } from '../../src/chains/errors.ts';
import type { Chain, Overtaker } from '../../src/chains/port.ts';
import type { AskedSigner, OvertakenAnswer } from '../../src/ports/signer.ts';
import { advanceTransactions } from '../../src/treasury/transactions/advance.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';

const NOW = 1_800_000_000_000;
/** Deep enough for every amount. */
const FINAL: Overtaker = { txId: '0xother', confirmations: 1_000, irreversible: true, height: 1 };
const FRESH: Overtaker = { ...FINAL, confirmations: 1, irreversible: false };

interface World {
	/** What the agent's node says. */
	readonly found: Overtaker | null | Error;
	/** What the signer says. */
	readonly answer?: OvertakenAnswer | Error;
	readonly state?: 'signed' | 'sent';
	/** What the node says of its bytes; by default that another transaction took its nonce. */
	readonly rejection?: ConstructorParameters<typeof BroadcastRejected>[1];
}

/** Gas whose nonce is taken, and a withdrawal with the next nonce. */
async function polled({ found, answer, state = 'signed', rejection = { taken: true } }: World) {
	const { d1, run } = sqliteD1();
	const asked: unknown[] = [];
	const answerOf = <T>(value: T | Error | undefined): T => {
		if (value === undefined || value instanceof Error) throw value ?? new Error('not expected to be asked');
		return value;
	};
	const chain = {
		sequential: true,
		async broadcast(raw: string) {
			if (raw === 'gas') throw new BroadcastRejected('nonce too low', rejection);
		},
		transactionDepth: async () => null,
		overtaker: async () => answerOf(found),
	} as unknown as Chain;
	const signer = {
		async overtaken(_: string, move: object) {
			asked.push(move);
			return answerOf(answer);
		},
		bump: async () => [{ payoutId: 'gas', refused: { kind: 'may-still-confirm', detail: 'in 1 of 60 blocks' } }],
	} as unknown as AskedSigner;
	run(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset,
			state, raw, tx_id, planned_at, signed_at, sent_at, next_attempt_at)
		 VALUES ('gas', 'gas', 'Ethereum', 'ETH', '0xpayin', '100', 1, '0xpayin', 7, 'USDTERC20', ?, 'gas', '0xgas', 0, 1, ?, 0),
			('later', 'withdrawal', 'Ethereum', 'ETH', '0xown', '100', 1, NULL, NULL, NULL, 'signed', 'later', '0xlater', 0, 2, NULL, 0)`,
		state,
		state === 'sent' ? NOW - 60_000 : null,
	);
	const context = { db: drizzle(d1), network: 'Ethereum' as const, chain, hotAddress: '0xhot', signer, switches: null };
	await advanceTransactions({ ...context, followMilliseconds: 1, now: NOW });
	const [row] = run(
		`SELECT state, raw, settled_tx_id AS settled, fee, blocked_kind AS blocked, waits_kind AS waits, waits_facts AS facts
		 FROM transactions WHERE id = 'gas'`,
	);
	const [later] = run("SELECT state FROM transactions WHERE id = 'later'");
	const flows = run('SELECT moved_0 + fee_0 AS booked FROM wallet_flows WHERE kind = ?', 'gas');
	const facts = JSON.parse(String(row?.facts ?? 'null'));
	return { row: { ...row, facts }, later: later?.state, asked, booked: flows.filter(({ booked }) => booked !== 0) };
}

const WAITS = { settled: null, fee: null, waits: 'overtaken' };

describe.each(['signed', 'sent'] as const)('a move that was %s, and whose nonce another transaction took', (state) => {
	it('ends with nothing booked, once both nodes say that the other one is final', async () => {
		const { row, later, asked, booked } = await polled({ state, found: FINAL, answer: { isOvertaken: true } });
		expect(row).toMatchObject({ state: 'final', settled: '0xgas', fee: '0', blocked: null, waits: null });
		const terms = { asset: 'ETH', to: '0xpayin', amount: '100' };
		expect(asked).toEqual([{ payoutId: 'gas', raw: 'gas', from: '0xhot', terms, txId: '0xother' }]);
		expect([booked, later]).toEqual([[], 'sent']);
	});

	it.each<[string, World]>([
		['while the other one is not final on the agent’s node', { found: FRESH }],
		['while it is not final on the signer’s', { found: FINAL, answer: { isOvertaken: false } }],
		['while the signer does not answer, or is older', { found: FINAL, answer: new Error('no such method') }],
	])('waits, nobody is called, and nothing waits for it: %s', async (_, world) => {
		const { row, later } = await polled({ state, ...world });
		expect(row).toMatchObject({ ...WAITS, state, blocked: null });
		expect(later).toBe('sent');
	});

	it('waits, and nothing waits for it, while the node does not answer', async () => {
		const { row, later } = await polled({ state, found: new ChainUnavailable('busy') });
		expect(row).toMatchObject({ ...WAITS, state, blocked: null, facts: { txId: null } });
		expect(later).toBe('sent');
	});

	it('is shown to the operator where the node cannot tell which one took it', async () => {
		const { row, later } = await polled({ state, found: null });
		expect(row).toMatchObject({ ...WAITS, state, blocked: 'overtaken', facts: { txId: null } });
		expect(later).toBe('sent');
	});

	it('goes on to a new version where no block takes it as it is, unless what took its coins is final and one of its own', async () => {
		const rejection = { unminable: true };
		const asIs = { state, raw: 'gas', settled: null, blocked: null, waits: 'fee-not-bumped' };
		for (const world of [{ found: FINAL, answer: { isOvertaken: true } }, { found: null }, { found: FRESH }])
			expect((await polled({ state, rejection, ...world })).row).toMatchObject(asIs);
		const version = { raw: '', txId: '0xother' };
		const own = await polled({ state, rejection, found: FINAL, answer: { isOvertaken: false, version } });
		expect(own.row).toMatchObject({ raw: '', settled: null });
	});

	it('does not end where that was one of its own: D1 had lost a version, and has it again', async () => {
		const version = { raw: 'bumped', txId: '0xother' };
		const { row } = await polled({ state, found: FINAL, answer: { isOvertaken: false, version } });
		expect(row).toMatchObject({ state, raw: 'bumped', settled: null });
	});
});
