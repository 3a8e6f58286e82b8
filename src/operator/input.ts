/** Inputs that several commands take. */
import * as z from 'zod';

/** Transaction ids in hexadecimal mean the same in either case; those in base58 do not. */
export const txId = z
	.string()
	.regex(/^[\x21-\x7e]{1,128}$/, 'must be a transaction id: 1 to 128 characters without blanks')
	.transform((text) => (/^(0x)?[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : text));

export const reason = z.string().trim().min(1, 'say why, in a few words').max(200);
