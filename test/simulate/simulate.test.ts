/** The simulator by itself: seeds that are clean, and planted bugs that it must find. */
import { beforeAll, expect, it } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { FINAL_CONFIRMATIONS } from '../../src/catalog/confirmations.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { giveUpMove, moveText } from '../../src/treasury/moves.ts';
import { Random } from '../cast/random.ts';
import { beginnings, fuzzVault } from '../fuzz/vault.ts';
import { beginningOf, liveFlow } from './enumerate.ts';
import { Plan } from './faults.ts';
import { FLOWS } from './flows.ts';
import { wrongDebts, wrongHeads } from './invariants/solvency.ts';
import { brokenAtAnyTime, brokenInArchive } from './invariants.ts';
import { Crowd } from './people/crowd.ts';
import { payAgain } from './people/latecomers.ts';
import { askPromise } from './people/orders.ts';
import { attack, attackUnderSeal } from './people/outsider.ts';
import { robberies, robReserve } from './people/persons.ts';
import { PLANTED } from './planted.ts';
import { bundledCodes, type Codes, withBug } from './platform/code.ts';
import { runSeed, SMALL } from './run.ts';
import type { SecondJudge } from './settings.ts';
import { World } from './world.ts';

let codes: Codes;
beforeAll(async () => {
	codes = await bundledCodes();
}, 30_000);

it('under faults nothing is lost, paid twice or left without a reason', async () => {
	const { broken, faults, payments } = await runSeed(codes, 13, { size: SMALL });
	expect(broken).toEqual([]);
	expect(faults).toBeGreaterThan(1_000);
	expect(payments).toBeGreaterThan(0);
}, 180_000);

it('a payout whose answer is lost, or whose code dies, at one effect is made once', async () => {
	const saved = await beginningOf(codes, PAYMENT);
	const calm = await liveFlow(codes, PAYMENT, saved, []);
	expect(calm.broken).toEqual([]);
	const place = calm.effects.findIndex(({ kind }) => kind === 'SIGNER.sign');
	expect(place).toBeGreaterThan(0);
	const struck = await liveFlow(codes, PAYMENT, saved, [[place, 'crash after']]);
	expect(struck.broken).toEqual([]);
}, 180_000);

it('who writes another recipient into the database is not paid, and is seen to be paid where the signer skips the seal', async () => {
	expect(await brokenByOutsider(codes)).toEqual([]);
	const broken = await brokenByOutsider(await withBug(codes, PLANTED['skips-seal']));
	expect(broken).toEqual([expect.stringContaining('went to an outsider')]);
}, 180_000);

it('the fuzz target of the vault finds a signer that skips the seal, by bytes that break nothing otherwise', async () => {
	const begun = await beginnings(codes);
	const brokenBy = async (code: Codes) => {
		// At each moment, some of them before it is paid, an order whose deposit is final gets another recipient, and time passes.
		for (let moment = 1; moment < 8; moment++)
			for (const order of [0, 5]) {
				const broken = await fuzzVault(code, begun, new Uint8Array([moment, 0, 10, order, 0, 15, 1, 15, 1]));
				if (broken.length > 0) return broken;
			}
		return [];
	};
	expect(await brokenBy(codes)).toEqual([]);
	const blind = await withBug(codes, PLANTED['skips-seal']);
	expect(await brokenBy(blind)).toContainEqual(expect.stringContaining('went to an outsider'));
}, 180_000);

it('who has SEAL_KEY gets no second promise for an address, and no coins that came to it; a signer that forgets or breaks its promise is seen', async () => {
	expect(await brokenUnderSeal(codes)).toEqual([]);
	const forgets = await withBug(codes, PLANTED['promises-twice']);
	expect(await brokenUnderSeal(forgets)).toContainEqual(expect.stringContaining('was promised on other terms'));
	const breaks = await withBug(codes, PLANTED['breaks-promises']);
	expect(await brokenUnderSeal(breaks)).toContainEqual(expect.stringContaining('went to an outsider'));
}, 180_000);

/** An order is promised, sealed again with another recipient, promised again, and paid. */
async function brokenUnderSeal(code: Codes): Promise<string[]> {
	const world = new World(new Random(1), new Plan(), Date.UTC(2026, 0, 5, 9), false);
	const crowd = new Crowd(world, code);
	await crowd.open();
	void crowd.liveOrder([[1, 10_000]]);
	await world.run(world.now + 3_000);
	const [story] = crowd.stories;
	if (!story?.id) throw new Error('no order was made');
	await crowd.finished(askPromise(crowd, story));
	expect(story.promises.length).toBe(1);
	await attackUnderSeal(crowd, story);
	await crowd.finished(askPromise(crowd, story));
	await crowd.finished(settledWithin(crowd));
	return brokenAtAnyTime(crowd);
}

