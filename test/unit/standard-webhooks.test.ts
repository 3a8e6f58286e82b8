/** The headers of Standard Webhooks, against the vector that its libraries are tested with. */
import { base64 } from '@scure/base';
import { expect, it } from 'vitest';
import { signedHeaders } from '../../src/webhooks/post.ts';

// github.com/standard-webhooks/standard-webhooks, libraries/*: the same in every language.
const KEY = base64.decode('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') as Uint8Array<ArrayBuffer>;
const MESSAGE = {
	eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
	attempt: 1,
	body: '{"test": 2432232314}',
	at: 1_614_265_330_999,
};

it('a webhook carries the signature of Standard Webhooks', async () => {
	expect(await signedHeaders(KEY, MESSAGE)).toMatchObject({
		'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
		'webhook-timestamp': '1614265330',
		'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
	});
});

it('its key is the text of the webhookSecret: a library is given whsec_ and the base64 of that text', async () => {
	const secret = 'Zt4LhQ8rJm2VxYcB6sKdN0wPfE1uGaTo9iRyXn5Dk7M';
	const bytes = new TextEncoder().encode(secret) as Uint8Array<ArrayBuffer>;
	expect(await signedHeaders(secret, MESSAGE)).toEqual(await signedHeaders(bytes, MESSAGE));
});
