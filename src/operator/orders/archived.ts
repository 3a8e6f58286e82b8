/** Orders that D1 does not have: why a command cannot work on one, and what the archive says of it. */
import { type ArchiveEnv, findArchived, findArchivedNamed } from '../../archive/find.ts';
import { assetOf } from '../../catalog/assets.ts';
import { sumOf } from '../../money/units.ts';
import { countedTogether } from '../../orders/dust.ts';
import { findPartner } from '../../partners/store.ts';
import type { Db } from '../../platform/d1/database.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { worth } from '../attention/waiting.ts';
import { type Context, type Failure, fail } from '../command.ts';
import { coins, orderLine } from './record.ts';

const UUID_LENGTH = 36;

/** Why an order cannot be shown. The archive knows hashes, so it finds no order by the beginning of its id. */
export const noSuchOrder = (id: string): Failure =>
	fail(
		404,
		`there is no order ${id}${id.length < UUID_LENGTH ? ' in D1; an archived one is found by its whole id, its pay-in address or a transaction of ours (order find)' : ''}`,
	);

/** As a line of `order find`; null where no archived order has it. @throws where the archive cannot be read */
export async function archivedLine(context: Context, text: string) {
	const { db, env } = context;
	const found = await findArchivedNamed(db, env, text);
	if (!found) return null;
	const { order, deposits } = found;
	const counted = countedTogether(deposits.filter(({ state }) => state !== 'gone'));
	const sum = sumOf(counted);
	const [owner, market] = await Promise.all([findPartner(db, order.partnerId), marketOrNull(context.env)]);
	const has = counted.length > 0;
	return {
		...orderLine(order),
		partnerName: owner?.name ?? order.partnerId,
		received: has ? coins(order.fromAsset, sum.toString()) : null,
		receivedUsd: has ? worth({ market, context }, assetOf(order.fromAsset), sum) : null,
		foundBy: 'archive',
	};
}

/** @throws where the archive cannot be read */
export const archivedOrNone = async (db: Db, env: ArchiveEnv, id: string): Promise<Failure> =>
	(await findArchived(db, env, id))
		? fail(409, `order ${id} is archived and does not change any more; order show reads it`)
		: fail(404, `there is no order ${id}`);