it('what is owed each hour is what the rows say, order by order; a proof that leaves one out, or is of other sums than the books, is seen', async () => {
	expect(await brokenDebts(codes)).toEqual([]);
	const leaves = await withBug(codes, PLANTED['leaves-one-out']);
	expect(await brokenDebts(leaves)).toContainEqual(
		expect.stringMatching(/^the proof of solvency has not \d+ ETH of (?:order|partner) /),
	);
	// Who writes the database hides a debt behind a payout that was never sent.
	const hides = (crowd: Crowd) =>
		void crowd.service.d1.rows(
			"UPDATE transactions SET state = 'sent', raw = '00', tx_id = id, signed_at = 1, sent_at = 1 WHERE kind = 'payout'",
		);
	// The newest is the one of before: no hour is proven since.
	expect(await brokenDebts(codes, hides)).toEqual([
		expect.stringMatching(/^the newest proof of solvency is of the hour/),
	]);
}, 180_000);

/** Two payouts cannot be sent. */
async function brokenDebts(code: Codes, bend: (crowd: Crowd) => void = () => undefined): Promise<string[]> {
	const crowd = new Crowd(new World(new Random(1), new Plan(), Date.UTC(2026, 0, 5, 9), false), code);
	await crowd.open();
	for (let i = 0; i < 2; i++) void crowd.liveOrder([[1, 2_000]], ['LTC', 'ETH']);
	await crowd.world.run(crowd.world.now + 1_500);
	await crowd.finished(crowd.client.operate('network/update', { name: 'Ethereum', send: false }));
	const planned = "SELECT 1 FROM transactions WHERE kind = 'payout' AND state = 'planned'";
	for (let waits = 0; waits < 100 && crowd.service.d1.rows(planned).length < 2; waits++)
		await crowd.world.run(crowd.world.now + 30_000);
	bend(crowd);
	return [...(await wrongDebts(crowd, 1)), ...wrongHeads(crowd)];
}

it('what was paid for is swept after its payment moved to a volume of the journal; a signer that forgets its volumes knows nothing of it', async () => {
	const flow = 'sweep with volumes';
	const saved = await beginningOf(codes, flow);
	const calm = await liveFlow(codes, flow, saved, []);
	expect(calm.broken).toEqual([]);
	expect(calm.effects.map(({ kind }) => kind)).toContain('JournalVolume.give');
	const blind = await withBug(codes, PLANTED['forgets-volumes']);
	expect((await liveFlow(blind, flow, saved, [])).broken).toContainEqual(expect.stringContaining('has not signed'));
}, 180_000);

async function brokenByOutsider(code: Codes): Promise<string[]> {
	const world = new World(new Random(1), new Plan(), Date.UTC(2026, 0, 5, 9), false);
	const crowd = new Crowd(world, code);
	await crowd.open();
	void crowd.liveOrder([[1, 10_000]]);
	await world.run(world.now + 3_000);
	const [story] = crowd.stories;
	if (story) attack(crowd, story, 'another recipient');
	await crowd.finished(settledWithin(crowd));
	return brokenAtAnyTime(crowd);
}

/** Until the payout was signed, or refused. */
async function settledWithin(crowd: Crowd): Promise<void> {
	const decided = 'SELECT 1 FROM transactions WHERE tx_id IS NOT NULL OR blocked_kind IS NOT NULL';
	for (let waits = 0; waits < 300 && crowd.service.d1.rows(decided).length === 0; waits++)
		await crowd.world.sleep(1_000);
	await crowd.world.sleep(5_000);
	expect(crowd.service.d1.rows(decided).length).toBe(1);
}

async function brokenByThief(code: Codes): Promise<string[]> {
	const world = new World(new Random(1), new Plan(), Date.UTC(2026, 0, 5, 9), false);
	const crowd = new Crowd(world, code);
	await crowd.open();
	const rows = (statement: string, ...values: string[]) => crowd.service.d1.rows(statement, ...values);
	const passes = () => world.run(world.now + 30_000);
	await crowd.finished(crowd.client.operate('treasury/withdraw', { asset: 'LTC', amount: '1' }));
	await passes();
	expect(rows("SELECT state FROM transactions WHERE kind = 'withdrawal'")).toEqual([{ state: 'final' }]);
	await crowd.finished(robReserve(crowd));
	await passes();
	if (robberies(crowd).length > 0) return robberies(crowd);
	const columns = 'kind, network, asset, to_address, amount, usd_cents, planned_at, next_attempt_at';
	rows(`INSERT INTO transactions (id, state, ${columns}) SELECT 'robbed', 'planned', ${columns} FROM transactions`);
	crowd.robbed.add('robbed');
	await passes();
	return robberies(crowd);
}

