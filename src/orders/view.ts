/** The order as partners see it (book: contract, "Order"). Pure. */
import { assetOf } from '../catalog/assets.ts';
import type { OrderRow } from './table.ts';

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** `now`: Unix milliseconds, for `time.left`. */
export function orderView(order: OrderRow, now: number) {
	const expiration = seconds(order.expiresAt);
	return {
		id: order.id,
		type: 'float',
		status: order.status,
		time: {
			reg: seconds(order.createdAt),
			expiration,
			left: Math.max(0, expiration - seconds(now)),
			update: seconds(order.updatedAt),
			finish: order.finishedAt === null ? null : seconds(order.finishedAt),
		},
		from: {
			code: order.fromAsset,
			network: assetOf(order.fromAsset).network,
			amount: order.fromAmount,
			address: order.payInAddress,
			tx: { id: order.depositTxId, amount: order.depositAmount },
		},
		to: {
			code: order.toAsset,
			network: assetOf(order.toAsset).network,
			amount: order.toAmount,
			address: order.toAddress,
			tx: { id: order.payoutTxId, amount: order.payoutAmount },
		},
		back: { address: order.refundAddress, tx: { id: order.refundTxId } },
		emergency: {
			status: order.status === 'EMERGENCY' ? order.emergencyReasons : [],
			choice: order.emergencyChoice === 'EXCHANGE' ? 'EXCHANGE' : 'NONE',
		},
		rate: order.rate,
		networkFee: order.networkFee,
		markupBps: order.afftaxBps,
		// Absent, and not null, where there is none: an order without a reference or a floor looks as it always did.
		...(order.externalId && { externalId: order.externalId }),
		...(order.minToAmount !== null && { minToAmount: order.minToAmount }),
	};
}

export type OrderView = ReturnType<typeof orderView>;

/** For who has the status token alone: the partner's margin and reference are nobody else's business. */
export const statusView = (order: OrderRow, now: number) => ({
	...orderView({ ...order, externalId: null }, now),
	markupBps: null,
});

export type StatusView = ReturnType<typeof statusView>;
