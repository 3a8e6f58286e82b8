/**
 * The co-signer as a process of its own, over a wire that cuts and loses answers, with Tron on the stand-in for a full node
 * (test/support/tron-stand-in.ts): each payment from the hot wallet has both signatures, and is made once.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuardEnv, guard } from '../../src/local/guard.ts';
import { judgeKeyLines } from '../../src/local/judge-keys.ts';
import { freePort } from '../../src/local/ports.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { paidTo, type ShownPayout } from '../support/earnings.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { fair, type HouseProcess, startHouseProcess, startWire, type Wire } from '../support/signers-house.ts';
import { startTickerServer, type TickerServer } from '../support/ticker-server.ts';
import { hash20 } from '../support/tron-abi.ts';
import { readSigned } from '../support/tron-protobuf.ts';
import { startTronStandIn, type TronStandIn } from '../support/tron-stand-in.ts';

const TRX = 1_000_000n;
const SOLID = 19;
const WAIT_MILLISECONDS = 120_000;
const RECIPIENT = 'TV2WNCetEM7AKm8u4VoM4hkXpPxWmTMtjQ';
const PARTNER = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const REFUND = 'TNTaxKbS6KAfbWnZobDhBThTxnvq34yxZo';
const SIGNER_SEED = `${'abandon '.repeat(11)}about`;
const COSIGNER_SEED = `${'zoo '.repeat(11)}wrong`;
const SHARED = { SEAL_KEY: 's'.repeat(43), DEPLOYMENT: 'test' };
const BOTH = { COSIGNER_KEY: 'c'.repeat(43), COSIGNED: 'Tron' };

const keyOf = async (seed: string): Promise<Record<string, string>> => {
	const lines = await judgeKeyLines({ SEED: seed });
	const [line = ''] = lines.filter((each) => each.startsWith('OTHER_JUDGE_TRON='));
	return { OTHER_JUDGE_TRON: line.slice(line.indexOf('=') + 1) };
};

describe.skipIf(!isInstalled('anvil'))('a network that two judges sign', { timeout: 3 * WAIT_MILLISECONDS }, () => {
	let tron: TronStandIn;
	let tickers: TickerServer;
	let service: TestService;
	let cosigner: HouseProcess;
	let startCosigner: () => Promise<HouseProcess>;
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
		const own = { ...SHARED, ...BOTH, ...chain, ...prices, ...caps, ...(await keyOf(SIGNER_SEED)) };
		const state = folder();
		startCosigner = () => startHouseProcess(state, { ...own, SEED: COSIGNER_SEED, PORT: String(port) }, 'cosigner');
		cosigner = await startCosigner();
		wire = await startWire(`http://127.0.0.1:${port}/`);
		signer = { ...BOTH, ...caps, ...(await keyOf(COSIGNER_SEED)), COSIGNER_URL: wire.url, SEED: SIGNER_SEED };
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
	async function whileBlocksCome(run: () => Promise<void>): Promise<void> {
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

	it('has sent nothing from the hot wallet that one judge signed', () => {
		expect(new Set(signersOf().map((each) => JSON.stringify(each)))).toEqual(
			new Set([JSON.stringify({ signers: 2, permissionId: 2 })]),
		);
	});
});