it('who has the operator’s token and the seal key moves nothing of the reserve without a person; a signer that takes any passkey, or asks nobody, does', async () => {
	expect(await brokenByThief(codes)).toEqual([]);
	for (const bug of ['takes-any-passkey', 'asks-nobody'] as const)
		expect(await brokenByThief(await withBug(codes, PLANTED[bug]))).toContainEqual(
			expect.stringContaining('which no person confirmed'),
		);
}, 180_000);

it('who writes what persons have confirmed into an empty journal, as a restore, has nothing confirmed', async () => {
	const crowd = new Crowd(new World(new Random(1), new Plan(), Date.UTC(2026, 0, 5, 9), false), codes);
	await crowd.open();
	const vault = crowd.service.object('VAULT', 'vault');
	const asked = (call: string, ...given: unknown[]) => crowd.finished(vault.call(call, given));
	const rows = [[`t${moveText(giveUpMove('planned', null))}`, `i${Math.floor(crowd.world.now)}`]];
	expect(await asked('beginRestore', 'theirs')).toBe(true);
	await asked('writeJournal', 'theirs', { table: 'confirmed_moves', columns: ['move', 'at'], rows });
	expect(await asked('endRestore', 'theirs', { backupAt: crowd.world.now, nextIndexes: {}, rows: {} })).toBe(true);
	await expect(asked('giveUp', 'planned', null)).rejects.toThrow('no person has confirmed it');
}, 180_000);

it('a journal that has promised an address is not replaced: the promise could be made again on other terms', async () => {
	const crowd = new Crowd(new World(new Random(1), new Plan(), Date.UTC(2026, 0, 5, 9), false), codes);
	await crowd.open();
	const begins = () => crowd.finished(crowd.service.object('VAULT', 'vault').call('beginRestore', ['theirs']));
	void crowd.liveOrder([]);
	await crowd.world.run(crowd.world.now + 3_000);
	const [story] = crowd.stories;
	if (!story) throw new Error('no order was made');
	await crowd.finished(askPromise(crowd, story));
	expect(story.promises.length).toBe(1);
	expect(await begins()).toBe(false);
}, 180_000);

it('a signer in a house of its own pays once, whatever call is doubled and whatever answer swapped; an end that forgets nonces, and answers that are signed for no question, are seen', async () => {
	expect(await brokenOnWire(codes, 'call doubled')).toEqual([]);
	expect(await brokenOnWire(codes, 'answer swapped')).toEqual([]);
	const forgetful = await withBug(codes, PLANTED['forgets-nonces']);
	expect(await brokenOnWire(forgetful, 'call doubled')).toEqual([expect.stringContaining('executed twice')]);
	const unbound = await withBug(codes, PLANTED['unbound-answers']);
	expect(await brokenOnWire(unbound, 'answer swapped')).toEqual([expect.stringContaining('another call')]);
}, 180_000);

/** One order is lived while it happens to every call, and then in peace. */
async function brokenOnWire(code: Codes, mishap: 'call doubled' | 'answer swapped'): Promise<string[]> {
	const plan = new Plan();
	const world = new World(new Random(1), plan, Date.UTC(2026, 0, 5, 9), false);
	const crowd = new Crowd(world, code, { isOnNode: false, capUsd: null, isLarge: false, isHoused: true });
	await crowd.open();
	plan.always = mishap;
	void crowd.liveOrder([[1, 2_000]]);
	await world.run(world.now + 15_000);
	const broken = brokenAtAnyTime(crowd);
	if (broken.length > 0) return broken;
	plan.always = null;
	const isDone = () => crowd.service.d1.rows("SELECT 1 FROM orders WHERE status = 'DONE'").length === 1;
	for (let waits = 0; waits < 40 && !isDone(); waits++) await world.run(world.now + 30_000);
	expect(isDone()).toBe(true);
	return brokenAtAnyTime(crowd);
}

it('who owns the signer of two judges whole gets nothing beyond what an honest one pays; a co-signer that does not compare, or forgets, is seen', async () => {
	const { broken, payments, attacks } = await ownedJudge(codes, 'owned signer');
	expect(broken).toEqual([]);
	expect(payments).toBeGreaterThan(0);
	expect(attacks).toBeGreaterThan(0);
	const signsAny = await withBug(codes, PLANTED['signs-any-draft']);
	expect((await ownedJudge(signsAny, 'owned signer', TO_STRANGER)).seen).toBe(true);
	const forgets = await withBug(codes, PLANTED['forgets-signed']);
	expect((await ownedJudge(forgets, 'owned signer', 'no transaction names')).seen).toBe(true);
}, 180_000);

