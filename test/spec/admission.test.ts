/** Signed calls and their weight (book: contract, "Authentication", "Limits", "Signed calls", "Weight"). */
import { describe, expect, it } from 'vitest';
import { hmac } from '../cast/signing.ts';
import { create, createBody } from '../support/orders.ts';
import {
	type Answer,
	type Credentials,
	call,
	createPartner,
	newNonce,
	type Reachable,
	signed,
} from '../support/partner.ts';
import { addCode, expectRefused, isAdmitted, surface } from '../support/refusals.ts';
import { eventually, FEW_ADDRESSES, serviceForFile, startTestService } from '../support/service.ts';
import { startProcess } from '../support/started.ts';
import { expectFailure } from '../support/transport.ts';
import { describeRefusals } from './refusals.ts';

const service = serviceForFile();
const PRICE = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };

const currencies = (by: Credentials, on: Reachable = service.current()): Promise<Answer> =>
	signed(on, by, '/api/v1/currencies', '{}');

describeRefusals(service.current);

describe('the surface', () => {
	it('has the methods, paths, auth and weights of the contract’s summary', () => {
		const listed = surface.map(({ method, path, auth, weight }) => `${method} ${path} ${auth} ${weight}`);
		expect(listed.toSorted()).toEqual([
			'DELETE /api/v1/codes required 1',
			'DELETE /api/v1/keys required 1',
			'DELETE /api/v1/webhooks required 50',
			'GET /api/v1/codes required 1',
			'GET /api/v1/keys required 1',
			'GET /api/v1/status optional 1',
			'GET /api/v1/webhooks required 1',
			'POST /api/v1/assets optional 1',
			'POST /api/v1/codes required 1',
			'POST /api/v1/codes/enable required 1',
			'POST /api/v1/create required 50',
			'POST /api/v1/currencies optional 1',
			'POST /api/v1/earnings required 5',
			'POST /api/v1/emergency required 1',
			'POST /api/v1/keys required 1',
			'POST /api/v1/keys/rotate required 1',
			'POST /api/v1/limits optional 5',
			'POST /api/v1/order required 1',
			'POST /api/v1/orders required 5',
			'POST /api/v1/pairs optional 1',
			'POST /api/v1/price optional 1',
			'POST /api/v1/qr required 5',
			'POST /api/v1/sandbox/deposit required 10',
			'POST /api/v1/sandbox/keys optional 1',
			'POST /api/v1/validate-address required 1',
			'POST /api/v1/webhooks required 50',
			'POST /api/v1/webhooks/change required 50',
			'POST /api/v1/webhooks/deliveries required 5',
			'POST /api/v1/webhooks/redeliver required 50',
			'POST /api/v1/webhooks/test required 50',
		]);
	});
});

// This file's service serves no pages; `spec/envelope` has the unknown paths of one that does.
it.each(['/', '/favicon.ico'])('%s is an unknown path where there are no pages: HTTP 404, code 6', async (path) => {
	for (const method of ['GET', 'POST', 'DELETE']) {
		const headers = { 'cf-connecting-ip': '198.51.100.7' };
		const answer = await call(service.current(), path, method === 'GET' ? undefined : '{}', { method, headers });
		expectFailure(answer, 404, 6, 'NOT_FOUND');
	}
});

describe('a reference code', () => {
	const markup = async (by: Credentials, apiKey: string, more = {}): Promise<unknown> => {
		const { data } = await signed(service.current(), by, '/api/v1/price', { ...PRICE, ...more }, { apiKey });
		return data['markupBps'];
	};

	it('that is enabled works, and its afftax applies: the body’s first, then the code’s, then the partner’s', async () => {
		const partner = await createPartner(service.current(), { afftaxBps: 30 });
		await addCode(service.current(), partner, 'code-200', { afftaxBps: 200 });
		await addCode(service.current(), partner, 'code-0', { afftaxBps: 0 });
		expect(await markup(partner, partner.apiKey)).toBe(30);
		expect(await markup(partner, `${partner.apiKey}.code-200`)).toBe(200);
		expect(await markup(partner, `${partner.apiKey}.code-200`, { afftax: 7 })).toBe(7);
		expect(await markup(partner, `${partner.apiKey}.code-200`, { afftax: 0 })).toBe(0);
		// 0 falls through to the partner's default.
		expect(await markup(partner, `${partner.apiKey}.code-0`)).toBe(30);
	});

	it('applies to orders as well', async () => {
		const partner = await createPartner(service.current(), { afftaxBps: 30 });
		await addCode(service.current(), partner, 'code-200', { afftaxBps: 200 });
		const byCode = { apiKey: `${partner.apiKey}.code-200` };
		expect((await create(service.current(), partner, {}, byCode)).data.markupBps).toBe(200);
		expect((await create(service.current(), partner, { afftax: 1 }, byCode)).data.markupBps).toBe(1);
		expect((await create(service.current(), partner)).data.markupBps).toBe(30);
	});
});

