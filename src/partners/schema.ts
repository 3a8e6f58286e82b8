/**
 * Reference codes as partners read them, and rotation, described (book: contract, "Reference code", "POST
 * /api/v1/keys/rotate").
 */
import * as z from 'zod';
import { CODE_PATTERN, MAX_AFFTAX_BPS, SECRET_NAMES } from './partner.ts';

const secret = (name: string) =>
	z
		.string()
		.optional()
		.meta({ description: `The new ${name}, shown this once; present if it was rotated.` });

export const referenceCodeSchema = z.lazy(() =>
	z
		.object({
			id: z.uuid().meta({ description: 'Record id.' }),
			code: z.string().regex(CODE_PATTERN).meta({ description: 'Unique per partner; the suffix of `X-API-KEY`.' }),
			label: z.string().max(64).nullable().meta({ description: 'Free-form; never shown to end users.' }),
			afftaxBps: z
				.int()
				.min(0)
				.max(MAX_AFFTAX_BPS)
				.meta({ description: 'Afftax of the code, basis points; 0 falls through to the partner default.' }),
			enabled: z.boolean().meta({ description: 'False after soft-disable.' }),
			createdAt: z.iso.datetime().meta({ description: 'Creation time, ISO 8601.' }),
		})
		.meta({ id: 'ReferenceCode', description: 'A reference code.' }),
);

export const rotateBody = z.lazy(() =>
	z.object({
		rotate: z
			.array(z.enum(SECRET_NAMES))
			.min(1)
			.meta({ description: 'What to replace; repeated elements count once.' }),
	}),
);

export const rotatedSchema = z.lazy(() =>
	z
		.object({ apiSecret: secret('apiSecret'), webhookSecret: secret('webhookSecret') })
		.meta({ id: 'RotatedSecrets', description: 'The newly issued secrets.' }),
);