it('who owns the co-signer of two judges whole has nothing paid that is not owed; a signer that trusts its answers is seen', async () => {
	const { broken, payments, attacks } = await ownedJudge(codes, 'owned co-signer');
	expect(broken).toEqual([]);
	expect(payments).toBeGreaterThan(0);
	expect(attacks).toBeGreaterThan(0);
	const trusts = await withBug(codes, PLANTED['trusts-answers']);
	expect((await ownedJudge(trusts, 'owned co-signer', TO_STRANGER)).seen).toBe(true);
}, 180_000);

const TO_STRANGER = 'went to a stranger';
const ORDERS = 6;
/** Deposits on Tron are final after four minutes, and what is sent back as well. */
const REFUNDED_MILLISECONDS = 10 * 60_000;
const LOOK_MILLISECONDS = 10_000;

/**
 * Too little comes for each order, and goes back on Tron, while the owner of a judge does what they like. `fault`: words of
 * what a planted bug breaks; it ends as soon as that is seen.
 */
async function ownedJudge(code: Codes, second: SecondJudge, fault?: string) {
	const world = new World(new Random(1), new Plan(), Date.UTC(2026, 0, 5, 9), false);
	const crowd = new Crowd(world, code, { isOnNode: true, capUsd: null, isLarge: false, isHoused: false, second });
	await crowd.open();
	world.alarmSlack = 10_000;
	const { service, client } = crowd;
	for (let order = 0; order < ORDERS; order++)
		crowd.liveOrder([[0.01, 2_000 + order * 5_000]], ['TRX', 'ETH']).catch(() => undefined);
	const returnable = "SELECT DISTINCT order_id AS id FROM deposits WHERE state = 'final' AND payout_id IS NULL";
	const isSeen = () => fault !== undefined && brokenAtAnyTime(crowd).some((what) => what.includes(fault));
	const end = world.now + REFUNDED_MILLISECONDS;
	while (world.now < end && !isSeen()) {
		await world.run(world.now + LOOK_MILLISECONDS);
		for (const { id } of service.d1.rows(returnable)) await crowd.finished(client.operate('order/refund', { id }));
	}
	const attacks = service.second?.attacks ?? 0;
	return { broken: brokenAtAnyTime(crowd), seen: isSeen(), payments: service.nodePayments().length, attacks };
}

it('after database and journal were set back, who does what is printed pays nothing twice; a signer that sees nothing does', async () => {
	const flow = 'database and journal set back';
	expect((await liveFlow(codes, flow, await beginningOf(codes, flow), [])).broken).toEqual([]);
	const blind = await withBug(codes, PLANTED['sees-nothing']);
	const { broken } = await liveFlow(blind, flow, await beginningOf(blind, flow), []);
	expect(broken).toContainEqual(expect.stringContaining('too much'));
}, 180_000);

it('a database that was set back to any earlier minute is noticed in the next one, and is not where the signer forgets what it saw', async () => {
	expect(await noticedMinutes(codes)).toEqual([true, true, true, true]);
	expect(await noticedMinutes(await withBug(codes, PLANTED['forgets-history']))).toContain(false);
}, 180_000);

/** An order is made in each minute; then the database is set back to the end of each, all but the last. */
async function noticedMinutes(code: Codes): Promise<boolean[]> {
	const world = new World(new Random(1), new Plan(), Date.UTC(2026, 0, 5, 9), false);
	const crowd = new Crowd(world, code);
	await crowd.open();
	const minutes: Uint8Array[] = [];
	for (let minute = 0; minute < 5; minute++) {
		void crowd.liveOrder([[1, 10_000]]);
		await world.run(world.now + 130_000);
		minutes.push(crowd.service.d1.sqlite.serialize());
	}
	const noticed: boolean[] = [];
	for (const earlier of minutes.slice(0, -1)) {
		crowd.setBack(earlier);
		await world.run(world.now + 130_000);
		const waiting = JSON.stringify(await crowd.asked((client) => client.operate('attention', {})));
		const { wrong } = await crowd.asked((client) => client.operate<{ wrong: number }>('history/verify', {}));
		noticed.push(waiting.includes('history-bent') && wrong > 0);
		crowd.setBack(minutes.at(-1) ?? earlier);
	}
	return noticed;
}