describe('what the operator changes takes effect on the next call', () => {
	it('a replaced apiSecret: the old value is invalid at once', async () => {
		const partner = await createPartner(service.current());
		expect((await currencies(partner)).code).toBe(0);
		const { apiSecret } = await service
			.current()
			.operator<{ apiSecret: string }>('partner/replace-secret', { id: partner.id, secret: 'apiSecret' });
		expectRefused(await currencies(partner), 3);
		expect((await currencies({ ...partner, apiSecret })).code).toBe(0);
	});

	it('enabled and budget', async () => {
		const partner = await createPartner(service.current());
		expect((await currencies(partner)).code).toBe(0);
		await service.current().operator('partner/update', { id: partner.id, enabled: false });
		expectRefused(await currencies(partner), 4);
		await service.current().operator('partner/update', { id: partner.id, enabled: true, weightPerMinute: 0 });
		expectRefused(await currencies(partner), 5);
	});
});

describe('the budget', () => {
	it('is 2500 by default: 50 creates', async () => {
		const partner = await createPartner(service.current());
		const answers = await Promise.all(
			// These calls are admitted and then refused for their body, so they use no address.
			Array.from({ length: 51 }, () => signed(service.current(), partner, '/api/v1/create', '[]')),
		);
		expect(answers.filter(({ code }) => code === 1)).toHaveLength(50);
		expect(answers.filter(({ code }) => code === 5)).toHaveLength(1);
	});

	it('of 50 admits exactly 50 of 200 calls at once, and tells the others when to retry', async () => {
		const partner = await createPartner(service.current(), { weightPerMinute: 50 });
		const answers = await Promise.all(Array.from({ length: 200 }, () => currencies(partner)));
		expect(answers.filter(({ code }) => code === 0)).toHaveLength(50);
		const refused = answers.filter(({ code }) => code !== 0);
		expect(refused).toHaveLength(150);
		for (const answer of refused) {
			expectRefused(answer, 5);
			expect(answer.headers.get('retry-after')).toMatch(/^(5\d|60)$/);
		}
	});

	it('is shared by all endpoints, and a refused create leaves room for lighter calls', async () => {
		const partner = await createPartner(service.current(), { weightPerMinute: 99 });
		expect((await create(service.current(), partner)).code).toBe(0);
		expectRefused(await create(service.current(), partner), 5);
		const lighter = await Promise.all(Array.from({ length: 60 }, () => currencies(partner)));
		expect(lighter.filter(({ code }) => code === 0)).toHaveLength(49);
		expectRefused(await signed(service.current(), partner, '/api/v1/price', PRICE), 5);
		expectRefused(await signed(service.current(), partner, '/api/v1/order', {}), 5);
	});

	it('of one partner is not another’s', async () => {
		const [one, other] = [
			await createPartner(service.current(), { weightPerMinute: 1 }),
			await createPartner(service.current(), { weightPerMinute: 1 }),
		];
		expect((await currencies(one)).code).toBe(0);
		expectRefused(await currencies(one), 5);
		expect((await currencies(other)).code).toBe(0);
	});
});

