/** Reference codes when D1 loses an answer, or when the partner's gate cannot be notified of a stored change. */
import { describe, expect, it, vi } from 'vitest';
import { createCode, disableCode, enableCode } from '../../src/partners/endpoints/codes.ts';
import type { Answer, SignedCall } from '../../src/ports/endpoint.ts';
import type { Env } from '../../src/ports/env.ts';
import { createPartner } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

// These tests lose answers on purpose.
vi.spyOn(console, 'error').mockImplementation(() => undefined);

const service = sharedService();

type Loss = 'before the commit' | 'after the commit';

/** The real D1, but the first batches lose their answers, before or after the commit. */
function losingDatabase(losses: Loss[]): D1Database {
	return new Proxy(service.current().database, {
		get(target, property) {
			const value = Reflect.get(target, property) as unknown;
			if (property !== 'batch') return typeof value === 'function' ? value.bind(target) : value;
			return async (statements: D1PreparedStatement[]) => {
				const loss = losses.shift();
				if (loss === 'before the commit') throw new Error('D1_ERROR: Network connection lost.');
				const results = await target.batch(statements);
				if (loss === 'after the commit') throw new Error('D1_ERROR: Network connection lost.');
				return results;
			};
		},
	});
}

interface Failing {
	readonly losses?: Loss[];
	/** How many calls to the gate fail. */
	readonly gateFailures?: number;
}

/** A partner's call to a handler, and the partners whose gate was notified. */
async function callOf(partnerId: string, body: unknown, { losses = [], gateFailures = 0 }: Failing = {}) {
	const told: string[] = [];
	let failures = gateFailures;
	const changed = async (id: string): Promise<void> => {
		if (failures-- > 0) throw new Error('the object was reset');
		told.push(id);
	};
	const env = { DB: losingDatabase(losses), PARTNER_GATE: { getByName: () => ({ changed }) } } as unknown as Env;
	const call = {
		env,
		body: new TextEncoder().encode(JSON.stringify(body)),
		partner: { id: partnerId, defaultAfftaxBps: 0, referenceCode: null, secretsVersion: '' },
		now: Date.now(),
	} as unknown as SignedCall;
	return { call, told };
}

const recordOf = (given: Answer): unknown => ('dataJson' in given ? JSON.parse(given.dataJson) : given.kind);

const codesOf = (partnerId: string) =>
	service.current().sql('SELECT code, enabled FROM reference_codes WHERE partner_id = ?', partnerId);

describe("a creation whose answer D1's connection loses", () => {
	it.each<[string, Loss[]]>([
		['once, after the commit', ['after the commit']],
		['once, before the commit', ['before the commit']],
		['twice', ['before the commit', 'after the commit']],
	])('%s: one code, and its record', async (_, losses) => {
		const { id } = await createPartner(service.current(), { maxRefCodes: 1 });
		const { call, told } = await callOf(id, { code: 'lost' }, { losses: [...losses] });
		expect(recordOf(await createCode.answer(call))).toMatchObject({ code: 'lost', enabled: true });
		expect(await codesOf(id)).toEqual([{ code: 'lost', enabled: 1 }]);
		expect(told).toEqual([id]);
	});

	it('every time: an error, and no code', async () => {
		const { id } = await createPartner(service.current());
		const { call } = await callOf(id, { code: 'lost' }, { losses: Array<Loss>(3).fill('before the commit') });
		await expect(createCode.answer(call)).rejects.toThrow('Network connection lost');
		expect(await codesOf(id)).toEqual([]);
	});
});

describe('a gate that cannot be notified', () => {
	it('twice is notified at the third try', async () => {
		const { id } = await createPartner(service.current());
		const { call, told } = await callOf(id, { code: 'told' }, { gateFailures: 2 });
		expect(recordOf(await createCode.answer(call))).toMatchObject({ code: 'told' });
		expect(told).toEqual([id]);
	});

	it('at all: 99; what shuts is stored, what opens is not; the next disable and enable notify the gate', async () => {
		const { id } = await createPartner(service.current());
		const body = { code: 'stored' };
		expect(recordOf(await createCode.answer((await callOf(id, body, { gateFailures: 3 })).call))).toBe('gate-not-told');
		expect(recordOf(await createCode.answer((await callOf(id, body)).call))).toBe('code-taken');
		for (const [endpoint, enabled] of [[disableCode, false] as const, [enableCode, true] as const]) {
			expect(recordOf(await endpoint.answer((await callOf(id, body, { gateFailures: 3 })).call))).toBe('gate-not-told');
			// A gate that does not know it would take a code that is enabled again for one that a set back database brought.
			expect(await codesOf(id)).toEqual([{ code: 'stored', enabled: 0 }]);
			const { call, told } = await callOf(id, body);
			expect(recordOf(await endpoint.answer(call))).toMatchObject({ code: 'stored', enabled });
			expect(await codesOf(id)).toEqual([{ code: 'stored', enabled: enabled ? 1 : 0 }]);
			expect(new Set(told)).toEqual(new Set([id]));
		}
	});

	it('is notified also when nothing had to change', async () => {
		const { id } = await createPartner(service.current());
		await createCode.answer((await callOf(id, { code: 'same' })).call);
		const { call, told } = await callOf(id, { code: 'same' });
		await enableCode.answer(call);
		expect(new Set(told)).toEqual(new Set([id]));
	});
});
