/** The book of coins in the storage of the real runtime: what a block costs, and what is undone. */
import { describe, expect, it } from 'vitest';
import { NETWORKS } from '../../src/catalog/networks.ts';
import { CoinBook } from '../../src/chains/utxo/book/coin-book.ts';
import { ownKind } from '../../src/chains/utxo/book/own-kind.ts';
import {
	coinsAbove,
	largestCoins,
	oldestUnspent,
	sendAt,
	spendableSum,
	unspentSum,
} from '../../src/chains/utxo/book/reads.ts';
import { witnessScript } from '../../src/chains/utxo/output-script.ts';
import { utxoParams } from '../../src/chains/utxo/params.ts';
import type { Block } from '../../src/chains/utxo/split.ts';
import type { Spend, Transaction } from '../../src/chains/utxo/transaction-bytes.ts';
import { bareObject } from './bindings.ts';

const kind = ownKind(utxoParams(NETWORKS.Litecoin, 'main'));
const KEY = Uint8Array.of(2, ...new Uint8Array(32).fill(7));
const HASH = kind.hashOf(KEY);
const idOf = (text: string | number): string => String(text).padStart(64, '0');
const scriptOf = (hash: string) =>
	witnessScript(Uint8Array.from(hash.match(/../g) ?? [], (byte) => Number(`0x${byte}`)));
const hashOf = (number: number): string => number.toString(16).padStart(40, '0');

interface Made {
	readonly id: string;
	readonly spends?: readonly Spend[];
	readonly pays?: readonly (readonly [hash: string, amount: bigint])[];
	readonly isCoinbase?: boolean;
	readonly isHogEx?: boolean;
}

const transaction = ({ id, spends = [], pays = [], isCoinbase = false, isHogEx = false }: Made): Transaction => ({
	id: idOf(id),
	spends,
	outputs: pays.map(([hash, amount]) => ({ script: scriptOf(hash), amount })),
	bytes: new Uint8Array(),
	strippedBytes: 0,
	isCoinbase,
	isHogEx,
});
const block = (height: number, transactions: readonly Made[], branch = 'a'): Block => ({
	hash: idOf(`${branch}${height}`),
	previousHash: idOf(`a${height - 1}`),
	header: new Uint8Array(80),
	height,
	transactions: transactions.map(transaction),
});
const spend = (id: string, vout: number, key: Uint8Array | null = KEY): Spend => ({ txId: idOf(id), vout, lock: key });

/** With how many rows its statements have read and written so far. */
function counted(storage: DurableObjectStorage) {
	const cost = { read: 0, statements: 0 };
	const exec = (query: string, ...values: SqlStorageValue[]) => {
		const cursor = storage.sql.exec(query, ...values);
		const rows = cursor.toArray();
		cost.read += cursor.rowsRead;
		cost.statements += 1;
		return { toArray: () => rows };
	};
	const book = new CoinBook(
		{ sql: { exec }, transactionSync: (run: () => void) => storage.transactionSync(run) } as never,
		{ network: 'Litecoin', blockSeconds: 150, isHeld: () => false, ...kind },
	);
	return { book, cost };
}

async function newBook<R>(name: string, work: (made: ReturnType<typeof counted>, storage: DurableObjectStorage) => R) {
	return bareObject(name).run(({ storage }) => {
		const made = counted(storage);
		made.book.begin({ height: 99, hash: idOf('a99') }, false);
		made.book.register(new Map([['ours', HASH]]));
		return work(made, storage);
	});
}

