/** The older volumes of the signer's journal: what was moved counts as if it had stayed. */
import { runInDurableObject } from 'cloudflare:test';
import { expect, it as test } from 'vitest';
import type { Reservation } from '../../src/chains/reservations.ts';
import { Journal, type NewSignature } from '../../src/signer/journal/journal.ts';
import { entriesOf } from '../../src/signer/journal/order-entries.ts';
import type { Movement } from '../../src/signer/journal/sweeps.ts';
import { Volumes, type VolumesMeans } from '../../src/signer/journal/volumes.ts';
import { bareObject, bindings } from './bindings.ts';

const DAY = 86_400_000;
const NOW = 1_800_000_000_000;
/** Everything is larger: each call moves all orders, and each volume is closed by what it takes first. */
const ALL = 1;

interface Opened {
	readonly storage: DurableObjectStorage;
	readonly journal: Journal;
	readonly volumes: Volumes;
	/** The same storage with another limit, or other means. */
	readonly again: (splitBytes: number, means?: Partial<VolumesMeans>) => Volumes;
}

/** The volumes of each test have names of their own. */
const named = (title: string, broken: (name: string) => void = () => undefined) => ({
	getByName: (name: string) => {
		broken(name);
		return bindings.JOURNAL_VOLUME.getByName(`${title} ${name}`);
	},
});

const it = (title: string, run: (opened: Opened) => Promise<void>) =>
	test(title, () =>
		bareObject(title).run(({ storage }) => {
			const journal = new Journal(storage);
			const JOURNAL_VOLUME = named(title) as unknown as VolumesMeans['env']['JOURNAL_VOLUME'];
			const means: VolumesMeans = { env: { JOURNAL_VOLUME }, closed: () => null, alone: (work) => work() };
			const again = (splitBytes: number, other: Partial<VolumesMeans> = {}) =>
				new Volumes(storage, { ...means, ...other }, splitBytes);
			return run({ storage, journal, volumes: again(ALL), again });
		}),
	);

/** What a stub has that ends with an error after, or before, the object has done it. */
const failing = (title: string, method: string, isDone: boolean): VolumesMeans['env'] => {
	const JOURNAL_VOLUME = {
		getByName: (name: string) => {
			const stub = bindings.JOURNAL_VOLUME.getByName(`${title} ${name}`) as unknown as Record<
				string,
				(...given: unknown[]) => unknown
			>;
			return new Proxy(stub, {
				get:
					(_, called: string) =>
					async (...given: unknown[]) => {
						const call = () => stub[called]?.(...given);
						if (called !== method) return call();
						if (isDone) await call();
						throw new Error('the answer is lost');
					},
			});
		},
	};
	return { JOURNAL_VOLUME: JOURNAL_VOLUME as unknown as VolumesMeans['env']['JOURNAL_VOLUME'] };
};

const coin = (letter: string): Reservation => ({ kind: 'coin', txId: letter.repeat(64), vout: 1 });

/** The payout of an order whose deposit came to its address. */
const payout = (order: string, more: Partial<NewSignature> = {}): NewSignature => ({
	payoutId: `payout of ${order}`,
	orderId: order,
	kind: 'payout',
	network: 'Ethereum',
	transaction: {
		raw: `raw of ${order}`,
		txId: `tx of ${order}`,
		fee: 1n,
		spends: [{ kind: 'nonce', account: null, nonce: Number(order) }],
	},
	payment: { id: `payout of ${order}`, asset: 'ETH', to: `0x${order}`, amount: 5n },
	fromNetwork: 'Litecoin',
	deposits: [{ txId: `deposit of ${order}`, position: '0', address: `ltc1${order}`, asset: 'LTC', amount: 7n }],
	day: '2027-01-15',
	usdCents: 100,
	now: NOW,
	...more,
});

const sweep = (order: string): Movement => ({
	id: `sweep of ${order}`,
	kind: 'sweep',
	network: 'Litecoin',
	address: `ltc1${order}`,
	asset: 'LTC',
	amount: 3n,
	raw: 'raw',
	txId: `sweep tx of ${order}`,
	at: NOW,
});

