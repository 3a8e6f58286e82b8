/** The keys of promises: each deployment has its own, each change leads from one to the next (book: verify, "Keys"). */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';
import { runCommand } from '../../src/operator/cli/main.ts';
import { recordAdvice, recordRow } from '../../src/operator/cli/promise-record.ts';
import { type PromiseError, verifyPromise } from '../../src/sdk/index.ts';
import { promiseKeysOf } from '../../src/signer/promises/keys.ts';

const SEED = new Uint8Array(64).fill(7);
const CHANGED = [1_795_176_000, 1_795_262_400] as const;
const SIDE = { address: 'somewhere', code: 'LTC', network: 'Litecoin' };
const STATEMENT = JSON.stringify({
	at: CHANGED[0] - 1,
	back: { address: 'back' },
	from: SIDE,
	id: 'one',
	marginBps: 0,
	payments: [],
	to: SIDE,
	type: 'partner-exchange/promise/1',
});
const statementAt = (at: number) => STATEMENT.replace(String(CHANGED[0] - 1), String(at));

const keysOf = (changed?: string, DEPLOYMENT = 'production') =>
	promiseKeysOf({ DEPLOYMENT, ...(changed !== undefined && { PROMISE_KEYS_CHANGED_AT: changed }) }, SEED);
const newest = keysOf(CHANGED.join(', '));
const publicKeys = newest.published().keys.map(({ publicKey }) => publicKey);

describe('the keys of promises', () => {
	it('are of the seed and the deployment alone, whatever came after', () => {
		const [first] = keysOf().published().keys;
		expect([publicKeys.length, new Set(publicKeys).size, publicKeys[0]]).toEqual([3, 3, first?.publicKey]);
		expect(keysOf(undefined, 'staging').published().keys[0]?.publicKey).not.toBe(first?.publicKey);
		expect(
			promiseKeysOf(
				{ DEPLOYMENT: 'production' },
				SEED.map(() => 8),
			).published().keys[0]?.id,
		).not.toBe(first?.id);
	});

	it('each sign in their time, and who trusts one can follow to the others', async () => {
		for (const [i, at] of [CHANGED[0] - 1, CHANGED[0], CHANGED[1]].entries()) {
			const promise = newest.sign(statementAt(at), at);
			expect(promise.key).toBe(newest.published().keys[i]?.id);
			for (const trusted of publicKeys)
				expect((await verifyPromise(promise, { trusted, published: newest.published() })).id).toBe('one');
		}
	});

	it('prove nothing after their time: a key that leaked is of no use once it was replaced', async () => {
		const leaked = keysOf().sign(statementAt(CHANGED[0]), CHANGED[0]);
		const options = { trusted: publicKeys[0] ?? '', published: newest.published() };
		await expect(verifyPromise(leaked, options)).rejects.toMatchObject({
			reason: 'key-old',
		} satisfies Partial<PromiseError>);
	});

	it.each(['soon', '2, 1', '1,,2', '0'])('refuse the times “%s”', (text) => {
		expect(() => keysOf(text)).toThrow('PROMISE_KEYS_CHANGED_AT');
	});
});

describe('a signed promise as a file', () => {
	const promise = newest.sign(statementAt(CHANGED[1]), CHANGED[1]);

	/** With the files that the book names. */
	async function inFolder<T>(signed: object, run: (folder: string) => T | Promise<T>): Promise<T> {
		const folder = mkdtempSync(join(tmpdir(), 'promise-'));
		try {
			writeFileSync(join(folder, 'promise.json'), JSON.stringify(signed));
			writeFileSync(join(folder, 'partner-exchange-keys.json'), JSON.stringify(newest.published()));
			return await run(folder);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	}

	const chapter = CHAPTERS.find(({ name }) => name === 'verify')?.text ?? '';
	const [, script = ''] = /```sh\n(python3[\s\S]+?openssl pkeyutl[\s\S]+?)```/.exec(chapter) ?? [];
	const openssl = (signed: object) =>
		inFolder(signed, (cwd) =>
			execFileSync('bash', ['-euc', script], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
		);

	it('is verified by what the book says, with openssl and nothing of ours', async () => {
		expect(script).toContain('-rawin');
		expect(await openssl(promise)).toContain('Signature Verified Successfully');
		const tampered = { ...promise, statement: promise.statement.replace('"one"', '"two"') };
		await expect(openssl(tampered)).rejects.toThrow();
	});

	async function verify(signed: object, ...words: readonly string[]) {
		const lines: string[] = [];
		const write = (text: string) => lines.push(text);
		const status = await inFolder(signed, (folder) =>
			runCommand(['verify', join(folder, 'promise.json'), ...words.map((word) => word.replace('FOLDER', folder))], {
				output: { write, columns: 80 } as never,
				complain: write,
				environment: {},
				secret: async () => '',
			}),
		);
		return { status, text: lines.join('\n') };
	}

	it('is verified by the command, which says what it promises, or why it proves nothing', async () => {
		const [first = '', , last = ''] = publicKeys;
		expect((await verify(promise, '--key', last)).status).toBe(0);
		expect(await verify(promise, '--key', first)).toMatchObject({
			status: 1,
			text: expect.stringContaining('not trusted'),
		});
		const linked = await verify(promise, '--key', first, '--published', 'FOLDER/partner-exchange-keys.json');
		expect(linked).toMatchObject({ status: 0, text: expect.stringContaining('Order one') });
		const other = await verify(promise, '--key', last, '--id', 'two');
		expect(other).toMatchObject({ status: 1, text: expect.stringContaining('something else: id') });
		expect((await verify(promise)).status).toBe(2);
	});
});

describe('the TXT record of the key', () => {
	const [first = '', , last = ''] = publicKeys;
	const text = (publicKey: string) => `v=1; ed25519=${publicKey}`;

	/** The row of `doctor` where the service publishes three keys, and DNS has these records. */
	async function rowOf(records: readonly string[] | NodeJS.ErrnoException) {
		const server = createServer((_, response) => void response.end(JSON.stringify(newest.published())));
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
		const lookUp = async (name: string) => {
			expect(name).toBe('_partner-exchange.127.0.0.1');
			if (records instanceof Error) throw records;
			return records.map((each) => [each.slice(0, 9), each.slice(9)]);
		};
		const row = await recordRow(url, lookUp);
		const advice = await recordAdvice(url);
		server.close();
		expect(advice).toContain(`_partner-exchange.127.0.0.1  "${text(last)}"`);
		return row;
	}

	it.each([
		['the newest key', [text(last)], 'fine', 'has the newest key'],
		['the newest and an older one', [text(first), text(last)], 'fine', 'has the newest key'],
		['something else as well', ['v=spf1 -all', text(last)], 'fine', 'has the newest key'],
		['no key', [], 'fine', text(last)],
		['an older key alone', [text(first)], 'wrong', 'an older key alone'],
		['a forged key', [text(Buffer.alloc(32).toString('base64'))], 'wrong', 'does not publish'],
	] as const)('with %s is told by doctor', async (_, records, state, detail) => {
		expect(await rowOf(records)).toMatchObject({ area: 'keys', state, detail: expect.stringContaining(detail) });
	});

	it('that is not there is no fault, and one that cannot be asked for is unknown', async () => {
		expect(await rowOf(Object.assign(new Error('none'), { code: 'ENOTFOUND' }))).toMatchObject({ state: 'fine' });
		expect(await rowOf(Object.assign(new Error('late'), { code: 'ETIMEOUT' }))).toMatchObject({ state: 'unknown' });
	});
});
