/** What hostile calls find: a partner with codes and an order that waits for a choice, and the operations as targets. */
import { type Target, targetsOf } from './hostile-target.ts';
import { readDocument } from './openapi.ts';
import { create, untilStatus } from './orders.ts';
import { type Credentials, createPartner, signed } from './partner.ts';
import type { TestService } from './service.ts';

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
	const document = await readDocument(service);
	const targets = targetsOf(document, (name) => ({ id: order.id, token: order.token, code: codes[name] }));
	return { partner, targets, order: order.id };
}
