/**
 * Solana with two judges, as processes: the service in workerd, the co-signer beside it over a wire that loses answers, and a node
 * with the real virtual machine. Deposits, payouts and sweeps go as with one judge.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { judgeKeyLines } from '../../src/local/judge-keys.ts';
import { freePort } from '../../src/local/ports.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { fair, type HouseProcess, startHouseProcess, startWire, type Wire } from '../support/signers-house.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import { placeTokens, type SolanaWallet, SYSTEM_PROGRAM, solanaWallet, tokensOf } from '../support/solana-wallet.ts';
import { startTickerServer, type TickerServer } from '../support/ticker-server.ts';

const COIN = 1_000_000_000n;
const USDT = assetOf('USDTSOL').contract ?? '';
const TOKENS = 1_000_000_000_000n;
const WAIT_MILLISECONDS = 90_000;
/** Slots after which no block can hold what was drafted before. */
const DEAD = 400;
const SIGNER_SEED = `${'abandon '.repeat(11)}about`;
const COSIGNER_SEED = `${'zoo '.repeat(11)}wrong`;
const SHARED = { SEAL_KEY: 's'.repeat(43), DEPLOYMENT: 'test' };
const BOTH = { COSIGNER_KEY: 'c'.repeat(43), COSIGNED: 'Solana' };

const keyOf = async (seed: string): Promise<Record<string, string>> => {
	const lines = await judgeKeyLines({ SEED: seed, COSIGNED: 'Solana' });
	const [line = ''] = lines.filter((each) => each.startsWith('OTHER_JUDGE_SOLANA='));
	return { OTHER_JUDGE_SOLANA: line.slice(line.indexOf('=') + 1) };
};

