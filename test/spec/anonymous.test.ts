/** Unsigned calls (book: contract, "Unauthenticated access", "Limits", "Weight"). */
import { describe, expect, it } from 'vitest';
import { type Answer, call, createPartner, signed } from '../support/partner.ts';
import { expectRefused } from '../support/refusals.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
const BODIES = {
	'/api/v1/currencies': '{}',
	'/api/v1/pairs': '{}',
	'/api/v1/price': '{"type":"float","fromCcy":"LTC","toCcy":"ETH","direction":"from","amount":"2"}',
} as const;
type Path = keyof typeof BODIES;
const PATHS = Object.keys(BODIES) as Path[];
const LIMIT = 60;

const from = (address: string, path: Path = '/api/v1/currencies'): Promise<Answer> =>
	call(service.current(), path, BODIES[path], { headers: { 'cf-connecting-ip': address } });

const times = <T>(count: number, run: (i: number) => Promise<T>): Promise<T[]> =>
	Promise.all(Array.from({ length: count }, (_, i) => run(i)));

let networks = 0;
/** The first three bytes of a /24 that no other test calls from. */
const freshNetwork = (): string => `172.16.${networks++}`;
/** The first 48 bits of a /48 that no other test calls from. */
const freshSite = (): string => `2001:db8:${(networks++).toString(16)}`;

const admitted = (answers: readonly Answer[]): number => answers.filter(({ code }) => code === 0).length;

describe('60 calls per minute per endpoint per network', () => {
	it.each(PATHS)('%s: exactly 60 of 80 calls at once, the rest 5 with Retry-After', async (path) => {
		const network = freshNetwork();
		const answers = await times(80, (i) => from(`${network}.${i}`, path));
		expect(admitted(answers)).toBe(LIMIT);
		for (const answer of answers.filter(({ code }) => code !== 0)) {
			expectRefused(answer, 5);
			expect(answer.headers.get('retry-after')).toMatch(/^(5\d|60)$/);
		}
	});

	it('each endpoint has an independent bucket', async () => {
		const address = `${freshNetwork()}.1`;
		await times(LIMIT, () => from(address, '/api/v1/currencies'));
		expectRefused(await from(address, '/api/v1/currencies'), 5);
		expect((await from(address, '/api/v1/pairs')).code).toBe(0);
		expect((await from(address, '/api/v1/price')).code).toBe(0);
	});

	it('calls over the limit add no weight, and a call refused for its body counts', async () => {
		const address = `${freshNetwork()}.1`;
		const headers = { 'cf-connecting-ip': address };
		const answers = await times(LIMIT + 20, () => call(service.current(), '/api/v1/currencies', '[]', { headers }));
		expect(answers.filter(({ code }) => code === 1)).toHaveLength(LIMIT);
		expect(answers.filter(({ code }) => code === 5)).toHaveLength(20);
	});
});

describe('networks', () => {
	it('IPv4 /24: its addresses share a bucket, the next network has its own', async () => {
		const [network, next] = [freshNetwork(), freshNetwork()];
		await times(LIMIT, (i) => from(`${network}.${i}`));
		expectRefused(await from(`${network}.255`), 5);
		expect((await from(`${next}.1`)).code).toBe(0);
	});

	it('IPv6 /48: its addresses share a bucket, the next network has its own', async () => {
		await times(LIMIT, (i) => from(`2001:db9:1:${i}::1`));
		expectRefused(await from('2001:DB9:0001:FFFF:1:2:3:4'), 5);
		expect((await from('2001:db9:2::1')).code).toBe(0);
	});

	it('IPv4-mapped IPv6 counts as IPv4', async () => {
		const network = freshNetwork();
		const [a = 0, b = 0, c = 0] = network.split('.').map(Number);
		const hex = (high: number, low: number) => ((high << 8) | low).toString(16);
		await times(LIMIT, (i) => from(i % 2 ? `::ffff:${network}.${i}` : `${network}.${i}`));
		expectRefused(await from(`${network}.200`), 5);
		expectRefused(await from(`::FFFF:${hex(a, b)}:${hex(c, 1)}`), 5);
	});

	it('callers without a readable address share one bucket', async () => {
		// Other files of the shared service call the other endpoints without an address.
		const path = '/api/v1/price';
		const answers = await times(LIMIT + 10, (i) => from(`unreadable-${i}`, path));
		expect(admitted(answers)).toBeLessThanOrEqual(LIMIT);
		expectRefused(await call(service.current(), path, BODIES[path]), 5);
	});
});

describe('signed calls', () => {
	it('do not consume the anonymous limit, and are not limited by it', async () => {
		const partner = await createPartner(service.current());
		const headers = { 'cf-connecting-ip': `${freshSite()}::1` };
		const sign = () => signed(service.current(), partner, '/api/v1/currencies', '{}', { headers });
		expect(admitted(await times(70, sign))).toBe(70);
		expect(admitted(await times(LIMIT, () => from(headers['cf-connecting-ip'])))).toBe(LIMIT);
		expectRefused(await from(headers['cf-connecting-ip']), 5);
		expect((await sign()).code).toBe(0);
	});

	it('that are refused do not consume it either', async () => {
		const partner = await createPartner(service.current());
		const headers = { 'cf-connecting-ip': `${freshSite()}::1` };
		const bent = { headers, apiSecret: 'x' };
		for (const answer of await times(10, () => signed(service.current(), partner, '/api/v1/currencies', '{}', bent))) {
			expectRefused(answer, 3);
		}
		expect(admitted(await times(LIMIT, () => from(headers['cf-connecting-ip'])))).toBe(LIMIT);
	});
});

describe('unsigned calls', () => {
	it('are never charged against a partner budget', async () => {
		const partner = await createPartner(service.current(), { weightPerMinute: 1 });
		const headers = { 'cf-connecting-ip': `${freshSite()}::1` };
		expect(admitted(await times(10, () => from(headers['cf-connecting-ip'])))).toBe(10);
		const sign = () => signed(service.current(), partner, '/api/v1/currencies', '{}', { headers });
		expect((await sign()).code).toBe(0);
		expectRefused(await sign(), 5);
	});
});

describe('unsigned price', () => {
	it('gets the base rate, and markupBps is 0', async () => {
		const withAfftax = { ...JSON.parse(BODIES['/api/v1/price']), afftax: 500 };
		const headers = { 'cf-connecting-ip': `${freshNetwork()}.1` };
		const { data } = await call(service.current(), '/api/v1/price', withAfftax, { headers });
		expect(data['markupBps']).toBe(0);
		expect(data).toEqual((await from(`${freshNetwork()}.1`, '/api/v1/price')).data);
	});
});
