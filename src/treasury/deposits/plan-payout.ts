/**
 * The payout of a settlement, for the batch that moves its order: the row, sealed with exactly the deposits that it pays
 * for, the claim on these, and what the books say of it.
 */
import type { SealKeys } from '../../crypto/seals.ts';
import { sumOf } from '../../money/units.ts';
import { sealEarned, sealSettlement } from '../../orders/seal.ts';
import type { Settlement } from '../../orders/settlement.ts';
import type { DepositRow, OrderRow } from '../../orders/table.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { settledEntries } from '../ledger/entries.ts';
import { insertEntries } from '../ledger/store.ts';
import { insertPlanned } from '../transactions/store.ts';
import { claimDeposits } from './settle-store.ts';

interface Owed {
	readonly payoutId: string;
	readonly order: OrderRow;
	readonly settlement: Settlement;
	/** The deposits that were added up. */
	readonly paidFor: readonly DepositRow[];
}

/** @throws Error where the deposits do not add up to what was settled; then nothing is planned */
export async function planPayout(
	db: Db,
	{ payoutId: id, order, settlement, paidFor }: Owed,
	sealKeys: SealKeys,
	now: number,
): Promise<Statement[]> {
	const { received, owed, afftax, usdCents } = settlement;
	const total = sumOf(paidFor);
	if (total !== received) throw new Error(`order ${order.id} was settled for ${received}, its deposits are ${total}`);
	const { id: orderId, fromAsset, toNetwork: network, toAsset: asset, toAddress } = order;
	const what = { orderId, kind: 'payout', asset, amount: owed.toString() } as const;
	const [settlementSeal, earnedSeal] = await Promise.all([
		sealSettlement(sealKeys, { ...what, payoutId: id, plannedAt: now, deposits: paidFor }),
		sealEarned(sealKeys, { payoutId: id, orderId, afftax, plannedAt: now }),
	]);
	return [
		insertPlanned(db, { id, ...what, network, toAddress, usdCents, settlementSeal, earnedSeal }, now),
		claimDeposits(db, orderId, id, paidFor),
		...insertEntries(db, settledEntries(orderId, { from: fromAsset, to: asset }, settlement, now)),
	];
}