describe('Solana with two judges', { timeout: 2 * WAIT_MILLISECONDS }, () => {
	let node: SolanaNode;
	let tickers: TickerServer;
	let service: TestService;
	let cosigner: HouseProcess;
	let wire: Wire;
	let partner: Credentials;
	let customer: SolanaWallet;
	let variables: Record<string, string>;
	let signerVariables: Record<string, string>;
	const folders: string[] = [];
	const folder = (): string => {
		const made = mkdtempSync(join(tmpdir(), 'solana-cosigner-'));
		folders.push(made);
		return made;
	};

	beforeAll(async () => {
		node = await startSolanaNode({ slotMilliseconds: 200, finalizedAfter: 8 });
		tickers = await startTickerServer({ SOL: '200', USDT: '1', USDC: '1' });
		const chain = { NODE_URL_SOLANA: node.url, NODE_CHAIN_SOLANA: 'regtest', NODE_POLL_SECONDS_SOLANA: '1' };
		const prices = { PRICES: 'public', PRICE_SOURCE_URLS: JSON.stringify(tickers.baseUrls) };
		const caps = { SIGNER_DAILY_CAP_USD: '100000' };
		const port = await freePort();
		const own = { ...SHARED, ...BOTH, ...chain, ...prices, ...caps, ...(await keyOf(SIGNER_SEED)) };
		cosigner = await startHouseProcess(folder(), { ...own, SEED: COSIGNER_SEED, PORT: String(port) }, 'cosigner');
		wire = await startWire(`http://127.0.0.1:${port}/`);
		variables = { ...SHARED, ...chain, ...prices };
		signerVariables = { ...BOTH, ...caps, ...(await keyOf(COSIGNER_SEED)), COSIGNER_URL: wire.url, SEED: SIGNER_SEED };
		service = await startTestService(variables, folder(), signerVariables);
		const hot = await service.hotAddress('Solana');
		node.place(hot, { owner: SYSTEM_PROGRAM, lamports: 1_000n * COIN });
		node.placeMint(USDT, 6, hot);
		await placeTokens(node, USDT, hot, TOKENS);
		customer = await solanaWallet(node, 1_000n * COIN);
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	}, 2 * WAIT_MILLISECONDS);
	afterAll(async () => {
		await service?.local.stop();
		await cosigner?.kill();
		await Promise.all([wire?.stop(), tickers?.close(), node?.stop()]);
		for (const each of folders) rmSync(each, { recursive: true, force: true });
	});

	async function ordered(): Promise<{ readonly order: CreatedOrder; readonly recipient: SolanaWallet }> {
		const recipient = await solanaWallet(node, COIN);
		const terms = { fromCcy: 'SOL', toCcy: 'USDTSOL', amount: '1.5' };
		const more = { toAddress: recipient.address, refundAddress: customer.address };
		const { data: order } = await eventually(
			'an order',
			async () => {
				const answer = await create(service, partner, { ...terms, ...more });
				return answer.code === 0 && answer;
			},
			WAIT_MILLISECONDS,
		);
		return { order, recipient };
	}
	const pay = ({ order }: Awaited<ReturnType<typeof ordered>>) =>
		customer.pay(order.from.address, toBaseUnits('1.5', 9));
	/** A new order, which is paid. */
	async function paid(): ReturnType<typeof ordered> {
		const swap = await ordered();
		await pay(swap);
		return swap;
	}
	/** What waits is tried again at once. */
	const again = ({ order }: Awaited<ReturnType<typeof ordered>>) =>
		service.sql('UPDATE transactions SET next_attempt_at = 0 WHERE order_id = ?', order.id);
	async function restart(signer: Record<string, string>): Promise<void> {
		await service.local.stop();
		service = await startTestService(variables, service.stateDirectory, signer);
	}
	/** The recipient has got what the order says, once. */
	async function done({ order, recipient }: Awaited<ReturnType<typeof paid>>): Promise<void> {
		const { to } = await untilStatus(service, partner, order, 'DONE', WAIT_MILLISECONDS);
		const owed = toBaseUnits(String(to.tx.amount), 6);
		const held = () => tokensOf(node, USDT, recipient.address);
		await eventually('the payment', async () => (await held()) >= owed, WAIT_MILLISECONDS);
		node.advance(DEAD);
		expect(await held()).toBe(owed);
	}

	it('pays for a deposit of SOL, and brings the deposit home; both judges have signed each', async () => {
		const swap = await paid();
		await done(swap);
		await eventually('the sweep', async () => node.accountOf(swap.order.from.address) === null, WAIT_MILLISECONDS);
	});

	it('pays once, though the answer of the co-signer was lost: with another draft, after the first one', async () => {
		const lost = Promise.withResolvers<void>();
		let calls = 0;
		wire.mishap = async (call, send) => {
			const answer = await send(call);
			// The payout is claimed with its order, which a sweep is not.
			if (!call.body.includes('"call":"sign"') || !call.body.includes('"kind":"payout"')) return answer;
			calls += 1;
			if (calls > 1) return answer;
			lost.resolve();
			return null;
		};
		const swap = await paid();
		await lost.promise;
		node.advance(DEAD);
		await eventually(
			'another draft',
			async () => {
				await again(swap);
				return (await readOrder(service, partner, swap.order)).status === 'DONE';
			},
			WAIT_MILLISECONDS,
		);
		await done(swap);
		wire.mishap = fair;
		expect(calls).toBeGreaterThan(1);
	});

	it('rests while COSIGNED makes another hot wallet than before, which is named, and goes on once it is as it was', async () => {
		const swap = await ordered();
		const was = await service.hotAddress('Solana');
		const { COSIGNED: _, ...alone } = signerVariables;
		await restart(alone);
		await pay(swap);
		const named = `the hot wallet of Solana was ${was}, and by `;
		await eventually(
			'a payout that rests',
			async () => {
				await again(swap);
				const rows = await service.operator<{ cause: string }[]>('attention');
				return rows.some(({ cause }) => cause.includes(named));
			},
			WAIT_MILLISECONDS,
		);
		type Checks = { readonly checks: readonly { readonly ok: boolean; readonly detail: string }[] };
		const { checks } = await service.operator<Checks>('network/check', { name: 'Solana' });
		expect(checks.filter(({ detail }) => detail.startsWith(named))).toMatchObject([{ ok: false }]);
		expect(await tokensOf(node, USDT, swap.recipient.address)).toBe(0n);

		await restart(signerVariables);
		await eventually(
			'the payment',
			async () => {
				await again(swap);
				return (await readOrder(service, partner, swap.order)).status === 'DONE';
			},
			WAIT_MILLISECONDS,
		);
		await done(swap);
	});
});
