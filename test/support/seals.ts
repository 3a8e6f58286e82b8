/** Seals that only somebody with SEAL_KEY can make: for tests of the rules behind a seal. */
import { keyRing } from '../../src/crypto/key-ring.ts';
import { type OrderTerms, type SettlementTerms, sealEarned, sealOrder, sealSettlement } from '../../src/orders/seal.ts';
import type { TestService } from './service.ts';

/** Seals an order as its row is now. */
export async function sealOrderAnew(service: TestService, id: string): Promise<void> {
	const [row] = await service.sql<OrderTerms>(
		`SELECT id, partner_id AS partnerId, from_asset AS fromAsset, to_asset AS toAsset, to_address AS toAddress,
		 refund_address AS refundAddress, pay_in_address AS payInAddress, pay_in_index AS payInIndex,
		 base_fee_bps AS baseFeeBps, lean_bps AS leanBps, afftax_bps AS afftaxBps, from_amount AS fromAmount,
		 min_to_amount AS minToAmount FROM orders WHERE id = ?`,
		id,
	);
	if (!row) throw new Error(`there is no order ${id}`);
	const seal = await sealOrder(keyRing(service.local.secrets, 'SEAL_KEY'), row);
	await service.sql('UPDATE orders SET seal = ?2 WHERE id = ?1', id, seal);
}

/** Seals a payout or refund as its rows are now. */
export async function sealSettlementAnew(service: TestService, payoutId: string): Promise<void> {
	const [row] = await service.sql<Omit<SettlementTerms, 'deposits'>>(
		'SELECT id AS payoutId, order_id AS orderId, kind, asset, amount, planned_at AS plannedAt FROM transactions WHERE id = ?',
		payoutId,
	);
	if (!row) throw new Error(`there is no payout ${payoutId}`);
	const deposits = await service.sql<SettlementTerms['deposits'][number]>(
		'SELECT tx_id AS txId, position, address, asset, amount FROM deposits WHERE payout_id = ?',
		payoutId,
	);
	const seal = await sealSettlement(keyRing(service.local.secrets, 'SEAL_KEY'), { ...row, deposits });
	await service.sql('UPDATE transactions SET settlement_seal = ?2 WHERE id = ?1', payoutId, seal);
}

/** Seals what the partner earns with a payout as the books are now. */
export async function sealEarnedAgain(service: TestService, payoutId: string): Promise<void> {
	const [row] = await service.sql<{ orderId: string; plannedAt: number; amount: string }>(
		`SELECT transactions.order_id AS orderId, planned_at AS plannedAt, ledger_entries.amount FROM transactions
		INNER JOIN ledger_entries ON ledger_entries.order_id = transactions.order_id
			AND cause = 'settled' AND account = 'partnerPending'
		WHERE transactions.id = ?`,
		payoutId,
	);
	if (!row) throw new Error(`there is no payout ${payoutId}`);
	const { orderId, plannedAt, amount } = row;
	const terms = { payoutId, orderId, plannedAt, afftax: -BigInt(amount) };
	const seal = await sealEarned(keyRing(service.local.secrets, 'SEAL_KEY'), terms);
	await service.sql('UPDATE transactions SET earned_seal = ?2 WHERE id = ?1', payoutId, seal);
}
