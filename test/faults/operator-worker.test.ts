/** The operator Worker where it is not as the API Worker wants it: older, without a bucket, or broken. */
import { rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/d1/migrations.ts';
import { type LocalWorkers, OPERATOR_WORKER } from '../../src/local/workers.ts';
import { startTestService, type TestService } from '../support/service.ts';

const NEWEST = MIGRATIONS.at(-1) ?? '';
const ANSWER = /async answer\(request[^)]*\) \{/g;
const BREAK = " if (request.url.endsWith('/treasury/show')) throw new Error('broken');";

let service: TestService | null = null;
afterEach(async () => {
	await service?.local.stop();
	if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
	service = null;
});

type Worker = LocalWorkers[number];

const started = async (change: (worker: Worker) => object): Promise<TestService> => {
	const arrange = (workers: LocalWorkers): LocalWorkers =>
		workers.map((worker) => (worker.name === OPERATOR_WORKER ? Object.assign({ ...worker }, change(worker)) : worker));
	service = await startTestService({}, undefined, {}, { arrange });
	return service;
};

it('doctor says that it is older, and that it lacks the bucket that the API Worker has, and what to do', async () => {
	const older = await started(({ script }) => ({ script: script.replaceAll(NEWEST, '0001_older.sql'), r2Buckets: {} }));
	const { rows } = await older.operator<{ rows: { what: string; area: string }[] }>('doctor');
	expect(rows.filter(({ what }) => what === 'operator Worker')).toEqual([
		expect.objectContaining({
			...{ area: 'configuration', state: 'wrong' },
			detail:
				'the bucket ARCHIVE is bound in one of the two Workers that need it, and not in src/operator/wrangler.toml',
			todo: 'bind it there, then npx wrangler deploy -c src/operator/wrangler.toml',
		}),
		expect.objectContaining({
			...{ area: 'versions', state: 'wrong' },
			detail: expect.stringMatching(/^older than the API Worker: .*0001_older/),
			todo: 'npx wrangler deploy -c src/operator/wrangler.toml',
		}),
	]);
});

it('where it breaks, the answer names it and the request id, the log has more, and a wrong token never reaches it', async () => {
	const { url, local, logged } = await started(({ script }) => {
		expect(script.match(ANSWER)).toHaveLength(1);
		return { script: script.replace(ANSWER, (begin) => begin + BREAK) };
	});
	const ask = (token: string) =>
		fetch(`${url}/operator/v1/treasury/show`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
	const broken = await ask(local.secrets.OPERATOR_TOKEN);
	const requestId = broken.headers.get('x-request-id');
	const error = `the operator Worker does not answer; the log has more under request id ${requestId}`;
	expect([broken.status, await broken.json()]).toEqual([500, { ok: false, error }]);
	expect(logged('operator_command_failed')).toContainEqual(
		expect.objectContaining({ requestId, error: 'Error: broken' }),
	);
	expect((await ask('wrong')).status).toBe(401);
	expect(logged('operator_command_failed')).toHaveLength(1);
});
