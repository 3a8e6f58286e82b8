/**
 * Where our addresses are in the wallet's account 0. The hot wallet is the primary address, minor index 0. The pay-in
 * address with derivation index n is subaddress n + 1. Pure.
 */
export const ACCOUNT = 0;

/** `index`: a derivation index, -1 for the hot wallet. */
export const minorOf = (index: number): number => index + 1;

export const HOT_MINOR = minorOf(-1);
