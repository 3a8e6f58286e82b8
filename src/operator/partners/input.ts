/** What the operator may say of a partner: the fields of `partner create` and `partner update`, and their rules. */
import * as z from 'zod';
import { ASSET_IDS, assetOf, isAssetId } from '../../catalog/assets.ts';
import { offeredAssets } from '../../chains/configuration.ts';
import { isAddressOn } from '../../chains/registry.ts';
import type { Env } from '../../env.ts';
import { MAX_AFFTAX_BPS, SECRET_NAMES } from '../../partners/partner.ts';
import { EVENT_TYPES } from '../../webhooks/events/events.ts';
import { webhookUrlProblem } from '../../webhooks/url.ts';
import { wholeBetween } from '../settings/input.ts';

const DEFAULT_WEIGHT_PER_MINUTE = 2500;
const MAX_WEIGHT_PER_MINUTE = 1_000_000;
const DEFAULT_REF_CODES = 50;
const MAX_REF_CODES = 10_000;

const wholeUpTo = (max: number) => wholeBetween(0, max);

const name = z
	.string()
	.trim()
	.regex(/^\P{Cc}{1,100}$/u, 'must be 1 to 100 characters on one line');
const weightPerMinute = wholeUpTo(MAX_WEIGHT_PER_MINUTE);
const afftaxBps = wholeUpTo(MAX_AFFTAX_BPS);
const maxRefCodes = wholeUpTo(MAX_REF_CODES);
/** Null for none. What else it must be, `webhooks/url.ts` says. */
const webhookUrl = z.string().nullable();
const events = z
	.array(z.enum(EVENT_TYPES))
	.min(1, 'name at least one event type; to send nothing, clear the webhook URL')
	.transform((types) => EVENT_TYPES.filter((type) => types.includes(type)));

const id = z.string().max(100);

export const createInput = z.strictObject({
	name,
	weightPerMinute: weightPerMinute.default(DEFAULT_WEIGHT_PER_MINUTE),
	afftaxBps: afftaxBps.default(0),
	maxRefCodes: maxRefCodes.default(DEFAULT_REF_CODES),
	requireTimestamp: z.boolean().default(false),
	webhookUrl: webhookUrl.default(null),
	events: events.default([...EVENT_TYPES]),
});

export const showInput = z.strictObject({ id });

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
});
export type PartnerUpdate = z.infer<typeof updateInput>;

export const replaceSecretInput = z.strictObject({ id, secret: z.enum(SECRET_NAMES) });

/** What is wrong with a webhook URL, as one line; null when it may be used. */
export function webhookProblem(env: Env, url: string | null | undefined): string | null {
	const problem = url ? webhookUrlProblem(url, { loopbackAllowed: env.WEBHOOK_LOOPBACK === 'allowed' }) : null;
	if (url === '') return 'the webhook URL is empty; none clears it';
	return problem && `the webhook URL ${problem}`;
}

/** What is wrong with where earnings would be paid: an address is good only together with its asset's network. */
export function payoutProblem(env: Env, asset: string | null, address: string | null): string | null {
	if (address === null) return null;
	if (asset === null || !isAssetId(asset)) return 'a payout address needs a payout asset beside it';
	const { network } = assetOf(asset);
	if (!offeredAssets(env).includes(asset)) return `this deployment does not move ${asset} on ${network}`;
	if (isAddressOn(env, network, address)) return null;
	return `${address} is not an address on ${network}, where ${asset} is; give a payout address that fits the asset`;
}
