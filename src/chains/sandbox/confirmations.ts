/** Confirmations of a sandbox deposit that is final at once: more than any network requires. */
export const FINAL_CONFIRMATIONS = 1_000;
