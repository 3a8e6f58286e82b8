/** The reference page, its guide and the README: every snippet works as printed, every anchor leads somewhere. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';
import { GUIDE_CHAPTERS } from '../../src/docs/guide/chapters.ts';
import { SIGNING_EXAMPLE } from '../../src/docs/guide/signing.ts';
import { parseCommandLine } from '../../src/operator/cli/parse.ts';
import { hmac } from '../cast/signing.ts';
import { documentedForFile } from '../support/documented.ts';
import { codeOf, operationsOf } from '../support/openapi.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Answer, call } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';
import { SURFACE } from '../support/surface.ts';

const service = sharedService();
const file = documentedForFile(service);

const read = (path: string) => call(service.current(), path, undefined, { method: 'GET' });
const readPage = () => read('/docs/api');

/** On a busy machine a poll can take a while. */
const PATIENT_MILLISECONDS = 60_000;

describe('the guide', () => {
	it('has a correct test vector for both modes', () => {
		const { apiSecret, timestamp, nonce, body, timestampMode, bodyOnly } = SIGNING_EXAMPLE;
		expect(hmac(apiSecret, `${timestamp}\n${nonce}\n${body}`)).toBe(timestampMode);
		expect(hmac(apiSecret, body)).toBe(bodyOnly);
		for (const fact of Object.values(SIGNING_EXAMPLE)) expect(file.document.info.description).toContain(fact);
	});

	it('has a curl example that works as printed, in both modes', () => {
		const script = `${codeOf(file.document, 'sh')}\necho; signed_body_only /api/v1/price "$BODY"`;
		const env = {
			...process.env,
			BASE_URL: service.current().url,
			API_KEY: file.partner.apiKey,
			API_SECRET: file.partner.apiSecret,
		};
		const printed = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' });
		const answers = printed
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line) as Answer<{ markupBps: number }>);
		expect(answers.map(({ code, data }) => [code, data.markupBps])).toEqual([
			[0, 100],
			[0, 100],
		]);
	});

	it('has a webhook check that accepts our signature and no other', async () => {
		const { data } = await create(service.current(), file.partner);
		await service.current().operator('sandbox/deposit', { orders: [data.id] });
		const { rawBody, headers } = await file.receiver.waitFor(({ json }) => JSON.stringify(json).includes(data.id));
		const source = Buffer.from(codeOf(file.document, 'js')).toString('base64');
		const { isAuthentic } = await import(/* @vite-ignore */ `data:text/javascript;base64,${source}`);
		expect(isAuthentic(rawBody, headers, file.partner.webhookSecret)).toBe(true);
		expect(isAuthentic(rawBody, headers, file.partner.apiSecret)).toBe(false);
		expect(isAuthentic(Buffer.concat([rawBody, Buffer.from(' ')]), headers, file.partner.webhookSecret)).toBe(false);
		const old = { ...headers, 'x-partner-webhook-timestamp': String(Math.floor(Date.now() / 1000) - 301) };
		expect(isAuthentic(rawBody, old, file.partner.webhookSecret)).toBe(false);
		expect(
			isAuthentic(rawBody, { ...headers, 'x-partner-webhook-timestamp': undefined }, file.partner.webhookSecret),
		).toBe(false);
	});

	it('states what each mode does not sign, and requireTimestamp', () => {
		expect(file.document.info.description).toContain('Body-only mode does not sign the nonce.');
		expect(file.document.info.description).toContain('Neither mode signs the path');
		expect(file.document.info.description).toContain('`requireTimestamp`');
	});
});

describe('the page', () => {
	it('has every endpoint and event, and no anchor that leads nowhere', async () => {
		const { text } = await readPage();
		for (const { operation } of operationsOf(file.document))
			expect(text).toContain(`<section id="${operation.operationId}"`);
		for (const { path } of SURFACE) expect(text).toContain(`<code>${path}</code>`);
		for (const name of Object.keys(file.document.webhooks)) expect(text).toContain(`<code>${name}</code>`);
		const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
		expect(new Set(ids).size).toBe(ids.length);
		const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
		expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
	});

	it('loads nothing from another host, and its policy allows nothing else', async () => {
		const { text, headers } = await readPage();
		expect(text).not.toMatch(/<(img|iframe|object|embed)\b|<style|@import|url\(|\sstyle=|\son\w+=/i);
		expect([...text.matchAll(/<script\b[^>]*>([^<]*)</g)].map(([, code]) => code)).toEqual(['', '', '']);
		for (const [, target] of text.matchAll(/\s(?:src|href|action)="([^"]*)"/g)) expect(target).toMatch(/^[/#]/);
		expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
	});
});

describe('the book', () => {
	it('is served chapter by chapter, each linked from the reference page, under the same policy', async () => {
		const reference = await readPage();
		const paths = [...reference.text.matchAll(/href="(\/docs\/book\/[\w-]+)"/g)].map(([, path = '']) => path);
		expect(paths).toEqual(expect.arrayContaining(CHAPTERS.map(({ name }) => `/docs/book/${name}`)));
		for (const { name, title } of CHAPTERS) {
			const { status, text, headers } = await read(`/docs/book/${name}`);
			expect(status).toBe(200);
			expect(text).toContain(`<h1>${title}</h1>`);
			expect(headers.get('content-security-policy')).toBe(reference.headers.get('content-security-policy'));
		}
	});
});

/** The fenced code of a chapter in one language, in its order. */
const codeIn = (name: string, language: string): string[] => {
	const text = GUIDE_CHAPTERS.find((chapter) => chapter.name === name)?.text ?? '';
	return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code = '']) => code);
};

