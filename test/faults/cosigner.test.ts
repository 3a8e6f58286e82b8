/**
 * The co-signer as a process of its own, over a wire that cuts and loses answers, with Tron on the stand-in for a full node
 * (test/support/tron-stand-in.ts): each payment from the hot wallet has both signatures, and is made once.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuardEnv, guard } from '../../src/local/guard.ts';
import { judgeKeyLines } from '../../src/local/judge-keys.ts';
import { freePort } from '../../src/local/ports.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import type { AskedPersons, Confirmation } from '../../src/ports/persons.ts';
import { Authenticator } from '../support/authenticator.ts';
import { signedBy } from '../support/confirmation.ts';
import { paidTo, type ShownPayout } from '../support/earnings.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { fair, type HouseProcess, startHouseProcess, startWire, type Wire } from '../support/signers-house.ts';
import { startTickerServer, type TickerServer } from '../support/ticker-server.ts';
import { addressOf, hash20 } from '../support/tron-abi.ts';
import { readSigned } from '../support/tron-protobuf.ts';
import { startTronStandIn, type TronStandIn } from '../support/tron-stand-in.ts';

const TRX = 1_000_000n;
const SOLID = 19;
const WAIT_MILLISECONDS = 120_000;
const RECIPIENT = 'TV2WNCetEM7AKm8u4VoM4hkXpPxWmTMtjQ';
const PARTNER = addressOf('ee'.repeat(20));
const REFUND = 'TNTaxKbS6KAfbWnZobDhBThTxnvq34yxZo';
const SIGNER_SEED = `${'abandon '.repeat(11)}about`;
const COSIGNER_SEED = `${'zoo '.repeat(11)}wrong`;
const SHARED = { SEAL_KEY: 's'.repeat(43), DEPLOYMENT: 'test' };
const BOTH = { COSIGNER_KEY: 'c'.repeat(43), COSIGNED: 'Tron' };

const COLD = addressOf('d1'.repeat(20));
const CONSOLE = 'https://swap.example';
/** Both judges know the passkeys of Ann; of the other person the signer alone does. */
const [ann, other] = [new Authenticator(CONSOLE), new Authenticator(CONSOLE)];
const entry = (person: string, { id, publicKey }: Authenticator) => `${person}=${CONSOLE} ${id} ${publicKey}`;
const PERSONS = { WITHDRAW_TO_TRON: `cold=${COLD}`, OPERATOR_PASSKEYS: entry('ann', ann) };

interface Answered {
	readonly ok: boolean;
	readonly error?: string;
	readonly asks?: AskedPersons;
}

const keyOf = async (seed: string): Promise<Record<string, string>> => {
	const lines = await judgeKeyLines({ SEED: seed, NODE_CHAIN_TRON: 'regtest' });
	const [line = ''] = lines.filter((each) => each.startsWith('OTHER_JUDGE_TRON='));
	return { OTHER_JUDGE_TRON: line.slice(line.indexOf('=') + 1) };
};

