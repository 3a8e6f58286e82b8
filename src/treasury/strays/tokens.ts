/**
 * Plans the return of tokens that are not listed, where the operator has asked for it (`order return-stray`): straight from the
 * pay-in address, with gas for it first where the address pays. One command is one try: whatever the token's own code does, it
 * costs what the signer bounds, and what did not work waits for a person with its reason. After a crash the row is judged again.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { nativeAsset } from '../../catalog/assets.ts';
import type { TokenWait } from '../../orders/strays.ts';
import { type OrderRow, orders } from '../../orders/table.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { log, logError } from '../../platform/log.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import type { Planning } from '../connection.ts';
import { hasGas } from '../sweeps/rules.ts';
import { hasFailed } from '../transactions/blocked.ts';
import { insertPlanned } from '../transactions/store.ts';
import { mayStillPay } from './plan.ts';
import { copyStraysOf, factsOf } from './store.ts';
import { type UnlistedRow, unlistedTokens } from './table.ts';

/** Most rows that are judged at once, and how soon again. */
const AT_ONCE = 20;
const SOON_MILLISECONDS = 20_000;

interface Asked {
	readonly row: UnlistedRow;
	readonly order: OrderRow;
}

/** One that fails is logged, and judged again. Returns when that is. */
export async function planTokens(planning: Planning): Promise<number> {
	const { db, network, now } = planning;
	const asked = await db
		.select({ row: unlistedTokens, order: orders })
		.from(unlistedTokens)
		.innerJoin(orders, eq(orders.id, unlistedTokens.orderId))
		// Literal, for the partial index.
		.where(and(eq(unlistedTokens.network, network), sql`asked_at IS NOT NULL`))
		.orderBy(unlistedTokens.askedAt)
		.limit(AT_ONCE);
	for (const each of asked) {
		try {
			const written = await judge(planning, each);
			if (written.length > 0) await runBatch(db, [...written, copyStraysOf(db, each.order.id, now)]);
		} catch (error) {
			logError('stray_not_planned', error, { network, orderId: each.order.id, token: each.row.token });
		}
	}
	return asked.length > 0 ? now + SOON_MILLISECONDS : Number.POSITIVE_INFINITY;
}

async function judge(planning: Planning, { row, order }: Asked): Promise<Statement[]> {
	const { db, chain, now } = planning;
	const { moves, isMoving } = await factsOf(db, row);
	const last = moves.find(({ id }) => id === row.returnId);
	if (last && last.state !== 'final') return [];
	// The signer refused it for good, or no block can take it any more.
	if (row.returnId !== null && !last) return [ended(db, row, 'refused')];
	if (last && hasFailed(last)) return [ended(db, row, 'failed')];
	if (last?.kind === 'token') return [returned(db, row, now)];
	if (now - Number(row.askedAt) > DAY_MILLISECONDS) return [ended(db, row, 'too-long')];
	// Another move of the address may be one that never goes on, and is shown by itself.
	if (isMoving || (await mayStillPay(planning, order))) return [];
	const { address, token, toAddress: to } = row;
	const quote = to === null ? undefined : await chain.quoteToken?.({ address, token, to });
	if (!quote || to === null || quote.amount === 0n) return [ended(db, row, 'immovable')];
	const needsGas = quote.gas > 0n && !hasGas(moves, quote);
	const what = needsGas
		? ({ kind: 'gas', amount: quote.gas, to: address } as const)
		: ({ kind: 'token', amount: 0n, to } as const);
	return plan(planning, { row, order }, what);
}

/** The batch fails where another move of the address was planned meanwhile. */
function plan(
	{ db, network, now }: Planning,
	{ row, order }: Asked,
	{ kind, amount, to }: { readonly kind: 'gas' | 'token'; readonly amount: bigint; readonly to: string },
): Statement[] {
	const id = crypto.randomUUID();
	const { token, address: payInAddress } = row;
	log('stray_return_planned', { payoutId: id, orderId: order.id, network, kind, token, amount: row.amount });
	const planned = insertPlanned(
		db,
		{
			id,
			kind,
			network,
			asset: nativeAsset(network),
			amount: amount.toString(),
			toAddress: to,
			usdCents: 0,
			payInAddress,
			payInIndex: order.payInIndex,
			sweepAsset: token,
		},
		now,
	);
	return [planned, db.update(unlistedTokens).set({ returnId: id }).where(isOf(row))];
}

const isOf = ({ network, address, token }: UnlistedRow): SQL | undefined =>
	and(eq(unlistedTokens.network, network), eq(unlistedTokens.address, address), eq(unlistedTokens.token, token));

const ended = (db: Db, row: UnlistedRow, waits: TokenWait): Statement => {
	log('stray_token_not_returned', { network: row.network, orderId: row.orderId, token: row.token, waits });
	return db.update(unlistedTokens).set({ askedAt: null, toSeal: null, returnId: null, waits }).where(isOf(row));
};

const returned = (db: Db, row: UnlistedRow, now: number): Statement =>
	db.update(unlistedTokens).set({ askedAt: null, toSeal: null, waits: null, keptAt: now }).where(isOf(row));
