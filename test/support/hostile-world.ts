/**
 * What hostile calls find: a partner with codes, a key, a webhook endpoint and an order that waits for a choice, and the
 * operations as targets.
 */
import { type Target, targetsOf } from './hostile-target.ts';
import { readDocument } from './openapi.ts';
import { create, untilStatus } from './orders.ts';
import { type Credentials, createPartner, signed } from './partner.ts';
import type { TestService } from './service.ts';

/** A public sandbox, so that its operations are there too. */
export const HOSTILE_VARIABLES = { SANDBOX_VISITORS: '9999' };

export interface HostileWorld {
	readonly partner: Credentials;
	readonly targets: readonly Target[];
	/** Its id. */
	readonly order: string;
}

export async function hostileWorld(service: TestService): Promise<HostileWorld> {
	const partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	for (const code of ['code-on', 'code-off']) await signed(service, partner, '/api/v1/codes', { code });
	await signed(service, partner, '/api/v1/codes', { code: 'code-off' }, { method: 'DELETE' });
	const { data: order } = await create(service, partner);
	await service.operator('sandbox/deposit', { orders: [order.id], amount: '0.1' });
	await untilStatus(service, partner, order, 'EMERGENCY');
	const codes: Record<string, string> = { 'DELETE /api/v1/codes': 'code-on', 'POST /api/v1/codes/enable': 'code-off' };
	// Disabled, so that nothing is sent anywhere.
	const hook = { url: 'https://shop.example/hooks', enabled: false };
	const { data: endpoint } = await signed<{ id: string }>(service, partner, '/api/v1/webhooks', hook);
	const { data: key } = await signed<{ id: string }>(service, partner, '/api/v1/keys', {
		kind: 'read',
		label: 'Books',
	});
	const ids: Record<string, string> = {
		'POST /api/v1/webhooks/change': endpoint.id,
		'DELETE /api/v1/webhooks': endpoint.id,
		'POST /api/v1/keys/revoke': key.id,
	};
	const document = await readDocument(service);
	const targets = targetsOf(document, (name) => ({
		id: ids[name] ?? order.id,
		token: order.token,
		code: codes[name],
		endpoint: endpoint.id,
	}));
	return { partner, targets, order: order.id };
}
