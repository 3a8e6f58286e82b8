/**
 * What the load generator sends: requests as raw bytes, each made at the moment it goes out, because a nonce is good
 * once. Signing costs the generator some ten microseconds, against hundreds that the service spends on the call.
 */
import { randomUUID } from 'node:crypto';
import { addressIn } from '../cast/networks.ts';
import { signedHeaders } from '../cast/signing.ts';
import { PRICE } from '../support/orders.ts';
import type { Credentials } from '../support/partner.ts';

export type Traffic =
	| { readonly kind: 'hello' }
	| {
			/** A document, or 304 where the caller has it. */
			readonly kind: 'get';
			readonly path: string;
			readonly ifNoneMatch?: string;
	  }
	| {
			readonly kind: 'signed';
			readonly partner: Credentials;
			readonly path: string;
			/** Sent in turn, JSON text. */
			readonly bodies: readonly string[];
			/** A fresh Idempotency-Key with each call. */
			readonly idempotent?: boolean;
	  }
	| {
			readonly kind: 'anonymous';
			readonly path: string;
			readonly body: string;
			/** CF-Connecting-IP, sent in turn: locally the client may say it itself. */
			readonly addresses: readonly string[];
	  };

export const PRICE_BODY = JSON.stringify(PRICE);

export const FEED = '/api/rates.xml';

export const ANONYMOUS_NETWORKS = 1_200;

/** One in each of so many /24 networks. */
export const NETWORK_ADDRESSES = Array.from({ length: ANONYMOUS_NETWORKS }, (_, i) => addressIn(i));

/** The next request each time. ASCII only. */
export function requestsOf(traffic: Traffic): () => string {
	switch (traffic.kind) {
		case 'hello':
			return () => 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
		case 'get':
			return () =>
				`GET ${traffic.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
				`${traffic.ifNoneMatch ? `If-None-Match: ${traffic.ifNoneMatch}\r\n` : ''}\r\n`;
		case 'signed':
			return signedRequests(traffic);
		case 'anonymous': {
			const next = inTurn(traffic.addresses);
			return () => post(traffic.path, traffic.body, `CF-Connecting-IP: ${next()}\r\n`);
		}
	}
}

function signedRequests({ partner, path, bodies, idempotent }: Extract<Traffic, { kind: 'signed' }>): () => string {
	const next = inTurn(bodies);
	const prefix = randomUUID().slice(0, 23);
	let sent = 0;
	return () => {
		const body = next();
		const nonce = `${prefix}-${sent++}`;
		const timestamp = String(Math.floor(Date.now() / 1000));
		const signed = Object.entries(signedHeaders(partner, body, { nonce, timestamp }));
		const key = idempotent ? `Idempotency-Key: ${nonce}\r\n` : '';
		return post(path, body, signed.map(([name, value]) => `${name}: ${value}\r\n`).join('') + key);
	};
}

const post = (path: string, body: string, headers: string): string =>
	`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
	`${headers}\r\n${body}`;

function inTurn(values: readonly string[]): () => string {
	let turn = 0;
	return () => {
		const value = values[turn++ % values.length];
		if (value === undefined) throw new TypeError('nothing to send');
		return value;
	};
}
