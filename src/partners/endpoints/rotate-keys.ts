/** `POST /api/v1/keys/rotate`: new secrets for the partner, made by its gate. */
import { hmacHex, hmacKey } from '../../crypto/hmac.ts';
import { keyRing } from '../../crypto/key-ring.ts';
import { clientNetwork } from '../../http/client-network.ts';
import { isRefusal } from '../../http/refusal.ts';
import { objectNamed } from '../../platform/region.ts';
import { answer, endpoint, type SignedCall } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { SECRET_NAMES } from '../partner.ts';
import { rotateBody, rotatedSchema } from '../schema.ts';

export const rotateKeys = endpoint({
	method: 'POST',
	path: '/api/v1/keys/rotate',
	auth: 'required',
	admits: ['server'],
	weight: 1,
	id: 'rotateKeys',
	request: { schema: rotateBody },
	handle: async (call, input) => {
		const { id, secretsVersion, key } = call.partner;
		// The webhookSecret is the partner's, not the key's.
		if (key && input.rotate.includes('webhookSecret')) return { kind: 'key-not-permitted' };
		const secrets = await objectNamed(call.env, call.env.PARTNER_GATE, id).rotate(id, {
			verifiedBy: secretsVersion,
			keyId: key?.id,
			names: SECRET_NAMES.filter((name) => input.rotate.includes(name)),
			clientNetworkHash: await networkHash(call),
			// The cabinet's calls have none.
			signature: call.headers.get('x-api-sign'),
		});
		return isRefusal(secrets) ? secrets : answer(secrets);
	},
});

export const rotateKeysDocs: EndpointDocs = () => ({
	tag: 'Keys',
	summary: 'Rotate your secrets',
	description: [
		'Sign with the current apiSecret. The old value is invalid at once; there is no overlap window, and in-flight requests',
		'signed with it return code 3. Of two concurrent calls the loser gets code 14.',
		'',
		'One signature rotates once, ever: sent again, it returns code 3. In timestamp mode each call has its own signature; in',
		'body-only mode a second rotation under the same apiSecret needs other bytes, such as one more field.',
	],
	example: { rotate: ['apiSecret'] },
	response: {
		data: rotatedSchema,
		description: 'The new secrets, shown this once.',
		example: { apiSecret: 'N0wYouSeeMeOnlyThisOnce-k3ep-me-in-a-vault_' },
	},
	errors: [1, 2, 3, 4, 5, 14, 99],
});

/**
 * Source addresses are not stored in cleartext. A plain hash could be undone by trying all networks; a keyed one tells
 * only the holder of the key whether two rotations came from one network. The key is that of the apiKeys' checksums, which
 * are of 16 or 24 bytes: this text never is, so the two uses never meet.
 */
async function networkHash({ env, headers }: SignedCall): Promise<string> {
	const key = await hmacKey(keyRing(env, 'API_KEY_KEY').current.bytes);
	return hmacHex(key, `client network ${clientNetwork(headers.get('cf-connecting-ip'))}`);
}
