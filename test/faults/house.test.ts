/**
 * The signer in a house of its own, as a process of its own, over a wire that cuts, doubles, delays and swaps: nothing is
 * lost, and nothing is paid twice. Anyone who sits on the wire gets no call executed and no answer believed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOver } from '../../src/link/call.ts';
import { freePort } from '../../src/local/ports.ts';
import { payoutsTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, ETH_RECIPIENT, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { emptyDeployment } from '../support/restored.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import {
	fair,
	type HouseProcess,
	type Mishap,
	startHouseProcess,
	startWire,
	type Wire,
} from '../support/signers-house.ts';
import { MIGRATED } from '../support/template.ts';

const KEY = 'k'.repeat(43);
const DEPLOYMENT = 'test';
const SHARED = { SEAL_KEY: 's'.repeat(43), HOUSE_KEY: KEY, DEPLOYMENT };

let house: HouseProcess;
let houseState: string;
let startAgain: () => Promise<HouseProcess>;
let wire: Wire;
let service: TestService;
let partner: Credentials;
let linkPort: number;
let backup: string;
/** The first one. */
let paid: CreatedOrder;
const { json } = operatorOf(() => service);
const folders: string[] = [];

const folder = (): string => {
	const made = mkdtempSync(join(tmpdir(), 'house-'));
	folders.push(made);
	return made;
};

beforeAll(async () => {
	const housePort = await freePort();
	linkPort = await freePort();
	backup = join(folder(), 'backup');
	const variables = { ...SHARED, SANDBOX: 'on', PORT: String(housePort), LINK_URL: `http://127.0.0.1:${linkPort}/` };
	houseState = folder();
	startAgain = () => startHouseProcess(houseState, variables);
	house = await startAgain();
	wire = await startWire(`http://127.0.0.1:${housePort}/`);
	service = await startTestService({ ...SHARED, HOUSE_URL: wire.url }, folder(), {}, { linkPort });
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
});
afterAll(async () => {
	await service?.local.stop();
	await house?.kill();
	await wire?.stop();
	for (const each of folders) rmSync(each, { recursive: true, force: true });
});

const timesPaid = async () => (await payoutsTo(service, 'Ethereum', ETH_RECIPIENT)).length;

async function deposited(): Promise<CreatedOrder> {
	const { data, text } = await create(service, partner);
	expect(data?.id, text).toBeTruthy();
	await service.operator('sandbox/deposit', { orders: [data.id] });
	return data;
}

/** One order through, whatever the wire does: DONE, paid once. */
async function swapped(order: CreatedOrder, before: number): Promise<void> {
	await untilStatus(service, partner, order, 'DONE');
	expect(await timesPaid()).toBe(before + 1);
}

/** All that it had is gone but its keys. */
async function emptied(): Promise<void> {
	await house.kill();
	rmSync(join(houseState, 'data'), { recursive: true });
	house = await startAgain();
}

it('an order is exchanged by a signer in a house of its own, and paid once', async () => {
	paid = await deposited();
	await swapped(paid, 0);
});

/** Each in turn, every second call fair: cut before and after it is executed, doubled, late, and behind the next one. */
function inTurn(): Mishap {
	const mishaps: Mishap[] = [
		async () => null,
		async (call, send) => {
			await send(call);
			return null;
		},
		async (call, send) => {
			const [first, second] = [await send(call), await send(call)];
			expect([second.status, second.text]).toEqual([409, 'replayed']);
			return first;
		},
		async (call, send) => {
			await new Promise((late) => setTimeout(late, 300));
			return send(call);
		},
		async (call, send) => {
			const seen = wire.carried.length;
			await eventually('another call to overtake it', async () => wire.carried.length > seen, 1_000).catch(() => null);
			return send(call);
		},
	];
	let calls = 0;
	return (call, send) => {
		calls += 1;
		return calls % 2 === 0 ? send(call) : (mishaps[((calls - 1) / 2) % mishaps.length] ?? fair)(call, send);
	};
}

