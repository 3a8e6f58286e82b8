/** Prism, which nobody here wrote, stands before the live service and holds each answer against the OpenAPI document. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../src/local/ports.ts';
import { callEndpoints } from '../support/drive.ts';
import { ROOT } from '../support/house.ts';
import { areGeneratorsInstalled, GENERATORS } from '../support/nodes.ts';
import { create } from '../support/orders.ts';
import { createPartner } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const PRISM = join(GENERATORS, 'node_modules/@stoplight/prism-cli/dist/index.js');
const ORDERS = 7;

interface Violation {
	readonly location: readonly string[];
	readonly message: string;
}

describe.skipIf(!areGeneratorsInstalled())('Prism in front of the service', () => {
	const file = serviceForFile();
	const folder = mkdtempSync(join(tmpdir(), 'prism-'));
	let prism: ChildProcess;
	let url: string;

	beforeAll(async () => {
		cpSync(join(ROOT, 'src/docs/openapi.json.txt'), join(folder, 'openapi.json'));
		const port = await freePort();
		url = `http://127.0.0.1:${port}`;
		const args = ['proxy', 'openapi.json', file.current().url, '--port', String(port), '--host', '127.0.0.1'];
		prism = spawn(process.execPath, [PRISM, ...args], { cwd: folder, stdio: 'ignore' });
		await eventually(
			'Prism to answer',
			() =>
				fetch(`${url}/api/v1/status?id=none&token=none`).then(
					() => true,
					() => false,
				),
			60_000,
		);
	}, 90_000);
	afterAll(() => {
		prism.kill();
		rmSync(folder, { recursive: true });
	});

	it('finds no answer that the document does not promise, of any operation', async () => {
		const partner = await createPartner(file.current());
		const orders = [];
		for (let i = 0; i < ORDERS; i++) orders.push((await create(file.current(), partner)).data);
		const answers = await callEndpoints({ ...file.current(), url }, partner, orders);
		const violations = answers.flatMap(([endpoint, { headers }]) =>
			(JSON.parse(headers.get('sl-violations') ?? '[]') as Violation[]).map(
				({ location, message }) => `${location.join('.')} of ${endpoint}: ${message}`,
			),
		);
		expect(violations.filter((each) => !each.startsWith('request'))).toEqual([]);
		// It looks: one of the calls has a token that is none.
		expect(violations).toContainEqual(expect.stringMatching(/^request\.query\.token of GET \/api\/v1\/status/));
	}, 60_000);
});
