/** `partner …`: onboarding, and everything that the operator sets for one partner. */
import * as z from 'zod/mini';
import { ASSET_IDS } from '../../catalog/assets.ts';
import { MAX_AFFTAX_BPS } from '../../money/bps.ts';
import { LANGUAGE_TAGS } from '../../partners/languages.ts';
import { MAX_WIDGET_USD } from '../../partners/order-page.ts';
import { AUTO_PAYOUTS, SECRET_NAMES } from '../../partners/partner.ts';
import { EVENT_TYPES } from '../../webhooks/events/events.ts';
import { needed, onOff, text, whole, wholeOrNone } from '../input.ts';
import { declare, topicOf } from '../topic.ts';
import { access, PARTNER } from './partner-access.ts';
import { keys } from './partner-keys.ts';

const NAME = {
	value: 'NAME',
	schema: z.string().check(z.trim(), z.regex(/^\P{Cc}{1,100}$/u, 'must be 1 to 100 characters on one line')),
	help: 'what people call the partner',
} as const;
const events = z.pipe(
	z
		.array(z.enum(EVENT_TYPES))
		.check(z.minLength(1, 'name at least one event type; to send nothing, clear the webhook URL')),
	z.transform((types) => EVENT_TYPES.filter((type) => types.includes(type))),
);
const asset = z.enum(ASSET_IDS, 'is not an asset of this service');
/** Null for none. `partners/order-page.ts` has the rules. */
const pageText = z.nullable(z.string().check(z.maxLength(300)));
const frames = z.nullable(z.array(z.string().check(z.maxLength(300))).check(z.maxLength(100)));
const CLEARABLE = { clearable: true } as const;

const LIMITS = {
	weightPerMinute: whole([0, 1_000_000], 'weight that the signed calls of 60 seconds may add up to (at first 2500)'),
	afftaxBps: whole(
		[0, MAX_AFFTAX_BPS],
		'the partner’s margin where a call or reference code names none, 0 to 2000 basis points (at first 0)',
	),
	maxRefCodes: whole([0, 10_000], 'reference codes that the partner may have (at first 50)'),
	requireTimestamp: onOff('on refuses calls that are signed without a timestamp (at first off)'),
	/** Null for none. `http/webhook-url.ts` has the rules for the URL itself. */
	webhookUrl: text(
		'URL|none',
		z.nullable(z.string()),
		'where webhooks go, https; none sends none (at first none)',
		CLEARABLE,
	),
	events: {
		kind: 'list',
		value: 'TYPE,…',
		choices: EVENT_TYPES,
		schema: z.optional(events),
		help: 'types of the webhooks to send (at first all)',
	},
} as const;