describe('the quickstart', () => {
	it('leads from a price to a payout, as printed', async () => {
		const { url } = service.current();
		const [, price = '', signing = '', quote = '', creates = '', asks = ''] = codeIn('quickstart', 'sh');
		const env = { ...process.env, BASE_URL: url, API_KEY: file.partner.apiKey, API_SECRET: file.partner.apiSecret };
		const run = (script: string) =>
			JSON.parse(
				execFileSync('sh', ['-c', `${signing}\n${script}`], { env, encoding: 'utf8' }),
			) as Answer<CreatedOrder>;
		expect([run(price).code, run(quote).code]).toEqual([0, 0]);
		const { id, token } = run(creates).data;
		expect(run(creates).data).toMatchObject({ id, token: null });
		await service.current().operator('sandbox/deposit', { orders: [id] });
		const asked = asks.replace('ID', id).replace('TOKEN', token ?? '');
		await vi.waitFor(() => expect(run(asked).data.status).toBe('DONE'), { timeout: 20_000, interval: 300 });
	});
});

describe('the chapter of the sandbox', () => {
	/** Case, command and what is seen, of the cases of a deposit. */
	const cases = (): string[][] => {
		const text = GUIDE_CHAPTERS.find(({ name }) => name === 'sandbox')?.text ?? '';
		const section = text.split(/^## /m).find((part) => part.startsWith('Cases of a deposit')) ?? '';
		return [...section.matchAll(/^\| ([A-Z].*) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | '));
	};

	const seenOnce = (order: CreatedOrder) =>
		untilStatus(service.current(), file.partner, order, 'PENDING', PATIENT_MILLISECONDS);

	it('has cases of a deposit that end as it says', async () => {
		let order: CreatedOrder | null = null;
		const played: string[] = [];
		for (const [name = '', command = '', seen = ''] of cases()) {
			if (!name.startsWith('Then ')) order = (await create(service.current(), file.partner)).data;
			if (!order) throw new Error('the first case goes on from none');
			for (const [, words = ''] of command.matchAll(/`npx exchange ([^`]+)`/g)) {
				const parsed = parseCommandLine(words.replace('ID', order.id).split(' '));
				if (parsed.kind !== 'request') throw new Error(words);
				await service.current().operator(parsed.path, parsed.input);
				// What was never seen cannot disappear.
				if (command.includes('drop')) await seenOnce(order);
			}
			const status = /`([A-Z]+)`/.exec(seen)?.[1] ?? '';
			const view = await untilStatus(service.current(), file.partner, order, status, PATIENT_MILLISECONDS);
			if (seen.includes('LIMIT')) expect(view.emergency.status).toEqual(['LIMIT']);
			played.push(name);
		}
		expect(played).toHaveLength(9);
	}, 180_000);
});

describe('the README', () => {
	it('has a first swap that works as printed', async () => {
		const { url } = service.current();
		const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
		const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
		const signing = blocks.find((code) => code.startsWith('signed()')) ?? '';
		const env = { ...process.env, URL: url, API_KEY: file.partner.apiKey, API_SECRET: file.partner.apiSecret };
		const run = (script: string) => execFileSync('bash', ['-c', `${signing}\n${script}`], { env, encoding: 'utf8' });
		const steps = blocks.find((code) => code.startsWith('signed /api')) ?? '';
		const [quoted, created] = steps
			.trim()
			.split('\n')
			.map((line) => JSON.parse(run(line)) as Answer<{ id: string; token: string }>);
		expect([quoted?.code, created?.code]).toEqual([0, 0]);
		const { id = '', token = '' } = created?.data ?? {};
		await service.current().operator('sandbox/deposit', { orders: [id] });
		const ask =
			blocks.flatMap((code) => code.split('\n')).find((line) => line.startsWith('signed /api/v1/order')) ?? '';
		const asked = ask.replace('ID', id).replace('TOKEN', token);
		await vi.waitFor(() => expect(JSON.parse(run(asked)).data.status).toBe('DONE'), { timeout: 20_000, interval: 300 });
	});
});
