/** `partner make-key`, `partner keys` and `partner revoke-key`: a partner's scoped keys. */
import * as z from 'zod/mini';
import { keyBlocks, keyLabel } from '../../partners/key-fields.ts';
import { KEY_KINDS } from '../../partners/partner.ts';
import { needed } from '../input.ts';
import { declare } from '../topic.ts';
import { PARTNER } from './partner-access.ts';

/** Ten years. */
const MAX_DAYS = 3_650;

export const keys = {
	'make-key': declare({
		summary: 'make a scoped key: for an app, for reading, or a second one for a server',
		button: 'Make a key',
		details:
			'An app key quotes, creates, and reads the orders that it made; a read key reads; a server key does all but making keys and rotating others. Partners make them in the cabinet as well.',
		arguments: {
			id: PARTNER,
			kind: { name: KEY_KINDS.join('|'), choices: KEY_KINDS, schema: z.enum(KEY_KINDS), help: 'what the key may do' },
		},
		options: {
			label: needed('TEXT', keyLabel, 'what the partner calls the key'),
			addresses: {
				kind: 'list',
				value: 'BLOCK,…',
				schema: z._default(keyBlocks, []),
				help: 'where its calls may come from, as 192.0.2.0/24 or 2001:db8::/32 (at first anywhere)',
			},
			days: {
				kind: 'integer',
				schema: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_DAYS))),
				help: 'the key ends after so many days (at first never)',
			},
		},
		afterwards: 'Store apiSecret now: it is not shown again.',
	}),
	keys: declare({
		summary: 'a partner’s scoped keys, newest first, without secrets',
		reads: true,
		arguments: { id: PARTNER },
		columns: ['id', 'kind', 'label', 'addresses', 'createdAt', 'lastUsedAt', 'expiresAt'],
		wide: ['apiKey'],
		empty: 'no scoped keys: every call is signed with the partner’s first key',
	}),
	'revoke-key': declare({
		summary: 'revoke a scoped key; it stops working at once, and no other key is touched',
		button: 'Revoke the key',
		irreversible: true,
		arguments: {
			id: PARTNER,
			key: {
				name: 'KEY',
				schema: z.string().check(z.regex(/^[0-9a-f]{16}$/, 'is no id of a key')),
				help: 'the id of the key',
			},
		},
	}),
};
