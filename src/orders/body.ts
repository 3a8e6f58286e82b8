/** The bodies of the order endpoints, as the handlers parse them and the reference shows them. */
import * as z from 'zod';
import { TOKEN_PATTERN } from '../crypto/tokens.ts';
import { quoteFields } from '../pricing/body.ts';

export const createBody = z.object({
	...quoteFields,
	amount: quoteFields.amount.meta({
		description: 'Decimal in the asset chosen by `direction`. Hint only: the server re-quotes. Strings preferred.',
	}),
	toAddress: z.string().min(10).max(200).meta({
		description:
			'Where the payout goes. Validated against the destination network; invalid returns code 1, and so does an address of this service, a token’s contract, or one that is known to burn coins.',
	}),
	tag: z.string().max(200).nullish().meta({ description: 'Memo or destination tag; reserved, no network needs it.' }),
	refundAddress: z.string().min(10).max(200).meta({
		description:
			'Source-network address for returns, validated like `toAddress` against that network; omitting it returns code 1.',
	}),
});

/**
 * Any UUID text, whatever version its digits name: an id that somebody made up is unknown (code 6), not malformed.
 */
const id = z
	.string()
	.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
	.meta({ format: 'uuid', description: 'Order id from create.' });

/** Anything at all as a token, or none: what is not the right one is a wrong one, code 6. */
const token = z.unknown().optional().meta({
	type: 'string',
	pattern: TOKEN_PATTERN.source,
	description: 'Raw access token from create; a malformed or wrong one returns code 6.',
});

export const orderBody = z.object({ id, token }).meta({ required: ['id', 'token'] });

/** Anything but the one choice is code 12, not 1. */
export const emergencyBody = z
	.object({
		id,
		token,
		choice: z.unknown().optional().meta({
			type: 'string',
			const: 'EXCHANGE',
			description: 'Exactly `EXCHANGE` (case-sensitive); anything else returns code 12.',
		}),
	})
	.meta({ required: ['id', 'token', 'choice'] });
