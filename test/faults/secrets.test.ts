/**
 * Every secret is replaced while partners and operators call in loops, as the book says it (years, "Secrets"): no
 * call fails. On the platform a deployment has no gap; here one ends before the next begins, so a call that finds nobody
 * is made again, and each answer counts.
 */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { type Anvil, startAnvil } from '../support/anvil.ts';
import { CabinetVisitor, cabinetUrl } from '../support/cabinet.ts';
import { type GuardedNode, startGuardedNode } from '../support/guarded-node.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, createBody, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, newNonce, signed } from '../support/partner.ts';
import { madeInRun } from '../support/run-folders.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { TEMPLATE } from '../support/template.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

const KEYS = ['SEAL_KEY', 'SECRETS_KEY', 'API_KEY_KEY'] as const;
const PACE_MILLISECONDS = 60;
const newKey = (): string => randomBytes(32).toString('base64');
const fresh = Object.fromEntries([...KEYS, 'OPERATOR_TOKEN'].map((name) => [name, newKey()])) as Record<string, string>;
const before: Record<string, string> = {};
/** Of the screening and the alerts. */
const SHARED = { old: 'the secret that was shared', new: 'the secret that is shared now' };

let service: TestService;
let partner: Credentials;
let anvil: Anvil;
let node: GuardedNode;
let receiver: WebhookReceiver;
/** Secrets that the operator's endpoint takes now. */
const accepted = new Set([SHARED.old]);
let refusedMessages = 0;
const { json } = operatorOf(() => service);

/** Came to the cabinet by an invitation while SEAL_KEY was still the older one. */
let person: CabinetVisitor;
/** What invitations of that time were answered: once both keys were valid, and after the older one had gone. */
let invited = 0;
let late = '';

/** Answers that were not what they must be. */
const failures: string[] = [];
const orders: CreatedOrder[] = [];
let operatorToken = '';
let calls = 0;
let isOver = false;

const pause = () => new Promise((wait) => setTimeout(wait, PACE_MILLISECONDS));

/** Until the load is over: makes the call, and again where nobody listens or the connection broke. */
async function inLoop(what: string, make: () => Promise<string | null>): Promise<void> {
	while (!isOver) {
		const failure = await make().catch((error: unknown) => (error instanceof TypeError ? 'nobody' : String(error)));
		if (failure === null) calls++;
		else if (failure !== 'nobody') failures.push(`${what}: ${failure}`);
		await pause();
	}
}

const first = (): CreatedOrder => orders[0] as CreatedOrder;
const read = async () => {
	const { code, text } = await signed(service, partner, '/api/v1/order', { id: first().id, token: first().token });
	return code === 0 ? null : text;
};

/** The same Idempotency-Key until there is an answer. */
let idempotencyKey = newNonce();
const make = async () => {
	const headers = { 'idempotency-key': idempotencyKey };
	const { code, text, data } = await signed<CreatedOrder>(service, partner, '/api/v1/create', createBody(), {
		headers,
	});
	idempotencyKey = newNonce();
	if (code !== 0) return text;
	orders.push(data);
	return null;
};
/** Ids of orders whose deposit was asked for: without an answer it may have been made, and a second one would be too much. */
const asked = new Set<string>();
/** Ids of orders whose deposit was made. */
const paid = new Set<string>();
const pay = async () => {
	const open = orders.slice(-20).filter(({ id }) => !asked.has(id));
	if (open.length === 0) return null;
	for (const { id } of open) asked.add(id);
	return ask('sandbox/deposit', { orders: open.map(({ id }) => id) }).then((failure) => {
		if (failure === null) for (const { id } of open) paid.add(id);
		return failure;
	});
};

async function ask(command: string, input: unknown = {}): Promise<string | null> {
	const response = await fetch(`${service.url}/operator/v1/${command}`, {
		method: 'POST',
		headers: { authorization: `Bearer ${operatorToken}` },
		body: JSON.stringify(input),
	});
	return response.status === 200 ? null : `${response.status} ${await response.text()}`;
}

/** The variables of a deployment: `names` say which secrets are set beside the keys. */
async function deploy(variables: Record<string, string>, signerVariables: Record<string, string> = {}): Promise<void> {
	const { stateDirectory } = service ?? { stateDirectory: await copiedTemplate() };
	await service?.local.stop();
	service = await startTestService({ ...SURROUNDINGS, ...variables }, stateDirectory, signerVariables, { pages: true });
}

async function copiedTemplate(): Promise<string> {
	const folder = mkdtempSync(join(inject('stateFolders'), 'state-'));
	cpSync(await madeInRun(TEMPLATE), folder, { recursive: true });
	return folder;
}