describe('calls that arrive together', () => {
	/** A caller who does not wait for the answer. */
	async function leave({ apiKey, apiSecret }: Credentials): Promise<void> {
		const [body, nonce, timestamp] = ['{}', newNonce(), String(Math.floor(Date.now() / 1000))];
		const signature = hmac(apiSecret, `${timestamp}\n${nonce}\n${body}`);
		const headers = {
			'x-api-key': apiKey,
			'x-api-sign': signature,
			'x-api-nonce': nonce,
			'x-api-timestamp': timestamp,
		};
		const signal = AbortSignal.timeout(2);
		await fetch(`${service.current().url}/api/v1/currencies`, { method: 'POST', body, headers, signal }).catch(
			() => undefined,
		);
	}

	it('are each judged and answered by themselves, also where other callers have gone', async () => {
		const [partner, other] = [
			await createPartner(service.current(), { weightPerMinute: 10_000 }),
			await createPartner(service.current(), { weightPerMinute: 10_000 }),
		];
		const orders = [await create(service.current(), partner), await create(service.current(), partner)];
		const nonce = newNonce();
		const rounds = Array.from({ length: 12 }, (_, i) => {
			const { id, token } = orders[i % 2]?.data ?? {};
			const read = (by: Credentials, bend = {}) => signed(service.current(), by, '/api/v1/order', { id, token }, bend);
			return [leave(partner), read(partner), read(other), read(partner, { apiSecret: 'x' }), read(partner, { nonce })];
		});
		const answers = await Promise.all(rounds.map((calls) => Promise.all(calls)));
		const codes = (place: number) => answers.map((calls) => (calls[place] as Answer).code);
		expect(answers.map((calls) => (calls[1] as Answer).data?.['id'])).toEqual(
			answers.map((_, i) => orders[i % 2]?.data.id),
		);
		expect(codes(2)).toEqual(answers.map(() => 6));
		expect(codes(3)).toEqual(answers.map(() => 3));
		expect(codes(4).toSorted()).toEqual([0, ...answers.slice(1).map(() => 3)]);
	});
});

describe('secrets', () => {
	it('no log line holds a secret, and storage holds none in the clear', async () => {
		const partner = await createPartner(service.current());
		await create(service.current(), partner);
		expectRefused(await signed(service.current(), partner, '/api/v1/create', createBody(), { nonce: 'short' }), 3);
		const [row] = await service.current().sql('SELECT * FROM partners WHERE id = ?', partner.id);
		const audit = await service.current().sql('SELECT * FROM audit_log WHERE subject = ?', partner.id);
		const stored = JSON.stringify([row, audit]);
		for (const secret of [partner.apiSecret, partner.webhookSecret]) expect(stored).not.toContain(secret);
		const refusals = await eventually('the refusal in the log', async () => {
			const lines = service.current().logged('refused');
			return lines.some(({ reason }) => reason === 'nonce malformed') && JSON.stringify(lines);
		});
		for (const secret of [partner.apiSecret, partner.webhookSecret]) expect(refusals).not.toContain(secret);
	});
});

describe('window and nonces', () => {
	// The last: it stops the service of the file.
	it('survive a kill and a restart of the service', async () => {
		const currenciesWith = (on: Reachable, by: Credentials, nonce: string) =>
			signed(on, by, '/api/v1/currencies', '{}', { nonce });
		const [first, second] = [newNonce(), newNonce()];

		const stopped = service.current();
		const { stateDirectory } = stopped;
		const partner = await createPartner(stopped, { weightPerMinute: 100 });
		const exhausted = await createPartner(stopped, { weightPerMinute: 2 });
		expect((await currenciesWith(stopped, partner, first)).code).toBe(0);
		for (let i = 0; i < 2; i++) expect((await currencies(exhausted, stopped)).code).toBe(0);
		expectRefused(await currencies(exhausted, stopped), 5);
		await stopped.local.stop();

		const killed = await startProcess(stateDirectory, FEW_ADDRESSES);
		expectRefused(await currenciesWith(killed, partner, first), 3);
		expectRefused(await currencies(exhausted, killed), 5);
		expect((await currenciesWith(killed, partner, second)).code).toBe(0);
		await killed.kill();

		const again = await startTestService({}, stateDirectory);
		expectRefused(await currenciesWith(again, partner, first), 3);
		expectRefused(await currenciesWith(again, partner, second), 3);
		expectRefused(await currencies(exhausted, again), 5);
		expect(isAdmitted(await currencies(partner, again))).toBe(true);
		await again.local.stop();
	});
});
