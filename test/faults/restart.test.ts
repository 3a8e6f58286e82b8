/**
 * `npm start`, killed and started again, loses nothing and leaves no process behind (book: deploy, "Starting it").
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { freePort } from '../../src/local/ports.ts';
import { ADDRESS_ON } from '../support/addresses.ts';
import { type CreatedOrder, createBody } from '../support/orders.ts';
import { type Credentials, newNonce, type Reachable, signed } from '../support/partner.ts';
import { eventually, FEW_ADDRESSES } from '../support/service.ts';
import { type Started, startProcess } from '../support/started.ts';
import { contentsOf } from '../support/state-folder.ts';

let stateDirectory: string;
let service: Started;

beforeAll(() => {
	stateDirectory = mkdtempSync(join(tmpdir(), 'partner-exchange-restart-'));
});
afterAll(async () => {
	await service?.kill();
	rmSync(stateDirectory, { recursive: true, force: true });
});

const started = (variables = {}): Promise<Started> => startProcess(stateDirectory, { ...FEW_ADDRESSES, ...variables });

/** The demo partner's credentials, as the first start prints them. */
function demoPartner(output: string): Credentials {
	const named = (name: string) => new RegExp(`${name} +(\\S+)`).exec(output)?.[1] ?? '';
	return { id: '', apiKey: named('apiKey'), apiSecret: named('apiSecret'), webhookSecret: named('webhookSecret') };
}

function operator<T>({ url }: Reachable, ...words: string[]): T {
	const command = join(import.meta.dirname, '../../src/operator/cli/exchange.cjs');
	const text = execFileSync(process.execPath, [command, ...words, '--json'], {
		env: { ...process.env, SERVICE_URL: url, STATE_DIR: stateDirectory },
		encoding: 'utf8',
	});
	return JSON.parse(text) as T;
}

async function createOrder(service: Reachable, partner: Credentials): Promise<CreatedOrder> {
	const headers = { 'idempotency-key': newNonce() };
	const { data, text } = await signed<CreatedOrder>(service, partner, '/api/v1/create', createBody(), { headers });
	expect(data?.id, text).toBeTruthy();
	return data;
}

const statusOf = async (service: Reachable, partner: Credentials, { id, token }: CreatedOrder): Promise<string> =>
	(await signed<{ status: string }>(service, partner, '/api/v1/order', { id, token })).data.status;

/** Several starts of a process, on a busy machine. */
const SLOW_MILLISECONDS = 240_000;

const untilNobodyAnswers = (): Promise<boolean> =>
	eventually('the port to be free', () =>
		fetch(service.url).then(
			() => false,
			() => true,
		),
	);

/** One source asset of each network, with an amount above the minimum. */
const ON_EACH_NETWORK = {
	LTC: '2',
	DASH: '2',
	BTC: '0.002',
	ETH: '0.1',
	BNB: '0.2',
	POL: '400',
	ETHARB: '0.1',
	ETHOP: '0.1',
	AVAX: '5',
	SOL: '1',
	TRX: '1000',
	XMR: '1',
} as const;

/** A caller who does not wait for the start: they retry until the process answers, and go on until `isOver`. */
async function callEarly(url: string, isOver: () => boolean): Promise<number> {
	const body = JSON.stringify({ type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' });
	let answers = 0;
	while (!isOver()) {
		const headers = { 'content-type': 'application/json', 'cf-connecting-ip': `100.64.${answers % 256}.1` };
		answers += await fetch(`${url}/api/v1/price`, { method: 'POST', headers, body }).then(
			() => 1,
			() => 0,
		);
		await new Promise((wait) => setTimeout(wait, 100));
	}
	return answers;
}

describe('npm start', () => {
	it('reports ready once a create on every network succeeds; calls before that cause no error', async () => {
		const port = await freePort();
		let serves = false;
		const early = callEarly(`http://127.0.0.1:${port}`, () => serves);
		service = await started({ PORT: String(port) });
		serves = true;
		expect(await early).toBeGreaterThan(0);
		const partner = await eventually('the demo partner', async () => {
			const found = demoPartner(service.output());
			return found.webhookSecret !== '' && found;
		});
		const codes = Object.entries(ON_EACH_NETWORK).map(async ([fromCcy, amount]) => {
			const refundAddress = ADDRESS_ON[assetOf(fromCcy as AssetId).network];
			const to = fromCcy === 'ETH' ? { toCcy: 'LTC', toAddress: ADDRESS_ON.Litecoin } : {};
			const body = createBody({ fromCcy, amount, refundAddress, ...to });
			const headers = { 'idempotency-key': newNonce() };
			return [fromCcy, (await signed(service, partner, '/api/v1/create', body, { headers })).code];
		});
		expect(await Promise.all(codes)).toEqual(Object.keys(ON_EACH_NETWORK).map((fromCcy) => [fromCcy, 0]));
		const logged = readFileSync(join(stateDirectory, 'service.log'), 'utf8').split('\n');
		expect(logged.length).toBeGreaterThan(1);
		expect(logged.filter((line) => /error|stack/i.test(line.replaceAll('UPSTREAM_ERROR', '')))).toEqual([]);
		expect(service.output()).not.toMatch(/error/i);
	});

	it('prints the credentials of a demo partner and a signed curl line that works as pasted', async () => {
		await eventually('the curl line', async () => service.output().includes('curl -s'));
		const line = service
			.output()
			.split('\n')
			.find((text) => text.includes('curl -s'));
		const answer = JSON.parse(execFileSync('bash', ['-c', String(line)], { encoding: 'utf8' }));
		expect(answer).toMatchObject({ code: 0, msg: '', data: { from: { code: 'LTC' }, to: { code: 'ETH' } } });
	});

	it('keeps no partner secret in the clear anywhere in its state folder', async () => {
		const { apiSecret, webhookSecret } = demoPartner(service.output());
		expect(apiSecret).toMatch(/^\S{43}$/);
		const contents = await contentsOf(stateDirectory);
		expect(contents.length).toBeGreaterThan(5);
		for (const secret of [apiSecret, webhookSecret])
			expect(contents.some((content) => content.includes(secret))).toBe(false);
	});

	it(
		'killed with -9 at any moment loses nothing: orders, spent nonces and payouts under way continue',
		async () => {
			const partner = demoPartner(service.output());
			const nonce = newNonce();
			const body = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };
			expect((await signed(service, partner, '/api/v1/price', body, { nonce })).code).toBe(0);

			const orders: CreatedOrder[] = [];
			for (const pauseMilliseconds of [0, 40]) {
				const order = await createOrder(service, partner);
				orders.push(order);
				operator(service, 'sandbox', 'deposit', order.id);
				await new Promise((wait) => setTimeout(wait, pauseMilliseconds));
				await service.kill();
				service = await started();
			}
			expect((await signed(service, partner, '/api/v1/price', body, { nonce })).code).toBe(3);
			for (const order of orders) {
				await eventually(
					`order ${order.id} to be DONE`,
					async () => (await statusOf(service, partner, order)) === 'DONE',
				);
				const shown = operator<{ payouts: unknown[] }>(service, 'order', 'show', order.id);
				expect(shown.payouts).toHaveLength(1);
			}
		},
		SLOW_MILLISECONDS,
	);

	it('ends everything that it started, on Ctrl-C and on kill -9 alike', async () => {
		await service.interrupt();
		await untilNobodyAnswers();
		service = await started();
		await service.kill();
		await untilNobodyAnswers();
	});
});