const SURROUNDINGS: Record<string, string> = { NODE_POLL_SECONDS_POLYGON: '1' };
const shared = (user: 'old' | 'new') => ({
	NODE_URL_POLYGON: node.url(user),
	SCREENING_URL: receiver.url,
	SCREENING_SECRET: SHARED[user],
	ALERT_WEBHOOK_URL: receiver.url,
	ALERT_WEBHOOK_SECRET: SHARED[user],
});

/** What `keys plan` asks to set, by the file that it asks to write. */
async function planned(name: string): Promise<Record<string, string | null>> {
	const { steps } = await service.operator<{ steps: string[] }>('keys/plan', { name });
	const [line] = steps.filter((step) => step.startsWith('write into the file new.json: '));
	const values = JSON.parse((line ?? '{}').replace('write into the file new.json: ', '')) as Record<
		string,
		string | null
	>;
	return Object.fromEntries(
		Object.entries(values).map(([variable, value]) => [
			variable,
			value === 'the new one' ? (fresh[name] ?? '') : value,
		]),
	);
}

/** Sets and deletes what a plan says, as `wrangler secret bulk` does. */
const bulk = (variables: Record<string, string>, changes: Record<string, string | null>): Record<string, string> =>
	Object.fromEntries(
		Object.entries({ ...variables, ...changes }).filter((entry): entry is [string, string] => entry[1] !== null),
	);

async function alerted(code: string): Promise<void> {
	await service.operator('asset/update', { code, active: false });
	await service.local.runScheduled();
	await receiver.waitFor(({ rawBody }) => rawBody.includes(`switch active ${code}`), 10_000);
}

/** An order that is made from now on is signed and sent: the Workers believe each other's seals. */
async function nextOrderIsPaid(): Promise<void> {
	const known = orders.length;
	await eventually('a new order to be paid', async () => {
		const next = orders[known];
		const statement = "SELECT 1 FROM orders WHERE id = ? AND status = 'DONE'";
		return next !== undefined && (await service.sql(statement, next.id)).length > 0;
	});
}

/** Everything at once; what each secret must show is judged by the tests below. */
async function replaceAll(): Promise<void> {
	await deploy(shared('old'));
	for (const name of [...KEYS, 'OPERATOR_TOKEN'] as const) before[name] = service.local.secrets[name];
	operatorToken = service.local.secrets.OPERATOR_TOKEN;
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	expect(await make()).toBeNull();
	person = await new CabinetVisitor(service).enter(partner.id);
	const [invitation, unused] = [await person.invited(partner.id), await person.invited(partner.id)];
	const load = Promise.all([inLoop('order', read), inLoop('create', make), inLoop('deposit', pay)]);
	await alerted('DASH');
	await untilStatus(service, partner, first(), 'DONE');

	// The new ones become known, first to the API Worker alone.
	accepted.add(SHARED.new);
	node.valid.add('new');
	let variables: Record<string, string> = { ...before, ...shared('new') };
	for (const name of [...KEYS, 'OPERATOR_TOKEN']) variables = bulk(variables, await planned(name));
	await deploy(variables, { SEAL_KEY_NEXT: '' });
	operatorToken = fresh['OPERATOR_TOKEN'] ?? '';
	accepted.delete(SHARED.old);
	node.valid.delete('old');
	node.calls.clear();
	await alerted('XMR');
	expect(await planned('SEAL_KEY')).toEqual({});
	await nextOrderIsPaid();

	// Then to both, and the time of the change comes.
	const changedAt = Math.floor(Date.now() / 1000) + 5;
	for (const name of KEYS) variables[`${name}_CHANGED_AT`] = String(changedAt);
	await deploy(variables);
	await eventually('the change', async () => Date.now() > changedAt * 1000 + 500);
	await service.operator('keys/reseal');
	await eventually('nothing to be old', async () => {
		const { next } = await service.operator<{ next: string }>('keys/reseal');
		return next === 'nothing to do';
	});
	invited = await new CabinetVisitor(service).accept(invitation).then(({ status }) => status);

	// The older ones go.
	for (const name of ['SEAL_KEY', 'SECRETS_KEY', 'OPERATOR_TOKEN']) variables = bulk(variables, await planned(name));
	await deploy(variables);
	const count = calls;
	await eventually('calls under the new secrets alone', async () => calls > count + 10);
	isOver = true;
	await load;
	late = await new CabinetVisitor(service).accept(unused).then(
		({ status }) => String(status),
		(error: unknown) => String(error),
	);
}

