/** A partner's named things: secrets, reference codes, and a call's admitted sender. Pure. */

export const SECRET_NAMES = ['apiSecret', 'webhookSecret'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

/**
 * The kinds of scoped keys, by what they may sign: `app` quotes, creates, and reads the orders that it made itself; `read` reads; `server` does
 * all that the first key does, but for rotating other secrets than its own and for making keys.
 */
export const KEY_KINDS = ['app', 'read', 'server'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** Reference codes are one segment of `X-API-KEY`, so they hold no dot (book: contract, "Reference code"). */
export const CODE_PATTERN = /^[A-Za-z0-9_-]{4,32}$/;

/** How often a partner's earnings are paid by themselves. */
export const AUTO_PAYOUTS = ['none', 'daily', 'weekly', 'monthly'] as const;
export type AutoPayout = (typeof AUTO_PAYOUTS)[number];
