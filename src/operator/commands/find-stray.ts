/** `order find-stray` and `order keep-stray`: coins of another asset or network at an order's address. */
import { and, eq, isNotNull } from 'drizzle-orm';
import { findArchived } from '../../archive/find.ts';
import { writeAudit } from '../../audit/log.ts';
import { assetOf } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { findOrder } from '../../orders/store.ts';
import { type OrderRow, orders } from '../../orders/table.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import { logError } from '../../platform/log.ts';
import { objectNamed } from '../../platform/region.ts';
import { type OverflowRow, overflowsAt, overflowsOf } from '../../treasury/deposits/overflows.ts';
import { lookUpOn, networksOf, transactionIn } from '../../treasury/strays/named.ts';
import type { Named } from '../../treasury/strays/named-answer.ts';
import { copyStraysOf, straysOf } from '../../treasury/strays/store.ts';
import { keepUnlisted, unlistedNamed, unlistedOf } from '../../treasury/strays/unlisted.ts';
import { type Context, fail, type RunOf } from '../command.ts';
import { archivedOrNone } from '../orders/archived.ts';
import { coins } from '../orders/record.ts';
import { namedRecords, strayRecord, unlistedRecord } from '../orders/stray-record.ts';
import type { order as topic } from '../topics/order.ts';

/** Each network's agent writes its finds. A network that does not answer is named; the others are looked at. */
export const findStray: RunOf<typeof topic, 'find-stray'> = async (context, { id, network, tx }) => {
	const { db, env } = context;
	const live = await findOrder(db, id);
	const order = live ?? (await findArchived(db, env, id))?.order;
	if (!order) return fail(404, `there is no order ${id}`);
	const networks = networksOf(env, order);
	if (network !== undefined && !networks.includes(network))
		return fail(409, `nothing of order ${id} can be on ${network}; it is looked for on ${networks.join(', ')}`);
	const txId = tx === undefined ? undefined : transactionIn(tx, order.fromNetwork);
	if (txId === null) return fail(400, `${tx} is no transaction id of ${order.fromNetwork}`);
	const wanted = network === undefined ? networks : [network];
	const isReported = and(eq(orders.id, id), isNotNull(orders.reportedAt));
	await runBatch(db, [
		writeAudit(context, { command: 'order find-stray', subject: id, changes: { networks: wanted, tx: txId } }),
		// The operator has looked at the payer's report.
		db.update(orders).set({ reportedAt: null }).where(isReported),
	]);
	const named = txId === undefined ? [] : await lookUpOn(env, wanted, id, txId);
	const looked = await Promise.all(wanted.map((name) => lookOn(context, name, id)));
	const isSilent = (name: NetworkName, i: number) => !looked[i] || named.some((each) => isSilentOn(each, name));
	const found = (await straysOf(db, id)).filter(({ counted }) => counted !== '0');
	const unlisted = await unlistedOf(db, id);
	return {
		order: id,
		looked: wanted.filter((name, i) => !isSilent(name, i)),
		notAnswering: wanted.filter(isSilent),
		...(txId !== undefined && { transaction: namedRecords(named) }),
		strays: found.map(strayRecord),
		...(unlisted.length > 0 && { unlisted: unlisted.map(unlistedRecord) }),
		beyondDeposits: live && (await beyondDeposits(context, live)),
		...(!live && { ofNoOrder: await ofNoOrder(context, order, networks) }),
	};
};

/** Finds what came to an archived order since, which is nobody's deposit. */
async function ofNoOrder({ db }: Context, { payInAddress }: OrderRow, networks: readonly NetworkName[]) {
	const rows = await Promise.all(networks.map((network) => overflowsAt(db, network, [payInAddress])));
	return rows.flat().map((row) => ({ network: row.network, asset: assetOf(row.asset).code, ...liesOf(row) }));
}

const isSilentOn = ({ network, found }: Named, name: NetworkName): boolean =>
	network === name && found === 'not answering';

/** Finds what came of the asset that it asked for. Null where its deposits are all that came. */
async function beyondDeposits({ db }: Context, { id, fromAsset }: OrderRow) {
	const [row] = await overflowsOf(db, [id]);
	return row ? liesOf({ ...row, asset: fromAsset }) : null;
}

const liesOf = ({ asset, counted, swept }: Pick<OverflowRow, 'asset' | 'counted' | 'swept'>) => ({
	came: coins(asset, counted),
	atAddress: coins(asset, (BigInt(counted) - BigInt(swept)).toString()),
});

/** False where it does not answer, or cannot look. */
export async function lookOn({ env }: Context, network: NetworkName, id: string): Promise<boolean> {
	try {
		const agent = objectNamed(env, env.CHAIN_AGENT, network);
		const looked = await agent.findStrays(network, id);
		await agent.wake(network);
		return looked;
	} catch (error) {
		logError('agent_not_woken', error, { network });
		return false;
	}
}

/** Atomic: the decision, the order's copy and the audit line are one batch. */
export const keepStray: RunOf<typeof topic, 'keep-stray'> = async (context, { id, token: text, reason }) => {
	const { db, env, now } = context;
	const order = await findOrder(db, id);
	if (!order) return archivedOrNone(db, env, id);
	const row = await unlistedNamed(db, id, text);
	if (!row) return fail(409, `no token ${text} is known at order ${id}; \`order find-stray ${id} --tx TXID\` looks`);
	if (row.askedAt !== null) return fail(409, 'it is on its way back');
	const changes = { network: row.network, token: row.token, reason };
	await db.batch([
		writeAudit(context, { command: 'order keep-stray', subject: id, changes }),
		keepUnlisted(db, id, row.token, now),
		copyStraysOf(db, id, now),
	]);
	return unlistedRecord({ ...row, keptAt: row.keptAt ?? now });
};
