/** `restored show`, `restored confirm` and `restored paid`: what a restore leaves to a person. */

import { and, eq, sql } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { whereToLook } from '../../chains/explorer.ts';
import { runBatch } from '../../d1/batches.ts';
import { logError } from '../../log.ts';
import { objectNamed } from '../../region.ts';
import { refusalText } from '../../treasury/signer-refusal.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { recordSent } from '../../treasury/transactions/effects.ts';
import { findTransaction, storeSigned } from '../../treasury/transactions/store.ts';
import { isOwnTransaction } from '../../treasury/transactions/version-store.ts';
import { wakeWebhooks } from '../../webhooks/wake.ts';
import { type Context, type Failure, fail, type RunOf, type RunsOf } from '../command.ts';
import { transactionLine } from '../orders/record.ts';
import { isoTime, isoTimeOrNull } from '../shown.ts';
import type { restored as topic } from '../topics/restored.ts';
import { checkWallets } from './compare-wallets.ts';
import { forgotten } from './forgotten.ts';

/** Most payments that are shown at once. */
const SHOWN = 500;
const NOT_RESTORED = 'nothing waits: this signer was not restored from a backup, and has not lost its journal';

const show: RunOf<typeof topic, 'show'> = async (context) => {
	const state = await context.env.SIGNER.restored();
	if (!state) return { backupAt: null, restoredAt: null, ownConfirmedAt: null, waiting: [], wallets: [] };
	const [rows, wallets] = await Promise.all([waitingRows(context), checkWallets(context)]);
	// Where the journal was lost, D1 has all that was signed, but for what was signed as it was lost.
	const since = state.backupAt ?? Math.min(...rows.map(({ plannedAt }) => plannedAt));
	return {
		backupAt: isoTimeOrNull(state.backupAt),
		restoredAt: isoTime(state.restoredAt),
		ownConfirmedAt: isoTimeOrNull(state.confirmedAt),
		waiting: await Promise.all(rows.map((row) => waitingRecord(context, row, since))),
		wallets: wallets.filter(({ result }) => result !== 'ok'),
	};
};

/** Planned, and refused because of the restore. */
const waitingRows = ({ db }: Context): Promise<TransactionRow[]> =>
	db
		.select()
		.from(transactions)
		.where(
			and(
				eq(transactions.state, 'planned'),
				sql`${transactions.blockedKind} is not null`,
				sql`json_extract(${transactions.blockedFacts}, '$.refusal.kind') in ('restored', 'restored-order')`,
			),
		)
		.orderBy(transactions.plannedAt)
		.limit(SHOWN);

async function waitingRecord(context: Context, row: TransactionRow, since: number) {
	const { id, orderId, kind, network, asset, toAddress } = row;
	const found = await paymentsTo(context, row, since);
	const [txId] = found ?? [];
	const paid = `restored paid ${id} --tx-id ${txId ?? 'T'} --reason R`;
	const confirm = orderId === null ? 'restored confirm --own' : `restored confirm ${orderId}`;
	return {
		...{ order: orderId, transaction: id, kind, network, asset },
		...{ amount: transactionLine(row).amount, to: toAddress },
		onChain: found === null ? whereToLook(network, toAddress) : (txId ?? 'nothing'),
		do: found === null ? `${paid}, or ${confirm}` : txId ? paid : confirm,
	};
}

/** Payments of this amount to the recipient that no row knows; null where the network cannot tell. */
async function paymentsTo({ env, db }: Context, row: TransactionRow, since: number): Promise<string[] | null> {
	try {
		const agent = objectNamed(env, env.CHAIN_AGENT, row.network);
		const found = await agent.paymentsTo(row.network, row.asset, row.toAddress, row.amount, since);
		if (found === null) return null;
		const known = await Promise.all(found.map((txId) => isOwnTransaction(db, txId)));
		return found.filter((_, i) => !known[i]);
	} catch (error) {
		logError('network_not_read', error, { network: row.network });
		return null;
	}
}

const confirm: RunOf<typeof topic, 'confirm'> = async (context, { orders, own = false }) => {
	const { env, db, now } = context;
	if (!(await env.SIGNER.restored())) return fail(409, NOT_RESTORED);
	const changes = { orders, own };
	await runBatch(db, [writeAudit(context, { command: 'restored confirm', subject: null, changes })]);
	if (own) {
		const problem = await env.SIGNER.confirmRestored(null);
		if (problem) return fail(503, `${problem}; nothing was confirmed`);
	}
	if (orders.length > 0) await env.SIGNER.confirmRestored(orders);
	const rows = (await waitingRows(context)).filter(({ orderId }) =>
		orderId === null ? own : orders.includes(orderId),
	);
	await runBatch(
		db,
		rows.map(({ id }) => db.update(transactions).set({ nextAttemptAt: now }).where(eq(transactions.id, id))),
	);
	await Promise.all([...new Set(rows.map(({ network }) => network))].map((name) => wakeAgent(context, name)));
	return { confirmed: rows.map(({ id }) => id), left: (await waitingRows(context)).length - rows.length };
};

async function wakeAgent({ env }: Context, network: TransactionRow['network']): Promise<void> {
	await objectNamed(env, env.CHAIN_AGENT, network)
		.wake(network)
		.catch((error) => logError('agent_not_woken', error, { network }));
}

/**
 * First the signer records it, so that it never pays it again; then the row is signed, without bytes; then it is sent,
 * with all that follows. Atomic: each of the three. After a crash in between the same command does the rest, and so does
 * the next poll (`transactions/broadcast.ts`).
 */
const paid: RunOf<typeof topic, 'paid'> = async (context, { id, txId, reason }) => {
	const { env, db, now } = context;
	const row = await findTransaction(db, id);
	if (!row || !isAdoptedAs(row, txId)) {
		const problem = paidProblem(row, id) ?? ((await isOwnTransaction(db, txId)) ? `${txId} is known already` : null);
		if (problem || !row) return fail(row ? 409 : 404, problem ?? '');
		const refused = await env.SIGNER.adopt(row.network, id, txId);
		if (refused) return fail(409, `nothing was changed: ${refusalText(refused)}`);
		const changes = { txId, reason, orderId: row.orderId };
		await runBatch(db, [
			writeAudit(context, { command: 'restored paid', subject: id, changes }),
			storeSigned(db, row, { raw: '', txId }, now),
		]);
	}
	const signed = await findTransaction(db, id);
	if (signed?.state === 'signed') await wakeWebhooks(env.WEBHOOKS, await recordSent(db, [signed], now, 0));
	const stored = await findTransaction(db, id);
	return stored && stored.state !== 'planned' && stored.state !== 'signed' ? transactionLine(stored) : lost(id);
};

/** Has this command, or the poll after it, recorded it already? Only then is a signed row without bytes. */
const isAdoptedAs = (row: TransactionRow, txId: string): boolean => row.raw === '' && row.txId === txId;

const lost = (id: string): Failure => fail(503, `transaction ${id} is recorded and not booked yet: run it again`);

/** Why it is none that `restored paid` books; null where it is one. */
function paidProblem(row: TransactionRow | undefined, id: string): string | null {
	if (!row) return `there is no transaction ${id}`;
	if (row.kind !== 'payout' && row.kind !== 'refund')
		return `transaction ${id} (${row.kind}) belongs to no order: book it with earnings pay-out --tx-id, or confirm it`;
	return row.state === 'planned' ? null : `transaction ${id} is ${row.state}: the service knows it`;
}

export const restoredRuns: RunsOf<typeof topic> = { show, forgotten, confirm, paid };
