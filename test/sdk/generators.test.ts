/** Clients that independent generators make of the OpenAPI document compile, and have the types that it promises. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { areGeneratorsInstalled, GENERATORS } from '../support/nodes.ts';

const ROOT = join(import.meta.dirname, '../..');
const MODULES = join(GENERATORS, 'node_modules');
const DOCUMENT = join(ROOT, 'src/docs/openapi.json.txt');
const HEY = ['-i', 'openapi.json', '-o', 'client', '-c', '@hey-api/client-fetch'];
const ORVAL = ['--input', 'openapi.json', '--output', 'orval.ts', '--client', 'fetch'];
const SETTINGS = {
	compilerOptions: {
		target: 'es2022',
		lib: ['es2023', 'dom', 'dom.iterable'],
		module: 'preserve',
		moduleResolution: 'bundler',
		strict: true,
		noEmit: true,
		types: [],
	},
};

/** The key and its signature are `security`, so no call takes them as arguments; an event's type narrows its data. */
const TYPES = `
import type { paths, webhooks } from './schema';
type Create = paths['/api/v1/create']['post'];
type Body = Create['requestBody']['content']['application/json'];
type Answer = Create['responses'][200]['content']['application/json'];
export const body: Body = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2', toAddress: '0x', refundAddress: 'ltc1' };
export const amountOf = ({ data }: Answer): string => data.from.amount;
export const signs: 'X-API-SIGN' extends keyof NonNullable<Create['parameters']['header']> ? true : false = false;
type Posted<Hook> = Hook extends { post: { requestBody?: { content: { 'application/json': infer Body } } } } ? Body : never;
type Event = Posted<webhooks[keyof webhooks]>;
export const said = (event: Event): string | null => {
	if (event.type === 'order.status_changed') return event.data.order.status;
	return event.type === 'partner.attention' ? event.data.reason : null;
};
`;

const CALLS = `
import { create, currencies, type Order } from './client';
import { create as createByOrval } from './orval';
const body = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2', toAddress: '0x', refundAddress: 'ltc1' } as const;
export const created = async (): Promise<string | undefined> => (await create({ body })).data?.data.from.amount;
export const again = async (): Promise<string | undefined> => {
	const answer = await createByOrval(body);
	return answer.status === 200 ? answer.data.data.from.amount : undefined;
};
export const listed = currencies;
export const tokenless = (order: Order): string | null => order.to.tx.id;
`;

describe.skipIf(!areGeneratorsInstalled())('a client that is generated from the document', { timeout: 120_000 }, () => {
	const folder = mkdtempSync(join(tmpdir(), 'generated-'));
	const at = (name: string) => join(folder, name);
	const run = (script: string, ...args: string[]) =>
		promisify(execFile)(process.execPath, [script, ...args], { cwd: folder }).catch((error) => {
			throw new Error(`${error.stdout}${error.stderr}`);
		});
	const compiled = (name: string, types: string, calls: string) => {
		const files = { [`${name}-types.ts`]: types, [`${name}-calls.ts`]: calls };
		for (const [file, text] of Object.entries(files)) writeFileSync(at(file), text);
		writeFileSync(at(`${name}.json`), JSON.stringify({ ...SETTINGS, files: Object.keys(files) }));
		return run(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', `${name}.json`);
	};

	beforeAll(async () => {
		cpSync(DOCUMENT, at('openapi.json'));
		await Promise.all([
			run(join(MODULES, 'openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'schema.d.ts'),
			run(join(MODULES, '@hey-api/openapi-ts/bin/run.js'), ...HEY),
			run(join(MODULES, 'orval/dist/bin/orval.js'), ...ORVAL),
		]);
	}, 120_000);
	afterAll(() => rmSync(folder, { recursive: true }));

	it('by openapi-typescript, hey-api or orval compiles: a call takes its body and no signature, an event’s type narrows it', async () => {
		await compiled('right', TYPES, CALLS);
	});

	it('does not compile where a call or an event is used wrongly', async () => {
		const wrong = (text: string) => text.replace("direction: 'from'", "direction: 'sideways'");
		const errors = await compiled('wrong', wrong(TYPES), wrong(CALLS)).then(String, String);
		expect(errors).toMatch(/wrong-types\.ts.*TS2322/);
		expect(errors).toMatch(/wrong-calls\.ts.*TS2322/);
	});
});
