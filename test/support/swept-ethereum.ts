/**
 * Ethereum on anvil, for tests of sweeps and of the gas for them, with one partner whose customers pay 300 USDT. The
 * payouts are the sandbox's. Blocks come only where a test asks for them.
 */
import { rmSync } from 'node:fs';
import { expect } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { type Anvil, fill, type Relay, startAnvil, startRelay } from './anvil.ts';
import { type CreatedOrder, create, LTC_REFUND, untilStatus } from './orders.ts';
import { createPartner } from './partner.ts';
import { eventually, POLL_MILLISECONDS, startTestService, type TestService } from './service.ts';
import { call, callData, installTokens, tokenBalance } from './tokens.ts';

export const PATIENCE_MILLISECONDS = 120_000;
/** Base units of what each order is paid. */
export const AMOUNT = toBaseUnits('300', 6);
/** Anvil calls a block final that has two such epochs above it: as it comes, that is 64 blocks. */
export const SLOTS = 8;
/** Deep enough for every amount. */
export const DEEP = 40;
/** Blocks that come from one probe to the next: as many as make final what was sent before it. A poll costs far more than a block. */
export const PACE = 20;
export const HOUR = 3_600_000;
export const TOKEN_CONTRACT = String(assetOf('USDTERC20').contract);

type Probe<T> = () => Promise<T | null | undefined | false>;

export interface SweptEthereum {
	readonly anvil: Anvil;
	/** Between the API Worker and anvil; also the signer's where `signerApart` is not asked for. */
	readonly relay: Relay;
	readonly signerRelay: Relay;
	readonly service: TestService;
	/** The hot wallet's address. */
	readonly hot: string;
	readonly payer: string;
	/** `more`: terms other than those of 300 USDT to Litecoin. */
	newOrder(more?: Readonly<Record<string, string>>): Promise<CreatedOrder>;
	/** Pays it. The payout is sent, and no sweep is final yet. */
	pay(order: CreatedOrder): Promise<void>;
	/** As `eventually`; while it waits, blocks come. */
	onAndOn<T>(what: string, probe: Probe<T>, blocks?: number): Promise<T>;
	/** Everything of the order's address is judged at the next poll, which comes at once where a move of it is open. */
	wake(order: CreatedOrder): Promise<void>;
	/**
	 * As if so much time had passed since the moves of the address's token were final. Not those of its coin: what a sweep
	 * brought to the hot wallet in a time that has been added up already would count as reserve.
	 */
	age(order: CreatedOrder, milliseconds: number): Promise<unknown>;
	/** Of the token, at the order's address. */
	held(order: CreatedOrder): Promise<bigint>;
	/** Of coin and token, or of those that are named. */
	expectExactBooks(...assets: readonly AssetId[]): Promise<void>;
	stop(): Promise<void>;
}

/** `signerApart`: the signer reaches anvil through a relay of its own. `variables`: of both Workers. */
export async function startSweptEthereum({
	signerApart = false,
	variables = {},
}: {
	readonly signerApart?: boolean;
	readonly variables?: Readonly<Record<string, string>>;
} = {}): Promise<SweptEthereum> {
	const anvil = await startAnvil({ chainId: TEST_CHAIN_ID, automine: false, slotsInAnEpoch: SLOTS });
	await installTokens(anvil, 'Ethereum');
	const relay = await startRelay(anvil.url);
	const signerRelay = signerApart ? await startRelay(anvil.url) : relay;
	const service = await startTestService(
		{ NODE_URL_ETHEREUM: relay.url, NODE_POLL_SECONDS_ETHEREUM: '1', ...variables },
		undefined,
		{ NODE_URL_ETHEREUM: signerRelay.url },
	);
	const partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	const hot = await service.hotAddress('Ethereum');
	const payer = await fill(anvil, hot);

	async function created(more: Readonly<Record<string, string>> = {}): Promise<CreatedOrder | null> {
		const usual = { fromCcy: 'USDTERC20', toCcy: 'LTC', amount: '300', toAddress: LTC_REFUND, refundAddress: payer };
		const terms = { ...usual, ...more };
		const { code, data } = await create(service, partner, terms);
		return code === 0 ? data : null;
	}

	const prepared = (statement: string, value: string) => service.database.prepare(statement).bind(value);
	const agent = service.object<{ wake(network: string): Promise<void> }>('CHAIN_AGENT', 'Ethereum');

	const onAndOn = <T>(what: string, probe: Probe<T>, blocks = PACE): Promise<T> =>
		eventually(
			what,
			async () => {
				const found = await probe();
				if (!found) await anvil.mine(blocks);
				return found;
			},
			PATIENCE_MILLISECONDS,
			POLL_MILLISECONDS,
		);

	const reserveEntries = () => service.sql('SELECT * FROM reserve_entries');
	await onAndOn('the reserve to be booked', async () => (await reserveEntries()).length > 0);
	await eventually('Ethereum to take orders', () => created(), PATIENCE_MILLISECONDS);
	return {
		anvil,
		relay,
		signerRelay,
		service,
		hot,
		payer,
		onAndOn,
		newOrder: (more) => eventually('an order', () => created(more), PATIENCE_MILLISECONDS),
		async pay(order) {
			await call(anvil, TOKEN_CONTRACT, callData.mint(order.from.address, AMOUNT));
			await anvil.mine(12);
			await untilStatus(service, partner, order, 'DONE', PATIENCE_MILLISECONDS);
		},
		async wake({ id, from }) {
			const open = "state <> 'final' AND pay_in_address = ?";
			const [, , moves] = await service.database.batch([
				prepared('UPDATE sweep_candidates SET next_attempt_at = 0 WHERE next_attempt_at > 0 AND order_id = ?', id),
				prepared(`UPDATE transactions SET next_attempt_at = 0 WHERE next_attempt_at > 0 AND ${open}`, from.address),
				prepared(`SELECT id FROM transactions WHERE ${open}`, from.address),
			]);
			if (moves?.results.length) await agent.wake('Ethereum');
		},
		age: ({ from }, milliseconds) =>
			service.sql(
				`UPDATE transactions SET final_at = final_at - ?2 WHERE pay_in_address = ?1 AND sweep_asset = 'USDTERC20'`,
				from.address,
				milliseconds,
			),
		held: ({ from }) => tokenBalance(anvil, 'USDTERC20', from.address),
		async expectExactBooks(...assets) {
			const judged: readonly string[] = assets.length > 0 ? assets : ['ETH', 'USDTERC20'];
			const { wallets } = await service.operator<{ wallets: { asset: string }[] }>('ledger/check');
			const ours = wallets.filter(({ asset }) => judged.includes(asset));
			expect(ours.map(({ asset }) => asset).sort()).toEqual(judged);
			expect(ours).toMatchObject(ours.map(({ asset }) => ({ asset, difference: '0', result: 'ok' })));
		},
		async stop() {
			await service.local.stop();
			await Promise.all([...new Set([relay, signerRelay])].map((each) => each.stop()));
			await anvil.stop();
			rmSync(service.stateDirectory, { recursive: true, force: true });
		},
	};
}
