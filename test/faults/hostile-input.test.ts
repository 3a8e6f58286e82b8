/**
 * Thousands of wrong bodies, headers, methods, paths and connections against each operation of the OpenAPI document.
 * None gets a 99, none gets an answer without the envelope, and none changes state (book: contract, "Envelope and
 * transport": "Nothing a caller sends may produce code 99"). It is a share of what `npm run hostile` sends.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VALUES } from '../support/hostile.ts';
import { Caller, exchange } from '../support/hostile-calls.ts';
import {
	bodiesFor,
	type CasesOf,
	elsewhere,
	otherEncodings,
	signedBodies,
	strangeBodies,
	unsignedBodies,
	wrongAnswers,
	wrongHeaders,
	wrongIdempotencyKeys,
} from '../support/hostile-cases.ts';
import { CUT_OFF, GARBLED } from '../support/hostile-requests.ts';
import { stateOf } from '../support/hostile-state.ts';
import { type Target, turnsOf } from '../support/hostile-target.ts';
import { HOSTILE_VARIABLES, hostileWorld } from '../support/hostile-world.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';

const service = serviceForFile(HOSTILE_VARIABLES);
const DRAWN = 3;
/** Of the wrong values each field meets one part; of wrong headers and paths each operation does. */
const SHARES = 9;

let partner: Credentials;
let targets: readonly Target[] = [];
let caller: Caller;
let before: Record<string, string[]>;

beforeAll(async () => {
	const running = service.current();
	({ partner, targets } = await hostileWorld(running));
	caller = new Caller(running);
	before = await stateOf(running);
	expect(before['orders']).toHaveLength(1);
});

afterAll(() => caller?.close());

async function expectNoChange(): Promise<void> {
	const running = service.current();
	expect(await stateOf(running)).toEqual(before);
	const body = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };
	expect((await signed(running, partner, '/api/v1/price', body)).code).toBe(0);
	expect(running.logged('request_failed')).toEqual([]);
}

/** Makes the calls and checks each answer. Returns the number of calls. */
async function drive(casesOf: CasesOf): Promise<number> {
	let made = 0;
	for (const target of targets) {
		const cases = casesOf(target);
		made += cases.length;
		expect(await wrongAnswers(caller, cases)).toEqual([]);
	}
	return made;
}

/** The share of a field's wrong values; a kind that few fields have meets them all. */
function valuesOf(target: Target): (field: string) => readonly string[] {
	const turnOf = turnsOf(targets, SHARES);
	return (field) => {
		const turn = turnOf(target, field);
		return turn === null ? VALUES : VALUES.filter((_, i) => i % SHARES === turn);
	};
}

const bodiesOf = (target: Target) => bodiesFor(target, { drawn: DRAWN, valuesOf: valuesOf(target) });

/** In turn by operation, so that nine operations together meet all. */
const isTakenBy = (target: Target) => (number: number) => number % SHARES === targets.indexOf(target) % SHARES;

describe('a wrong body', () => {
	it('of all operations together, has each wrong value in each kind of field', () => {
		const fields = targets.flatMap((target) =>
			target.fields.map((field) => ({ kind: target.kindOf(field), values: valuesOf(target)(field) })),
		);
		const used = [...Map.groupBy(fields, ({ kind }) => kind).values()];
		expect(used.length).toBeGreaterThan(1);
		for (const ofKind of used) expect(new Set(ofKind.flatMap(({ values }) => values))).toEqual(new Set(VALUES));
	});

	it('is refused with its own code, if the call is signed correctly', async () => {
		const made = await drive((target) => {
			const { wrong, strange } = bodiesOf(target);
			// Bodies that might be accepted are skipped. Were most of them skipped, this would test little.
			expect(wrong.length, target.name).toBeGreaterThan((wrong.length + strange.length) * 0.7);
			return signedBodies(partner, target, wrong);
		});
		expect(made).toBeGreaterThan(700);
	});

	it('is not read, if the call must be signed and is not', async () => {
		const made = await drive((target) =>
			unsignedBodies(
				target,
				bodiesOf(target).wrong.filter((_, i) => i % 8 === 0),
			),
		);
		expect(made).toBeGreaterThan(80);
		await expectNoChange();
	});
});

describe('a strange body that may be right', () => {
	it('is accepted or refused, but never 99', async () => {
		const running = service.current();
		const other = await createPartner(running, { weightPerMinute: 1_000_000, maxRefCodes: 1000 });
		const made = await drive((target) => strangeBodies(other, target, bodiesOf(target).strange));
		expect(made).toBeGreaterThan(20);
		const after = await stateOf(running);
		expect(after['orders']?.length).toBeGreaterThan(1);
		const firstPartners = (rows: string[] = []) => rows.filter((row) => row.includes(partner.id));
		for (const name of ['partners', 'orders', 'reference_codes']) {
			expect(firstPartners(after[name])).toEqual(firstPartners(before[name]));
		}
		before = after;
	});
});

describe('wrong headers', () => {
	it('with a right body are never admitted', async () => {
		const made = await drive((target) => wrongHeaders(partner, isTakenBy(target))(target));
		expect(made).toBeGreaterThan(150);
	});

	it('that claim another encoding do not change how the body is read', async () => {
		await drive(otherEncodings(partner));
	});

	it('as a malformed Idempotency-Key return code 1', async () => {
		expect(await drive(wrongIdempotencyKeys(partner))).toBeGreaterThan(5);
		await expectNoChange();
	});
});

it('a wrong method is 405 with code 1, a wrong path 404 with code 6, signed or not', async () => {
	const made = await drive((target) => elsewhere(partner, targets, isTakenBy(target))(target));
	expect(made).toBeGreaterThan(150);
});

describe('a wrong connection', () => {
	it.each(GARBLED)('%s: refused, in the envelope', async (_, lines) => {
		for (const { method, path } of targets) {
			const answer = await exchange(service.current(), lines(method, path));
			const [head = '', body = ''] = answer.split('\r\n\r\n').slice(-2);
			expect(head, path).toMatch(/x-request-id: /i);
			expect(JSON.parse(body), path).toMatchObject({ code: expect.toBeOneOf([1, 2]) });
		}
	});

	it.each(CUT_OFF)('%s: nobody waits for an answer, and it is not logged as our failure', async (_, lines) => {
		const cut = targets.map(({ method, path }) => exchange(service.current(), lines(method, path), { cut: true }));
		expect((await Promise.all(cut)).join()).not.toContain('"code":99');
		expect(service.current().logged('request_failed')).toEqual([]);
	});

	it('changes nothing', expectNoChange);
});
