/** `partner …`: onboarding, and everything that the operator sets for one partner. */
import * as z from 'zod';
import { ASSET_IDS } from '../../catalog/assets.ts';
import { AUTO_PAYOUTS, MAX_AFFTAX_BPS, SECRET_NAMES } from '../../partners/partner.ts';
import { EVENT_TYPES } from '../../webhooks/events/events.ts';
import { id, wholeBetween } from '../input.ts';
import { type Argument, declare, type Option, type Topic } from '../topic.ts';
import { access } from './partner-access.ts';

const name = z
	.string()
	.trim()
	.regex(/^\P{Cc}{1,100}$/u, 'must be 1 to 100 characters on one line');
const weightPerMinute = wholeBetween(0, 1_000_000);
const afftaxBps = wholeBetween(0, MAX_AFFTAX_BPS);
const maxRefCodes = wholeBetween(0, 10_000);
/** Null for none. `webhooks/url.ts` has the rules for the URL itself. */
const webhookUrl = z.string().nullable();
const events = z
	.array(z.enum(EVENT_TYPES))
	.min(1, 'name at least one event type; to send nothing, clear the webhook URL')
	.transform((types) => EVENT_TYPES.filter((type) => types.includes(type)));

/** Null for none. `partners/order-page.ts` has the rules. */
const pageText = z.string().max(300).nullable();

const createInput = z.strictObject({
	name,
	weightPerMinute: weightPerMinute.default(2500),
	afftaxBps: afftaxBps.default(0),
	maxRefCodes: maxRefCodes.default(50),
	requireTimestamp: z.boolean().default(false),
	webhookUrl: webhookUrl.default(null),
	events: events.default([...EVENT_TYPES]),
});

export const updateInput = z.strictObject({
	id,
	name: name.optional(),
	enabled: z.boolean().optional(),
	weightPerMinute: weightPerMinute.optional(),
	afftaxBps: afftaxBps.optional(),
	maxRefCodes: maxRefCodes.optional(),
	requireTimestamp: z.boolean().optional(),
	webhookUrl: webhookUrl.optional(),
	events: events.optional(),
	payoutAsset: z.enum(ASSET_IDS, 'is not an asset of this service').optional(),
	payoutAddress: z.string().max(200).optional(),
	autoPayout: z.enum(AUTO_PAYOUTS).optional(),
	autoPayoutMinUsd: wholeBetween(0, 1_000_000).optional(),
	orderPageFrames: z.array(z.string().max(300)).max(100).nullable().optional(),
	orderPageName: pageText.optional(),
	orderPageReturn: pageText.optional(),
	orderPageSupport: pageText.optional(),
	payerDecides: z.boolean().optional(),
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
	events: {
		kind: 'list',
		value: 'TYPE,…',
		choices: EVENT_TYPES,
		help: 'types of the webhooks to send (at first all)',
	},
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
