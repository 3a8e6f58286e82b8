/**
 * The rules that hold for all calls: a part of the API's document and of the guide. They are the texts in `rules/`, with what
 * the code knows in the places that have its name. Pure.
 */
import type { OrderStatus } from '../../orders/status.ts';
import { GAPS, MAX_ATTEMPTS } from '../../webhooks/retry-schedule.ts';
import { ERRORS } from '../errors.ts';
import { filled, rows } from '../page/filled.ts';
import errors from './rules/errors.md';
import keys from './rules/keys.md';
import limits from './rules/limits.md';
import overview from './rules/overview.md';
import signing from './rules/signing.md';
import states from './rules/states.md';
import versioning from './rules/versioning.md';
import webhooks from './rules/webhooks.md';
import { SIGNING_EXAMPLE } from './signing.ts';

const MEANING: Readonly<Record<OrderStatus, string>> = {
	NEW: 'Created, awaiting the deposit',
	PENDING: 'Deposit observed on-chain, awaiting confirmations',
	EXCHANGE: 'Payout being executed; the end user has not yet received funds',
	DONE: 'Payout broadcast; terminal success, no further updates; `time.finish` holds the moment',
	EXPIRED: 'No longer actionable: deposit window closed, order removed, or refunded',
	EMERGENCY: 'A choice is required; `emergency.status` gives the reason',
};

const TRANSITIONS: readonly (readonly [
	from: OrderStatus | '(none)',
	to: OrderStatus,
	trigger: string,
	also: string,
])[] = [
	['(none)', 'NEW', 'create succeeds', 'pay-in address reserved; `time.left` is the whole deposit window'],
	['NEW', 'PENDING', 'deposit observed on-chain', '`from.tx.id` set'],
	['NEW', 'EXPIRED', 'deposit window closes', '`time.left` is 0'],
	['PENDING', 'EXCHANGE', 'confirmations complete, amount in bounds', 'the live rate is taken, once'],
	['PENDING', 'EMERGENCY', 'confirmations complete, amount out of bounds', '`emergency.status` contains `LIMIT`'],
	['PENDING', 'EMERGENCY', 'deposit first seen after the window', '`emergency.status` contains `EXPIRED`'],
	['PENDING', 'EXPIRED', 'deposit dropped for 24 hours', ''],
	['EXCHANGE', 'DONE', 'payout broadcast', '`to.tx.id` and `time.finish` set'],
	['EMERGENCY', 'EXCHANGE', 'choice `EXCHANGE`', '`emergency.choice` becomes `EXCHANGE`; live rate'],
	['EMERGENCY', 'EXCHANGE', 'further deposits bring the total into bounds in time', 'no choice needed'],
	['EMERGENCY', 'EXPIRED', 'operator refunds or finalises', '`back.tx.id` set on a refund'],
	['EXPIRED', 'EMERGENCY', 'late deposit, within 30 days', '`emergency.status` contains `EXPIRED`'],
];

const UNITS = [
	[3_600_000, 'h'],
	[60_000, 'min'],
	[1000, 's'],
] as const;

function duration(milliseconds: number): string {
	const [size, unit] = UNITS.find(([each]) => milliseconds >= each) ?? UNITS[2];
	return `${milliseconds / size} ${unit}`;
}

export const OVERVIEW = overview.trimEnd();
export const LIMITS = limits.trimEnd();
export const VERSIONING = versioning.trimEnd();
export const KEYS = keys.trimEnd();

export const SIGNING = filled(signing, SIGNING_EXAMPLE);

export const ERROR_TABLE = filled(errors, {
	rows: rows(ERRORS.map(({ code, msg, status, when }) => [code, `\`${msg}\``, status, when])),
});

export const STATES = filled(states, {
	meanings: rows(Object.entries(MEANING).map(([status, meaning]) => [`\`${status}\``, meaning])),
	transitions: rows(TRANSITIONS.map(([from, to, trigger, also]) => [from, `→ ${to}`, trigger, also])),
});

export const WEBHOOKS = filled(webhooks, {
	attempts: MAX_ATTEMPTS,
	gaps: GAPS.map(duration).join(', '),
	hours: Math.floor(GAPS.reduce((sum: number, gap) => sum + gap, 0) / 3_600_000),
});
