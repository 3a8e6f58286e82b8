/** One builder for orders, and the sandbox's addresses that tests pay to. */
import type { OrderView } from '../../src/orders/view.ts';
import { type Answer, type Bend, type Credentials, newNonce, type Reachable, signed } from './partner.ts';
import { eventually } from './service.ts';

export const ETH_RECIPIENT = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
export const LTC_REFUND = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';

/** A valid body of `price`: 2 LTC to ETH. */
export const PRICE = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };

export type CreatedOrder = OrderView & { readonly token: string | null };

/** A valid body of `create`: 2 LTC to ETH. */
export const createBody = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
	...PRICE,
	toAddress: ETH_RECIPIENT,
	refundAddress: LTC_REFUND,
	...more,
});

export function create(
	service: Reachable,
	partner: Credentials,
	more: Record<string, unknown> = {},
	bend: Bend = {},
): Promise<Answer<CreatedOrder>> {
	return signed<CreatedOrder>(service, partner, '/api/v1/create', createBody(more), {
		...bend,
		headers: { 'idempotency-key': newNonce(), ...bend.headers },
	});
}

/** The order as its partner reads it. */
export async function readOrder(service: Reachable, partner: Credentials, order: CreatedOrder): Promise<OrderView> {
	const answer = await signed<OrderView>(service, partner, '/api/v1/order', { id: order.id, token: order.token });
	if (answer.code !== 0) throw new Error(`order: ${answer.text}`);
	return answer.data;
}

/** Polls until the order has the status. */
export const untilStatus = (
	service: Reachable,
	partner: Credentials,
	order: CreatedOrder,
	status: string,
	milliseconds?: number,
): Promise<OrderView> =>
	eventually(
		`order ${order.id} to be ${status}`,
		async () => {
			const view = await readOrder(service, partner, order);
			return view.status === status && view;
		},
		milliseconds,
	);
