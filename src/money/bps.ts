/** Shares of an amount, in basis points. Pure. */

/** The whole. */
export const BPS = 10_000;

/** The largest base fee that the operator may set. */
export const MAX_BASE_FEE_BPS = 2_000;

/** The farthest that a reserve may move the base fee of an order (`pricing/lean.ts`), either way. */
export const MAX_LEAN_BPS = 500;

/** The largest margin that a partner may ask for. */
export const MAX_AFFTAX_BPS = 2_000;
