/**
 * SEAL_KEY leaked: an attacker had it and writes D1. What they sealed is as old as they like. The operator does what
 * `keys plan SEAL_KEY --leaked` says, and nothing of theirs comes out of it with a seal of the new key.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { sealOrder, sealPayoutAddress } from '../../src/orders/seal.ts';
import type { OrderRow } from '../../src/orders/table.ts';
import { sealAccess } from '../../src/partners/sign-in/seal.ts';
import { CabinetVisitor, cabinetUrl } from '../support/cabinet.ts';
import { followRunbook } from '../support/follow-runbook.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { FEW_ADDRESSES, startTestService, type TestService } from '../support/service.ts';

const DAY = 86_400_000;
const ATTACKER = '0x000000000000000000000000000000000000bEEF';
const HONEST = `0x${'a'.repeat(40)}`;
const fresh = randomBytes(32).toString('base64');

interface Resealed {
	readonly dropped: Readonly<Record<string, number>>;
	readonly lists: readonly { what: string; partner: string | null; rows: number; open: number; digest: string }[];
	readonly doubts: readonly { id: string; why: string }[];
	readonly partners: readonly { partner: string; next: string }[];
	readonly next: string;
}

let service: TestService;
let leaked = '';
let partner: Credentials;
let robbed: Credentials;
/** Of `partner`: not paid, done, and two that the attacker changed; of `robbed`: one with the attacker's recipient. */
let orders: Record<'open' | 'done' | 'moved' | 'unsealed' | 'redirected', CreatedOrder>;
let honest: CabinetVisitor;
let attacker: CabinetVisitor;
let resealed: Resealed;
const runbook = followRunbook('SEAL_KEY has leaked', () => service);

const ring = () => keyRing({ SEAL_KEY: leaked }, 'SEAL_KEY');
const listOf = (name: string) => {
	const list = resealed.lists.find((one) => one.partner === name && one.what === 'orders');
	if (!list) throw new Error(`there is no list of ${name}`);
	return list;
};
const codeOf = async (by: Credentials, { id, token }: CreatedOrder) =>
	(await signed(service, by, '/api/v1/order', { id, token })).code;
const refused = async (command: string, input: unknown = {}): Promise<string> =>
	service.operator(command, input).then(
		() => 'it was not refused',
		(error: unknown) => String(error),
	);

/** Changes an order's row, and seals it with the leaked key unless told otherwise. */
async function change({ id }: CreatedOrder, column: string, value: string | number, isSealed = true): Promise<void> {
	await service.sql(`UPDATE orders SET ${column} = ? WHERE id = ?`, value, id);
	if (!isSealed) return;
	const [row] = await service.sql<OrderRow>(ORDER_TERMS, id);
	if (row) await service.sql('UPDATE orders SET seal = ? WHERE id = ?', await sealOrder(ring(), row), id);
}

const ADMIN = { member: 'Owner', role: 'admin' } as const;

/** What an attacker with SEAL_KEY and D1 leaves behind, all of it a month old. */
async function attack(): Promise<void> {
	const at = Date.now() - 30 * DAY;
	const [theirs] = await service.sql<{ id: string; publicKey: string; partnerId: string }>(
		'SELECT id, public_key AS publicKey, partner_id AS partnerId FROM cabinet_passkeys WHERE partner_id = ?',
		robbed.id,
	);
	if (!theirs) throw new Error('the attacker has no passkey');
	const passkey = { id: theirs.id, publicKey: theirs.publicKey, partnerId: partner.id, createdAt: at, ...ADMIN };
	await service.sql(
		'UPDATE cabinet_passkeys SET partner_id = ?, created_at = ?, seal = ? WHERE id = ?',
		partner.id,
		at,
		await sealAccess(ring(), 'passkey', passkey),
		theirs.id,
	);
	const terms = { partnerId: robbed.id, asset: 'ETH', address: ATTACKER, changedAt: at };
	await service.sql(
		'UPDATE partners SET payout_asset = ?, payout_address = ?, payout_address_changed_at = ?, payout_seal = ? WHERE id = ?',
		'ETH',
		ATTACKER,
		at,
		await sealPayoutAddress(ring(), terms),
		robbed.id,
	);
	await change(orders.redirected, 'to_address', ATTACKER);
	await change(orders.moved, 'pay_in_index', 900_000);
	await change(orders.unsealed, 'to_address', ATTACKER, false);
}

/** As the first step of the plan says, by `wrangler secret bulk`. */
async function planned(): Promise<Record<string, string>> {
	await runbook.step('keys plan SEAL_KEY --leaked');
	const { steps } = await service.operator<{ steps: string[] }>('keys/plan', { name: 'SEAL_KEY', leaked: true });
	const start = 'write into the file new.json: ';
	const values = JSON.parse(steps.find((step) => step.startsWith(start))?.slice(start.length) ?? '{}');
	const given = Object.entries(values).flatMap(([name, value]): [string, string][] =>
		value === null
			? []
			: [[name, value === 'the new one' ? fresh : value === 'the one before' ? leaked : String(value)]],
	);
	return Object.fromEntries(given);
}

