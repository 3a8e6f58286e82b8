/** A row for each call. Generated from the OpenAPI document by `npm run sdk:generate`. Pure data. */

export interface Operation {
	readonly name: string;
	readonly method: 'GET' | 'POST' | 'DELETE';
	readonly path: string;
	/** False where the call also works unsigned. */
	readonly isSigned: boolean;
	readonly hasBody: boolean;
	/** Takes an idempotency key. */
	readonly takesKey: boolean;
}

type Trait = 'signed' | 'body' | 'key';

const row = (name: string, method: Operation['method'], path: string, ...traits: readonly Trait[]): Operation => ({
	name,
	method,
	path,
	isSigned: traits.includes('signed'),
	hasBody: traits.includes('body'),
	takesKey: traits.includes('key'),
});

export const OPERATIONS: readonly Operation[] = [
	row('currencies', 'POST', '/api/v1/currencies', 'body'),
	row('pairs', 'POST', '/api/v1/pairs', 'body'),
	row('assets', 'POST', '/api/v1/assets', 'body'),
	row('price', 'POST', '/api/v1/price', 'body'),
	row('pairLimits', 'POST', '/api/v1/limits', 'body'),
	row('create', 'POST', '/api/v1/create', 'signed', 'body', 'key'),
	row('order', 'POST', '/api/v1/order', 'signed', 'body'),
	row('orders', 'POST', '/api/v1/orders', 'signed', 'body'),
	row('emergency', 'POST', '/api/v1/emergency', 'signed', 'body'),
	row('qr', 'POST', '/api/v1/qr', 'signed', 'body'),
	row('validateAddress', 'POST', '/api/v1/validate-address', 'signed', 'body'),
	row('createCode', 'POST', '/api/v1/codes', 'signed', 'body'),
	row('listCodes', 'GET', '/api/v1/codes', 'signed'),
	row('disableCode', 'DELETE', '/api/v1/codes', 'signed', 'body'),
	row('enableCode', 'POST', '/api/v1/codes/enable', 'signed', 'body'),
	row('earnings', 'POST', '/api/v1/earnings', 'signed', 'body'),
	row('rotateKeys', 'POST', '/api/v1/keys/rotate', 'signed', 'body'),
	row('createKey', 'POST', '/api/v1/keys', 'signed', 'body'),
	row('listKeys', 'GET', '/api/v1/keys', 'signed'),
	row('revokeKey', 'DELETE', '/api/v1/keys', 'signed', 'body'),
	row('createEndpoint', 'POST', '/api/v1/webhooks', 'signed', 'body'),
	row('listEndpoints', 'GET', '/api/v1/webhooks', 'signed'),
	row('deleteEndpoint', 'DELETE', '/api/v1/webhooks', 'signed', 'body'),
	row('changeEndpoint', 'POST', '/api/v1/webhooks/change', 'signed', 'body'),
	row('testWebhook', 'POST', '/api/v1/webhooks/test', 'signed', 'body'),
	row('listDeliveries', 'POST', '/api/v1/webhooks/deliveries', 'signed', 'body'),
	row('redeliverWebhook', 'POST', '/api/v1/webhooks/redeliver', 'signed', 'body'),
	row('sandboxKeys', 'POST', '/api/v1/sandbox/keys', 'body'),
	row('sandboxDeposit', 'POST', '/api/v1/sandbox/deposit', 'signed', 'body'),
];
