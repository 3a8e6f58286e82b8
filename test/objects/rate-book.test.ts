/** The Durable Object of the market snapshot: what it keeps after a restart, and its alarm, which must never stop. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { beforeAll, expect, it } from 'vitest';
import { FEED_KEY } from '../../src/pricing/feed-reader.ts';
import type { NetworkReport } from '../../src/pricing/market.ts';
import { BARE_REPORT } from '../support/rows.ts';
import { bindings, migrate } from './bindings.ts';

const REFRESH_MILLISECONDS = 10_000;

beforeAll(migrate);

const bookNamed = (name: string) => bindings.RATE_BOOK.getByName(name);
const reportAt = (at: number): NetworkReport => ({
	...BARE_REPORT,
	at,
	fees: { LTC: '1000' },
	reserves: { LTC: '500000000' },
});

const alarmOf = (book: ReturnType<typeof bookNamed>): Promise<number | null> =>
	runInDurableObject(book, (_, { storage }) => storage.getAlarm());

it('answers with the last snapshot after a restart', async () => {
	const book = bookNamed('kept');
	const built = await book.market();
	expect([built.prices['BTC']?.usd, built.payoutCapUsd]).toEqual(['95000', 1_000]);
	await evictDurableObject(book);
	expect(await book.market()).toEqual(built);
});

it('takes concurrent reports of several networks, and keeps them all', async () => {
	const book = bookNamed('reports');
	const [litecoin, dash] = [reportAt(Date.now()), reportAt(Date.now() - 1)];
	await Promise.all([book.report('Litecoin', litecoin), book.report('Dash', dash)]);
	expect((await book.market()).networks).toEqual({ Litecoin: litecoin, Dash: dash });
	await evictDurableObject(book);
	expect((await book.market()).networks).toEqual({ Litecoin: litecoin, Dash: dash });
});

it('renders the feed with each snapshot while somebody reads it, and not before', async () => {
	const book = bookNamed('feed');
	await book.report('Litecoin', reportAt(Date.now()));
	const rendered = async (): Promise<boolean> => {
		await bindings.CACHE.delete(FEED_KEY);
		expect(await runDurableObjectAlarm(book)).toBe(true);
		return (await bindings.CACHE.get(FEED_KEY)) !== null;
	};
	expect(await rendered()).toBe(false);
	const { xml, at } = await book.feed();
	expect(xml).toContain('<rates>');
	expect((await book.feed()).at).toBe(at);
	expect(await rendered()).toBe(true);
	expect((await book.feed()).at).toBeGreaterThan(at);
});

it('renders the feed once for all who ask for it at the same time', async () => {
	const isOne = await runInDurableObject(bookNamed('asked at once'), async (book) => {
		const [one, other] = await Promise.all([book.feed(), book.feed()]);
		return one === other;
	});
	expect(isOne).toBe(true);
});

it('builds soon after a network reports for the first time', async () => {
	const book = bookNamed('new network');
	await book.report('Litecoin', reportAt(Date.now()));
	const alarm = await alarmOf(book);
	expect(Number(alarm) - Date.now()).toBeLessThanOrEqual(1_000);
});

it('keeps the last snapshot and sets its alarm again when a build fails', async () => {
	const book = bookNamed('failing');
	const built = await book.market();
	const { results } = await bindings.DB.prepare('SELECT * FROM site').all();
	await bindings.DB.exec('DELETE FROM site');
	await book.wake();
	expect(await runDurableObjectAlarm(book)).toBe(true);
	const wait = Number(await alarmOf(book)) - Date.now();
	expect(wait).toBeGreaterThan(0);
	expect(wait).toBeLessThanOrEqual(REFRESH_MILLISECONDS);
	expect(await book.market()).toEqual(built);

	const columns = Object.keys(results[0] ?? {});
	await bindings.DB.prepare(`INSERT INTO site (${columns}) VALUES (${columns.map(() => '?')})`)
		.bind(...Object.values(results[0] ?? {}))
		.run();
	expect(await runDurableObjectAlarm(book)).toBe(true);
	expect((await book.market()).at).toBeGreaterThan(built.at);
});

it('a wake sets an alarm that was lost, and leaves one that is set', async () => {
	const book = bookNamed('wake');
	await book.wake();
	await runDurableObjectAlarm(book);
	const set = await alarmOf(book);
	await book.wake();
	expect(await alarmOf(book)).toBe(set);
	await runInDurableObject(book, (_, { storage }) => storage.deleteAlarm());
	await book.wake();
	expect(await alarmOf(book)).not.toBeNull();
});
