/** Wrong headers with a correct body. None of these calls is admitted. Pure, except for the nonces. */
import type { OutgoingHttpHeaders } from 'node:http';
import { hmac } from '../cast/signing.ts';
import { type Credentials, newNonce } from './partner.ts';

/** The headers of a call in timestamp mode; text is sent as latin1, one byte a character. */
export function signedHeaders(partner: Credentials, bytes: Uint8Array): Record<string, string> {
	const timestamp = String(Math.floor(Date.now() / 1000));
	const nonce = newNonce();
	return {
		'x-api-key': partner.apiKey,
		'x-api-sign': hmac(partner.apiSecret, Buffer.concat([Buffer.from(`${timestamp}\n${nonce}\n`), bytes])),
		'x-api-nonce': nonce,
		'x-api-timestamp': timestamp,
	};
}

const WRONG: readonly string[] = [
	'',
	' ',
	'0',
	'null',
	'undefined',
	'[object Object]',
	'__proto__',
	'constructor',
	'{}',
	'""',
	',',
	'.',
	'..',
	'*',
	"' OR 1=1 --",
	'<script>',
	'%00',
	'../..',
	'\xff\xfe\xfd',
	'\xc3\xa9\xe2\x82\xac',
	'\x80'.repeat(64),
	'a\tb',
	'\t',
	'1e9',
	'-1',
	'+1795176000',
	'1795176000.5',
	'0x6b0a',
	'NaN',
	'9'.repeat(15),
	'9'.repeat(40),
	'00000000000000000000',
	'x'.repeat(15),
	'x'.repeat(65),
	'x'.repeat(7000),
	'é'.repeat(20),
	'A'.repeat(64),
	'g'.repeat(64),
	'f'.repeat(63),
	'pk_',
	`pk_${'A'.repeat(38)}`,
	`pk_${'_'.repeat(38)}`,
	`pk_${'A'.repeat(38)}.shop`,
	'Bearer x',
	'f'.repeat(64),
];

export interface HostileHeaders {
	readonly name: string;
	readonly headers: OutgoingHttpHeaders;
}

/**
 * Signed calls with one header left out, sent twice, with characters added around its value, or replaced: by each wrong
 * value, or by those that `isTaken` says by their number.
 */
export function hostileHeaders(
	partner: Credentials,
	bytes: Uint8Array,
	isTaken: (number: number) => boolean = () => true,
): HostileHeaders[] {
	const names = Object.keys(signedHeaders(partner, bytes));
	return names.flatMap((name) => {
		const bent = (what: string, change: (own: string) => string | string[]): HostileHeaders => {
			const { [name]: own = '', ...others } = signedHeaders(partner, bytes);
			return { name: `${name} ${what}`, headers: { ...others, [name]: change(own) } };
		};
		const { [name]: _, ...without } = signedHeaders(partner, bytes);
		return [
			{ name: `${name} left out`, headers: without },
			bent('twice', (own) => [own, own]),
			bent('twice, the second wrong', (own) => [own, 'x']),
			bent('twice, the first empty', (own) => ['', own]),
			bent('with a comma', (own) => `${own},`),
			bent('with a full stop', (own) => `${own}.`),
			bent('with a byte of no UTF-8', (own) => `${own}\xff`),
			bent('quoted', (own) => `"${own}"`),
			bent('cut short', (own) => own.slice(0, -1)),
			...WRONG.filter((_, number) => isTaken(number)).map((value) => bent(`is ${value.slice(0, 60)}`, () => value)),
		];
	});
}

/** Malformed, all of them (book: contract, "Limits": 8 to 128 characters; headers hold printable ASCII). */
export const WRONG_IDEMPOTENCY_KEYS: readonly (string | string[])[] = [
	'',
	' ',
	'seven 7',
	'x'.repeat(129),
	'x'.repeat(7000),
	'ключ-ключ'.replaceAll(/\P{ASCII}/gu, '\xd0'),
	'a\tb45678',
	'\xff'.repeat(20),
	['', 'x'],
	['x'.repeat(70), 'x'.repeat(70)],
];
