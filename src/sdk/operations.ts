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

const row = (
	name: string,
	method: Operation['method'],
	path: string,
	isSigned: boolean,
	hasBody: boolean,
	takesKey = false,
): Operation => ({ name, method, path, isSigned, hasBody, takesKey });

export const OPERATIONS: readonly Operation[] = [
	row('currencies', 'POST', '/api/v1/currencies', false, true),
	row('pairs', 'POST', '/api/v1/pairs', false, true),
	row('price', 'POST', '/api/v1/price', false, true),
	row('limits', 'POST', '/api/v1/limits', false, true),
	row('create', 'POST', '/api/v1/create', true, true, true),
	row('order', 'POST', '/api/v1/order', true, true),
	row('orders', 'POST', '/api/v1/orders', true, true),
	row('emergency', 'POST', '/api/v1/emergency', true, true),
	row('qr', 'POST', '/api/v1/qr', true, true),
	row('validateAddress', 'POST', '/api/v1/validate-address', true, true),
	row('createCode', 'POST', '/api/v1/codes', true, true),
	row('listCodes', 'GET', '/api/v1/codes', true, false),
	row('disableCode', 'DELETE', '/api/v1/codes', true, true),
	row('enableCode', 'POST', '/api/v1/codes/enable', true, true),
	row('earnings', 'POST', '/api/v1/earnings', true, true),
	row('rotateKeys', 'POST', '/api/v1/keys/rotate', true, true),
	row('testWebhook', 'POST', '/api/v1/webhooks/test', true, true),
];
