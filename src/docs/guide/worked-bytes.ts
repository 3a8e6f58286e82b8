/** The bytes under the example's signature, one part a block, as a reader compares them with their own. Pure. */
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

const { apiSecret, timestamp, nonce, body, timestampMode } = SIGNING_EXAMPLE;
const signed = `${timestamp}\n${nonce}\n${body}`;

export const WORKED_BYTES = [
	'## Worked bytes',
	'',
	`The example's timestamp is \`${timestamp}\` (${timestamp.length} bytes), its nonce has ${nonce.length} bytes, its body ${body.length}.`,
	`With the two newlines that makes ${signed.length} bytes. \`↵\` is one byte, \`0a\`:`,
	'',
	'```text',
	...hexLines(signed),
	'```',
	'',
	`The key is the text \`${apiSecret}\`, byte by byte: it is not decoded. The result is 32 bytes, written as 64 lowercase hex`,
	'characters:',
	'',
	'```text',
	timestampMode,
	'```',
	'',
	'The same on your machine:',
	'',
	'```sh',
	`printf '%s\\n%s\\n%s' ${timestamp} ${nonce} \\`,
	`  '${body}' |`,
	`  openssl dgst -sha256 -hmac ${apiSecret}`,
	'```',
];
