/** `partner invite`, `partner access` and `partner end-access`: who may open a partner's cabinet in a browser. */
import * as z from 'zod/mini';
import { flag, id, wholeBetween } from '../input.ts';
import { declare } from '../topic.ts';

const DEFAULT_HOURS = 48;
/** Two weeks. */
const MAX_HOURS = 336;

export const PARTNER = { name: 'ID', names: 'partner', schema: id, help: 'the partner: id or name' } as const;

export const access = {
	invite: declare({
		summary: 'make a link by which a person of the partner opens the cabinet',
		button: 'Make an invitation',
		details:
			'The first person who opens the link makes a passkey with it, as the admin Owner, who invites the others. Send it on a way that only the partner reads, and ask on another way whether it arrived.',
		arguments: { id: PARTNER },
		options: {
			recover: flag(
				'for lost or stolen passkeys: the use of the link ends the partner’s older passkeys, sessions and links',
			),
			hours: {
				kind: 'integer',
				schema: z._default(wholeBetween(1, MAX_HOURS), DEFAULT_HOURS),
				help: `the link works for so many hours, up to ${MAX_HOURS} (at first ${DEFAULT_HOURS})`,
			},
		},
		afterwards: 'Send the link now: it is not shown again.',
	}),
	access: declare({
		summary: 'a partner’s passkeys, sessions and open links of the cabinet',
		reads: true,
		arguments: { id: PARTNER },
		sections: {
			passkeys: ['member', 'role', 'label', 'createdAt', 'lastUsedAt', 'id'],
			sessions: ['createdAt', 'lastSeenAt', 'expiresAt', 'userAgent'],
			links: ['member', 'role', 'createdAt', 'expiresAt', 'recover'],
		},
	}),
	'end-access': declare({
		summary: 'end all passkeys, sessions and open links of a partner’s cabinet at once',
		button: 'End access',
		details: 'The partner’s credentials go on working. A new link from `partner invite` lets them in again.',
		arguments: { id: PARTNER },
	}),
};
