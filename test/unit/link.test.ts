/** The link to the signer's house: what crosses it, and every call and answer that is not what it should be. */
import { deserialize, type RpcCompatible, RpcTarget, serialize } from 'capnweb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callOver } from '../../src/link/call.ts';
import { answerAt, batchesOf, type Door } from '../../src/link/door.ts';
import type { Other } from '../../src/link/post.ts';
import { bindingsOver, Rows, type RowsEnv } from '../../src/link/rows.ts';
import { HEADERS, signQuestion } from '../../src/link/signature.ts';
import type { SignerWorker } from '../../src/ports/signer.ts';
import { SIGNER_CALLS } from '../../src/ports/signer-calls.ts';

const KEY = 'k'.repeat(43);
const URL_OF_HOUSE = 'https://house.example/';
const OTHER: Other = { url: URL_OF_HOUSE, key: KEY, deployment: 'production', side: 'signer' };

class Signs extends RpcTarget {
	readonly signed: string[] = [];
	async sign(id: string): Promise<string> {
		this.signed.push(id);
		return `signed ${id}`;
	}
	async echo(value: unknown): Promise<unknown> {
		return value;
	}
	async fail(): Promise<never> {
		throw new RangeError('the nodes are silent');
	}
}

let house: Signs;
let door: Door;
/** What came, as it was sent. */
let sent: { url: string; init: RequestInit }[];
/** Anyone who is on the way. */
let between: (send: () => Promise<Response>) => Promise<Response>;

beforeEach(() => {
	house = new Signs();
	const nonces = new Set<string>();
	const takeNonce = async (nonce: string) => nonces.size < nonces.add(nonce).size;
	door = { side: 'signer', key: KEY, deployment: 'production', takeNonce, answer: batchesOf(house) };
	sent = [];
	between = (send) => send();
	vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
		sent.push({ url, init });
		return between(() => answerAt(door, new Request(url, init)));
	});
});
afterEach(() => void vi.unstubAllGlobals());

const again = ({ url, init }: (typeof sent)[number], change: RequestInit = {}) =>
	answerAt(door, new Request(url, { ...init, ...change }));
const headersOf = (one: (typeof sent)[number] | undefined) => one?.init.headers as Record<string, string>;

/** The call once over the wire, as it was sent. */
async function carried(): Promise<(typeof sent)[number]> {
	expect(await callOver(OTHER, 'sign', ['a'])).toBe('signed a');
	const [first] = sent;
	if (!first) throw new Error('nothing was sent');
	return first;
}

describe('what crosses the link', () => {
	/**
	 * `never` where something is in it that does not cross. Cap'n Web's own type allows maps and sets, and its code refuses
	 * them.
	 */
	type Plain<T> = T extends string | number | bigint | boolean | null | undefined
		? T
		: T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | Date | ((...given: never[]) => unknown)
			? never
			: T extends object
				? { [K in keyof T]: Plain<T[K]> }
				: never;
	type Carried<T> = T extends RpcCompatible<T> ? Plain<T> : never;
	type Calls = {
		[call in keyof SignerWorker]: SignerWorker[call] extends (...given: infer Given) => Promise<infer Answer>
			? (...given: { [i in keyof Given]: Carried<Given[i]> }) => Promise<Answer extends void ? Answer : Carried<Answer>>
			: never;
	};
	const carries = (signer: SignerWorker): Calls => signer;

	it('is every call of the signer: its types are among those that Cap’n Web carries', () => {
		expect(carries).toBeTypeOf('function');
		const isNoMap: [Plain<{ a: Map<string, string> }>['a']] extends [never] ? true : false = true;
		expect(isNoMap).toBe(true);
		expect(new Set(SIGNER_CALLS).size).toBe(SIGNER_CALLS.length);
		expect(SIGNER_CALLS).toContain('identify');
	});

	it.each([
		['base units', 10n ** 30n],
		['a field that is absent or null', { a: undefined, b: null, c: [] }],
		['lists of lists', [[1, ['a', []]], []]],
	])('as it is: %s', async (_, value) => {
		expect(deserialize(serialize(value))).toEqual(value);
		expect(await callOver(OTHER, 'echo', [value])).toEqual(value);
	});

	it('is no map: what the sandbox’s ledger gives as one crosses as pairs, and is one again', async () => {
		expect(() => serialize(new Map())).toThrow('Cannot serialize');
		const lying = async () => new Map([['LTC ltc1', 5n]]);
		const env = { SANDBOX_LEDGER: { getByName: () => ({ lying }) } } as unknown as RowsEnv;
		door = { ...door, side: 'rows', answer: batchesOf(new Rows(env)) };
		const { SANDBOX_LEDGER } = bindingsOver({ ...OTHER, side: 'rows' });
		expect(await SANDBOX_LEDGER.getByName('Litecoin').lying([])).toEqual(await lying());
		const others = callOver({ ...OTHER, side: 'rows' }, 'sandbox', ['DB', 'main', 'exec', []]);
		await expect(others).rejects.toThrow('the sandbox, and nothing else');
	});

	it('is what the signer throws, with its words', async () => {
		await expect(callOver(OTHER, 'fail', [])).rejects.toThrow('the nodes are silent');
	});
});

