/** One poll of a network's transactions, on SQLite: what goes on where something before it fails. */
import { drizzle } from 'drizzle-orm/d1';
import { describe, expect, it } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import { BroadcastRejected, ChainUnavailable } from '../../src/chains/errors.ts';
import type { Chain } from '../../src/chains/port.ts';
import type { AskedSigner } from '../../src/ports/signer.ts';
import { advanceTransactions } from '../../src/treasury/transactions/advance.ts';
import { isDead } from '../../src/treasury/transactions/blocked.ts';
import type { TransactionContext } from '../../src/treasury/transactions/context.ts';
import { findTransaction, insertPlanned } from '../../src/treasury/transactions/store.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';

const NOW = 1_800_000_000_000;
const FOLLOW_MILLISECONDS = 30_000;

/** Withdrawals on Ethereum, whose transactions wait for each other. `known`: ids that the chain has. */
async function world(known: readonly string[] = []) {
	const { d1, run } = sqliteD1();
	const db = drizzle(d1);
	const asked: string[] = [];
	const broadcast: string[] = [];
	const chain = {
		sequential: true,
		async broadcast(raw: string) {
			asked.push(raw);
			if (raw === '') throw new Error('no bytes');
			broadcast.push(raw);
		},
		async transactionDepth(txId: string) {
			if (!known.includes(txId)) return null;
			return { confirmations: 1, irreversible: false, height: 1, reverted: false, fee: 0n };
		},
	} as unknown as Chain;
	const signer = {
		async sign() {
			throw new Error('the signer is down');
		},
	} as unknown as AskedSigner;
	const context: TransactionContext = {
		db,
		network: 'Ethereum',
		chain,
		hotAddress: '0xhot',
		signer,
		switches: null,
		followMilliseconds: FOLLOW_MILLISECONDS,
		now: NOW,
	};
	const plan = (id: AssetId) => {
		const what = { id, kind: 'withdrawal', network: 'Ethereum', asset: id, toAddress: '0xown' } as const;
		return insertPlanned(db, { ...what, amount: '1', usdCents: 1 }, NOW).run();
	};
	let signedAt = NOW - 1_000;
	const sign = async (id: AssetId, raw: string) => {
		await plan(id);
		run(
			"UPDATE transactions SET state = 'signed', raw = ?, tx_id = ?, signed_at = ? WHERE id = ?",
			raw,
			`tx of ${id}`,
			signedAt++,
			id,
		);
	};
	const states = () =>
		Object.fromEntries(run('SELECT id, state FROM transactions').map(({ id, state }) => [id, state]));
	return { context, plan, sign, states, run, asked, broadcast };
}

describe('a transaction that an earlier journal signed, without bytes here', () => {
	it('is sent once the chain shows it, and is never broadcast', async () => {
		const { context, sign, states, broadcast } = await world(['tx of ETH']);
		await sign('ETH', '');
		await sign('USDTERC20', 'later');
		await advanceTransactions(context);
		expect(states()).toEqual({ ETH: 'sent', USDTERC20: 'sent' });
		expect(broadcast).toEqual(['later']);
	});

	it('waits while the chain does not show it, and nothing waits for it', async () => {
		const { context, sign, states, run, broadcast } = await world();
		await sign('ETH', '');
		await sign('USDTERC20', 'later');
		await advanceTransactions(context);
		expect(states()).toEqual({ ETH: 'signed', USDTERC20: 'sent' });
		expect(broadcast).toEqual(['later']);
		expect(run("SELECT waits_kind, blocked_kind FROM transactions WHERE id = 'ETH'")).toEqual([
			{ waits_kind: 'depth-unknown', blocked_kind: null },
		]);
	});
});

