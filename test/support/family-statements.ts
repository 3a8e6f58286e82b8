/**
 * What D1 is asked for the families of chains that run on nodes, and not on the sandbox: addresses queried one by one,
 * sweeps, gas, consolidations, reserve that comes as a payment or as a balance. The store's functions are called on an
 * empty database; what comes out is not looked at.
 */
import { drizzle } from 'drizzle-orm/d1';
import { nativeAsset } from '../../src/catalog/assets.ts';
import type { NetworkName } from '../../src/catalog/networks.ts';
import type { Statement } from '../../src/platform/d1/batches.ts';
import { ordersAt, recordedAmong } from '../../src/treasury/deposits/store.ts';
import { watchedAddresses } from '../../src/treasury/deposits/watch-list.ts';
import { knownBesidesDust, knownDeposits, movesAt } from '../../src/treasury/deposits/watch-store.ts';
import { readUnderWay } from '../../src/treasury/ledger/under-way.ts';
import {
	insertReserve,
	knownPayments,
	owedNow,
	owedUntilFinal,
	walletFlow,
	walletFlowUntil,
} from '../../src/treasury/ledger/wallet-store.ts';
import {
	candidateOfAddress,
	candidateOfOrder,
	dueCandidates,
	hasOpenConsolidation,
	loadCandidates,
	planOnce,
	putBack,
	takeOff,
	waitForCheap,
} from '../../src/treasury/sweeps/store.ts';
import { openAddresses } from '../../src/treasury/sweeps/swept.ts';
import type { TransactionRow } from '../../src/treasury/table.ts';
import type { SqliteD1 } from './sqlite-d1.ts';

const NETWORK: NetworkName = 'Ethereum';
const NOW = Date.UTC(2026, 10, 20);

export async function familyStatements({ d1 }: SqliteD1): Promise<string[]> {
	const recorded = new Set<string>();
	const prepare = (statement: string) => {
		recorded.add(statement);
		return d1.prepare(statement);
	};
	const db = drizzle({ prepare, batch: d1.batch.bind(d1) } as unknown as D1Database);
	const watch = { network: NETWORK, since: NOW, poll: 7, feePayer: 'address' } as const;
	const row = { id: 't', orderId: 'o', network: NETWORK, payInAddress: 'a' } as TransactionRow;
	const candidate = {
		network: NETWORK,
		orderId: 'o',
		attempts: 1,
		nextAttemptAt: NOW,
		retriedAt: null,
		waitsSince: null,
	};
	const planned = { id: 's', kind: 'sweep', network: NETWORK, asset: 'ETH', toAddress: 'hot', amount: '1' } as const;
	const sweep = { ...planned, usdCents: 1, payInAddress: 'a', payInIndex: 1, sweepAsset: 'ETH' } as const;
	const reserve = { network: NETWORK, txId: 'r', position: '0', asset: 'ETH', amount: '1', at: NOW } as const;
	const payment = { txId: 'd', position: '0', address: 'a', asset: 'ETH', amount: 1n } as const;
	const isSeen = { ...payment, confirmations: 1, irreversible: false, height: 1 };
	for (const which of ['in turn', ['a'], { anyOf: nativeAsset(NETWORK) }, undefined] as const)
		await watchedAddresses(db, { ...watch, which });
	for (const feePayer of ['address', 'wallet'] as const) await openAddresses(db, NETWORK, feePayer, Date.now());
	for (const spendsDeposits of [{}, { spendsDeposits: true } as const]) {
		await owedNow(db, NETWORK, spendsDeposits);
		await owedUntilFinal(db, NETWORK, spendsDeposits);
	}
	await ordersAt(db, NETWORK, ['a']);
	await recordedAmong(db, NETWORK, [isSeen]);
	await walletFlow(db, NETWORK, 0, NOW);
	await walletFlowUntil(db, NETWORK, NOW);
	await readUnderWay(db);
	await insertReserve(db, reserve);
	await knownPayments(db, NETWORK, ['d']);
	for (const isCheap of [true, false]) await dueCandidates(db, NETWORK, { isCheap, needed: ['ETH'] }, NOW);
	await loadCandidates(db, NETWORK, [candidate]);
	await hasOpenConsolidation(db, NETWORK);
	for (const query of [
		knownDeposits(db, ['o']),
		knownBesidesDust(db, ['o']),
		movesAt(db, NETWORK, ['a']),
		...candidateOfOrder(db, row, NOW),
		...candidateOfAddress(db, row, NOW),
		...([
			putBack(db, candidate, NOW),
			waitForCheap(db, candidate, NOW),
			takeOff(db, candidate),
			planOnce(db, sweep, NOW),
		] as Statement[]),
	])
		await query;
	return [...recorded];
}