it('calls that are cut, doubled, late and overtaken lose no order and pay none twice', async () => {
	const before = await timesPaid();
	wire.mishap = inTurn();
	const orders = [await deposited(), await deposited(), await deposited()];
	for (const order of orders) await untilStatus(service, partner, order, 'DONE');
	wire.mishap = fair;
	expect(await timesPaid()).toBe(before + orders.length);
});

it('a house that is killed while it signs goes on from its journal: the order is DONE, and paid once', async () => {
	const before = await timesPaid();
	const asked = wire.carried.length;
	// Its answer is lost with it.
	const killed = Promise.withResolvers<void>();
	wire.mishap = async (call, send) => {
		const said = await send(call);
		if (!call.body.includes('"sign"')) return said;
		killed.resolve();
		return null;
	};
	const order = await deposited();
	await killed.promise;
	await house.kill();
	const waiting = await service.operator<{ cause: string; todo: string }[]>('attention');
	expect(waiting).toContainEqual(
		expect.objectContaining({
			cause: expect.stringContaining("the signer's house: unreachable"),
			todo: expect.stringContaining('see that the house runs'),
		}),
	);
	wire.mishap = fair;
	house = await startAgain();
	await swapped(order, before);
	expect(wire.carried.length).toBeGreaterThan(asked);
});

it('who sits on the wire gets no call executed twice or changed, and no answer of another call believed', async () => {
	// The service's own calls go on meanwhile, over the other one.
	const tapped = await startWire(wire.to);
	const link = { url: tapped.url, key: KEY, deployment: DEPLOYMENT, side: 'signer' } as const;
	expect(await callOver(link, 'restored', [])).toBeNull();
	const [call] = tapped.carried;
	const sent = async (body = '') => {
		const answer = await fetch(tapped.url, { method: 'POST', headers: call?.headers ?? {}, body });
		return [answer.status, await answer.text()];
	};
	expect(await sent(call?.body)).toEqual([409, 'replayed']);
	expect(await sent(`${call?.body} `)).toEqual([401, 'wrong-key']);
	await expect(callOver({ ...link, key: 'x'.repeat(43) }, 'limits', [])).rejects.toMatchObject({ kind: 'wrong-key' });
	const elsewhere = callOver({ ...link, deployment: 'another' }, 'limits', []);
	await expect(elsewhere).rejects.toMatchObject({ kind: 'other-deployment' });
	let first: Awaited<ReturnType<Mishap>> = null;
	tapped.mishap = async (one, send) => {
		first ??= await send(one);
		return first;
	};
	expect(await callOver(link, 'restored', [])).toBeNull();
	await expect(callOver(link, 'limits', [])).rejects.toMatchObject({ kind: 'not-authentic' });
	await tapped.stop();
});

it('doctor shows the house: the version of the link, and how long a call takes', async () => {
	const { rows } = await service.operator<{ rows: { what: string; state: string; detail: string }[] }>('doctor');
	const detail = expect.stringMatching(/^version 1 of the link, answers in \d+ ms$/);
	expect(rows.find(({ what }) => what === "signer's house")).toMatchObject({ state: 'fine', detail });
});

it('a house that has lost its journal does not take itself for new', async () => {
	const before = await timesPaid();
	await json('backup', backup);
	await emptied();
	await eventually('the loss to be noticed', async () =>
		(await service.operator<{ cause: string }[]>('attention')).some(({ cause }) => cause.startsWith('journal-lost')),
	);
	expect(await timesPaid()).toBe(before);
});

it('a backup that was made over the link is restored over it, the journal too', async () => {
	const old = service;
	await old.local.stop();
	await emptied();
	const empty = await emptyDeployment(old, MIGRATED);
	folders.push(empty);
	service = await startTestService({ ...SHARED, HOUSE_URL: wire.url }, empty, {}, { linkPort });
	await json('restore', backup);
	expect(await json('restored', 'show')).toMatchObject({ backupAt: expect.any(String) });
	expect((await readOrder(service, partner, paid)).status).toBe('DONE');
});
