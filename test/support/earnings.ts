/** A partner's earnings in tests: where they are paid, since when, and what the sandbox's ledgers say that they got. */
import type { NetworkName } from '../../src/catalog/networks.ts';
import type { SandboxPayout } from '../../src/chains/sandbox/ledger.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { sealPayoutAddress } from '../../src/orders/seal.ts';
import { type CreatedOrder, create, untilStatus } from './orders.ts';
import type { Credentials } from './partner.ts';
import type { TestService } from './service.ts';

/** As `earnings show` and `earnings pay-out` print it. */
export interface ShownPayout {
	readonly payoutId: string;
	readonly payer: string;
	readonly state: string;
	readonly asset: string;
	readonly amount: string;
	readonly address: string;
	readonly txId: string | null;
	readonly held: string | null;
}

/** Sets where the partner is paid, as if that had happened `hours` ago. */
export async function paidTo(
	service: TestService,
	{ id }: Credentials,
	address: string,
	{ asset = 'LTC', hours = 24 } = {},
): Promise<void> {
	await service.operator('partner/update', { id, payoutAsset: asset, payoutAddress: address });
	await changedAgo(service, id, hours);
}

/** Sets the partner's payout address as if that had happened `hours` ago, with its seal. */
export async function changedAgo(service: TestService, partnerId: string, hours: number): Promise<void> {
	const changedAt = Date.now() - Math.round(hours * 3_600_000);
	const [row] = await service.sql<{ asset: string; address: string }>(
		'SELECT payout_asset AS asset, payout_address AS address FROM partners WHERE id = ?',
		partnerId,
	);
	if (!row) throw new Error(`there is no partner ${partnerId}`);
	const seal = await sealPayoutAddress(keyRing(service.local.secrets, 'SEAL_KEY'), { partnerId, ...row, changedAt });
	await service.sql(
		'UPDATE partners SET payout_address_changed_at = ?, payout_seal = ? WHERE id = ?',
		changedAt,
		seal,
		partnerId,
	);
}

/** Swaps until DONE; the afftax of each is earned. */
export async function earn(
	service: TestService,
	partner: Credentials,
	...bodies: Record<string, unknown>[]
): Promise<CreatedOrder[]> {
	const orders: CreatedOrder[] = [];
	for (const body of bodies) {
		const { data: order } = await create(service, partner, body);
		await service.operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(service, partner, order, 'DONE');
		orders.push(order);
	}
	return orders;
}

/** What went to an address, according to a sandbox ledger. */
export const payoutsTo = (service: TestService, network: NetworkName, recipient: string): Promise<SandboxPayout[]> =>
	service
		.object<{ payoutsTo(recipients: readonly string[]): Promise<SandboxPayout[]> }>('SANDBOX_LEDGER', network)
		.payoutsTo([recipient]);