describe('a call that is not what it should be is not executed, and is refused by name', () => {
	it('one that comes twice', async () => {
		const second = await again(await carried());
		expect([second.status, await second.text(), house.signed]).toEqual([409, 'replayed', ['a']]);
	});

	it('one whose body was changed on the way', async () => {
		const first = await carried();
		const changed = await again(first, { body: String(first.init.body).replace('"a"', '"b"') });
		expect([changed.status, await changed.text(), house.signed]).toEqual([401, 'wrong-key', ['a']]);
	});

	it('one of which the nonce or the time was changed, so that it counts as new', async () => {
		const first = await carried();
		for (const [name, value] of [
			[HEADERS.nonce, crypto.randomUUID()],
			[HEADERS.time, String(Date.now() + 1)],
		] as const) {
			const changed = await again(first, { headers: { ...headersOf(first), [name]: value } });
			expect(await changed.text()).toBe('wrong-key');
		}
	});

	it('one that is for the other side', async () => {
		door = { ...door, side: 'rows' };
		await expect(callOver(OTHER, 'sign', ['a'])).rejects.toMatchObject({ kind: 'wrong-key' });
	});

	it('one of another key, of another deployment, and one that is not signed', async () => {
		const wrong = callOver({ ...OTHER, key: 'x'.repeat(43) }, 'sign', ['a']);
		await expect(wrong).rejects.toMatchObject({ kind: 'wrong-key' });
		const elsewhere = callOver({ ...OTHER, deployment: 'staging' }, 'sign', ['a']);
		await expect(elsewhere).rejects.toMatchObject({ kind: 'other-deployment' });
		const unsigned = await answerAt(door, new Request(URL_OF_HOUSE, { method: 'POST', body: '["push"]' }));
		expect([unsigned.status, await unsigned.text()]).toEqual([401, 'not-signed']);
		expect((await answerAt(door, new Request(URL_OF_HOUSE))).status).toBe(404);
		expect(house.signed).toEqual([]);
	});

	it('one of another version', async () => {
		const first = await carried();
		const newer = await again(first, { headers: { ...headersOf(first), [HEADERS.version]: '2' } });
		expect([newer.status, await newer.text()]).toEqual([426, 'other-version']);
	});

	it.each([-61_000, 61_000])('one whose time is %i ms away', async (milliseconds) => {
		const question = {
			side: 'signer',
			deployment: 'production',
			nonce: crypto.randomUUID(),
			path: '/',
			time: String(Date.now() + milliseconds),
			body: '',
		} as const;
		const headers = {
			[HEADERS.version]: '1',
			[HEADERS.deployment]: question.deployment,
			[HEADERS.time]: question.time,
			[HEADERS.nonce]: question.nonce,
			[HEADERS.signature]: await signQuestion(KEY, question),
		};
		const late = await answerAt(door, new Request(URL_OF_HOUSE, { method: 'POST', headers, body: '' }));
		expect([late.status, await late.text()]).toEqual([408, 'out-of-time']);
	});

	it('one that is larger than the link takes', async () => {
		const huge = callOver(OTHER, 'sign', ['a'.repeat(17 * 1024 * 1024)]);
		await expect(huge).rejects.toMatchObject({ kind: 'too-large' });
	});
});

describe('the rows', () => {
	it.each([
		"UPDATE orders SET status = 'NEW'",
		'DELETE FROM orders',
		'SELECT 1; DELETE FROM orders',
		'WITH all_of_them AS (SELECT 1) DELETE FROM orders',
		'PRAGMA defer_foreign_keys = on',
	])('are read by the house and never written: %s is refused', async (sql) => {
		const asked: string[] = [];
		const prepare = (text: string) => ({ bind: () => ({ raw: async () => asked.push(text) }) });
		door = { ...door, side: 'rows', answer: batchesOf(new Rows({ DB: { prepare } } as unknown as RowsEnv)) };
		const { DB } = bindingsOver({ ...OTHER, side: 'rows' });
		await expect(DB.prepare(sql).bind().raw()).rejects.toThrow('does nothing else');
		expect(asked).toEqual([]);
		await DB.prepare('select "id" from "orders"').bind().raw();
		expect(asked).toEqual(['select "id" from "orders"']);
	});
});

describe('an answer that is not the other side’s own is not believed', () => {
	it('one of another call, although the house has signed it', async () => {
		const kept: Response[] = [];
		between = async (send) => {
			kept.push((await send()).clone());
			return kept[0]?.clone() ?? new Response();
		};
		expect(await callOver(OTHER, 'sign', ['a'])).toBe('signed a');
		await expect(callOver(OTHER, 'sign', ['b'])).rejects.toMatchObject({ kind: 'not-authentic' });
	});

	it('one that was changed on the way', async () => {
		between = async (send) => {
			const { status, headers, ...answer } = await send().then(async (given) => ({
				status: given.status,
				headers: given.headers,
				text: await given.text(),
			}));
			return new Response(answer.text.replace('signed a', 'signed x'), { status, headers });
		};
		await expect(callOver(OTHER, 'sign', ['a'])).rejects.toMatchObject({ kind: 'not-authentic' });
	});

	it('one of a house of another deployment that has the key', async () => {
		between = async (send) => {
			door = { ...door, deployment: 'staging' };
			return send();
		};
		await expect(callOver(OTHER, 'sign', ['a'])).rejects.toMatchObject({ kind: 'other-deployment' });
	});

	it('one of a house of another version, a page of somebody else’s, and none at all', async () => {
		between = async () => new Response('', { headers: { [HEADERS.version]: '2' } });
		await expect(callOver(OTHER, 'sign', ['a'])).rejects.toMatchObject({ kind: 'other-version' });
		between = async () => new Response('<html>', { status: 502 });
		await expect(callOver(OTHER, 'sign', ['a'])).rejects.toMatchObject({ kind: 'not-authentic' });
		between = () => Promise.reject(new TypeError('connection refused'));
		await expect(callOver(OTHER, 'sign', ['a'])).rejects.toMatchObject({ kind: 'unreachable' });
	});
});
