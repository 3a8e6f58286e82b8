/**
 * Calls that share a trip to the gate or to D1 (book: architecture, "Shared trips"), in the real runtime: each gets its own
 * answer, whatever becomes of those that it travels with.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, it } from 'vitest';
import { type CreatedOrder, create } from '../support/orders.ts';
import { type Answer, type Bend, type Credentials, createPartner, newNonce, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const CALLS = 40;
const BUSY_MILLISECONDS = 10_000;
const service = serviceForFile();
let partner: Credentials;
beforeAll(async () => {
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
	// From its first verdict on the isolate knows that the gate takes several calls at once.
	expect((await price(0)).code).toBe(0);
});

interface Priced {
	readonly from: { readonly amount: string };
}

const amountOf = (i: number): string => `2.${String(100 + i)}`;
const price = (i: number, bend: Bend = {}): Promise<Answer<Priced>> =>
	signed(
		service.current(),
		partner,
		'/api/v1/price',
		{ type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: amountOf(i) },
		bend,
	);
const atOnce = <T>(make: (i: number) => Promise<T>): Promise<T[]> =>
	Promise.all(Array.from({ length: CALLS }, (_, i) => make(i)));

it('of forty calls at once each has its own answer: its price, its order, its refusal', async () => {
	const prices = await atOnce((i) => price(i));
	expect(prices.map(({ code, data }) => [code, data?.from.amount])).toEqual(prices.map((_, i) => [0, amountOf(i)]));

	const orders: CreatedOrder[] = [];
	for (let i = 0; i < 4; i++) orders.push((await create(service.current(), partner)).data);
	const stranger = await createPartner(service.current());
	const answers = await atOnce((i) => {
		const { id, token } = orders[i % orders.length] as CreatedOrder;
		const wrongToken = orders[(i + 1) % orders.length]?.token;
		const by = i % 5 === 4 ? stranger : partner;
		return signed(service.current(), by, '/api/v1/order', { id, token: i % 5 === 3 ? wrongToken : token });
	});
	expect(answers.map(({ code, data }) => [code, data?.['id']])).toEqual(
		answers.map((_, i) => (i % 5 < 3 ? [0, orders[i % orders.length]?.id] : [6, undefined])),
	);
});

it('of calls at once with one nonce one is admitted', async () => {
	const nonce = newNonce();
	const codes = (await atOnce((i) => price(i, { nonce }))).map(({ code }) => code);
	expect(codes.toSorted()).toEqual([0, ...Array.from({ length: CALLS - 1 }, () => 3)]);
});

it('callers who go away take no others with them', async () => {
	for (let round = 0; round < 6; round++) {
		const answers = await atOnce(async (i) => {
			const isGone = i % 2 === 0;
			const gone = new AbortController();
			const answer = price(i, { signal: gone.signal });
			if (isGone) setTimeout(() => gone.abort(), round * 4 + i / 4);
			return answer.catch((error: unknown) => {
				if (!isGone) throw error;
				return null;
			});
		});
		for (const [i, answer] of answers.entries())
			if (i % 2 === 1) expect([answer?.code, answer?.data?.from.amount]).toEqual([0, amountOf(i)]);
	}
});

/** The storage of the partner's gate, by the table that only gates have: the one with the most rows. */
function gateStorage(): DatabaseSync {
	const data = join(service.current().stateDirectory, 'data');
	const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) =>
		/PartnerGate.*[0-9a-f]{64}\.sqlite$/.test(name),
	);
	// The gate may be writing: SQLite waits for it instead of failing at once.
	const opened = files.map((name) => new DatabaseSync(join(data, name), { timeout: BUSY_MILLISECONDS }));
	const rowsOf = (file: DatabaseSync): number =>
		Number(file.prepare('SELECT max(id) AS rows FROM spendings').get()?.['rows']);
	const [found, ...others] = opened.toSorted((a, b) => rowsOf(b) - rowsOf(a));
	for (const other of others) other.close();
	if (!found) throw new Error('no gate has storage');
	return found;
}

it('where the gate cannot store its nonces all are told so, and the same calls are admitted once it can', async () => {
	const nonces = Array.from({ length: CALLS }, () => newNonce());
	const storage = gateStorage();
	storage.exec('BEGIN IMMEDIATE');
	const failed = await atOnce((i) => price(i, { nonce: nonces[i] ?? '' }));
	storage.exec('ROLLBACK');
	storage.close();
	expect(failed.map(({ code }) => code)).toEqual(nonces.map(() => 99));
	// The gate begins again.
	await eventually('the gate', async () => (await price(0)).code === 0);
	const again = await atOnce((i) => price(i, { nonce: nonces[i] ?? '' }));
	expect(again.map(({ code, data }) => [code, data?.from.amount])).toEqual(nonces.map((_, i) => [0, amountOf(i)]));
	const replayed = await atOnce((i) => price(i, { nonce: nonces[i] ?? '' }));
	expect(replayed.map(({ code }) => code)).toEqual(nonces.map(() => 3));
});