describe.skipIf(!isInstalled('anvil'))('a network that two judges sign', { timeout: 3 * WAIT_MILLISECONDS }, () => {
	let tron: TronStandIn;
	let tickers: TickerServer;
	let service: TestService;
	let cosigner: HouseProcess;
	let startCosigner: (at?: { readonly state?: string; readonly port?: number }) => Promise<HouseProcess>;
	let state: string;
	let wire: Wire;
	let partner: Credentials;
	let hot: string;
	let signer: Record<string, string>;
	const folders: string[] = [];
	const folder = (): string => {
		const made = mkdtempSync(join(tmpdir(), 'cosigner-'));
		folders.push(made);
		return made;
	};

	beforeAll(async () => {
		tron = await startTronStandIn();
		await tron.mine(30);
		tickers = await startTickerServer({ TRX: '0.3', USDT: '1', ETH: '3000' });
		const chain = { NODE_URL_TRON: tron.url, NODE_CHAIN_TRON: 'regtest', NODE_POLL_SECONDS_TRON: '1' };
		const prices = { PRICES: 'public', PRICE_SOURCE_URLS: JSON.stringify(tickers.baseUrls) };
		const caps = { SIGNER_DAILY_CAP_USD: '100000' };
		const port = await freePort();
		const own = { ...SHARED, ...BOTH, ...PERSONS, ...chain, ...prices, ...caps, ...(await keyOf(SIGNER_SEED)) };
		state = folder();
		startCosigner = (at = {}) =>
			startHouseProcess(at.state ?? state, { ...own, SEED: COSIGNER_SEED, PORT: String(at.port ?? port) }, 'cosigner');
		cosigner = await startCosigner();
		wire = await startWire(`http://127.0.0.1:${port}/`);
		const persons = { ...PERSONS, OPERATOR_PASSKEYS: `${PERSONS.OPERATOR_PASSKEYS}, ${entry('ben', other)}` };
		const theirs = await keyOf(COSIGNER_SEED);
		signer = { ...BOTH, ...persons, ...caps, ...theirs, COSIGNER_URL: wire.url, SEED: SIGNER_SEED };
		service = await startTestService({ ...SHARED, ...chain, ...prices }, folder(), signer);
		hot = await service.hotAddress('Tron');
		await tron.setBalance(hot, 5_000n * TRX);
		await tron.issue(hot, 50_000n * TRX);
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	}, 3 * WAIT_MILLISECONDS);
	afterAll(async () => {
		await service?.local.stop();
		await cosigner?.kill();
		await Promise.all([wire?.stop(), tickers?.close(), tron?.stop()]);
		for (const each of folders) rmSync(each, { recursive: true, force: true });
	});

	const ordered = { fromCcy: 'TRX', toCcy: 'USDTTRC20', amount: '1000', toAddress: RECIPIENT, refundAddress: REFUND };
	/** Pays a new order, until its deposit is final. */
	async function paid(by = partner, terms = ordered): Promise<CreatedOrder> {
		const { data, text } = await eventually(
			'an order',
			async () => {
				const answer = await create(service, by, terms);
				return answer.code === 0 && answer;
			},
			WAIT_MILLISECONDS,
		);
		expect(data?.id, text).toBeTruthy();
		await tron.pay(data.from.address, 1_000n * TRX);
		await tron.mine(1 + SOLID);
		return data;
	}
	/** Blocks come until the order is done; its recipient got one payment. */
	async function done(order: CreatedOrder): Promise<void> {
		const before = await tron.tokenBalanceOf(RECIPIENT);
		await whileBlocksCome(async () => {
			const { to } = await untilStatus(service, partner, order, 'DONE', WAIT_MILLISECONDS);
			const owed = before + toBaseUnits(String(to.tx.amount), 6);
			await eventually('the payments', async () => (await tron.tokenBalanceOf(RECIPIENT)) >= owed, WAIT_MILLISECONDS);
			await tron.mine(SOLID);
			expect(await tron.tokenBalanceOf(RECIPIENT)).toBe(owed);
		});
	}
	async function whileBlocksCome(run: () => Promise<unknown>): Promise<void> {
		const mining = setInterval(() => void tron.mine(1), 1_000);
		await run().finally(() => clearInterval(mining));
	}
	/** Who signed the transactions that the nodes were sent from the hot wallet. */
	const signersOf = () =>
		tron.calls
			.filter(({ path }) => path === '/wallet/broadcasthex')
			.map(({ body }) => readSigned(String(body['transaction'])))
			.filter(({ owner, kind }) => owner === hash20(hot) && kind !== 'AccountPermissionUpdateContract')
			.map(({ signers, permissionId }) => ({ signers: new Set(signers).size, permissionId }));
	const attention = async () =>
		(await service.operator<{ cause: string; todo: string }[]>('attention')).map(({ cause }) => cause).join('\n');

	it('pays nothing before the account needs both, and says so; the guard asks both judges, and then sends the update', async () => {
		const order = await paid();
		await eventually(
			'the payment to wait',
			async () => (await attention()).includes('does not need both keys'),
			WAIT_MILLISECONDS,
		);
		const said: string[] = [];
		const env = { ...SHARED, ...signer, NODE_URL_TRON: tron.url, NODE_CHAIN_TRON: 'regtest' } as GuardEnv;
		await expect(guard({ ...env, COSIGNER_KEY: 'x'.repeat(43) }, true, () => undefined)).rejects.toThrow('wrong-key');
		await guard(env, true, (line) => said.push(line));
		expect(said.at(-1)).toBe('the node says: the account needs both');
		await done(order);
		expect(signersOf().length).toBeGreaterThan(0);
	});

	it('waits while the co-signer is away, and says so; whatever is cut, lost or killed between the two journals, it pays once', async () => {
		let calls = 0;
		// The first call is cut. The second one is signed, and its answer is lost with the co-signer.
		const killed = Promise.withResolvers<void>();
		wire.mishap = async (call, send) => {
			if (!call.body.includes('"call":"sign"')) return send(call);
			calls += 1;
			if (calls === 1) return null;
			await send(call);
			killed.resolve();
			return null;
		};
		const order = await paid();
		await killed.promise;
		await cosigner.kill();
		const cause = 'the co-signer: unreachable';
		await eventually('it to be said', async () => (await attention()).includes(cause), WAIT_MILLISECONDS);
		type Checks = { readonly checks: readonly { readonly what: string; readonly ok: boolean }[] };
		const { checks } = await service.operator<Checks>('network/check', { name: 'Tron' });
		expect(checks.find(({ what }) => what === 'co-signer')?.ok).toBe(false);
		wire.mishap = fair;
		cosigner = await startCosigner();
		await done(order);
		const { checks: again } = await service.operator<Checks>('network/check', { name: 'Tron' });
		const found = again.filter(({ what }) => what.includes('both judges'));
		expect(found.map(({ ok }) => ok)).toEqual([true, true]);
	});

	it('pays a partner for orders whose payouts the signer signed alone, once the co-signer has judged those for itself', async () => {
		const earning = await createPartner(service, { afftaxBps: 200, weightPerMinute: 1_000_000 });
		await paidTo(service, earning, PARTNER, { asset: 'TRX' });
		const toEthereum = { ...ordered, toCcy: 'ETH', toAddress: `0x${'ab'.repeat(20)}` };
		const order = await paid(earning, toEthereum);
		await untilStatus(service, earning, order, 'DONE', WAIT_MILLISECONDS);
		const { amount } = await service.operator<ShownPayout>('earnings/pay-out', { partner: earning.id });
		const owed = toBaseUnits(amount, 6);
		// 2 % of 1000 TRX; the payout's network fee is on top of it.
		expect(owed).toBeGreaterThan(19n * TRX);
		await whileBlocksCome(async () => {
			await eventually('the payment', async () => (await tron.balanceOf(PARTNER)) === owed, WAIT_MILLISECONDS);
		});
	});

	/** With the operator's token alone. */
	async function operate(command: string, input: object): Promise<Answered> {
		const response = await fetch(`${service.url}/operator/v1/${command}`, {
			method: 'POST',
			headers: { authorization: `Bearer ${service.local.secrets.OPERATOR_TOKEN}` },
			body: JSON.stringify(input),
		});
		return (await response.json()) as Answered;
	}
	async function asksOf(command: string, input: object): Promise<AskedPersons> {
		const { asks, error } = await operate(command, input);
		if (!asks) throw new Error(`nobody is asked: ${error}`);
		return asks;
	}
	/** Confirmed by Ann, whom both know. */
	const confirmed = async (command: string, input: object): Promise<Answered> =>
		operate(command, { ...input, _confirmation: signedBy((await asksOf(command, input)).asked, [ann]) });
	/** The payment of an order, once it waits for a signature. */
	const payoutOf = ({ id }: CreatedOrder) =>
		eventually(
			'the payment to be planned',
			async () => {
				const rows = await service.sql<{ id: string }>(`SELECT id FROM transactions WHERE order_id = '${id}'`);
				return rows[0]?.id;
			},
			WAIT_MILLISECONDS,
		);

	const withdrawal = (amount: string) => ({ asset: 'TRX', amount, to: 'cold' });
	const wrong: readonly [string, (asks: AskedPersons) => Confirmation | Promise<Confirmation>][] = [
		['by a passkey that the co-signer lacks', ({ asked }) => signedBy(asked, [other])],
		[
			'for another request',
			async ({ asked }) => ({ ...signedBy((await asksOf('treasury/withdraw', withdrawal('7'))).asked, [ann]), asked }),
		],
	];

	it.each(wrong)('plans and signs no withdrawal that is confirmed %s', async (_, confirmationOf) => {
		const asks = await asksOf('treasury/withdraw', withdrawal('20'));
		const input = { ...withdrawal('20'), _confirmation: await confirmationOf(asks) };
		expect(await operate('treasury/withdraw', input)).toMatchObject({ ok: false });
		expect(await service.sql("SELECT 1 FROM transactions WHERE kind = 'withdrawal'")).toEqual([]);
	});

	it('makes a withdrawal that a person has confirmed whom both judges know', async () => {
		const calls = wire.carried.length;
		const { ok, error } = await confirmed('treasury/withdraw', withdrawal('20'));
		expect(ok, error).toBe(true);
		await whileBlocksCome(() =>
			eventually('it to arrive', async () => (await tron.balanceOf(COLD)) === 20n * TRX, WAIT_MILLISECONDS),
		);
		const asked = wire.carried.slice(calls).map(({ body }) => (JSON.parse(body) as { call: string }).call);
		expect(asked).toEqual(expect.arrayContaining(['confirm', 'sign']));
	});

	it('gives up a payment at both judges, and none that the co-signer has signed and its answer was lost', async () => {
		const giveUp = (id: string) => confirmed('payout/give-up', { id, reason: 'the test gives it up' });
		// Its answer is lost.
		const signed = Promise.withResolvers<void>();
		wire.mishap = async (call, send) => {
			const said = await send(call);
			if (!call.body.includes('"call":"sign"')) return said;
			signed.resolve();
			return null;
		};
		const lost = await paid();
		const lostId = await payoutOf(lost);
		await signed.promise;
		expect(await giveUp(lostId)).toMatchObject({ ok: false, error: expect.stringContaining('signed') });
		wire.mishap = fair;
		await done(lost);
		// It never came there.
		wire.mishap = async (call, send) => (call.body.includes('"call":"sign"') ? null : send(call));
		const order = await paid();
		const id = await payoutOf(order);
		expect(await giveUp(id)).toMatchObject({ ok: true });
		wire.mishap = fair;
		const before = await tron.tokenBalanceOf(RECIPIENT);
		await service.operator('order/refund', { id: order.id });
		await whileBlocksCome(() =>
			eventually('the refund', async () => (await tron.balanceOf(REFUND)) > 0n, WAIT_MILLISECONDS),
		);
		expect(await tron.tokenBalanceOf(RECIPIENT)).toBe(before);
		expect((await readOrder(service, partner, order)).status).not.toBe('DONE');
	});

	it('takes no signature of a second co-signer at the address, or of a journal that was set back, until the newest one is there', async () => {
		const cause = 'another one';
		const port = await freePort();
		const second = await startCosigner({ state: folder(), port });
		const own = wire.to;
		wire.to = `http://127.0.0.1:${port}/`;
		const order = await paid();
		const refused = () =>
			eventually('it to be refused', async () => (await attention()).includes(cause), WAIT_MILLISECONDS);
		await refused();
		await second.kill();
		wire.to = own;
		await done(order);
		// The folder of before the next payment comes back after it.
		await cosigner.kill();
		const [older, newest] = [folder(), folder()];
		cpSync(state, older, { recursive: true });
		cosigner = await startCosigner();
		await done(await paid());
		await cosigner.kill();
		cpSync(state, newest, { recursive: true });
		cosigner = await startCosigner({ state: older });
		const next = await paid();
		await refused();
		await cosigner.kill();
		cosigner = await startCosigner({ state: newest });
		await done(next);
	});

	it('has sent nothing from the hot wallet that one judge signed', () => {
		expect(new Set(signersOf().map((each) => JSON.stringify(each)))).toEqual(
			new Set([JSON.stringify({ signers: 2, permissionId: 2 })]),
		);
	});
});
