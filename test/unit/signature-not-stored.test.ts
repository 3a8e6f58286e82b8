/** What the signer has signed and D1 does not take, on SQLite: the other transactions of the poll go on. */
import { drizzle } from 'drizzle-orm/d1';
import { expect, it } from 'vitest';
import type { Chain } from '../../src/chains/port.ts';
import type { AskedSigner } from '../../src/ports/signer.ts';
import { advanceTransactions } from '../../src/treasury/transactions/advance.ts';
import type { TransactionContext } from '../../src/treasury/transactions/context.ts';
import { insertPlanned } from '../../src/treasury/transactions/store.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const ADDRESS = { payInAddress: '0xours', payInIndex: 7, sweepAsset: 'ETH' } as const;

/** A sweep that is final, another one of its address, and a withdrawal. The signer answers both sweeps alike. */
async function world() {
	const { d1, run } = sqliteD1();
	const db = drizzle(d1);
	const what = { network: 'Ethereum', asset: 'ETH', toAddress: '0xto', amount: '1', usdCents: 1 } as const;
	await insertPlanned(db, { ...what, ...ADDRESS, id: 'first', kind: 'sweep' }, NOW).run();
	run("UPDATE transactions SET state = 'final', raw = 'old', tx_id = '0xold', sent_at = 1, final_at = 1");
	await insertPlanned(db, { ...what, ...ADDRESS, id: 'next', kind: 'sweep' }, NOW).run();
	await insertPlanned(db, { ...what, id: 'paid', kind: 'withdrawal' }, NOW).run();
	const chain = { sequential: true, broadcast: async () => {}, transactionDepth: async () => null } as unknown as Chain;
	const signer = {
		sign: async (_: string, ids: readonly string[]) =>
			ids.map((payoutId) => ({
				payoutId,
				signed: payoutId === 'paid' ? { raw: 'new', txId: '0xnew' } : { raw: 'old', txId: '0xold', amount: 1n },
			})),
	} as unknown as AskedSigner;
	const context = {
		db,
		network: 'Ethereum',
		chain,
		hotAddress: '0xhot',
		signer,
		switches: null,
		followMilliseconds: 1,
	};
	const poll = (now: number) => advanceTransactions({ ...context, now } as unknown as TransactionContext);
	const rows = () => run('SELECT id, state, waits_kind AS waits FROM transactions ORDER BY id');
	return { poll, rows };
}

it('a signature that another row has already delays no other transaction', async () => {
	const { poll, rows } = await world();
	await poll(NOW);
	expect(rows()).toEqual([
		{ id: 'first', state: 'final', waits: null },
		{ id: 'next', state: 'planned', waits: 'signed-for-another' },
		{ id: 'paid', state: 'sent', waits: null },
	]);
});

it('a sweep that gets such signatures again and again is deleted, and planned again', async () => {
	const { poll, rows } = await world();
	for (let attempt = 0; attempt < 5; attempt++) await poll(NOW + attempt * HOUR);
	expect(rows().map(({ id }) => id)).toEqual(['first', 'paid']);
});
