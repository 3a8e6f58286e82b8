/**
 * Orders for the bench: bodies of `create` for nine source assets, each worth about 100 USD at the sandbox's prices.
 */
import type { AssetId } from '../../src/catalog/assets.ts';
import { type CreatedOrder, create, createBody, ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import type { Credentials } from '../support/partner.ts';
import { eventually, type TestService } from '../support/service.ts';

const BITCOIN = 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu';
const DASH = 'XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5';

/** One asset each of nine networks, so that their agents share the work. */
const SIDES = {
	LTC: { amount: '1', address: LTC_REFUND },
	ETH: { amount: '0.03', address: ETH_RECIPIENT },
	BTC: { amount: '0.001', address: BITCOIN },
	BNB: { amount: '0.1', address: ETH_RECIPIENT },
	ETHARB: { amount: '0.03', address: ETH_RECIPIENT },
	DASH: { amount: '2', address: DASH },
	POL: { amount: '400', address: ETH_RECIPIENT },
	AVAX: { amount: '5', address: ETH_RECIPIENT },
	ETHOP: { amount: '0.03', address: ETH_RECIPIENT },
} as const satisfies Partial<Record<AssetId, { readonly amount: string; readonly address: string }>>;

const ASSETS = Object.keys(SIDES) as (keyof typeof SIDES)[];

/** One body per source asset, each to the asset that follows it: nine networks take deposits and pay. */
export const CREATE_BODIES = ASSETS.map((fromCcy, i) => {
	const toCcy = ASSETS[(i + 1) % ASSETS.length] ?? 'ETH';
	return JSON.stringify(
		createBody({
			fromCcy,
			toCcy,
			amount: SIDES[fromCcy].amount,
			toAddress: SIDES[toCcy].address,
			refundAddress: SIDES[fromCcy].address,
		}),
	);
});

const ORDERS_READ = 50;

/** Bodies of `order`, in turn. */
export async function ordersToRead(service: TestService, partner: Credentials): Promise<string[]> {
	const bodies: string[] = [];
	for (let i = 0; i < ORDERS_READ; i++) {
		const { id, token } = await makeOrder(service, partner);
		bodies.push(JSON.stringify({ id, token }));
	}
	return bodies;
}

export async function makeOrder(
	service: TestService,
	partner: Credentials,
	more: Record<string, unknown> = {},
): Promise<CreatedOrder> {
	const { data, text } = await create(service, partner, more);
	if (!data) throw new Error(`create: ${text}`);
	return data;
}

/** Waits until the agents have refilled the pools of pay-in addresses so far that each network can give `free`. */
export async function untilPoolsHold(service: TestService, free: number): Promise<void> {
	await eventually(
		`${free} free addresses on every network`,
		async () => {
			const networks = await service.operator<{ freeAddresses: number }[]>('network/list');
			return networks.every(({ freeAddresses }) => freeAddresses >= free);
		},
		60_000,
	);
}