it('an order whose deposit was dropped expires after a day, also where dust is left at its address', async () => {
	const world = new World(new Random(1), new Plan(), Date.UTC(2026, 0, 5, 9), false);
	const crowd = new Crowd(world, codes);
	await crowd.open();
	void crowd.liveOrder([]);
	await world.run(world.now + 10_000);
	const [order] = crowd.service.d1.rows('SELECT id, from_network, from_asset, from_amount, pay_in_address FROM orders');
	const { from_network: network, from_asset: asset, pay_in_address: address } = order ?? {};
	const whole = toBaseUnits(String(order?.['from_amount']), assetOf(asset as AssetId).decimals).toString();
	const ledger = crowd.service.object('SANDBOX_LEDGER', String(network));
	const pay = (txId: string, amount: string, confirmations: number) =>
		ledger.call('deposit', [{ txId, address, asset, amount, confirmations }]);
	await crowd.finished(pay('all', whole, 0));
	await crowd.finished(pay('dust', '1', FINAL_CONFIRMATIONS));
	await world.run(world.now + 20_000);
	const statusOf = () => crowd.service.d1.rows('SELECT status FROM orders').map(({ status }) => status);
	expect(statusOf()).toEqual(['PENDING']);
	await crowd.finished(ledger.call('drop', [address]));
	await world.run(world.now + 20_000);
	world.leap(25 * 3_600_000);
	await world.run(world.now + 180_000);
	expect(statusOf()).toEqual(['EXPIRED']);
}, 180_000);

it('a deposit below its order’s floor goes back, and is seen to be paid where all Workers forget the floor', async () => {
	const belowFloor = expect.stringContaining('below its floor');
	expect(await brokenByTooLittle(codes)).toEqual({ broken: [], statuses: ['EXPIRED'] });
	const { broken } = await brokenByTooLittle(await withBug(codes, PLANTED['forgets-floor']));
	expect(broken).toContainEqual(belowFloor);
}, 180_000);

/** Of an order whose floor is one per cent below its quote, two per cent less come. */
async function brokenByTooLittle(code: Codes) {
	const world = new World(new Random(1), new Plan(), Date.UTC(2026, 0, 5, 9), false);
	const crowd = new Crowd(world, code);
	await crowd.open();
	// Its payer may think for hours of asking for a refund, which comes too late here.
	crowd.liveOrder([[0.98, 5_000, FINAL_CONFIRMATIONS]], ['LTC', 'ETH'], false, 100).catch(() => undefined);
	await world.run(world.now + 1_800_000);
	const statuses = crowd.service.d1.rows('SELECT status FROM orders').map(({ status }) => status);
	return { broken: brokenAtAnyTime(crowd), statuses };
}

it('coins that come for an archived order are in the books', async () => {
	const saved = await beginningOf(codes, 'archive');
	const world = new World(new Random(1), new Plan(), saved.now, false);
	const crowd = new Crowd(world, codes, { isOnNode: false, capUsd: null, isLarge: false, isHoused: false }, saved);
	await crowd.finished(FLOWS.archive.live(crowd));
	expect(crowd.service.archive.objects.size).toBe(1);
	const [archived] = crowd.stories;
	if (archived) payAgain(crowd, archived);
	await world.run(world.now + 60_000);
	expect(await brokenInArchive(crowd)).toEqual([]);
}, 180_000);

it('a network whose gate ended waits for a minute, and for ever where the minute begins each time the gate wakes', async () => {
	// The object may sleep meanwhile, and wake with a clock that is behind: it asks for the second that is missing.
	expect(await refusalsAfterEnd(codes)).toBeLessThanOrEqual(2);
	expect(await refusalsAfterEnd(await withBug(codes, PLANTED['forgets-waking']))).toBe(MOST_REFUSALS);
}, 180_000);

const MOST_REFUSALS = 4;

/** It waits as it is told each time. */
async function refusalsAfterEnd(code: Codes): Promise<number> {
	const world = new World(new Random(1), new Plan(), Date.UTC(2026, 0, 5, 9), false);
	const crowd = new Crowd(world, code);
	await crowd.open();
	const look = () => crowd.finished(crowd.client.look('100.64.0.1'));
	for (let calls = 0; calls < 3; calls++) expect((await look()).code).toBe(1);
	crowd.service.endAll();
	for (let refusals = 0; refusals < MOST_REFUSALS; refusals++) {
		const answer = await look();
		if (answer.code !== 5) return refusals;
		await world.run(world.now + answer.retryAfterSeconds * 1_000);
	}
	return MOST_REFUSALS;
}

const PAYMENT = 'create, deposit, settle, sign, broadcast, webhook';
