/** Addresses and calls of contracts in the forms that Tron's nodes speak, for the stand-in and the tests. */
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { createBase58check, hex } from '@scure/base';

const base58check = createBase58check(sha256);

/** The 20 bytes of an address, hex. */
export const hash20 = (address: string): string => hex.encode(base58check.decode(address).subarray(1));

export const addressOf = (hash: string): string => base58check.encode(hex.decode(`41${hash}`));

const word = (value: string | bigint): string =>
	(typeof value === 'bigint' ? value.toString(16) : value).padStart(64, '0');

export const selector = (signature: string): string =>
	hex.encode(keccak_256(new TextEncoder().encode(signature)).subarray(0, 4));

/** Addresses and numbers only. */
export const callData = (signature: string, ...values: (string | bigint)[]): string =>
	selector(signature) + values.map((each) => word(typeof each === 'string' ? hash20(each) : each)).join('');