const moved = (volumes: Volumes) => volumes.all().map(({ orders, closedAt }) => [orders, closedAt !== null]);

it('an order that was moved is signed again by nobody: neither its payout, nor for its deposit, nor at its address', async ({
	journal,
	volumes,
}) => {
	journal.record(payout('1'));
	journal.sweeps.record(sweep('1'), []);
	await volumes.move();
	expect([journal.payoutOf('1'), journal.signatureOf('payout of 1'), journal.claimsAt('Litecoin', 'ltc11')]).toEqual([
		null,
		null,
		[],
	]);
	expect([journal.isSigned('tx of 1'), journal.isSigned('tx of 2')]).toEqual([true, false]);
	// A rule that brings nothing back cannot write.
	expect(() => journal.record(payout('1'))).toThrow('must be brought back');
	expect(() => journal.record({ ...payout('1'), payoutId: 'another id' })).toThrow('order 1 is in an older volume');
	expect(() => journal.record({ ...payout('2'), deposits: payout('1').deposits ?? [] })).toThrow(
		'address Litecoin ltc11',
	);
	expect(() => journal.sweeps.record({ ...sweep('1'), id: 'another sweep' }, [])).toThrow('address Litecoin ltc11');
	expect(() => journal.giveUp('another id', '1', NOW)).toThrow('order 1 is in an older volume');
	expect(() => journal.recordVersion({ ...payout('1'), version: 1 })).toThrow('payout of 1');
	expect(journal.entries.number()).toBe(2);
});

it('each of its names brings all entries of an order back, as they were', async ({ storage, journal, volumes }) => {
	const facts = () => [
		journal.payoutOf('1'),
		journal.signatureOf('payout of 1'),
		journal.versions.of('payout of 1'),
		journal.claimsAt('Litecoin', 'ltc11'),
		journal.addressOrders.paymentsFor('Litecoin', 'ltc11'),
		journal.addressOrders.isOfAnother('2', 'Litecoin', 'ltc11'),
		journal.sweeps.sweepsAt('Litecoin', 'ltc11'),
		journal.sweeps.movement('sweep of 1'),
		journal.earnings.earnedWith(['1']),
		journal.earnings.payersOf(['1']),
	];
	journal.record(
		payout('1', { also: () => journal.earnings.earned({ orderId: '1', partnerId: 'p', asset: 'ETH', amount: 9n }) }),
	);
	journal.sweeps.record(sweep('1'), [coin('c')]);
	journal.earnings.paidByHand('by hand', ['1']);
	const before = facts();
	expect(before.every(Boolean)).toBe(true);
	for (const name of [
		'payout payout of 1',
		'order 1',
		'address Litecoin ltc11',
		'payout sweep of 1',
		'earned 1',
	] as const) {
		await volumes.move();
		expect(storage.sql.exec('SELECT count(*) AS rows FROM signatures').one()).toEqual({ rows: 0 });
		expect(await volumes.bring(['order 2', name])).toBeNull();
		expect(facts()).toEqual(before);
		expect(storage.sql.exec('SELECT count(*) AS rows FROM moved').one()).toEqual({ rows: 0 });
	}
});

it('a full volume is closed, the next one is opened, and an order is found in either', async ({ journal, volumes }) => {
	for (const order of ['1', '2']) {
		journal.record(payout(order));
		await volumes.move();
	}
	// The second found the first one closed.
	await volumes.move();
	expect(moved(volumes)).toEqual([
		[1, true],
		[1, true],
	]);
	expect(await volumes.bring(['order 1', 'order 2'])).toBeNull();
	expect([journal.payoutOf('1'), journal.payoutOf('2')]).toEqual(['tx of 1', 'tx of 2']);
	expect(await volumes.ask(1, (volume) => volume.take([], { asked: 9, takes: 0, most: ALL }))).toMatchObject({
		hasTaken: false,
	});
});

