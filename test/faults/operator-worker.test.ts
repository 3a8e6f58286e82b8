/** The operator Worker where it is not as the API Worker wants it: older, without a bucket, or broken; and Workers that are not bound. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_WORKER, type LocalWorkers, OPERATOR_WORKER } from '../../src/local/workers.ts';
import { MIGRATIONS } from '../../src/platform/d1/migrations.ts';
import { ageOrder } from '../support/archived.ts';
import { operatorOf } from '../support/operator.ts';
import { create } from '../support/orders.ts';
import { call, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { type ReceivedWebhook, startWebhookReceiver } from '../support/webhook-receiver.ts';

const NEWEST = MIGRATIONS.at(-1) ?? '';
/** As it stands in the minified Worker. */
const ANSWER = /async answer\((?<request>[\w$]+)[^)]*\) ?\{/g;
const BREAK = "if ($<request>.url.endsWith('/treasury/show')) throw new Error('broken');";

let service: TestService | null = null;
const folders = new Set<string>();
afterAll(async () => {
	await service?.local.stop();
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Worker = LocalWorkers[number];

/** Ends the one before. */
const started = async (
	change: (worker: Worker) => object,
	name = OPERATOR_WORKER,
	variables: Readonly<Record<string, string>> = {},
	earlier?: string,
): Promise<TestService> => {
	const arrange = (workers: LocalWorkers): LocalWorkers =>
		workers.map((worker) => (worker.name === name ? Object.assign({ ...worker }, change(worker)) : worker));
	await service?.local.stop();
	service = null;
	service = await startTestService(variables, earlier, {}, { arrange });
	folders.add(service.stateDirectory);
	return service;
};

interface Row {
	readonly area: string;
	readonly what: string;
	readonly state: string;
}

const doctorsRows = async (of: TestService): Promise<Row[]> =>
	(await of.operator<{ rows: Row[] }>('doctor')).rows.filter(
		({ area, what }) => area !== 'cron' && what.startsWith('operator Worker'),
	);

describe('one that is older, has no bucket and breaks', () => {
	let older: TestService;
	beforeAll(async () => {
		older = await started(({ script }) => {
			expect(script.match(ANSWER)).toHaveLength(1);
			return { script: script.replaceAll(NEWEST, '0001_older.sql').replace(ANSWER, `$&${BREAK}`), r2Buckets: {} };
		});
	});

	it('doctor says that it is older, and that it lacks the bucket that the API Worker has, and what to do', async () => {
		expect(await doctorsRows(older)).toEqual([
			expect.objectContaining({
				area: 'configuration',
				state: 'wrong',
				detail: 'the API Worker has the bucket ARCHIVE, and the operator Worker has not: nothing is archived',
				todo: 'bind it in src/operator/wrangler.toml, then npx exchange deploy operator',
			}),
			expect.objectContaining({
				area: 'versions',
				state: 'wrong',
				detail: expect.stringMatching(/^older than the API Worker: .*0001_older/),
				todo: 'npx exchange deploy operator',
			}),
		]);
	});

	it('where it breaks, the answer names it and the request id, the log has more, and a wrong token never reaches it', async () => {
		const { url, local, logged } = older;
		const ask = (token: string) =>
			fetch(`${url}/operator/v1/treasury/show`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
		const broken = await ask(local.secrets.OPERATOR_TOKEN);
		const requestId = broken.headers.get('x-request-id');
		const error = `the operator Worker does not answer; the API Worker's log has more under request id ${requestId}`;
		expect([broken.status, await broken.json()]).toEqual([500, { ok: false, error }]);
		const failures = (of: unknown) => logged('operator_command_failed').filter((line) => line['requestId'] === of);
		const [failure] = await eventually('the log', async () => failures(requestId).length > 0 && failures(requestId));
		expect(failure).toMatchObject({ error: 'Error: broken' });
		const refused = await ask('wrong');
		expect(refused.status).toBe(401);
		const refusedId = refused.headers.get('x-request-id');
		await eventually('the log', async () => logged('operator_refused').some((line) => line['requestId'] === refusedId));
		expect(failures(refusedId)).toEqual([]);
	});
});

/** What nobody but its maker seals. */
const FORGED = ['order', 'pool', 'passkey', 'challenge', 'session', 'cache'];

/** Answers with all that it is given: by the call, by its bindings, and by the keeper. */
const TELL = `if ($<request>.url.endsWith('/treasury/show')) {
	const keeper = this.env.KEEPER.getByName('keeper');
	const told = await keeper.told();
	const made = (kind) => keeper.seal([JSON.stringify([kind, 'forged'])]).then(() => 'sealed', (error) => error.message);
	const seals = await Promise.all(${JSON.stringify([...FORGED, 'stray'])}.map(made));
	const own = Object.entries(this.env).filter(([, value]) => typeof value === 'string');
	return Response.json({ ok: true, data: { headers: [...$<request>.headers], given: [...arguments].slice(1), own, told, seals } });
}`;

it('is given no key and no token, by the keeper or by the call, and the keeper seals no order and no address for it', async () => {
	// 32 bytes in base64url.
	const newer = `${'B'.repeat(42)}A`;
	const curious = await started(({ script }) => ({ script: script.replace(ANSWER, `$&${TELL}`) }), OPERATOR_WORKER, {
		OPERATOR_TOKEN_NEXT: 'n'.repeat(43),
		SECRETS_KEY_NEXT: newer,
		SECRETS_KEY_CHANGED_AT: '4000000000',
		SCREENING_URL: 'http://name:password@127.0.0.1:9/path?key=hidden',
		SCREENING_SECRET: 'a secret of screening',
	});
	const given = await curious.operator<{ told: { variables: Record<string, string> }; seals: string[] }>(
		'treasury/show',
	);
	expect(given.told.variables).toMatchObject({ WEBHOOK_LOOPBACK: 'allowed', SCREENING_URL: 'http://127.0.0.1:9' });
	const { OPERATOR_TOKEN, SECRETS_KEY, API_KEY_KEY, SEAL_KEY, SEED } = curious.local.secrets;
	const others = ['n'.repeat(43), newer, 'a secret of screening', 'password', 'hidden'];
	for (const secret of [OPERATOR_TOKEN, SECRETS_KEY, API_KEY_KEY, SEAL_KEY, SEED, ...others])
		expect(JSON.stringify(given)).not.toContain(secret);
	const refused = FORGED.map((kind) => `the keeper makes no seal of the kind ${kind}`);
	expect(given.seals).toEqual([...refused, 'sealed']);
});

it('an order leaves D1 only where the API Worker finds it in its own bucket', async () => {
	const apart = await started(({ r2Buckets }: { r2Buckets?: object }) => ({
		r2Buckets: { ...r2Buckets, ARCHIVE: 'another-bucket' },
	}));
	const partner = await createPartner(apart);
	const { id } = (await create(apart, partner)).data;
	// Of each network the newest order stays in any case.
	await create(apart, partner);
	await apart.sql("UPDATE orders SET status = 'EXPIRED', holds_cap = 0 WHERE id = ?", id);
	await ageOrder(apart, id, 40);
	await apart.operator('site/update', { archiveAfterDays: 31 });
	await apart.local.runScheduled();
	await eventually('the log', async () =>
		apart
			.logged('watchdog_failed')
			.some(({ part, error }) => part === 'archive' && /API Worker does not find what was written/.test(String(error))),
	);
	expect(await apart.sql('SELECT id FROM orders WHERE id = ?', id)).toEqual([{ id }]);
	expect(await apart.sql('SELECT * FROM archived_batches')).toEqual([]);
});

describe('one whose bucket is lost while orders are archived', () => {
	let misled: TestService;
	beforeAll(async () => {
		misled = await started(() => ({ bindings: { SEAL_KEY: 'A'.repeat(43), ALERT_QUIET_MINUTES: '3' } }));
		await misled.operator('site/update', { archiveAfterDays: 31 });
	});
	const archived = async (of: TestService) =>
		(await of.operator<(Row & Record<'cause' | 'todo', string>)[]>('attention')).filter(
			({ area }) => area === 'switch',
		);

	it('a variable that is set for it has no effect, and doctor says how to remove it', async () => {
		expect((await doctorsRows(misled)).filter(({ state }) => state === 'wrong')).toEqual(
			[
				{
					what: 'operator Worker: SEAL_KEY',
					detail: 'SEAL_KEY belongs to the API Worker, the agents Worker and the signer alone',
					todo: 'npx wrangler secret delete SEAL_KEY -c src/operator/wrangler.toml',
				},
				{
					what: 'operator Worker: ALERT_QUIET_MINUTES',
					detail: 'ALERT_QUIET_MINUTES belongs to the API Worker alone',
					todo: 'delete it from [vars] of src/operator/wrangler.toml, and deploy',
				},
			].map((row) => ({ area: 'configuration', state: 'wrong', ...row })),
		);
	});

	it('is nothing that waits for the operator before that', async () => {
		expect(await archived(misled)).toEqual([]);
	});

	it.each([
		[
			'operator Worker',
			OPERATOR_WORKER,
			'src/operator/wrangler.toml',
			'npx exchange deploy operator',
			'switch operator archive',
		],
		['API Worker', API_WORKER, 'wrangler.toml', 'npx exchange deploy api', 'switch api archive'],
	])(
		'attention and an alert name the %s where it loses the bucket while orders are archived',
		async (who, worker, file, deploy, key) => {
			const alerts = await startWebhookReceiver();
			const target = { ALERT_WEBHOOK_URL: alerts.url, ALERT_WEBHOOK_SECRET: 'a secret of the alerts' };
			const after = await started(() => ({ r2Buckets: {} }), worker, target, misled.stateDirectory);
			expect(await archived(after)).toEqual([
				expect.objectContaining({
					subject: 'archive',
					cause: `finished orders are to be archived, and the ${who} has no bucket ARCHIVE: none is`,
					todo: `bind the bucket in ${file} and deploy with \`${deploy}\`, or \`site update --archive-after-days none\``,
				}),
			]);
			await after.local.runScheduled();
			const keyOf = ({ json }: ReceivedWebhook) => (json as { data: { key: string } }).data.key;
			await alerts.waitFor((request) => keyOf(request) === key);
			await alerts.close();
		},
	);

	it('which the command that is printed ends', async () => {
		const without = service as TestService;
		// The one that has its bucket again is named no more.
		const [row, ...others] = await archived(without);
		expect([row?.cause, others]).toEqual([expect.stringContaining('the API Worker has no bucket ARCHIVE'), []]);
		const [, command = ''] = /`(site update [^`]+)`/.exec(row?.todo ?? '') ?? [];
		await operatorOf(() => without).json(...command.split(' '));
		expect(await archived(without)).toEqual([]);
	});

	it('the archive is not switched on where the API Worker has no bucket, and doctor says which Worker lacks it', async () => {
		const without = service as TestService;
		await expect(without.operator('site/update', { archiveAfterDays: 31 })).rejects.toThrow(
			'bind one as ARCHIVE to the API Worker and the operator Worker',
		);
		expect(await doctorsRows(without)).toContainEqual(
			expect.objectContaining({
				area: 'configuration',
				state: 'wrong',
				detail: 'the operator Worker has the bucket ARCHIVE, and the API Worker has not: nothing is archived',
				todo: 'bind it in wrangler.toml, then npx exchange deploy api',
			}),
		);
	});
});

it('where the API Worker is not bound to the agents Worker, calls get 11, monitors are told, and commands go on', async () => {
	const unbound = (worker: Worker) => {
		const { AGENTS: _, ...serviceBindings } =
			(worker as { serviceBindings?: Record<string, object> }).serviceBindings ?? {};
		return { serviceBindings };
	};
	// Without networks a start waits for no answer of the API.
	const alone = await started(unbound, API_WORKER, { SANDBOX: '' });
	const refused = await call(alone, '/api/v1/price', {});
	expect([refused.status, refused.code]).toEqual([503, 11]);
	const health = await fetch(`${alone.url}/healthz`);
	expect([health.status, await health.text()]).toEqual([503, 'configuration wrong\n']);
	expect(await alone.operator<unknown[]>('partner/list')).toEqual([]);
	const named = alone.logged('configuration_wrong').map(({ problem }) => String(problem));
	expect(named.filter((problem) => problem.startsWith('the agents Worker does not answer: npx'))).not.toEqual([]);
});

it('where the API Worker is not bound to it yet, the minute of both is done, and the log says what is missing', async () => {
	const unbound = (worker: Worker) => {
		const { OPERATOR: _, ...serviceBindings } =
			(worker as { serviceBindings?: Record<string, object> }).serviceBindings ?? {};
		return { serviceBindings };
	};
	// Without networks a start waits for no answer of the operator API.
	const alone = await started(unbound, API_WORKER, { SANDBOX: '' });
	await alone.sql('DELETE FROM status_days');
	await alone.sql("INSERT INTO holds (id, purpose, backup_id, until) VALUES (1, 'backup', 'lost', 1)");
	await alone.local.runScheduled();
	expect(await alone.sql('SELECT * FROM status_days')).toHaveLength(1);
	expect(await alone.sql('SELECT * FROM holds')).toEqual([]);
	await expect(alone.operator('treasury/show')).rejects.toThrow('the operator Worker does not answer');
	await eventually('the log', async () =>
		alone.logged('operator_command_failed').some(({ error }) => /not bound to the operator Worker/.test(String(error))),
	);
});
