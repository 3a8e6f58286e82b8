/** `hedge …`: the operator's side of `treasury/hedge`. */
import { eq, sql } from 'drizzle-orm';
import { writeAudit, writeAuditIf } from '../../audit/log.ts';
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { findPartner } from '../../partners/store.ts';
import { partners } from '../../partners/table.ts';
import { firstEndpoint } from '../../partners/webhook-endpoints.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { exposureByAsset, isOnly, newestSequence, oldestSequence, tradesAfter } from '../../treasury/hedge/store.ts';
import { hedgers } from '../../treasury/hedge/table.ts';
import { tradeOf } from '../../treasury/hedge/trade.ts';
import { worth } from '../attention/waiting.ts';
import { fail, type RunOf, type RunsOf } from '../command.ts';
import { noSuchPartner } from '../partners/update.ts';
import type { hedge as topic } from '../topics/hedge.ts';

/** The sequences and the exposure are of one moment. */
const showHedger: RunOf<typeof topic, 'show'> = async (context) => {
	const { db, env } = context;
	const [[told], [sequences], exposure] = await db.batch([
		db
			.select({ partnerId: hedgers.partnerId, name: partners.name, queuedUntil: hedgers.queuedUntil })
			.from(hedgers)
			.innerJoin(partners, eq(partners.id, hedgers.partnerId))
			.where(isOnly),
		db.select({ oldest: oldestSequence, newest: newestSequence }).from(sql`(select 1)`),
		exposureByAsset(db),
	]);
	const market = await marketOrNull(env);
	return {
		hedger: told?.partnerId ?? null,
		hedgerName: told?.name ?? null,
		queuedUntil: told?.queuedUntil ?? null,
		...sequences,
		exposure: exposure
			.filter(({ amount }) => amount !== 0n)
			.map(({ asset, amount }) => ({
				asset,
				amount: fromBaseUnits(amount, assetOf(asset).decimals),
				usd: worth({ market, context }, assetOf(asset), amount),
			})),
	};
};

const listTrades: RunOf<typeof topic, 'list'> = async ({ db }, { after, limit }) => {
	const [rows, [kept]] = await db.batch([
		tradesAfter(db, after, limit),
		db.select({ oldest: oldestSequence, newest: newestSequence }).from(sql`(select 1)`),
	]);
	const { oldest = 0, newest = 0 } = kept ?? {};
	// Nothing would be missing before the first of all.
	if (after > 0 && after + 1 < oldest)
		return fail(409, `trades ${after + 1} to ${oldest - 1} are not kept any more; begin again with hedge show`);
	if (after > newest)
		return fail(409, `the newest trade is ${newest}: the books were set back; begin again with hedge show`);
	return rows.map(tradeOf);
};

/** Atomic: the row and its audit line are one batch. Older trades are for `hedge list`. */
const beginTelling: RunOf<typeof topic, 'begin'> = async (context, { partner: id }) => {
	const { db } = context;
	const partner = await findPartner(db, id);
	if (!partner) return noSuchPartner(id);
	if (!(await firstEndpoint(db, id)))
		return fail(409, `${partner.name} has no webhook URL; give one with partner update ${id} --webhook-url`);
	if (partner.enabled)
		return fail(
			409,
			`${partner.name} may make orders, and would learn of those of all partners; for a hedger's record run partner update ${id} --enabled off first`,
		);
	const row = { partnerId: id, queuedUntil: newestSequence };
	await db.batch([
		writeAudit(context, { command: 'hedge begin', subject: id, changes: {} }),
		db
			.insert(hedgers)
			.values({ id: 1, ...row })
			.onConflictDoUpdate({ target: hedgers.id, set: row }),
	]);
	return { hedger: id, hedgerName: partner.name, next: 'trades from now on are told; hedge show has the exposure' };
};

const endTelling: RunOf<typeof topic, 'end'> = async (context) => {
	const { db } = context;
	const isTold = sql`exists (select 1 from ${hedgers} where ${isOnly})`;
	const [, ended] = await db.batch([
		writeAuditIf(context, { command: 'hedge end', subject: null, changes: {} }, isTold),
		db.delete(hedgers).where(isOnly).returning({ partnerId: hedgers.partnerId }),
	]);
	return ended[0] ? { ended: ended[0].partnerId } : fail(409, 'nobody is told');
};

export const hedgeRuns: RunsOf<typeof topic> = {
	show: showHedger,
	list: listTrades,
	begin: beginTelling,
	end: endTelling,
};
