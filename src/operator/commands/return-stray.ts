/**
 * `order return-stray`: sends a stray back, to an address that the operator enters where they enter one. After a restore the
 * chain may show a payment to that address which the signer does not know: the operator says whether it was this return, which
 * is then booked, or something else. Of a token that is not listed all that lies there goes, so nothing goes twice.
 */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { writeAudit, writeAuditIf } from '../../audit/log.ts';
import { assetOf, isAssetId } from '../../catalog/assets.ts';
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';
import { sealStray } from '../../orders/seal.ts';
import { findOrder } from '../../orders/store.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { type Move, returnMove } from '../../treasury/moves.ts';
import { screeningsOf } from '../../treasury/screening/store.ts';
import { refusalText } from '../../treasury/signer-refusal.ts';
import { answeredBy } from '../../treasury/strays/rules.ts';
import { copyStraysOf, factsOf, straysOf } from '../../treasury/strays/store.ts';
import { type StrayRow, strays, unlistedTokens } from '../../treasury/strays/table.ts';
import { unlistedNamed } from '../../treasury/strays/unlisted.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { recordSent } from '../../treasury/transactions/effects.ts';
import { askSigner, giveUpMoves, giveUpStatements } from '../../treasury/transactions/give-up.ts';
import { change, findTransaction, storeSigned } from '../../treasury/transactions/store.ts';
import { type Context, type Failure, fail, type RunOf } from '../command.ts';
import { keeperOf } from '../env.ts';
import { archivedOrNone } from '../orders/archived.ts';
import { strayRecord, unlistedRecord } from '../orders/stray-record.ts';
import { unconfirmed } from '../persons.ts';
import type { order as topic } from '../topics/order.ts';
import { lookOn } from './find-stray.ts';

const COMMAND = 'order return-stray';

/**
 * The signer believes the address only by its seal, and bounds what goes there by itself. A return that is planned is given up
 * first, so that it is planned again as it is to be now. Atomic: the address, the order's copy and the audit line are one
 * batch, which changes nothing once a return is signed.
 */
export const returnStray: RunOf<typeof topic, 'return-stray'> = async (context, input) => {
	const { db, env, now } = context;
	const { id, asset, reason } = input;
	if (!isAssetId(asset)) return returnToken(context, { ...input, token: asset });
	const order = await findOrder(db, id);
	if (!order) return archivedOrNone(db, env, id);
	const row = (await straysOf(db, id)).find((each) => each.asset === asset);
	if (!row || row.counted === '0')
		return fail(409, `no ${asset} is known at order ${id}; \`order find-stray ${id}\` looks`);
	const open = await openReturn(context, row);
	if (input.txId !== undefined) return bookReturn(context, { row, open, txId: input.txId, reason });
	const to = input.to ?? row.toAddress ?? order.refundAddress;
	const problem =
		(await addressProblem(context, row.network, row.address, to)) ??
		nothingLeft(row, open) ??
		(await heldAddress(context, id, to));
	if (problem) return problem;
	const unasked = await unconfirmed(context, [
		...(open?.state === 'planned' ? giveUpMoves(open) : []),
		...(to === order.refundAddress ? [] : [returnMove(id, row.network, asset, to)]),
		...input.not.map((txId): Move => ['another payment', id, asset, txId]),
	]);
	if (unasked) return unasked;
	for (const txId of input.not) await env.SIGNER.paidOther(id, asset, txId);
	const stays = open && (await givenUp(context, open, reason));
	if (stays) return stays;
	const terms = { orderId: id, network: row.network, asset, to, at: row.foundAt };
	const toSeal = await sealStray(env.askedKeys(), terms);
	const isIt = and(
		isOf(row),
		sql`not exists (select 1 from ${transactions} where ${transactions.network} = ${row.network}
			and ${transactions.payInAddress} = ${row.address} and ${transactions.kind} = 'stray'
			and ${transactions.state} in ('signed', 'sent'))`,
	);
	const changes = { network: row.network, asset, to, reason, ...(input.not.length > 0 && { not: input.not }) };
	const isThere = sql`exists (select 1 from ${strays} where ${isIt})`;
	const [, changed] = await db.batch([
		writeAuditIf(context, { command: COMMAND, subject: id, changes }, isThere),
		db.update(strays).set({ toAddress: to, toSeal, waits: null, dueAt: now }).where(isIt).returning(),
		copyStraysOf(db, id, now),
	]);
	const [entered] = changed;
	if (!entered)
		return fail(409, `a return from the address of order ${id} is under way; run it again once it is final`);
	await lookOn(context, row.network, id);
	return strayRecord(entered);
};

