/**
 * Addresses of the Solana programs that this family uses, and of the accounts that they derive. Pure. Only the Token
 * program moves our tokens: the catalog's mints belong to it. Accounts of Token-2022 have other addresses.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import { isOnCurve } from '../ed25519-points.ts';

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';

const DERIVED_MARKER = new TextEncoder().encode('ProgramDerivedAddress');
const HIGHEST_BUMP = 255;
/** Derived addresses that are kept: each costs one or two square roots, and every scan needs the same ones. */
const MAX_REMEMBERED = 50_000;
const remembered = new Map<string, string>();

/** The account that holds the owner's tokens of a mint, to which wallets send them. */
export function tokenAddress(owner: string, mint: string): string {
	const key = `${owner} ${mint}`;
	const known = remembered.get(key);
	if (known) return known;
	if (remembered.size >= MAX_REMEMBERED) remembered.clear();
	const address = derivedAddress([owner, TOKEN_PROGRAM, mint].map(base58.decode), ASSOCIATED_TOKEN_PROGRAM);
	remembered.set(key, address);
	return address;
}

/** The first address off the curve, counting the bump down. Off the curve, nobody has a key to it. */
function derivedAddress(seeds: readonly Uint8Array[], program: string): string {
	for (let bump = HIGHEST_BUMP; bump >= 0; bump -= 1) {
		const hash = sha256.create();
		for (const seed of [...seeds, Uint8Array.of(bump), base58.decode(program), DERIVED_MARKER]) hash.update(seed);
		const address = hash.digest();
		if (!isOnCurve(address)) return base58.encode(address);
	}
	throw new RangeError('no bump leads off the curve');
}
