/** `partner …`: onboarding, and everything that the operator sets for one partner. */
import * as z from 'zod/mini';
import { ASSET_IDS } from '../../catalog/assets.ts';
import { MAX_AFFTAX_BPS } from '../../money/bps.ts';
import { AUTO_PAYOUTS, SECRET_NAMES } from '../../partners/partner.ts';
import { EVENT_TYPES } from '../../webhooks/events/events.ts';
import { id, wholeBetween } from '../input.ts';
import { type Argument, declare, type Option, type Topic } from '../topic.ts';
import { access } from './partner-access.ts';

const name = z.string().check(z.trim(), z.regex(/^\P{Cc}{1,100}$/u, 'must be 1 to 100 characters on one line'));
const weightPerMinute = wholeBetween(0, 1_000_000);
const afftaxBps = wholeBetween(0, MAX_AFFTAX_BPS);
const maxRefCodes = wholeBetween(0, 10_000);
/** Null for none. `webhooks/url.ts` has the rules for the URL itself. */
const webhookUrl = z.nullable(z.string());
const events = z.pipe(
	z
		.array(z.enum(EVENT_TYPES))
		.check(z.minLength(1, 'name at least one event type; to send nothing, clear the webhook URL')),
	z.transform((types) => EVENT_TYPES.filter((type) => types.includes(type))),
);

/** Null for none. `partners/order-page.ts` has the rules. */
const pageText = z.nullable(z.string().check(z.maxLength(300)));

const createInput = z.strictObject({
	name,
	weightPerMinute: z._default(weightPerMinute, 2500),
	afftaxBps: z._default(afftaxBps, 0),
	maxRefCodes: z._default(maxRefCodes, 50),
	requireTimestamp: z._default(z.boolean(), false),
	webhookUrl: z._default(webhookUrl, null),
	events: z._default(events, [...EVENT_TYPES]),
});

export const updateInput = z.strictObject({
	id,
	name: z.optional(name),
	enabled: z.optional(z.boolean()),
	weightPerMinute: z.optional(weightPerMinute),
	afftaxBps: z.optional(afftaxBps),
	maxRefCodes: z.optional(maxRefCodes),
	requireTimestamp: z.optional(z.boolean()),
	webhookUrl: z.optional(webhookUrl),
	events: z.optional(events),
	payoutAsset: z.optional(z.enum(ASSET_IDS, 'is not an asset of this service')),
	payoutAddress: z.optional(z.string().check(z.maxLength(200))),
	autoPayout: z.optional(z.enum(AUTO_PAYOUTS)),
	autoPayoutMinUsd: z.optional(wholeBetween(0, 1_000_000)),
	orderPageFrames: z.optional(z.nullable(z.array(z.string().check(z.maxLength(300))).check(z.maxLength(100)))),
	orderPageName: z.optional(pageText),
	orderPageReturn: z.optional(pageText),
	orderPageSupport: z.optional(pageText),
	payerDecides: z.optional(z.boolean()),
});
export type PartnerUpdate = z.infer<typeof updateInput>;

const PARTNER: Argument = { name: 'ID', names: 'partner', help: 'the partner: id or name' };

const NAME: Option = { kind: 'text', value: 'NAME', help: 'what people call the partner' };
const LIMITS = {
	weightPerMinute: {
		kind: 'integer',
		help: 'weight that the signed calls of 60 seconds may add up to (at first 2500)',
	},
	afftaxBps: {
		kind: 'integer',
		help: 'the partner’s margin where a call or reference code names none, 0 to 2000 basis points (at first 0)',
	},
	maxRefCodes: { kind: 'integer', help: 'reference codes that the partner may have (at first 50)' },
	requireTimestamp: { kind: 'boolean', help: 'on refuses calls that are signed without a timestamp (at first off)' },
	webhookUrl: {
		kind: 'text',
		value: 'URL|none',
		clearable: true,
		help: 'where webhooks go, https; none sends none (at first none)',
	},
	events: { kind: 'list', value: 'TYPE,…', choices: EVENT_TYPES, help: 'types of the webhooks to send (at first all)' },
} as const satisfies Record<string, Option>;

const ORDER_PAGE = {
	orderPageFrames: {
		kind: 'list',
		value: 'ORIGIN,…|none',
		clearable: true,
		help: 'origins that may frame the pages of the partner’s orders, as https://shop.example (at first none)',
	},
	orderPageName: { kind: 'text', value: 'NAME|none', clearable: true, help: 'the partner’s name as payers see it' },
	orderPageReturn: {
		kind: 'text',
		value: 'URL|none',
		clearable: true,
		help: 'where the pages of orders lead for another swap, https',
	},
	orderPageSupport: {
		kind: 'text',
		value: 'MAIL|URL|none',
		clearable: true,
		help: 'whom payers ask: a mail address or an https URL',
	},
	payerDecides: {
		kind: 'boolean',
		help: 'on lets the payer of an EMERGENCY order choose EXCHANGE on its page (at first off)',
	},
} as const satisfies Record<string, Option>;

export const partner = {
	about: 'partners: issue credentials, change what they may do',
	commands: {
		create: declare({
			summary: 'create a partner and issue its credentials',
			details: 'apiKey, apiSecret and webhookSecret are shown this once: the service keeps the secrets sealed.',
			input: createInput,
			options: { name: { ...NAME, required: true }, ...LIMITS },
			afterwards: 'Store apiSecret and webhookSecret now: they are not shown again.',
		}),
		list: declare({
			summary: 'all partners, newest first, without secrets',
			rowPage: 'partners',
			reads: true,
			input: z.strictObject({}),
			options: {},
			columns: ['id', 'name', 'enabled', 'afftaxBps', 'createdAt', 'webhookUrl'],
			wide: ['weightPerMinute', 'maxRefCodes', 'requireTimestamp', 'events', 'payoutAsset', 'payoutAddress'],
		}),
		show: declare({
			summary: 'one partner, with its counters of orders, volume and earnings',
			reads: true,
			input: z.strictObject({ id }),
			arguments: { id: PARTNER },
			options: {},
		}),
		update: declare({
			summary: 'change a partner; what is not named stays',
			button: 'Change the partner',
			input: updateInput,
			arguments: { id: PARTNER },
			options: {
				name: NAME,
				enabled: { kind: 'boolean', help: 'off refuses every signed call of the partner' },
				...LIMITS,
				payoutAsset: { kind: 'text', value: 'ASSET', help: 'the asset that earnings are paid in' },
				payoutAddress: {
					kind: 'text',
					value: 'ADDRESS',
					help: 'where earnings are paid to, on the asset’s network (the first time with --payout-asset); a change waits 24 hours before it is used',
				},
				autoPayout: {
					kind: 'text',
					value: 'WHEN',
					choices: AUTO_PAYOUTS,
					help: 'pay the earnings by itself, at the start of each day, week (Monday) or month in UTC (at first none)',
				},
				autoPayoutMinUsd: {
					kind: 'integer',
					help: 'pay by itself only what is worth at least this many USD (at first 0)',
				},
				...ORDER_PAGE,
			},
			needsOption: true,
		}),
		'replace-secret': declare({
			summary: 'issue a new secret; the old one stops working at once',
			irreversible: true,
			details: 'The new secret is shown this once.',
			input: z.strictObject({ id, secret: z.enum(SECRET_NAMES) }),
			arguments: {
				id: PARTNER,
				secret: { name: SECRET_NAMES.join('|'), choices: SECRET_NAMES, help: 'which of the two' },
			},
			options: {},
			afterwards: 'Store the secret now: it is not shown again.',
		}),
		...access,
	},
} satisfies Topic;
