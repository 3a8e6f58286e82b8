/** The simulator by itself: seeds that are clean, the same run twice, and planted bugs that it must find. */
import { beforeAll, expect, it } from 'vitest';
import { liveFlow } from './enumerate.ts';
import { PLANTED, type PlantedName } from './planted.ts';
import { bundledCodes, type Codes } from './platform/code.ts';
import { runSeed, SMALL } from './run.ts';

let codes: Codes;
beforeAll(async () => {
	codes = await bundledCodes();
}, 30_000);

it('under faults nothing is lost, paid twice or left without a reason, and a seed is the same run twice', async () => {
	const [one, again] = [await runSeed(codes, 3, { size: SMALL }), await runSeed(codes, 3, { size: SMALL })];
	expect(one.broken).toEqual([]);
	expect(one.faults).toBeGreaterThan(100);
	expect(one.orders).toBeGreaterThan(0);
	expect(again.digest).toBe(one.digest);
}, 60_000);

it('a payout whose answer is lost, or whose code dies, at one effect is made once', async () => {
	const calm = await liveFlow(codes, PAYMENT, new Map());
	expect(calm.broken).toEqual([]);
	const place = calm.kinds.indexOf('SIGNER.sign');
	expect(place).toBeGreaterThan(0);
	const struck = await liveFlow(codes, PAYMENT, new Map([[place, 'crash after']]));
	expect(struck.broken).toEqual([]);
}, 60_000);

const PAYMENT = 'create, deposit, settle, sign, broadcast, webhook';
/** The first seed that finds it in a small run. */
const FOUND: Partial<Record<PlantedName, number>> = { 'forgets-event': 1, 'weighs-late': 1 };

it.each(Object.entries(FOUND))(
	'the planted bug %s is found',
	async (name, seed) => {
		const planted = await bundledCodes(PLANTED[name as PlantedName]);
		const { broken } = await runSeed(planted, seed, { size: SMALL });
		expect(broken.length).toBeGreaterThan(0);
	},
	60_000,
);
