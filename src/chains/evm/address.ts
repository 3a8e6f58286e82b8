/**
 * EVM addresses as text: 20 bytes in hex. The case of the letters is the EIP-55 checksum. Pure. Does not import viem,
 * because it is part of the API Worker.
 */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ZERO_DIGITS = '0'.repeat(40);
const ADDRESS_BYTES = 20;
/** EIP-55: a letter is a capital where the hash of the lower-case digits has a nibble of at least 8. */
const CAPITAL_FROM = 8;

/** The address in EIP-55 form. @throws RangeError unless there are 20 bytes: a bug in the caller */
export function checksumAddress(bytes: Uint8Array): string {
	if (bytes.length !== ADDRESS_BYTES) throw new RangeError(`an EVM address has 20 bytes, not ${bytes.length}`);
	const digits = hex.encode(bytes);
	const hash = hex.encode(keccak_256(new TextEncoder().encode(digits)));
	const cased = [...digits].map((digit, at) =>
		Number.parseInt(hash.charAt(at), 16) >= CAPITAL_FROM ? digit.toUpperCase() : digit,
	);
	return `0x${cased.join('')}`;
}

/**
 * Text in one case has no checksum and is accepted (EIP-55, "Implementation"). Text in mixed case must have the right
 * checksum. The zero address is refused, because it belongs to nobody.
 */
export function isEvmAddress(text: string): boolean {
	if (!ADDRESS.test(text)) return false;
	const digits = text.slice(2);
	if (digits === ZERO_DIGITS) return false;
	const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
	return oneCase || checksummed(text) === text;
}

/** The checksummed form of an address in any case. */
export const checksummed = (text: string): string => checksumAddress(hex.decode(text.slice(2).toLowerCase()));