async function restart(variables: Record<string, string>): Promise<void> {
	await service.local.stop();
	service = await startTestService({ ...FEW_ADDRESSES, ...variables }, service.stateDirectory, {}, { pages: true });
}

beforeAll(async () => {
	service = await startTestService(FEW_ADDRESSES, undefined, {}, { pages: true });
	leaked = service.local.secrets.SEAL_KEY;
	partner = await createPartner(service, { name: 'Honest' });
	robbed = await createPartner(service, { name: 'Robbed' });
	honest = await new CabinetVisitor(service).enter(partner.id);
	attacker = await new CabinetVisitor(service).enter(robbed.id);
	await service.operator('partner/update', { id: partner.id, payoutAsset: 'ETH', payoutAddress: HONEST });
	await honest.invited(partner.id);
	orders = {
		open: (await create(service, partner)).data,
		done: (await create(service, partner)).data,
		moved: (await create(service, partner)).data,
		unsealed: (await create(service, partner)).data,
		redirected: (await create(service, robbed)).data,
	};
	await service.operator('sandbox/deposit', { orders: [orders.done.id] });
	await untilStatus(service, partner, orders.done, 'DONE');
	await service.local.runScheduled();
	await attack();
	await restart(await planned());
});
afterAll(async () => {
	await service?.local.stop();
	if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
});

it('what the leaked key has sealed counts for nothing from the first step on, and new orders are made and paid', async () => {
	expect([await codeOf(partner, orders.open), await codeOf(robbed, orders.redirected)]).toEqual([99, 99]);
	const visitor = new CabinetVisitor(service, attacker.passkey);
	expect((await visitor.signIn({ origin: cabinetUrl(service) })).location).not.toBe('/cabinet');
	expect(await refused('earnings/pay-out', { partner: robbed.id })).toContain('no valid seal');
	const { data } = await create(service, partner);
	await service.operator('sandbox/deposit', { orders: [data.id] });
	await untilStatus(service, partner, data, 'DONE');
});

it('the ordinary reseal refuses, and so does the one for leaks before a key is named as leaked', async () => {
	expect(await refused('keys/reseal')).toContain('would make genuine what was forged; run `keys reseal --leaked`');
	const { next } = await service.operator<{ next: string }>('keys/show');
	expect(next).toBe('run keys plan SEAL_KEY --leaked');
	const waiting = await service.operator<{ subject: string; todo: string }[]>('attention');
	expect(waiting.find(({ subject }) => subject === 'SEAL_KEY_LEAKED')?.todo).toContain('keys plan SEAL_KEY --leaked');
});

it('the other secrets have the plans that their runbook names', async () => {
	const other = await createPartner(service, { name: 'Other' });
	const { step, elsewhere, end } = followRunbook('A secret has leaked', () => service);
	await step('keys plan SECRETS_KEY --leaked');
	await step('keys plan OPERATOR_TOKEN --leaked');
	await step('audit list');
	await step('partner replace-secret PARTNER apiSecret', { PARTNER: other.id });
	await elsewhere('wrangler secret put NODE_URL_NETWORK -c src/agents/wrangler.toml');
	await end();
});

it('a leaked OPERATOR_TOKEN is replaced without a time in which both are valid', async () => {
	const { steps } = await service.operator<{ steps: string[] }>('keys/plan', { name: 'OPERATOR_TOKEN', leaked: true });
	expect(steps).toContain('write into the file new.json: {"OPERATOR_TOKEN":"the new one","OPERATOR_TOKEN_NEXT":null}');
	expect(steps.join('\n')).toMatch(/the one before is invalid now[\s\S]*audit list/);
});

it('passkeys, invitations and free addresses are dropped, the planted ones too; payout addresses need a person’s word', async () => {
	const printed = await runbook.step('keys reseal --leaked');
	expect(printed).toMatch(/passkeys +2\n/);
	expect(printed).toMatch(/payoutAddresses +2\n/);
	expect(printed).toMatch(/invitations +[1-9]\d*\n/);
	resealed = await service.operator<Resealed>('keys/reseal', { leaked: true });
	expect(await service.sql('SELECT id FROM cabinet_passkeys')).toEqual([]);
	expect(await service.sql('SELECT id FROM cabinet_sessions')).toEqual([]);
	expect(await service.sql('SELECT hash FROM cabinet_invitations')).toEqual([]);
	expect(await service.sql('SELECT id FROM partners WHERE payout_seal IS NOT NULL')).toEqual([]);
	const next = resealed.partners.filter(({ partner: id }) => id === robbed.id).map((one) => one.next);
	expect(next).toContainEqual(expect.stringContaining(`--payout-address ${ATTACKER}`));
});