describe('a block', () => {
	it.each([1_000, 1_000_000])(
		'of ten thousand outputs costs the same beside %i own addresses',
		async (addresses) => {
			const { read, statements, found } = await newBook(`addresses ${addresses}`, ({ book, cost }, { sql }) => {
				sql.exec(
					`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
					 INSERT INTO book_addresses SELECT 'Litecoin', printf('%040x', i), 'address ' || i FROM n`,
					addresses,
				);
				const strangers = Array.from({ length: 10_000 }, (_, i) => [`ff${hashOf(i).slice(2)}`, 1n] as const);
				const payments = Array.from({ length: 10 }, (_, i) => [hashOf(i + 1), 5n] as const);
				Object.assign(cost, { read: 0, statements: 0 });
				book.take(
					100,
					block(100, [
						{ id: 'c', isCoinbase: true },
						{ id: 'd', pays: [...strangers, ...payments] },
					]),
				);
				return { ...cost, found: coinsAbove(book, 99).length };
			});
			expect(found).toBe(10);
			expect(statements).toBeLessThan(30);
			// Each candidate once in the list, and once in the index.
			expect(read).toBeLessThan(25_000);
		},
		60_000,
	);

	it('with ten thousand outputs to us is taken whole, and its coins are counted without reading them one by one', async () => {
		await newBook('flood', ({ book, cost }) => {
			const pays = Array.from({ length: 10_000 }, () => [HASH, 3n] as const);
			book.take(100, block(100, [{ id: 'd', pays }]));
			expect([unspentSum(book), spendableSum(book, 100)]).toEqual([30_000n, 30_000n]);
			cost.read = 0;
			expect(largestCoins(book, { upTo: 100, count: 50 })).toHaveLength(50);
			expect(cost.read).toBeLessThan(200);
		});
	});
});

describe('coins', () => {
	it('are spent by an input that shows their key, and what a transaction of ours pays back is change', async () => {
		await newBook('spends', ({ book }) => {
			book.take(100, block(100, [{ id: 'd', pays: [[HASH, 100n]] }]));
			const payment = {
				id: 'e',
				spends: [spend('d', 0)],
				pays: [
					['ff'.repeat(20), 60n],
					[HASH, 38n],
				],
			} as const;
			book.take(101, block(101, [payment]));
			expect(coinsAbove(book, 0)).toMatchObject([
				{ amount: 100n, spentBy: idOf('e'), isChange: false },
				{ amount: 38n, spentBy: null, isChange: true },
			]);
			expect(sendAt(book, idOf('e'))).toMatchObject({
				height: 101,
				fee: 2n,
				outputs: [{ amount: 60n }, { amount: 38n }],
			});
			expect(oldestUnspent(book)).toBe(101);
		});
	});

	it('of a stranger who shows a key of ours are no change of ours, and still count as sent', async () => {
		await newBook('stranger', ({ book }) => {
			book.take(100, block(100, [{ id: 'e', spends: [spend('f', 0)], pays: [[HASH, 38n]] }]));
			expect(coinsAbove(book, 0)).toMatchObject([{ isChange: false }]);
			expect(sendAt(book, idOf('e'))).toMatchObject({ fee: 0n });
		});
	});

	it('of a coinbase and of MWEB wait until the chain lets them be spent', async () => {
		await newBook('mature', ({ book }) => {
			book.take(
				100,
				block(100, [
					{ id: 'c', isCoinbase: true, pays: [[HASH, 7n]] },
					{ id: 'h', isHogEx: true, pays: [[HASH, 5n]] },
				]),
			);
			expect(spendableSum(book, 100)).toBe(0n);
			for (let height = 101; height <= 105; height++) book.take(height, block(height, []));
			expect(spendableSum(book, 100)).toBe(5n);
			expect(unspentSum(book)).toBe(12n);
		});
	});

	it('of blocks that are undone are gone, and what those spent is there again', async () => {
		await newBook('undone', ({ book }) => {
			book.take(100, block(100, [{ id: 'd', pays: [[HASH, 100n]] }]));
			book.take(101, block(101, [{ id: 'e', spends: [spend('d', 0)], pays: [[HASH, 99n]] }]));
			book.undo(100);
			expect(coinsAbove(book, 0)).toMatchObject([{ txId: idOf('d'), spentBy: null }]);
			expect(sendAt(book, idOf('e'))).toBeNull();
			expect(book.last()).toEqual({ height: 100, hash: idOf('a100') });
			book.take(101, block(101, [], 'b'));
			expect(unspentSum(book)).toBe(100n);
		});
	});
});

it('a block that does not follow changes nothing', async () => {
	await newBook('foreign', ({ book }) => {
		const foreign = { ...block(100, [{ id: 'd', pays: [[HASH, 100n]] }]), previousHash: idOf('b99') };
		expect(() => book.take(100, foreign)).toThrow('does not follow');
		expect(() => book.take(101, block(101, []))).toThrow('does not follow');
		expect(coinsAbove(book, 0)).toEqual([]);
	});
});