beforeAll(async () => {
	anvil = await startAnvil({ chainId: 137 });
	node = await startGuardedNode(anvil.url);
	node.valid.add('old');
	receiver = await startWebhookReceiver();
	receiver.answer((received) => {
		const isValid = [...accepted].some((secret) => verify(received, secret));
		if (!isValid) refusedMessages++;
		return isValid ? { status: 200, body: '{"verdict":"accept"}' } : 401;
	});
	await replaceAll();
}, 90_000);
afterAll(async () => {
	await service?.local.stop();
	await Promise.all([receiver?.close(), node?.stop(), anvil?.stop()]);
	if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
});

describe('while every secret was replaced', () => {
	it('no call failed: apiKeys and apiSecrets of before go on working', async () => {
		expect(failures).toEqual([]);
		expect(calls).toBeGreaterThan(50);
		expect(await read()).toBeNull();
		expect((await createPartner(service)).apiKey).toMatch(/^pk_/);
	});

	it('SEAL_KEY: each order that was paid meanwhile is DONE, and nothing has the older seal', async () => {
		const unpaid = () =>
			service.sql(
				`SELECT o.status, o.updated_at, t.kind, t.state, t.waits_kind, t.blocked_kind, t.next_attempt_at FROM orders o
					LEFT JOIN transactions t ON t.order_id = o.id
					WHERE o.status <> 'DONE' AND o.id IN (SELECT value FROM json_each(?))`,
				JSON.stringify([...paid]),
			);
		await expect.poll(unpaid, { timeout: 80_000, interval: 200 }).toEqual([]);
		expect(paid.size).toBeGreaterThan(10);
		const seals = await service.sql<{ seal: string }>('SELECT substr(seal, 1, 2) AS seal FROM orders');
		expect(new Set(seals.map(({ seal }) => seal))).toEqual(new Set(['2.']));
		expect(service.logged('payout_refused')).toEqual([]);
		const { keys, next } = await service.operator<{ keys: unknown[]; next: string }>('keys/show');
		expect(keys).toMatchObject([
			{ number: 2, previous: null },
			{ number: 2, previous: null },
			{ number: 2, previous: 1 },
		]);
		expect(next).toBe('nothing to do');
	});

	it('without the older keys an order of before is shown, and a new one gets an address', async () => {
		expect((await readOrder(service, partner, first())).status).toBe('DONE');
		const { code, data } = await create(service, partner);
		expect(code).toBe(0);
		expect((await readOrder(service, partner, data)).status).toBe('NEW');
	});

	it('SEAL_KEY: passkeys are sealed again and open the cabinet; an invitation is good for as long as its key', async () => {
		const seals = await service.sql<{ seal: string }>('SELECT substr(seal, 1, 2) AS seal FROM cabinet_passkeys');
		expect(seals).toEqual([{ seal: '2.' }, { seal: '2.' }]);
		const visitor = new CabinetVisitor(service, person.passkey);
		expect((await visitor.signIn({ origin: cabinetUrl(service) })).location).toBe('/cabinet');
		expect((await visitor.get('/cabinet')).status).toBe(200);
		expect([invited, late]).toEqual([303, expect.stringContaining('403')]);
	});

	it('SECRETS_KEY: the partner’s secrets are under the new key alone', async () => {
		const [row] = await service.sql<{ sealed: string }>(
			'SELECT api_secret_sealed AS sealed FROM partners WHERE id = ?',
			partner.id,
		);
		expect(row?.sealed).toMatch(/^2\./);
	});

	it('API_KEY_KEY: a plan for it says that both keys stay', async () => {
		vi.stubEnv('OPERATOR_TOKEN', operatorToken);
		const { steps } = await json<{ steps: string[] }>('keys', 'plan', 'API_KEY_KEY');
		vi.unstubAllEnvs();
		expect(steps).toEqual([expect.stringContaining('so both stay set')]);
	});

	it('OPERATOR_TOKEN: both were valid for a while, and now the older one is refused', async () => {
		expect(await ask('keys/show')).toBeNull();
		operatorToken = before['OPERATOR_TOKEN'] ?? '';
		expect(await ask('keys/show')).toMatch(/^401 /);
	});

	it('SCREENING_SECRET and ALERT_WEBHOOK_SECRET: an endpoint that takes both for a while refuses nothing', () => {
		expect(refusedMessages).toBe(0);
	});

	it('a node’s password: none of its calls was refused, and the older one is no longer used', async () => {
		expect(node.refused()).toBe(0);
		expect(node.calls.get('old')).toBeUndefined();
		expect(node.calls.get('new')).toBeGreaterThan(0);
	});
});
