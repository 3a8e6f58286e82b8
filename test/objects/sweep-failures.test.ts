/** How the signer counts sweeps of an address that failed on chain, and what the operator allows beside them. */
import { expect, it } from 'vitest';
import { Journal } from '../../src/signer/journal/journal.ts';
import { bareObject } from './bindings.ts';

const ADDRESS = '0x1111111111111111111111111111111111111111';
const MOVE = { kind: 'sweep', network: 'Ethereum', address: ADDRESS, asset: 'ETH', amount: 5n, raw: '0xraw' } as const;
const HOUR = 3_600_000;
const DAYS_30 = 30 * 24 * HOUR;
const NOW = 1_800_000_000_000;

/** A journal in which so many sweeps have failed, one an hour up to now. */
const journalWith = <T>(name: string, failures: number, use: (journal: Journal, storage: DurableObjectStorage) => T) =>
	bareObject(name).run(({ storage }) => {
		const journal = new Journal(storage);
		for (let i = 0; i < failures; i++) fail(journal, `0x${i}`, NOW - i * HOUR);
		return use(journal, storage);
	});

const fail = (journal: Journal, txId: string, at: number) => journal.sweeps.noteFailed({ ...MOVE, id: txId, txId, at });
const failures = ({ sweeps }: Journal, now = NOW) => sweeps.failures('Ethereum', ADDRESS, 'ETH', now);
const allow = ({ sweeps }: Journal, now = NOW) => sweeps.allowRetry('Ethereum', ADDRESS, 'ETH', now);

it('after five no further one is signed, and one more each time that the operator asks', async () => {
	const seen = await journalWith('asked', 5, (journal) => {
		const before = failures(journal);
		const allowed = allow(journal);
		const after = failures(journal);
		fail(journal, '0xsixth', NOW);
		return [before, allowed, after, failures(journal)];
	});
	const many = { areTooMany: true };
	expect(seen).toEqual([{ count: 5, ...many }, true, { count: 5, areTooMany: false }, { count: 6, ...many }]);
});

it('the operator may ask five times within 30 days', async () => {
	const answers = await journalWith('limit', 5, (journal) => [
		...[1, 2, 3, 4, 5, 6].map(() => allow(journal)),
		allow(journal, NOW + DAYS_30),
	]);
	expect(answers).toEqual([true, true, true, true, true, false, true]);
});

it('what is older than 30 days is forgotten where it is read', async () => {
	const kept = await journalWith('forgotten', 3, (journal, storage) => {
		allow(journal);
		const listed = () => [...storage.kv.list<unknown[]>({ prefix: '' })].map(([, list]) => list.length);
		const all = listed();
		failures(journal, NOW + DAYS_30 - HOUR);
		const some = listed();
		failures(journal, NOW + DAYS_30);
		return { all, some, none: listed(), count: failures(journal, NOW + DAYS_30).count };
	});
	expect(kept).toEqual({ all: [3, 1], some: [1, 1], none: [], count: 0 });
});
