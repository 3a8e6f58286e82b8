/**
 * The seal of a webhook endpoint, under SEAL_KEY: someone who can write D1 can switch an endpoint off, but not have webhooks
 * sent to a URL that nobody set.
 */
import { type SealClaim, type SealKeys, seal, sealHolds } from '../crypto/seals.ts';
import type { WebhookEndpointRow } from './table.ts';

export type EndpointTerms = Pick<WebhookEndpointRow, 'id' | 'partnerId' | 'orderId' | 'url' | 'urlSetAt'>;

const textOf = ({ id, partnerId, orderId, url, urlSetAt }: EndpointTerms): string =>
	JSON.stringify(['webhook endpoint', id, partnerId, orderId, url, urlSetAt]);

export const sealEndpoint = (keys: SealKeys, terms: EndpointTerms): Promise<string> => seal(keys, textOf(terms));

export const endpointClaim = (terms: EndpointTerms, sealed: string): SealClaim => ({
	text: textOf(terms),
	at: terms.urlSetAt,
	sealed,
});

export const endpointSealHolds = async (keys: SealKeys, row: EndpointTerms & { readonly seal: string | null }) =>
	row.seal !== null && sealHolds(keys, endpointClaim(row, row.seal));
