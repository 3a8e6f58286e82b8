import { describe, expect, test } from 'vitest';
import { webhookUrlProblem } from '../../src/http/webhook-url.ts';

const problem = (url: string, loopbackAllowed = false) => webhookUrlProblem(url, { loopbackAllowed });

describe('accepted', () => {
	test.each([
		'https://partner.example.com/webhooks',
		'https://example.com',
		'https://EXAMPLE.com/Hook?token=a%20b#part',
		'https://example.com:443/hook',
		'https://a-b.c1.example.co.uk/hook',
		'https://1password.com/',
		'https://bücher.de/hook',
		'https://xn--bcher-kva.de/hook',
		'https://почта.рф/hook',
		'https://metadata.example.com/',
		'https://localhost.example.com/',
	])('%s', (url) => {
		expect(problem(url)).toBeNull();
		expect(problem(url, true)).toBeNull();
	});
});

const REFUSED: Readonly<Record<string, readonly string[]>> = {
	'is not a URL': [
		'',
		'hook',
		'//example.com',
		'https://',
		'https://[::1',
		'https://256.256.256.256/',
		'https://1.2.3.4.5/',
	],
	'is not https': [
		'http://example.com/',
		'ftp://example.com/',
		'javascript:alert(1)',
		'file:///etc/passwd',
		'wss://example.com/',
	],
	'names an IP address instead of a host name': [
		'https://127.0.0.1/',
		'https://10.0.0.1/',
		'https://8.8.8.8/',
		'https://169.254.169.254/latest/meta-data/',
		'https://127.1/',
		'https://127.0.1/',
		'https://0/',
		'https://2130706433/',
		'https://017700000001/',
		'https://0177.0.0.1/',
		'https://0x7f000001/',
		'https://0x7f.0.0.1/',
		'https://0x7f.1/',
		'https://0xA9FEA9FE/',
		'https://127.0.0.1./',
		'https://127.0.0.1/',
		'https://①②⑦.⓪.⓪.①/',
		'https://127。0。0。1/',
		'https://%31%32%37.0.0.1/',
		'https://[::1]/',
		'https://[::]/',
		'https://[0:0:0:0:0:0:0:1]/',
		'https://[::ffff:127.0.0.1]/',
		'https://[::ffff:7f00:1]/',
		'https://[::127.0.0.1]/',
		'https://[64:ff9b::7f00:1]/',
		'https://[2002:7f00:1::]/',
		'https://[fe80::1]/',
		'https://[fc00::1]/',
		'https://[fd00:ec2::254]/',
		'https://[2606:4700:4700::1111]/',
	],
	'has a host name that is not public': [
		'https://localhost/',
		'https://LOCALHOST/',
		'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
		'https://a.localhost/',
		'https://printer.local/',
		'https://db.internal/',
		'https://metadata.google.internal/',
		'https://instance-data.ec2.internal/',
		'https://router.lan/',
		'https://nas.home.arpa/',
		'https://1.0.0.127.in-addr.arpa/',
		'https://app.corp/',
		'https://hidden.onion/',
		'https://host.localdomain/',
	],
	'has a host name without a domain': ['https://metadata/', 'https://example/', 'https://kubernetes/api'],
	'has a host name that ends in a dot': [
		'https://example.com./',
		'https://localhost./',
		'https://metadata.google.internal./',
	],
	'has an invalid host name': [
		'https://a..example.com/',
		'https://.example.com/',
		'https://-a.example.com/',
		'https://a_b.example.com/',
		`https://${'a'.repeat(64)}.example.com/`,
		`https://${'a.'.repeat(130)}example.com/`,
	],
	'holds a user name or password': [
		'https://user@example.com/',
		'https://user:password@example.com/',
		'https://example.com@127.0.0.1/',
		'https://127.0.0.1@example.com/',
		'https://@example.com/',
		'https://:@example.com/',
		'http://user@localhost/',
	],
	'names a port other than 443': [
		'https://example.com:80/',
		'https://example.com:8443/',
		'https://example.com:22/',
		'https://localhost:9000/',
	],
	'names a metadata service': ['https://metadata.goog/computeMetadata/', 'https://a.metadata.tencentyun.com/'],
	'holds blanks, control characters or backslashes': [
		' https://example.com/',
		'https://example.com/\n',
		'https://exam\tple.com/',
		'https://example.com/a b',
		'https:\\\\example.com\\',
		'https://example.com\\@127.0.0.1/',
		'https://example.com/\u0000',
		'https://example.com/\u00a0',
	],
	'is longer than 2048 characters': [`https://example.com/${'a'.repeat(2048)}`],
};

describe.each(Object.entries(REFUSED))('refused: %s', (expected, urls) => {
	test.each(urls)('%j', (url) => expect(problem(url)).toBe(expected));
	test.each(urls)('%j, where loopback is allowed too', (url) => expect(problem(url, true)).toBe(expected));
});

describe('loopback', () => {
	test.each(['http://127.0.0.1:9000/hook', 'http://localhost:8080', 'http://[::1]:1/hook', 'http://127.0.0.1/'])(
		'%s is accepted only where it is allowed',
		(url) => {
			expect(problem(url, true)).toBeNull();
			expect(problem(url)).toBe('is not https');
		},
	);

	test.each([
		'http://127.0.0.2/',
		'http://10.0.0.1/',
		'http://example.com/',
		'http://a.localhost/',
		'http://[::ffff:127.0.0.1]/',
	])('%s is not loopback as meant here', (url) => expect(problem(url, true)).toBe('is not https'));
});
