/** A payment of an order that no row accounts for: what stands in its way is given up, and it is planned. */
import type { SQL } from 'drizzle-orm';
import { writeAuditIf } from '../../audit/log.ts';
import type { OrderRow } from '../../orders/table.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import { refusalText } from '../../treasury/signer-refusal.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import { type FoundPayment, planFound } from '../../treasury/transactions/found.ts';
import { askSigner, giveUpMoves, giveUpStatements } from '../../treasury/transactions/give-up.ts';
import { type Context, type Failure, fail } from '../command.ts';
import { unconfirmed } from '../persons.ts';

/** A person's word about the payment of an order. */
export interface NamedPayment {
	readonly orderId: string;
	/** The planned row that they name; null where they name the order. */
	readonly named: TransactionRow | null;
	readonly txId: string;
	readonly reason: string;
}

export async function giveWay(context: Context, row: TransactionRow, reason: string): Promise<Failure | null> {
	const { env, db, now } = context;
	const asked = await unconfirmed(context, giveUpMoves(row));
	if (asked) return asked;
	const refused = await askSigner(env.SIGNER, row);
	if (refused) return fail(409, `transaction ${row.id} was not given up: ${refusalText(refused)}`);
	const changes = { reason, orderId: row.orderId, kind: row.kind, asset: row.asset, amount: row.amount };
	const audit = (isPlanned: SQL) =>
		writeAuditIf(context, { command: 'restored paid', subject: row.id, changes }, isPlanned);
	await runBatch(db, giveUpStatements(db, row, audit, now));
	return null;
}

/** The row of what was paid, which no row was planned for. */
export async function planned(
	context: Context,
	order: OrderRow,
	payment: FoundPayment,
): Promise<TransactionRow | Failure> {
	const { env, db, now } = context;
	const market = await objectNamed(env, env.RATE_BOOK, 'book').market();
	try {
		const outcome = await planFound(db, order, payment, { sealKeys: env.askedKeys(), market, now });
		return 'because' in outcome ? fail(409, `nothing was booked: ${outcome.because}`) : outcome.row;
	} catch (error) {
		logError('operator_lost_race', error, { orderId: order.id });
		return fail(409, `order ${order.id} moved meanwhile: run it again`);
	}
}
