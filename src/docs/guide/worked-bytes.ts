/** The bytes under the example's signature, one part a block, as a reader compares them with their own. Pure. */
import { filled } from '../page/filled.ts';
import text from './rules/worked-bytes.md';
import { SIGNING_EXAMPLE } from './signing.ts';

const BYTES_A_LINE = 16;

/** `74 69 6d 65   time`, sixteen bytes a line. */
function hexLines(text: string): string[] {
	const bytes = [...new TextEncoder().encode(text)];
	const lines = Math.ceil(bytes.length / BYTES_A_LINE);
	return Array.from({ length: lines }, (_, i) => {
		const row = bytes.slice(i * BYTES_A_LINE, (i + 1) * BYTES_A_LINE);
		const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
		return `${hex.padEnd(BYTES_A_LINE * 3 - 1)}   ${row.map(shown).join('')}`.trimEnd();
	});
}

const LF = 0x0a;
const shown = (byte: number): string => (byte === LF ? '↵' : String.fromCharCode(byte));

const { timestamp, nonce, body } = SIGNING_EXAMPLE;
const signed = `${timestamp}\n${nonce}\n${body}`;

export const WORKED_BYTES = filled(text, {
	...SIGNING_EXAMPLE,
	timestampBytes: timestamp.length,
	nonceBytes: nonce.length,
	bodyBytes: body.length,
	allBytes: signed.length,
	lines: hexLines(signed).join('\n'),
});
