/**
 * The seal of a webhook endpoint, under SEAL_KEY: someone who can write D1 can switch an endpoint off, but not have webhooks
 * sent to a URL that nobody set.
 */
import { type SealKeys, sealsOf } from '../crypto/seals.ts';
import type { WebhookEndpointRow } from './table.ts';

export type EndpointTerms = Pick<WebhookEndpointRow, 'id' | 'partnerId' | 'orderId' | 'url' | 'urlSetAt'>;

const textOf = ({ id, partnerId, orderId, url, urlSetAt }: EndpointTerms): string =>
	JSON.stringify(['webhook endpoint', id, partnerId, orderId, url, urlSetAt]);

const seals = sealsOf(textOf, ({ urlSetAt }: EndpointTerms) => urlSetAt);
export const { seal: sealEndpoint, claim: endpointClaim } = seals;

export const endpointSealHolds = async (keys: SealKeys, row: EndpointTerms & { readonly seal: string | null }) =>
	row.seal !== null && seals.holds(keys, row, row.seal);