const isOf = ({ network, address, asset }: StrayRow): SQL | undefined =>
	and(eq(strays.network, network), eq(strays.address, address), eq(strays.asset, asset));

/** The return of it that is not final; there is one at a time. */
async function openReturn({ db }: Context, { network, address, asset }: StrayRow): Promise<TransactionRow | null> {
	const isIt = and(
		eq(transactions.network, network),
		eq(transactions.payInAddress, address),
		eq(transactions.asset, asset),
		sql`${transactions.kind} = 'stray' and ${transactions.state} <> 'final'`,
	);
	const [open] = await db.select().from(transactions).where(isIt);
	return open ?? null;
}

/** Null where a return may go there. `own`: the order's deposit address on that network. */
async function addressProblem(
	{ env }: Context,
	network: NetworkName,
	own: string,
	to: string,
): Promise<Failure | null> {
	const plain = await keeperOf(env).plainAddress(network, to);
	if (plain === null) return fail(400, `${to} is not an address on ${network}`);
	return plain === own ? fail(400, `${to} is the order’s own deposit address`) : null;
}

/** Null where something is left to go back. */
function nothingLeft({ orderId, asset, counted, taken }: StrayRow, open: TransactionRow | null): Failure | null {
	if (BigInt(counted) > BigInt(taken) || open?.state === 'planned') return null;
	return fail(409, `all ${assetOf(asset).code} of order ${orderId} has gone back, or is on its way`);
}

/** An address that screening holds gets nothing back, not by the operator's command either. */
async function heldAddress({ db }: Context, orderId: string, to: string): Promise<Failure | null> {
	const verdicts = await screeningsOf(db, orderId);
	const isIt = (address: string) => address.toLowerCase() === to.toLowerCase();
	const isHeld = verdicts.some(({ verdict, address }) => verdict === 'hold' && isIt(address));
	return isHeld ? fail(409, `screening holds ${to}: \`--to\` sends it to another address of the payer`) : null;
}

/** Null where it was planned, and is not any more. */
async function givenUp(context: Context, open: TransactionRow, reason: string): Promise<Failure | null> {
	if (open.state !== 'planned') return null;
	const { db, env, now } = context;
	const refused = await askSigner(env.SIGNER, open);
	if (refused) return fail(409, `transaction ${open.id} was not given up: ${refusalText(refused)}`);
	const changes = { reason, kind: open.kind, asset: open.asset, amount: open.amount, to: open.toAddress };
	const audit = (isPlanned: SQL) => writeAuditIf(context, { command: COMMAND, subject: open.id, changes }, isPlanned);
	await runBatch(db, giveUpStatements(db, open, audit, now));
	return null;
}

/** Who pays for a sweep, as `Chain.sweeping` has it. */
const feePayerOf = ({ network }: StrayRow) => (networkNamed(network).family === 'solana' ? 'wallet' : 'address');

interface Booked {
	readonly row: StrayRow;
	readonly open: TransactionRow | null;
	readonly txId: string;
	readonly reason: string;
}

/**
 * First the signer records it, then the row is signed, without bytes, then it is sent. Atomic: each of these; the same command
 * does the rest after a crash. What the return does not answer for is judged again.
 */
