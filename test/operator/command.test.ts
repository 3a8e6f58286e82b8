/** The operator's command line against the running service, for people and for scripts. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Topic, wordsOf } from '../../src/operator/topic.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';
import { operatorOf } from '../support/operator.ts';
import { create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMMANDS = Object.entries<Topic>(TOPICS).flatMap(([topic, { commands }]) =>
	Object.keys(commands).map((verb) => wordsOf(topic, verb)),
);

const service = sharedService();
const { run: operator, json: operatorJson } = operatorOf(service.current);
const QUOTE = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };
let partner: Credentials;

beforeAll(async () => {
	partner = await createPartner(service.current());
});

describe('npx exchange', () => {
	it('partner create issues the three credentials, shown only once, and they work', async () => {
		const made = await operatorJson<Credentials & { name: string }>(
			'partner',
			'create',
			'--name',
			'Shop',
			'--afftax-bps',
			'25',
		);
		expect(made.name).toBe('Shop');
		const quote = await signed<{ markupBps: number }>(service.current(), made, '/api/v1/price', QUOTE);
		expect(quote.data.markupBps).toBe(25);
		const shown = await operatorJson('partner', 'show', made.id);
		expect(JSON.stringify(shown)).not.toContain(made.apiSecret);
		expect(shown).toMatchObject({ id: made.id, ordersDone: 0 });
	});

	it("partner update takes effect at once, on the partner's next call", async () => {
		await operatorJson('partner', 'update', partner.id, '--enabled', 'false');
		expect((await signed(service.current(), partner, '/api/v1/price', QUOTE)).code).toBe(4);
		await operatorJson('partner', 'update', partner.id, '--enabled', 'true', '--weight-per-minute', '10');
		expect((await create(service.current(), partner)).code).toBe(5);
		await operatorJson('partner', 'update', partner.id, '--weight-per-minute', '2500');
		expect((await create(service.current(), partner)).code).toBe(0);
	});

	it('partner update refuses a webhook URL that is not https with a public host name', async () => {
		for (const url of ['http://partner.example/hook', 'https://10.0.0.1/', 'https://169.254.169.254/', 'ftp://x']) {
			const { status, stderr } = await operator('partner', 'update', partner.id, '--webhook-url', url);
			expect([status, stderr.trim().split('\n').length]).toEqual([1, 1]);
		}
	});

	it('partner replace-secret revokes the old secret at once', async () => {
		const other = await createPartner(service.current());
		const { apiSecret } = await operatorJson<{ apiSecret: string }>('partner', 'replace-secret', other.id, 'apiSecret');
		expect((await signed(service.current(), other, '/api/v1/price', QUOTE)).code).toBe(3);
		expect((await signed(service.current(), { ...other, apiSecret }, '/api/v1/price', QUOTE)).code).toBe(0);
	});

	it('order show gives the order, its history, deposits, payout with its stored transaction, ledger and webhooks', async () => {
		const { data: order } = await create(service.current(), partner);
		await operatorJson('sandbox', 'deposit', order.id);
		await untilStatus(service.current(), partner, order, 'DONE');
		const shown = await operatorJson<Record<string, unknown[]>>('order', 'show', order.id);
		expect(shown['history']).toHaveLength(4);
		expect(shown['deposits']).toMatchObject([{ state: 'final', amount: '2' }]);
		expect(shown['payouts']).toMatchObject([{ state: 'sent', raw: expect.any(String), txId: expect.any(String) }]);
		expect(shown['ledger']?.length).toBeGreaterThan(4);
		expect((await operator('order', 'show', order.id)).stdout).toContain('DONE');
	});

	it('order delete soft-deletes: the partner no longer sees the order', async () => {
		const { data: order } = await create(service.current(), partner);
		await operatorJson('order', 'delete', order.id);
		const { id, token } = order;
		expect((await signed(service.current(), partner, '/api/v1/order', { id, token })).code).toBe(6);
	});

	it('sandbox deposit, confirm and drop move an unconfirmed deposit', async () => {
		const { data: order } = await create(service.current(), partner);
		await operatorJson('sandbox', 'deposit', order.id, '--confirmations', '0');
		await untilStatus(service.current(), partner, order, 'PENDING');
		await operatorJson('sandbox', 'drop', order.id);
		await operatorJson('sandbox', 'deposit', order.id, '--confirmations', '0');
		expect((await readOrder(service.current(), partner, order)).status).toBe('PENDING');
		await operatorJson('sandbox', 'confirm', order.id);
		await untilStatus(service.current(), partner, order, 'DONE');
	});

	it('sandbox price moves the next quote', async () => {
		await operatorJson('sandbox', 'price', 'LTC', '190');
		const quote = await signed<{ from: { usd: string } }>(service.current(), partner, '/api/v1/price', QUOTE);
		expect(quote.data.from.usd).toBe('380.00');
		await operatorJson('sandbox', 'price', 'LTC', '95');
	});

	it('errors are one line on standard error with exit status 1, usage errors 2', async () => {
		const missing = await operator('order', 'show', 'nothing');
		expect([missing.status, missing.stdout, missing.stderr.trim().split('\n').length]).toEqual([1, '', 1]);
		expect((await operator('order', 'fly')).status).toBe(2);
		expect((await operator('partner', 'update', partner.id, '--enabled', 'perhaps')).status).toBe(2);
	});

	it('--json of every command that only reads prints one JSON value and nothing else', async () => {
		const { data: order } = await create(service.current(), partner);
		const [sent] = await operatorJson<{ id: string }[]>('payout', 'list');
		const values: Readonly<Record<string, string>> = {
			'order show': order.id,
			'payout show': sent?.id ?? '',
			'partner show': partner.id,
			'earnings show': partner.id,
		};
		// `operator/archive` has orders that `archive show` can show, and `backup check` needs a file.
		const reading = COMMANDS.filter(
			(words) =>
				!['archive show', 'backup check'].includes(words) &&
				/^attention$|^doctor$|(list|show|check|history)$/.test(words),
		);
		expect(reading.length).toBeGreaterThan(14);
		for (const words of reading) {
			const { status, stdout } = await operator(...words.split(' '), ...[values[words] ?? []].flat(), '--json');
			expect([words, status]).toEqual([words, expect.toBeOneOf([0, 1, 3])]);
			expect(stdout, words).toBe(`${JSON.stringify(JSON.parse(stdout), null, 2)}\n`);
		}
	});

	it('npx runs it in a clone by its name, and npm prints nothing on standard output', async () => {
		const { url, stateDirectory } = service.current();
		const env = { ...process.env, SERVICE_URL: url, STATE_DIR: stateDirectory };
		const words = ['exchange', 'partner', 'show', partner.id, '--json'];
		const { stdout } = await promisify(execFile)('npx', words, { env, cwd: ROOT });
		expect(JSON.parse(stdout)).toMatchObject({ id: partner.id });
	});

	it('has --help on every level', async () => {
		for (const words of [[], ['partner'], ['partner', 'create'], ['order'], ['sandbox'], ['sandbox', 'deposit']]) {
			const { status, stdout } = await operator(...words, '--help');
			expect(status).toBe(0);
			expect(stdout.length).toBeGreaterThan(100);
		}
	});

	it.each(['{', 'true', '-2.155448977472571e+168', '"{}"', 'null', '[{}]'])(
		'a body that is no JSON object, as %s, is refused as such, also by the steps of a backup',
		async (body) => {
			const { url, local } = service.current();
			const headers = { authorization: `Bearer ${local.secrets.OPERATOR_TOKEN}` };
			for (const command of ['order/show', 'backup/page', 'restore/write']) {
				const response = await fetch(`${url}/operator/v1/${command}`, { method: 'POST', headers, body });
				expect([command, response.status, await response.json()]).toEqual([
					command,
					400,
					{ ok: false, error: expect.stringMatching(/^the body is not |expected/) },
				]);
			}
		},
	);

	it('a wrong token is refused, and each change is in the audit log', async () => {
		const { url, sql } = service.current();
		const response = await fetch(`${url}/operator/v1/partner/list`, {
			method: 'POST',
			headers: { authorization: 'Bearer wrong' },
		});
		expect([response.status, await response.json()]).toEqual([401, { code: 3, msg: 'AUTH_INVALID' }]);
		const commands = (await sql<{ command: string }>('SELECT DISTINCT command FROM audit_log')).map(
			({ command }) => command,
		);
		expect(commands).toEqual(
			expect.arrayContaining(['partner create', 'partner update', 'order delete', 'sandbox price']),
		);
	});
});