it('what stays is what every rule still reads: caps, sums, the newest nonces, coins of a month, earnings that are owed', async ({
	journal,
	volumes,
	storage,
}) => {
	journal.record(
		payout('1', { also: () => journal.earnings.earned({ orderId: '1', partnerId: 'p', asset: 'ETH', amount: 9n }) }),
	);
	journal.record({
		...payout('2', { now: NOW + 40 * DAY }),
		transaction: { ...payout('2').transaction, spends: [coin('a')] },
		network: 'Bitcoin',
	});
	journal.record({
		...payout('3'),
		transaction: { ...payout('3').transaction, spends: [coin('b')] },
		network: 'Bitcoin',
	});
	await volumes.move();
	expect(moved(volumes)).toEqual([[3, true]]);
	expect(journal.days.signedOn('payout', '2027-01-15')).toBe(300);
	expect(journal.days.signedForDepositsOn('Litecoin', NOW - 1)).toBe(300);
	expect(journal.earnings.earnedWith(['1'])).toHaveLength(1);
	const spends = (network: 'Ethereum' | 'Bitcoin') => journal.spends({ network, payIn: null, now: Date.now() });
	expect([...spends('Ethereum')]).toEqual([{ kind: 'nonce', account: null, nonce: 1 }]);
	expect(storage.sql.exec("SELECT spend FROM spends WHERE network = 'Bitcoin'").toArray()).toHaveLength(2);
});

it('a coin of an order that was moved is spent by no other payment', async ({ journal, volumes, storage }) => {
	const spending = (order: string) => ({ ...payout(order).transaction, spends: [coin('a')] });
	journal.record({ ...payout('1'), network: 'Bitcoin', transaction: spending('1'), now: 0 });
	await volumes.move();
	expect(storage.sql.exec('SELECT 1 FROM spends').toArray()).toEqual([]);
	expect(() => journal.record({ ...payout('2'), network: 'Bitcoin', transaction: spending('2') })).toThrow(
		'spend Bitcoin aaaa',
	);
	expect(await volumes.bring(['order 1'])).toBeNull();
	expect(() => journal.record({ ...payout('2'), network: 'Bitcoin', transaction: spending('2') })).toThrow('UNIQUE');
});

it('a payment of several versions stays until one is final, because the coins of the others become free then', async ({
	journal,
	volumes,
}) => {
	journal.record({
		...payout('1'),
		network: 'Bitcoin',
		transaction: { ...payout('1').transaction, spends: [coin('a')] },
	});
	const bumped = { ...payout('1').transaction, txId: 'bumped', spends: [coin('a'), coin('b')] };
	journal.recordVersion({ ...payout('1'), network: 'Bitcoin', version: 1, transaction: bumped });
	await volumes.move();
	expect(journal.payoutOf('1')).toBe('bumped');
	journal.versions.decide('payout of 1', 'tx of 1', [coin('a')]);
	await volumes.move();
	expect(journal.payoutOf('1')).toBeNull();
	expect(await volumes.bring(['order 1'])).toBeNull();
	expect(journal.payoutOf('1')).toBe('tx of 1');
});

it('a move that breaks off at any step leaves every order where it was, and the next one ends it', async ({
	journal,
	again,
}) => {
	const title = 'a move that breaks off at any step leaves every order where it was, and the next one ends it';
	journal.record(payout('1'));
	for (const [method, isDone] of [
		['state', false],
		['take', false],
		['take', true],
	] as const) {
		await again(ALL, { env: failing(title, method, isDone) }).move();
		expect(journal.payoutOf('1')).toBe('tx of 1');
	}
	// Between two steps it was signed for once more: the volume's copy is older, and counts for nothing.
	journal.record({
		...payout('1'),
		payoutId: 'refund of 1',
		payment: null,
		kind: 'refund',
		deposits: [],
		transaction: { ...payout('9').transaction, spends: [] },
	});
	await again(ALL).move();
	expect(journal.payoutOf('1')).toBeNull();
	expect(await again(ALL).bring(['payout refund of 1'])).toBeNull();
	expect([journal.payoutOf('1'), journal.signatureOf('refund of 1')?.txId]).toEqual(['tx of 1', 'tx of 9']);
});