it('a payout address that a person confirms waits 24 hours from then on', async () => {
	await runbook.step('partner update PARTNER --payout-asset ASSET --payout-address ADDRESS', {
		PARTNER: partner.id,
		ASSET: 'ETH',
		ADDRESS: HONEST,
	});
	expect(await refused('earnings/pay-out', { partner: partner.id })).toContain('it can be used from');
});

it('an order that the signer knows better, or that not even the leaked key has sealed, is never sealed again', async () => {
	const why = Object.fromEntries(resealed.doubts.map((doubt) => [doubt.id, doubt.why]));
	expect(why).toEqual({
		[orders.moved.id]: 'the signer derives another pay-in address for it',
		[orders.unsealed.id]: expect.stringContaining('not even the leaked key'),
	});
});

it('who compares the list sees the recipient that the attacker has put into an order', async () => {
	const csv = await runbook.step('keys left --partner PARTNER --format csv', { PARTNER: robbed.id });
	const [, ...rows] = csv.trimEnd().split('\r\n');
	expect(rows).toEqual([expect.stringMatching(new RegExp(`${orders.redirected.id}.*${ATTACKER}`))]);
});

it('a list that was changed after it was read is not sealed: its digest is another one', async () => {
	const { digest, rows, open } = listOf('Honest');
	expect([rows, open]).toEqual([2, 1]);
	await change(orders.open, 'to_address', ATTACKER);
	const answer = await refused('keys/confirm', { digests: [digest], reason: 'compared' });
	expect(answer).toContain('nothing was sealed');
	expect(await codeOf(partner, orders.open)).toBe(99);
	await change(orders.open, 'to_address', orders.open.to.address);
});

it('a confirmed list is sealed, and its orders are shown and paid; the list that nobody confirmed stays closed', async () => {
	const books = resealed.lists.filter(({ what }) => what === 'ledger pieces').map(({ digest }) => digest);
	const digests = [listOf('Honest').digest, ...books];
	await runbook.step('keys confirm DIGEST --reason R', { DIGEST: digests });
	expect((await readOrder(service, partner, orders.done)).status).toBe('DONE');
	await service.operator('sandbox/deposit', { orders: [orders.open.id] });
	await untilStatus(service, partner, orders.open, 'DONE');
	expect(await codeOf(robbed, orders.redirected)).toBe(99);
	expect(await codeOf(partner, orders.moved)).toBe(99);
	const again = await service.operator<Resealed>('keys/reseal', { leaked: true });
	expect(again.lists.map(({ partner: name, what }) => [name, what])).toEqual([['Robbed', 'orders']]);
	expect(again.dropped).toMatchObject({ passkeys: 0, payoutAddresses: 0, freeAddresses: 0 });
});

it('without the leaked key nothing of it has come back, and the books agree', async () => {
	await runbook.step('keys plan SEAL_KEY --leaked');
	await runbook.end();
	await restart({ SEAL_KEY: fresh, SEAL_KEY_NUMBER: '2' });
	expect([await codeOf(partner, orders.open), await codeOf(robbed, orders.redirected)]).toEqual([0, 99]);
	const { differences, kept } = await service.operator<{ differences: number; kept: unknown[] }>('ledger/check');
	expect([differences, kept]).toEqual([0, []]);
	const visitor = await new CabinetVisitor(service).enter(partner.id);
	expect((await visitor.get('/cabinet')).status).toBe(200);
});

it('after a leak of SECRETS_KEY no secret of it opens, and each partner gets new ones', async () => {
	await restart({
		SEAL_KEY: fresh,
		SEAL_KEY_NUMBER: '2',
		SECRETS_KEY: fresh,
		SECRETS_KEY_NUMBER: '2',
		SECRETS_KEY_LEAKED: service.local.secrets.SECRETS_KEY,
	});
	expect(await codeOf(partner, orders.open)).not.toBe(0);
	expect(await refused('keys/reseal')).toContain('SECRETS_KEY leaked');
	const { partners, next } = await service.operator<Resealed>('keys/reseal', { leaked: true });
	expect(partners.map(({ partner: id }) => id)).toEqual(expect.arrayContaining([partner.id, robbed.id]));
	expect(next).toBe('give the partners that are named new secrets');
	const replaced: Record<string, string> = {};
	for (const secret of ['apiSecret', 'webhookSecret'])
		Object.assign(replaced, await service.operator('partner/replace-secret', { id: partner.id, secret }));
	expect(await codeOf({ ...partner, apiSecret: String(replaced['apiSecret']) }, orders.open)).toBe(0);
	const again = await service.operator<Resealed>('keys/reseal', { leaked: true });
	expect(again.partners.map(({ partner: id }) => id)).not.toContain(partner.id);
});

const ORDER_TERMS = `select id, partner_id as partnerId, from_asset as fromAsset, to_asset as toAsset,
	to_address as toAddress, refund_address as refundAddress, pay_in_address as payInAddress, pay_in_index as payInIndex,
	base_fee_bps as baseFeeBps, lean_bps as leanBps, afftax_bps as afftaxBps,
	from_amount as fromAmount, min_to_amount as minToAmount, created_at as createdAt from orders where id = ?`;
