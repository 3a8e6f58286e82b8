// Works out a signature as the service does, with WebCrypto, and names what is usually different. Nothing leaves the page.
import { at, note, watch } from './shared/checker.js';

const encoder = new TextEncoder();

/** `key`: text, or the bytes themselves. */
async function hmac(key, text) {
	const bytes = typeof key === 'string' ? encoder.encode(key) : key;
	// An empty key is no key for WebCrypto; HMAC pads it with zeros, so one zero byte is the same key.
	const raw = bytes.length > 0 ? bytes : new Uint8Array(1);
	const imported = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
	return new Uint8Array(await crypto.subtle.sign('HMAC', imported, encoder.encode(text)));
}

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const base64 = (bytes) => btoa(String.fromCharCode(...bytes));
const textOf = ({ timestamp, nonce, body }, joint = '\n') =>
	timestamp === '' ? body : [timestamp, nonce, body].join(joint);

const SHOWN = { 9: '→', 10: '↵', 13: '←', 32: '·' };

function dump(text) {
	const bytes = [...encoder.encode(text)];
	const lines = [];
	for (let i = 0; i < bytes.length; i += 16) {
		const row = bytes.slice(i, i + 16);
		const letters = row.map((byte) => SHOWN[byte] ?? (byte > 32 && byte < 127 ? String.fromCharCode(byte) : '×'));
		lines.push(
			`${row
				.map((byte) => byte.toString(16).padStart(2, '0'))
				.join(' ')
				.padEnd(48)} ${letters.join('')}`,
		);
	}
	return lines.join('\n');
}

function printedAgain(body) {
	try {
		return JSON.stringify(JSON.parse(body));
	} catch {
		return null;
	}
}

/** Other texts under which a program may have signed, with what that says. */
function variants(given) {
	const { timestamp, nonce, body } = given;
	const again = printedAgain(body);
	const pretty = again === null ? [] : [2, 4, '\t'].map((space) => JSON.stringify(JSON.parse(body), null, space));
	const spaced = again?.replaceAll(/(?<=[\]"}\d\w])([,:])(?=["\d[{tfn-])/g, '$1 ');
	const bodies = (texts) =>
		texts.filter((text) => text && text !== body).map((text) => textOf({ ...given, body: text }));
	return [
		[
			'the body was printed again after or before it was signed: sign the string that you send',
			bodies([again, spaced, ...pretty]),
		],
		['there was a newline at the end: use printf, not echo', [`${textOf(given)}\n`, ...bodies([`${body}\n`])]],
		['the body had no newline at its end when it was signed', bodies([body.trimEnd()])],
		['the newline was CR LF: it must be LF alone', [textOf(given, '\r\n'), ...bodies([body.replaceAll('\n', '\r\n')])]],
		['the newline was written as a backslash and an n', [textOf(given, '\\n')]],
		['the parts were joined without newlines', [textOf(given, '')]],
		['timestamp and nonce changed places', [[nonce, timestamp, body].join('\n')]],
		['only the body was signed: with X-API-TIMESTAMP, timestamp and nonce are signed too', [body]],
		['milliseconds were signed: use seconds', [textOf({ ...given, timestamp: `${timestamp}000` })]],
		[
			'seconds were signed, and milliseconds were sent: use seconds for both',
			[textOf({ ...given, timestamp: timestamp.slice(0, 10) })],
		],
		['the nonce was left out', [[timestamp, body].join('\n')]],
	];
}

/** Bytes of a secret that a program decoded by mistake. */
function decoded(secret) {
	const found = [];
	if (/^(?:[0-9a-f]{2})+$/i.test(secret))
		found.push(Uint8Array.from(secret.match(/../g), (pair) => Number.parseInt(pair, 16)));
	try {
		found.push(
			Uint8Array.from(atob(secret.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0)),
		);
	} catch {
		// No Base64.
	}
	return found.filter((bytes) => bytes.length > 0);
}

/** The mistake in your signature; null where it is right. */
async function judged(given, expected) {
	const yours = given.yours.trim();
	if (yours === hex(expected)) return null;
	if (yours.toLowerCase() === hex(expected)) return 'It is right but for its case: send lowercase hex.';
	if (yours === base64(expected)) return 'It is right, but in Base64: send 64 characters of hex.';
	const lower = yours.toLowerCase();
	for (const [what, texts] of variants(given)) {
		for (const text of texts) if (hex(await hmac(given.secret, text)) === lower) return `Found: ${what}.`;
	}
	for (const secret of [given.secret.trim(), `${given.secret}\n`]) {
		if (hex(await hmac(secret, textOf(given))) === lower)
			return 'Found: there is a blank or a newline around the secret.';
	}
	for (const key of decoded(given.secret)) {
		if (hex(await hmac(key, textOf(given))) === lower) return 'Found: the secret was decoded. Its text is the key.';
	}
	if (!/^[0-9a-f]{64}$/i.test(yours)) return `It has ${yours.length} characters; a signature has 64 of 0-9a-f.`;
	return 'It is made of other bytes or another secret. Compare the bytes below with those that your program signs.';
}

/** Things that the service would refuse or that often go wrong, whatever the signature is. */
function remarks({ secret, timestamp, nonce, body }) {
	const now = Math.floor(Date.now() / 1000);
	const age = now - Number(timestamp);
	return [
		/^\d{13}$/.test(timestamp) && `The timestamp is in milliseconds. Seconds are ${timestamp.slice(0, 10)}.`,
		timestamp !== '' && !/^\d{1,15}$/.test(timestamp) && 'The timestamp must be digits alone.',
		/^\d{1,12}$/.test(timestamp) &&
			age > 300 &&
			`The timestamp is ${age} s old: the service takes at most 300. Fine for comparing bytes.`,
		/^\d{1,12}$/.test(timestamp) &&
			age < -60 &&
			`The timestamp is ${-age} s ahead of this computer's clock: the service takes at most 60.`,
		timestamp === '' && 'Body-only mode: the nonce is sent but not signed.',
		!/^[\x21-\x7e]{16,64}$/.test(nonce) &&
			`The nonce has ${nonce.length} characters; it needs 16 to 64 printable ones without blanks.`,
		/\n$/.test(body) && 'The body ends with a newline. It is signed if it is sent.',
		secret !== secret.trim() && 'There are blanks around the secret.',
		body !== '' &&
			printedAgain(body) === null &&
			'The body is not JSON: with a right signature the answer would be code 1.',
	].filter(Boolean);
}

async function work(given) {
	const text = textOf(given);
	const expected = await hmac(given.secret, text);
	return { given, text, expected, wrong: given.yours.trim() === '' ? '' : await judged(given, expected) };
}

function show({ given, text, expected, wrong }) {
	at('signature-hex').textContent = hex(expected);
	at('bytes-count').textContent = `${encoder.encode(text).length} bytes`;
	at('bytes-shown').textContent = dump(text);
	const verdict = wrong === '' ? [] : [wrong === null ? note('Your signature is right.', 'good') : note(wrong, 'bad')];
	at('findings').replaceChildren(...verdict, ...remarks(given).map((remark) => note(remark, 'warn')));
}

watch(['secret', 'timestamp', 'nonce', 'body', 'yours'], work, show);
at('worked').hidden = false;
