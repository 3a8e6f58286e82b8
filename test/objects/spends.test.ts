/** How many journal rows the signer reads for one signature: no more after 30 busy days than after one. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { NetworkName } from '../../src/catalog/networks.ts';
import { decodeReservation, encodeReservation } from '../../src/chains/reservations.ts';
import { Journal } from '../../src/signer/journal/journal.ts';
import { bareObject } from './bindings.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const A_DAY = 2_000;
/** Payouts of an EVM hot wallet that a signature sees. */
const OPEN = 200;
const PAY_IN = '0xAbCdEf0000000000000000000000000000000001';

const [COIN, OLD, NEW] = ['c'.repeat(64), '0'.repeat(64), '1'.repeat(64)];

interface Filling {
	readonly from?: number;
	/** Unix milliseconds of the first. */
	readonly at: number;
	readonly step: number;
}

/** A signer's journal, without the signer. */
function vaultNamed(name: string) {
	const { run } = bareObject(name);
	return {
		/** Inserts `count` spends, one each `step` milliseconds from `at` on. `#` in the text counts up from `from`. */
		fill: (network: string, words: string, count: number, { from = 0, at, step }: Filling) =>
			run(({ storage }) => {
				new Journal(storage);
				storage.sql.exec(
					`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?4)
					 INSERT INTO spends SELECT ?1, replace(?2, '#', printf('%d', ?3 + i)), 'payout ' || ?1 || ?2 || i, ?5 + i * ?6 FROM n`,
					network,
					words,
					from,
					count,
					at,
					step,
				);
			}),
		raise: (payoutId: string) =>
			run(({ storage }) => {
				storage.sql.exec("INSERT INTO versions VALUES (?, 1, 'tx', 'raw', '1', 0)", payoutId);
			}),
		/** The result of reading the spends: which of the named ones are taken, and how many rows were read. */
		read: (network: NetworkName, payIn: string | null, now: number, named: readonly string[]) =>
			run(({ storage }) => {
				const spends = new Journal(storage).spends({ network, payIn, now });
				const all = [...spends].map(encodeReservation);
				const taken = named.filter((spend) => spends.has(decodeReservation(spend)));
				return { all, taken, rowsRead: spends.rowsRead };
			}),
	};
}

type Vault = ReturnType<typeof vaultNamed>;

/** A journal of so many days with 2 000 payouts a day on each network, the newest just made. */
async function busyFor(days: number): Promise<Vault> {
	const vault = vaultNamed(`busy for ${days}`);
	const [count, from] = [days * A_DAY, NOW - days * DAY];
	const step = DAY / A_DAY;
	const taking = encodeReservation({
		kind: 'until time',
		txId: 'a'.repeat(64),
		asset: 'TRX',
		amount: 1n,
		fee: 1n,
		expiration: 1,
	});
	const reservation = encodeReservation({
		kind: 'until height',
		txId: '1'.repeat(64),
		lastValidHeight: 1,
		asset: 'SOL',
		amount: 1n,
	});
	await vault.fill('Ethereum', 'nonce:#', count, { at: from, step });
	await vault.fill('Ethereum', 'until:nonce:#:ETH:5:1', count, { at: from, step });
	await vault.fill('Ethereum', `${PAY_IN}:nonce:#`, 3, { at: from, step });
	await vault.fill('Ethereum', '0x#:nonce:0', count, { from: 100_000, at: from, step });
	await vault.fill('Litecoin', `${COIN}:#`, count, { at: from, step });
	await vault.fill('Tron', `${taking}#`, count, { at: from, step });
	await vault.fill('Solana', `${reservation}#`, count, { at: from, step });
	return vault;
}

describe('after 30 busy days', () => {
	let young: Vault;
	let old: Vault;
	beforeAll(async () => {
		[young, old] = [await busyFor(1), await busyFor(30)];
	});

	it.each([
		['Ethereum', null, ['nonce:1'], 10 + 2 * OPEN],
		['Ethereum', PAY_IN, ['nonce:1'], 10],
		['Litecoin', null, [`${COIN}:1`, `${COIN}:99999999`], 10],
		['Solana', null, [], 40],
		['Tron', null, [], 3 * A_DAY],
	] as const)(
		'a signature on %s (pay-in address: %s) reads as few rows as after one',
		async (network, payIn, named, most) => {
			const before = await young.read(network, payIn, NOW, named);
			const after = await old.read(network, payIn, NOW, named);
			expect(after.rowsRead).toBe(before.rowsRead);
			expect(after.rowsRead).toBeLessThanOrEqual(most);
			expect(after.taken.length).toBe(before.taken.length);
		},
	);

	it('the highest nonce of each wallet that signs is known, however old it is', async () => {
		const { all } = await old.read('Ethereum', PAY_IN.toLowerCase(), NOW + 400 * DAY, []);
		expect(all).toEqual([`nonce:${30 * A_DAY - 1}`, `${PAY_IN}:nonce:2`]);
		expect((await old.read('Ethereum', null, NOW, [])).all[0]).toBe(`nonce:${30 * A_DAY - 1}`);
		expect((await old.read('Arbitrum', PAY_IN, NOW, [])).all).toEqual([]);
	});

	it('what the last 200 payouts take from an EVM hot wallet is known where it signs', async () => {
		const { all } = await old.read('Ethereum', null, NOW + 400 * DAY, []);
		const last = 30 * A_DAY - 1;
		expect(all.slice(1)).toEqual(Array.from({ length: OPEN }, (_, i) => `until:nonce:${last - i}:ETH:5:1`));
	});

	it('transactions that may still confirm are known: ten minutes on Solana, a day on Tron', async () => {
		expect((await old.read('Solana', null, NOW, [])).all).toHaveLength(Math.floor(600_000 / (DAY / A_DAY)));
		expect((await old.read('Tron', null, NOW, [])).all).toHaveLength(A_DAY - 1);
	});
});

it('fee bumps of the last payouts hide none of the others', async () => {
	const vault = vaultNamed('bumped');
	await vault.fill('Ethereum', 'until:nonce:#:ETH:5:1', OPEN, { at: NOW, step: 1 });
	for (let bump = 1; bump <= 5; bump++)
		await vault.fill('Ethereum', `until:nonce:#:ETH:0:${bump}`, 100, { from: 100, at: NOW, step: 1 });
	const { all } = await vault.read('Ethereum', null, NOW, []);
	expect(all).toHaveLength(OPEN + 5 * 100);
	expect(all).toContain('until:nonce:0:ETH:5:1');
});

it('a coin counts as taken for 30 days, and for longer when a payment has several versions', async () => {
	const vault = vaultNamed('coins');
	await vault.fill('Litecoin', `${OLD}:#`, 2, { at: NOW - 31 * DAY, step: 0 });
	await vault.fill('Litecoin', `${NEW}:#`, 1, { at: NOW - 29 * DAY, step: 0 });
	await vault.raise(`payout Litecoin${OLD}:#1`);
	const named = [`${OLD}:0`, `${OLD}:1`, `${NEW}:0`, `${'f'.repeat(64)}:0`];
	const { all, taken } = await vault.read('Litecoin', null, NOW, named);
	expect(taken).toEqual([`${OLD}:1`, `${NEW}:0`]);
	expect(all).toEqual([]);
	expect((await vault.read('Dash', null, NOW, named)).taken).toEqual([]);
});
