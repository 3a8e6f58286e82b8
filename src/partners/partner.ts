/** A partner's named things: secrets, reference codes, and a call's admitted sender. Pure. */

export const SECRET_NAMES = ['apiSecret', 'webhookSecret'] as const;
export type SecretName = (typeof SECRET_NAMES)[number];

/**
 * The kinds of scoped keys, by what they may sign: `app` quotes, creates, and reads the orders that it made itself; `read` reads; `server` does
 * all that the first key does, but for rotating other secrets than its own and for making keys.
 */
export const KEY_KINDS = ['app', 'read', 'server'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** A colour on order pages: #rrggbb in lower case. */
export const COLOUR = /^#[0-9a-f]{6}$/;

/** A logo's name: SHA-256 of the image that is kept, and its size, `<64 hex>-240x80`. */
export const LOGO_NAME = /^[0-9a-f]{64}-\d{1,3}x\d{1,2}$/;

/** Stands for the key of an order that a partner's widget has made. No scoped key has this id. */
export const WIDGET_KEY = 'widget';

/** Reference codes are one segment of `X-API-KEY`, so they hold no dot (book: contract, "Reference code"). */
export const CODE_PATTERN = /^[A-Za-z0-9_-]{4,32}$/;

/** The roles of a partner's team in the cabinet; each may do what those before it may. */
export const ROLES = ['view', 'support', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The member whom the operator invites: an admin. No other member has this name. */
export const OWNER = 'Owner';

/** How often a partner's earnings are paid by themselves. */
export const AUTO_PAYOUTS = ['none', 'daily', 'weekly', 'monthly'] as const;
export type AutoPayout = (typeof AUTO_PAYOUTS)[number];
