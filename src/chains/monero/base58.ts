/**
 * Monero's own base58 (CryptoNote Standard 007): blocks of 8 bytes become 11 characters each, so that every byte string
 * of one length has a text of one length. Pure.
 */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = 58n;
const BLOCK_BYTES = 8;
/** Characters of a block of so many bytes. */
const TEXT_LENGTHS: readonly number[] = [0, 2, 3, 5, 6, 7, 9, 10, 11];
const BLOCK_LENGTH = 11;

export function encode(bytes: Uint8Array): string {
	let text = '';
	for (let start = 0; start < bytes.length; start += BLOCK_BYTES) {
		text += encodeBlock(bytes.subarray(start, start + BLOCK_BYTES));
	}
	return text;
}

/**
 * Null for what no bytes are encoded as: a foreign character, an impossible length, a block that is too large a
 * number.
 */
export function decode(text: string): Uint8Array | null {
	const bytes: number[] = [];
	for (let start = 0; start < text.length; start += BLOCK_LENGTH) {
		const block = decodeBlock(text.slice(start, start + BLOCK_LENGTH));
		if (!block) return null;
		bytes.push(...block);
	}
	return Uint8Array.from(bytes);
}

function encodeBlock(block: Uint8Array): string {
	let value = block.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
	let text = '';
	for (; value > 0n; value /= BASE) text = ALPHABET.charAt(Number(value % BASE)) + text;
	return text.padStart(TEXT_LENGTHS[block.length] ?? 0, ALPHABET.charAt(0));
}

function decodeBlock(text: string): number[] | null {
	const size = TEXT_LENGTHS.indexOf(text.length);
	const digits = [...text].map((character) => ALPHABET.indexOf(character));
	if (size < 1 || digits.includes(-1)) return null;
	let value = digits.reduce((sum, digit) => sum * BASE + BigInt(digit), 0n);
	const block = new Array<number>(size);
	for (let at = size - 1; at >= 0; at--, value /= 256n) block[at] = Number(value % 256n);
	return value === 0n ? block : null;
}