async function bookReturn(context: Context, { row, open, txId, reason }: Booked) {
	const { db, env, now } = context;
	if (!open) return fail(409, `no return of it is planned: the service plans one by itself, and books none before`);
	const isBooked = open.raw === '' && open.txId === txId;
	if (!isBooked && open.state !== 'planned')
		return fail(409, `transaction ${open.id} is ${open.state}: the service knows it`);
	if (!isBooked) {
		const adopted = await env.SIGNER.adoptReturn(row.network, open.id, txId);
		if ('kind' in adopted) return fail(409, `nothing was booked: ${refusalText(adopted)}`);
		const { amount, to } = adopted;
		const { moves } = await factsOf(db, row);
		const before = BigInt(row.takenBefore);
		const gross = answeredBy(BigInt(amount), [moves, row.asset, feePayerOf(row), before]);
		const taken = row.isListed ? row.taken : (before + gross).toString();
		const changes = { txId, asset: row.asset, amount, to, reason };
		await runBatch(db, [
			writeAudit(context, { command: COMMAND, subject: row.orderId, changes }),
			change(db, open, { amount, toAddress: to }),
			storeSigned(db, open, { raw: '', txId }, now),
			db.update(strays).set({ taken, dueAt: now }).where(isOf(row)),
		]);
	}
	const signed = await findTransaction(db, open.id);
	if (signed?.state === 'signed') await recordSent(db, [signed], now, 0);
	const [stored] = (await straysOf(db, row.orderId)).filter(({ asset }) => asset === row.asset);
	return strayRecord(stored ?? row);
}

type TokenInput = Omit<Parameters<RunOf<typeof topic, 'return-stray'>>[1], 'asset'> & { readonly token: string };

/** Atomic: the address, the order's copy and the audit line are one batch, which changes nothing while a return is under way. */
async function returnToken(context: Context, { id, token: text, reason, ...input }: TokenInput) {
	const { db, env, now } = context;
	const order = await findOrder(db, id);
	if (!order) return archivedOrNone(db, env, id);
	const row = await unlistedNamed(db, id, text);
	if (!row) return fail(409, `no ${text} is known at order ${id}; \`order find-stray ${id} --tx TXID\` looks`);
	if (input.txId !== undefined || input.not.length > 0)
		return fail(400, 'of a token that is not listed nothing is booked');
	const { network, token, address } = row;
	const to = input.to ?? (network === order.fromNetwork ? order.refundAddress : null);
	if (to === null)
		return fail(400, `the refund address is on ${order.fromNetwork}: enter one on ${network} with \`--to\``);
	const problem =
		(await addressProblem(context, network, address, to)) ??
		(await heldAddress(context, id, to)) ??
		(await unconfirmed(context, to === order.refundAddress ? [] : [returnMove(id, network, token, to)]));
	if (problem) return problem;
	const toSeal = await sealStray(env.askedKeys(), { orderId: id, network, asset: token, to, at: row.foundAt });
	const isIt = and(
		eq(unlistedTokens.network, network),
		eq(unlistedTokens.address, address),
		eq(unlistedTokens.token, token),
		isNull(unlistedTokens.askedAt),
	);
	const changes = { network, token, to, reason };
	const isThere = sql`exists (select 1 from ${unlistedTokens} where ${isIt})`;
	const asking = { toAddress: to, toSeal, askedAt: now, keptAt: null, returnId: null, waits: null };
	const [, changed] = await db.batch([
		writeAuditIf(context, { command: COMMAND, subject: id, changes }, isThere),
		db.update(unlistedTokens).set(asking).where(isIt).returning(),
		copyStraysOf(db, id, now),
	]);
	const [asked] = changed;
	if (!asked) return fail(409, `it is on its way back to ${row.toAddress}`);
	await lookOn(context, network, id);
	return unlistedRecord(asked);
}
