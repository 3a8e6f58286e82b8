/**
 * A stranger floods a partner's apiKey with wrongly signed calls, and the partner loses nothing. After the first few,
 * the calls no longer reach the partner's gate. The partner's own calls are admitted meanwhile, also from the same
 * address, and a replaced secret works at once.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Credentials, createPartner, newNonce, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';

const service = sharedService();
/**
 * The wrong calls that an isolate passes to the gate before it verifies them itself, and those in flight at that
 * moment.
 */
const LET_THROUGH = 20;
const AT_ONCE = 20;
const ADDRESS = { 'cf-connecting-ip': '203.0.113.9' };

describe('a flood of wrongly signed calls under one apiKey', () => {
	let partner: Credentials;

	beforeAll(async () => {
		partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
	});

	const requestIds = new Set<unknown>();
	async function by(apiSecret: string): Promise<Answer> {
		const answer = await signed(service.current(), { ...partner, apiSecret }, '/api/v1/pairs', '{}', {
			headers: ADDRESS,
		});
		requestIds.add(answer.headers.get('x-request-id'));
		return answer;
	}
	const forge = (): Promise<Answer[]> => Promise.all(Array.from({ length: AT_ONCE }, () => by(newNonce())));
	/** How many of these calls were refused so far, by the gate and before the gate. */
	const refusals = () => {
		const reasons = service
			.current()
			.logged('refused')
			.filter(({ requestId }) => requestIds.has(requestId))
			.map(({ reason }) => reason);
		return {
			atTheGate: reasons.filter((reason) => reason === 'signature').length,
			before: reasons.filter((reason) => reason === 'signature, one of many').length,
		};
	};

	it('reaches the gate only with its first few calls, and all get the same answer', async () => {
		const answers: Answer[] = [];
		for (let round = 0; round < 6; round++) answers.push(...(await forge()));
		expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(
			answers.map(() => '401 {"code":3,"msg":"AUTH_INVALID"}'),
		);
		await eventually('the log', async () => {
			const { atTheGate, before } = refusals();
			return atTheGate + before === 6 * AT_ONCE;
		});
		expect(refusals().atTheGate).toBeLessThanOrEqual(LET_THROUGH + AT_ONCE);
	});

	it('does not stop the partner’s own calls, sent from the same address meanwhile', async () => {
		const [own] = await Promise.all([
			Promise.all(Array.from({ length: 10 }, () => by(partner.apiSecret))),
			forge(),
			forge(),
		]);
		expect(own.map(({ code }) => code)).toEqual(own.map(() => 0));
	});

	it('leaves a replaced secret working at once, and the old one dead', async () => {
		const before = refusals().atTheGate;
		const flood = forge();
		const { apiSecret } = await service
			.current()
			.operator<Credentials>('partner/replace-secret', { id: partner.id, secret: 'apiSecret' });
		expect((await by(apiSecret)).code).toBe(0);
		expect((await by(partner.apiSecret)).code).toBe(3);
		await flood;
		// Only the old secret: the isolate passes it on, and the gate refuses it.
		expect(refusals().atTheGate).toBeLessThanOrEqual(before + 1);
	});
});
