/**
 * Reference codes and scoped keys as partners read them, and rotation, described (book: contract, "Reference code",
 * "Scoped keys", "POST /api/v1/keys/rotate").
 */
import * as z from 'zod/mini';
import { MAX_AFFTAX_BPS } from '../money/bps.ts';
import { CODE_PATTERN, KEY_KINDS, SECRET_NAMES } from './partner.ts';

const secret = (name: string) =>
	z.optional(z.string()).check(z.describe(`The new ${name}, shown this once; present if it was rotated.`));

export const referenceCodeSchema = /* @__PURE__ */ z.lazy(() =>
	z
		.object({
			id: z.uuid().check(z.describe('Record id.')),
			code: z.string().check(z.regex(CODE_PATTERN), z.describe('Unique per partner; the suffix of `X-API-KEY`.')),
			label: z.nullable(z.string().check(z.maxLength(64))).check(z.describe('Free-form; never shown to end users.')),
			afftaxBps: z
				.int()
				.check(
					z.minimum(0),
					z.maximum(MAX_AFFTAX_BPS),
					z.describe('Afftax of the code, basis points; 0 falls through to the partner default.'),
				),
			enabled: z.boolean().check(z.describe('False after soft-disable.')),
			createdAt: z.iso.datetime().check(z.describe('Creation time, ISO 8601.')),
		})
		.register(z.globalRegistry, { id: 'ReferenceCode', description: 'A reference code.' }),
);

export const rotateBody = z.lazy(() =>
	z.object({
		rotate: z
			.array(z.enum(SECRET_NAMES))
			.check(z.minLength(1), z.describe('What to replace; repeated elements count once.')),
	}),
);

export const rotatedSchema = /* @__PURE__ */ z.lazy(() =>
	z
		.object({ apiSecret: secret('apiSecret'), webhookSecret: secret('webhookSecret') })
		.register(z.globalRegistry, { id: 'RotatedSecrets', description: 'The newly issued secrets.' }),
);

const seconds = (text: string) => z.nullable(z.int()).check(z.describe(`${text}, Unix seconds.`));

const keyFields = z.lazy(() =>
	z.object({
		id: z.string().check(z.regex(/^[0-9a-f]{16}$/), z.describe('Record id.')),
		kind: z.enum(KEY_KINDS).check(z.describe('What it may call.')),
		label: z.string().check(z.maxLength(64), z.describe('Free-form; never shown to end users.')),
		apiKey: z.string().check(z.describe('Public, for `X-API-KEY`.')),
		addresses: z.array(z.string()).check(z.describe('Blocks of addresses that calls may come from; empty: any.')),
		expiresAt: seconds('When it ends; null: never'),
		createdAt: z.int().check(z.describe('Creation time, Unix seconds.')),
		lastUsedAt: seconds('When it last signed an admitted call, to the hour; null: never'),
	}),
);

export const scopedKeySchema = /* @__PURE__ */ z.lazy(() =>
	keyFields._zod.innerType.register(z.globalRegistry, { id: 'ScopedKey', description: 'A scoped key.' }),
);

export const newKeySchema = /* @__PURE__ */ z.lazy(() =>
	z
		.extend(keyFields._zod.innerType, {
			apiSecret: z.string().check(z.describe('Keys the HMAC of its calls; shown this once.')),
		})
		.register(z.globalRegistry, { id: 'NewScopedKey', description: 'A scoped key, with its secret.' }),
);
