/**
 * Taking back a transaction that was planned and never signed. First the signer writes down that it never signs it; only
 * then the rows change. Atomic: one batch writes the audit line, takes the settlement out of the books, frees the deposits
 * and deletes the row, all of it only while the row is planned. A crash between signer and batch leaves a row that is
 * never signed: the same command run again does the rest.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { deposits, orders } from '../../orders/table.ts';
import { withdrawStatements } from '../earnings/statements.ts';
import type { Statement } from '../move-order.ts';
import type { SignerService } from '../signer-port.ts';
import { ledgerEntries, type TransactionRow, transactions } from '../table.ts';

/** What moves between wallets of our own is given up by the service itself: nobody is owed it. */
export const isBetweenWallets = ({ kind }: Pick<TransactionRow, 'kind'>): boolean =>
	kind === 'gas' || kind === 'sweep' || kind === 'consolidation';

/** Has the signer never sign it; false where it has signed already. @throws where the signer does not answer */
export function askSigner(signer: SignerService, { id, kind, orderId }: TransactionRow): Promise<boolean> {
	if (kind === 'earnings') return signer.withdrawEarnings(id);
	return signer.giveUp(id, kind === 'payout' ? orderId : null);
}

/** `payout`: what the signer has given up. `audit`: the line of the audit log, written where the condition holds. */
export function giveUpStatements(
	db: DrizzleD1Database,
	payout: TransactionRow,
	audit: (isPlanned: SQL) => Statement,
	now: number,
): [Statement, ...Statement[]] {
	const isPlanned = plannedStill(payout);
	const logged = audit(isPlanned);
	if (payout.kind === 'earnings') return [logged, ...withdrawStatements(db, payout.id)];
	return [
		logged,
		...(payout.kind === 'payout' ? [unsettled(db, payout, isPlanned, now)] : []),
		...(payout.orderId === null ? [] : freed(db, payout, payout.orderId, isPlanned)),
		db.delete(transactions).where(and(eq(transactions.id, payout.id), eq(transactions.state, 'planned'))),
	];
}

const plannedStill = ({ id }: TransactionRow): SQL =>
	sql`exists (select 1 from ${transactions} where ${transactions.id} = ${id} and ${transactions.state} = 'planned')`;

/**
 * The settlement's entries once more with the other sign, so that the order's entries still sum to zero and nobody is owed
 * anything by it; the partner's pending share goes with them.
 */
const unsettled = (db: DrizzleD1Database, { id, orderId }: TransactionRow, isPlanned: SQL, now: number): Statement =>
	db.insert(ledgerEntries).select(
		sql`select ${ledgerEntries.orderId}, ${`given up ${id}`}, ${ledgerEntries.account}, ${ledgerEntries.asset},
				case when ${ledgerEntries.amount} like '-%' then ltrim(${ledgerEntries.amount}, '-') else '-' || ${ledgerEntries.amount} end,
				${now}
			from ${ledgerEntries}
			where ${ledgerEntries.orderId} = ${orderId} and ${ledgerEntries.cause} = 'settled' and ${isPlanned}`,
	);

/** The deposits wait for `order refund`. An order that was PENDING is judged again: nothing else would bring that about. */
const freed = (db: DrizzleD1Database, { id }: TransactionRow, orderId: string, isPlanned: SQL): Statement[] => [
	db
		.update(deposits)
		.set({ payoutId: null })
		.where(and(eq(deposits.orderId, orderId), eq(deposits.payoutId, id), isPlanned)),
	db
		.update(orders)
		.set({ factsAt: 0 })
		.where(and(eq(orders.id, orderId), eq(orders.status, 'PENDING'), isPlanned)),
];
