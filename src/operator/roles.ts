/** Which commands a role may run. Pure. */
import type { Role } from '../partners/partner.ts';

/** Beside those that read: what helps a payer or a partner, and sends nothing to an address that somebody types. */
const SUPPORT: ReadonlySet<string> = new Set([
	'order/refund',
	'order/finalise',
	'order/find-stray',
	'webhook/redeliver',
]);

export const mayRun = (role: Role, path: string, reads: boolean): boolean =>
	role === 'admin' || reads || (role === 'support' && SUPPORT.has(path));