export const partner = topicOf('partners: issue credentials, change what they may do', {
	create: declare({
		summary: 'create a partner and issue its credentials',
		button: 'New partner',
		details: 'apiKey, apiSecret and webhookSecret are shown this once: the service keeps the secrets sealed.',
		options: {
			name: needed(NAME.value, NAME.schema, NAME.help),
			weightPerMinute: { ...LIMITS.weightPerMinute, schema: z._default(LIMITS.weightPerMinute.schema, 2500) },
			afftaxBps: { ...LIMITS.afftaxBps, schema: z._default(LIMITS.afftaxBps.schema, 0) },
			maxRefCodes: { ...LIMITS.maxRefCodes, schema: z._default(LIMITS.maxRefCodes.schema, 50) },
			requireTimestamp: { ...LIMITS.requireTimestamp, schema: z._default(LIMITS.requireTimestamp.schema, false) },
			webhookUrl: { ...LIMITS.webhookUrl, schema: z._default(LIMITS.webhookUrl.schema, null) },
			events: { ...LIMITS.events, schema: z._default(LIMITS.events.schema, [...EVENT_TYPES]) },
		},
		afterwards: 'Store apiSecret and webhookSecret now: they are not shown again.',
	}),
	list: declare({
		summary: 'all partners, newest first, without secrets',
		button: 'See the partners',
		rowPage: 'partners',
		reads: true,
		columns: ['id', 'name', 'enabled', 'afftaxBps', 'createdAt', 'webhookUrl'],
		wide: ['weightPerMinute', 'maxRefCodes', 'requireTimestamp', 'events', 'payoutAsset', 'payoutAddress'],
	}),
	show: declare({
		summary: 'one partner, with its counters of orders, volume and earnings',
		button: 'See the partner',
		reads: true,
		arguments: { id: PARTNER },
	}),
	update: declare({
		summary: 'change a partner; what is not named stays',
		button: 'Change the partner',
		arguments: { id: PARTNER },
		options: {
			name: text(NAME.value, NAME.schema, NAME.help),
			enabled: onOff('off refuses every signed call of the partner'),
			...LIMITS,
			payoutAsset: text('ASSET', asset, 'the asset that earnings are paid in'),
			payoutAddress: text(
				'ADDRESS',
				z.string().check(z.maxLength(200)),
				'where earnings are paid to, on the asset’s network (the first time with --payout-asset); a change waits 24 hours before it is used',
			),
			autoPayout: text(
				'WHEN',
				z.enum(AUTO_PAYOUTS),
				'pay the earnings by itself, at the start of each day, week (Monday) or month in UTC (at first none)',
				{ choices: AUTO_PAYOUTS },
			),
			autoPayoutMinUsd: whole([0, 1_000_000], 'pay by itself only what is worth at least this many USD (at first 0)'),
			orderPageFrames: {
				kind: 'list',
				value: 'ORIGIN,…|none',
				...CLEARABLE,
				schema: z.optional(frames),
				help: 'origins that may frame the pages of the partner’s orders, as https://shop.example (at first none)',
			},
			orderPageName: text('NAME|none', pageText, 'the partner’s name as payers see it', CLEARABLE),
			orderPageReturn: text('URL|none', pageText, 'where the pages of orders lead for another swap, https', CLEARABLE),
			orderPageSupport: text('MAIL|URL|none', pageText, 'whom payers ask: a mail address or an https URL', CLEARABLE),
			orderPageTerms: text('URL|none', pageText, 'the partner’s terms, https', CLEARABLE),
			orderPageAccent: text('#RRGGBB|none', pageText, 'the colour of links and buttons on pages of orders', CLEARABLE),
			orderPageLogo: text(
				'none',
				z.null('only none is taken: partners set their logo in the cabinet'),
				'takes the partner’s logo off',
				CLEARABLE,
			),
			widgetBps: wholeOrNone(
				[0, MAX_AFFTAX_BPS],
				'the margin on orders of the partner’s widget, basis points; none: no widget (at first none)',
			),
			widgetUsd: whole(
				[1, MAX_WIDGET_USD],
				'what unpaid orders of the widget may be worth together, USD (at first 5000)',
			),
			orderPageLanguage: text(
				'LANG|none',
				z.nullable(z.enum(LANGUAGE_TAGS)),
				'the language of the pages of orders; none leaves it to the payer’s browser (at first none)',
				{ choices: LANGUAGE_TAGS, ...CLEARABLE },
			),
			payerDecides: onOff('on lets the payer of an EMERGENCY order choose EXCHANGE on its page (at first off)'),
		},
		needsOption: true,
	}),
	'replace-secret': declare({
		summary: 'issue a new secret; the old one stops working at once',
		button: 'Replace a secret',
		irreversible: true,
		details: 'The new secret is shown this once.',
		arguments: {
			id: PARTNER,
			secret: {
				name: SECRET_NAMES.join('|'),
				choices: SECRET_NAMES,
				schema: z.enum(SECRET_NAMES),
				help: 'which of the two',
			},
		},
		afterwards: 'Store the secret now: it is not shown again.',
	}),
	...keys,
	...access,
});

export type PartnerUpdate = z.output<typeof partner.commands.update.input>;