describe('a transaction without bytes here that was sent, and that chain and mempool have dropped', () => {
	const HOUR = 3_600_000;

	async function dropped(known: readonly string[], sentAt: number) {
		const made = await world(known);
		await made.sign('ETH', '');
		made.run("UPDATE transactions SET state = 'sent', sent_at = ?", sentAt);
		await advanceTransactions(made.context);
		const [row] = made.run('SELECT state, waits_kind AS waits, blocked_kind AS blocked FROM transactions');
		return { ...made, row };
	}

	it('is looked for, and nothing is broadcast', async () => {
		const { row, asked } = await dropped([], NOW - HOUR);
		expect(row).toEqual({ state: 'sent', waits: 'dropped', blocked: null });
		expect(asked).toEqual([]);
	});

	it('is blocked for the operator after an hour, who may close it with a payment by hand', async () => {
		const { row, asked, context } = await dropped([], NOW - HOUR - 1);
		expect(row).toEqual({ state: 'sent', waits: 'lost-without-bytes', blocked: 'lost-without-bytes' });
		expect(asked).toEqual([]);
		const stored = await findTransaction(context.db, 'ETH');
		expect(stored && isDead(stored)).toBe(true);
	});

	it('goes on once the chain has it again', async () => {
		const { row } = await dropped(['tx of ETH'], NOW - HOUR - 1);
		expect(row).toEqual({ state: 'sent', waits: null, blocked: null });
	});
});

it('a transaction with bytes that was dropped is broadcast again, and may not be closed by hand', async () => {
	const { context, sign, run, broadcast } = await world();
	await sign('ETH', 'bytes');
	run("UPDATE transactions SET state = 'sent', sent_at = 1");
	await advanceTransactions(context);
	expect(broadcast).toEqual(['bytes']);
	const stored = await findTransaction(context.db, 'ETH');
	expect([stored?.blockedKind, stored && isDead(stored)]).toEqual(['lost', false]);
});

it('what was signed first is broadcast first, although an answer of the signer was lost and it was stored last', async () => {
	const { context, sign, states, broadcast } = await world();
	await sign('ETH', '1');
	await sign('USDTERC20', '0');
	let next = 0;
	const chain: Pick<Chain, 'broadcast' | 'nonceOf'> = {
		nonceOf: Number,
		broadcast: async (raw) => {
			if (Number(raw) > next) throw new ChainUnavailable('one before it is missing');
			next++;
			broadcast.push(raw);
		},
	};
	await advanceTransactions({ ...context, chain: { ...context.chain, ...chain } });
	expect(broadcast).toEqual(['0', '1']);
	expect(states()).toEqual({ ETH: 'sent', USDTERC20: 'sent' });
});

it('bytes that are no transaction delay no other', async () => {
	const { context, sign, states, run } = await world();
	await sign('ETH', 'changed by somebody');
	await sign('USDTERC20', '0');
	const nonceOf = (raw: string) => {
		if (raw !== '0') throw new BroadcastRejected('these bytes are no transaction of ours');
		return 0;
	};
	const broadcast = async (raw: string) => void nonceOf(raw);
	await advanceTransactions({ ...context, chain: { ...context.chain, nonceOf, broadcast } });
	expect(states()).toEqual({ ETH: 'signed', USDTERC20: 'sent' });
	expect(run("SELECT blocked_kind AS kind FROM transactions WHERE id = 'ETH'")).toEqual([{ kind: 'rejected' }]);
});

describe('while the signer fails', () => {
	it('what is signed is broadcast, what is sent is followed, and the failure is thrown', async () => {
		const { context, plan, sign, states, run, broadcast } = await world(['tx of ETH']);
		await sign('ETH', 'earlier');
		run("UPDATE transactions SET state = 'sent', sent_at = signed_at WHERE id = 'ETH'");
		await sign('USDTERC20', 'signed');
		await plan('USDCERC20');
		await expect(advanceTransactions(context)).rejects.toThrow('the signer is down');
		expect(states()).toEqual({ ETH: 'sent', USDTERC20: 'sent', USDCERC20: 'planned' });
		expect(broadcast).toEqual(['signed']);
		const [followed] = run("SELECT next_attempt_at AS next FROM transactions WHERE id = 'ETH'");
		expect(followed?.['next']).toBe(NOW + FOLLOW_MILLISECONDS);
	});
});
