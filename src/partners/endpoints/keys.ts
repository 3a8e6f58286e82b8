/** `/api/v1/keys`: a partner's scoped keys. The first key alone makes, lists and revokes them. */
import * as z from 'zod/mini';
import { keyRing } from '../../crypto/key-ring.ts';
import { optional } from '../../http/optional.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { answer, endpoint, type SignedCall } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { EXAMPLE_KEY } from '../example.ts';
import { keyBlocks, keyLabel } from '../key-fields.ts';
import { KEY_KINDS } from '../partner.ts';
import { newKeySchema, scopedKeySchema } from '../schema.ts';
import { insertScoped, listScoped, MAX_KEYS, newScoped, revokeScoped } from '../scoped.ts';
import type { PartnerKeyRow } from '../table.ts';

const COMMON = { auth: 'required', weight: 1, admits: [], path: '/api/v1/keys', isAddition: true } as const;
const TAG = 'Keys';
/** The year 9999. */
const MAX_EXPIRY_SECONDS = 253_402_300_799;

const newKeyBody = z.lazy(() =>
	z.object({
		kind: z.enum(KEY_KINDS).check(z.describe('What it may call.')),
		label: keyLabel.check(z.describe('1 to 64 characters, for you.')),
		addresses: z
			.pipe(
				optional(keyBlocks),
				z.transform((blocks) => blocks ?? []),
			)
			.check(
				z.describe(
					'Addresses or blocks (`192.0.2.0/24`, `2001:db8::/32`) that calls may come from; at most 16; none: any.',
				),
			),
		expiresAt: optional(z.int().check(z.minimum(1), z.maximum(MAX_EXPIRY_SECONDS))).check(
			z.describe('When the key ends, Unix seconds, in the future; absent: never.'),
		),
	}),
);

const namedKeyBody = z.lazy(() => z.object({ id: z.string().check(z.describe('The id of the key.')) }));

const view = ({ id, kind, label, apiKey, addresses, expiresAt, createdAt, lastUsedAt }: PartnerKeyRow) => ({
	id,
	kind,
	label,
	apiKey,
	addresses,
	expiresAt: secondsOf(expiresAt),
	createdAt: secondsOf(createdAt),
	lastUsedAt: secondsOf(lastUsedAt),
});

const secondsOf = (at: number | null): number | null => at && Math.floor(at / 1000);

export const createKey = endpoint({
	...COMMON,
	method: 'POST',
	id: 'createKey',
	request: { schema: newKeyBody },
	handle: async (call, { kind, label, addresses, expiresAt: seconds }) => {
		const { env, partner, now } = call;
		const expiresAt = seconds === undefined ? null : seconds * 1000;
		if (expiresAt !== null && expiresAt <= now) return { kind: 'body-invalid', issue: 'expiresAt: is over' };
		const rings = { apiKeys: keyRing(env, 'API_KEY_KEY'), secrets: keyRing(env, 'SECRETS_KEY') };
		const chosen = { kind, label, addresses, expiresAt };
		const { id, apiKey, secret, sealed } = await newScoped(rings, partner.id, chosen);
		const row = { ...chosen, id, partnerId: partner.id, apiKey, secretSealed: sealed, createdAt: now };
		const made = await insertScoped(env, writerOf(call), 'keys', row);
		return made ? answer({ ...view(made), apiSecret: secret }) : { kind: 'key-limit' };
	},
});

export const listKeys = endpoint({
	...COMMON,
	method: 'GET',
	id: 'listKeys',
	request: null,
	handle: async ({ env, partner }) => answer((await listScoped(env, databaseOf(env), partner.id)).map(view)),
});

export const revokeKey = endpoint({
	...COMMON,
	method: 'DELETE',
	id: 'revokeKey',
	request: { schema: namedKeyBody },
	handle: async (call, { id }) => {
		const isRevoked = await revokeScoped(call.env, writerOf(call), 'keys revoke', { partnerId: call.partner.id, id });
		return isRevoked ? answer(true) : { kind: 'key-unknown' };
	},
});

const writerOf = ({ env, now }: SignedCall) => ({ db: databaseOf(env), now, actor: 'partner' });

export const createKeyDocs: EndpointDocs = () => ({
	tag: TAG,
	summary: 'Make a scoped key',
	description: [
		'Your first key alone may call this. [Keys](#keys) says what each kind may do. The key works at once; its secret is',
		`shown this once. With ${MAX_KEYS} keys: code 13. What a key may do never changes: make another, then revoke this one.`,
	],
	example: { kind: EXAMPLE_KEY.kind, label: EXAMPLE_KEY.label },
	response: {
		data: newKeySchema,
		description: 'The key, with its secret.',
		example: { ...EXAMPLE_KEY, apiSecret: 'N0wYouSeeMeOnlyThisOnce-k3ep-me-in-a-vault_' },
	},
	errors: [1, 2, 3, 4, 5, 13, 99],
});

export const listKeysDocs: EndpointDocs = () => ({
	tag: TAG,
	summary: 'List your scoped keys',
	description: [
		'Your first key alone may call this. Newest first, without secrets. Expired keys stay until you revoke them.',
	],
	response: {
		data: z.lazy(() => z.array(scopedKeySchema).check(z.maxLength(MAX_KEYS))),
		description: 'Your scoped keys.',
		example: [EXAMPLE_KEY],
	},
	errors: [],
});

export const revokeKeyDocs: EndpointDocs = () => ({
	tag: TAG,
	summary: 'Revoke a scoped key',
	description: [
		'Your first key alone may call this. The key is refused from this moment on, and no other key is touched. A key that',
		'you do not have returns code 6.',
	],
	example: { id: EXAMPLE_KEY.id },
	response: { data: z.lazy(() => z.boolean()), description: 'True.', example: true },
	errors: [1, 6],
});