it('a volume that does not answer, or has lost what it took, lets nothing be signed', async ({
	journal,
	volumes,
	again,
}) => {
	const title = 'a volume that does not answer, or has lost what it took, lets nothing be signed';
	journal.record(payout('1'));
	await volumes.move();
	await expect(again(ALL, { env: failing(title, 'give', false) }).bring(['order 1'])).rejects.toThrow(
		'the answer is lost',
	);
	expect(await volumes.report()).toEqual([expect.objectContaining({ number: 1, orders: 1, problem: null })]);
	const stub = bindings.JOURNAL_VOLUME.getByName(`${title} journal-1`);
	await runInDurableObject(
		stub,
		(_, { storage }) => void storage.sql.exec('DELETE FROM signatures; DELETE FROM address_orders;'),
	);
	expect(await volumes.bring(['order 1'])).toEqual({ kind: 'journal-volume-lost', volume: 1 });
	await runInDurableObject(stub, (_, { storage }) => void storage.sql.exec('UPDATE entries SET number = 0'));
	expect(await volumes.bring(['order 1'])).toEqual({ kind: 'journal-volume-lost', volume: 1 });
	expect(() => journal.record(payout('1'))).toThrow('must be brought back');
	expect(await volumes.report()).toEqual([expect.objectContaining({ problem: 'it has lost what it took' })]);
});

it('a journal that was lost begins with a volume that has nothing', async ({ journal, volumes, storage }) => {
	journal.record(payout('1'));
	await volumes.move();
	storage.sql.exec('DELETE FROM volumes; DELETE FROM moved;');
	journal.record(payout('2'));
	await volumes.move();
	expect(volumes.all().map(({ number }) => number)).toEqual([2]);
});

it('nothing moves while a backup holds the journal', async ({ journal, volumes, again }) => {
	const held = again(ALL, { closed: () => ({ kind: 'held' }) });
	journal.record(payout('1'));
	await held.move();
	expect([journal.payoutOf('1'), volumes.all()]).toEqual(['tx of 1', []]);
	await volumes.move();
	expect(await held.bring(['order 1'])).toEqual({ kind: 'held' });
	expect(journal.payoutOf('1')).toBeNull();
});

it('a call that comes late, after entries of a later one, overwrites nothing', async ({ storage, journal }) => {
	const stub = bindings.JOURNAL_VOLUME.getByName('a call that comes late');
	journal.record(payout('1'));
	const late = entriesOf(storage.sql, '1');
	const refund = { ...payout('1'), payoutId: 'refund of 1', kind: 'refund', payment: null, deposits: [] } as const;
	journal.record({ ...refund, transaction: { ...payout('9').transaction, spends: [] } });
	const newer = entriesOf(storage.sql, '1');
	const call = { takes: 0, most: 1e9 };
	expect(await stub.take([newer], { ...call, asked: 2 })).toMatchObject({ hasTaken: true, takes: 2 });
	expect(await stub.take([late], { ...call, asked: 1 })).toMatchObject({ hasTaken: false, takes: 2 });
	expect((await stub.give(['order 1'])).orders).toEqual([newer]);
});

it('a journal that was set back goes on with its volume', async ({ storage, journal, again }) => {
	const volumes = again(ALL, {});
	journal.record(payout('1'));
	await volumes.move();
	storage.sql.exec('UPDATE volumes SET asked = 0, takes = 0, closed_at = NULL');
	journal.record(payout('2'));
	await volumes.move();
	expect(await volumes.bring(['order 1', 'order 2'])).toBeNull();
	expect([journal.payoutOf('1'), journal.payoutOf('2')]).toEqual(['tx of 1', 'tx of 2']);
});
