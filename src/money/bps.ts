/** Shares of an amount, in basis points. Pure. */

/** The whole. */
export const BPS = 10_000;

/** The largest margin that a partner may ask for. */
export const MAX_AFFTAX_BPS = 2_000;
