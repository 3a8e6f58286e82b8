/**
 * Coins that move between our own wallets, against two attackers: one can write any row of D1, the other controls the
 * API Worker and calls the signer without limit. Nothing leaves our wallets, and no proof of a deposit is lost. The
 * fees that they can burn are limited by the worth of real deposits. Ethereum runs on anvil, the rest on the sandbox.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { networkNamed } from '../../src/catalog/networks.ts';
import { evmChain } from '../../src/chains/evm/family.ts';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import type { SweepQuote } from '../../src/chains/sweeping-port.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import type { Answer, Remembered } from '../../src/ports/signer.ts';
import type { SignerRefusal } from '../../src/treasury/signer-refusal.ts';
import { type Anvil, fill, type Relay, startAnvil, startRelay } from '../support/anvil.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { sealOrderAnew, sealSettlementAnew } from '../support/seals.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { call, callData, installTokens, tokenBalance } from '../support/tokens.ts';

const ATTACKER = '0x000000000000000000000000000000000000bEEF';
const PATIENCE_MILLISECONDS = 60_000;
/** A time of the next attempt at which the agents leave a row alone. */
const NEVER = 9_000_000_000_000;

interface Outcome {
	readonly payoutId: string;
	readonly signed?: { readonly raw: string; readonly txId: string; readonly amount: bigint };
	readonly refused?: SignerRefusal;
}

interface Forged {
	readonly kind: 'gas' | 'sweep';
	readonly asset: string;
	readonly sweepAsset: string;
	readonly to: string;
	readonly amount: string;
}

describe.skipIf(!isInstalled('anvil'))('coins between our own wallets', { timeout: 180_000 }, () => {
	let anvil: Anvil;
	/** Between the signer and anvil. */
	let relay: Relay;
	let service: TestService;
	let partner: Credentials;
	let hot: string;
	let payer: string;

	beforeAll(async () => {
		anvil = await startAnvil({ chainId: TEST_CHAIN_ID, automine: false });
		await installTokens(anvil, 'Ethereum');
		relay = await startRelay(anvil.url);
		const nodes = { NODE_URL_ETHEREUM: anvil.url, NODE_POLL_SECONDS_ETHEREUM: '1' };
		service = await startTestService(nodes, undefined, { NODE_URL_ETHEREUM: relay.url });
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		hot = await service.hotAddress('Ethereum');
		payer = await fill(anvil, hot);
		// On Ethereum only these tests ask the signer to sign.
		await service.operator('network/update', { name: 'Ethereum', send: false });
		await eventually('Ethereum to take orders', async () => (await newOrder('ETH')) !== null, PATIENCE_MILLISECONDS);
	}, 300_000);
	afterAll(async () => {
		await service?.local.stop();
		await relay?.stop();
		await anvil?.stop();
	});

	async function newOrder(fromCcy: 'ETH' | 'USDTERC20'): Promise<CreatedOrder | null> {
		const amount = fromCcy === 'ETH' ? '0.1' : '300';
		const terms = { fromCcy, toCcy: 'LTC', amount, toAddress: LTC_REFUND, refundAddress: payer };
		const { code, data } = await create(service, partner, terms);
		return code === 0 ? data : null;
	}

	/** An order with its deposit on the chain, with so many confirmations. */
	async function funded(fromCcy: 'ETH' | 'USDTERC20', blocks: number): Promise<CreatedOrder> {
		const order = await eventually('an order', () => newOrder(fromCcy), PATIENCE_MILLISECONDS);
		await deposit(order, fromCcy);
		await anvil.mine(1);
		await untilStatus(service, partner, order, 'PENDING', PATIENCE_MILLISECONDS);
		if (blocks > 1) await anvil.mine(blocks - 1);
		return order;
	}

	/** Orders whose payouts are sent, made side by side. */
	async function paidAtOnce(...coins: ('ETH' | 'USDTERC20')[]): Promise<CreatedOrder[]> {
		const orders = await Promise.all(coins.map((coin) => eventually('an order', () => newOrder(coin))));
		for (const [i, order] of orders.entries()) await deposit(order, coins[i] ?? 'ETH');
		await anvil.mine(12);
		await Promise.all(orders.map((order) => untilStatus(service, partner, order, 'DONE', PATIENCE_MILLISECONDS)));
		return orders;
	}

	async function deposit({ from }: CreatedOrder, coin: 'ETH' | 'USDTERC20'): Promise<void> {
		if (coin === 'ETH') {
			const value = `0x${toBaseUnits('0.1', 18).toString(16)}`;
			await anvil.rpc('eth_sendTransaction', { from: payer, to: from.address, value });
		} else {
			await call(anvil, String(assetOf('USDTERC20').contract), callData.mint(from.address, toBaseUnits('300', 6)));
		}
	}

	async function paidFor(fromCcy: 'ETH' | 'USDTERC20'): Promise<CreatedOrder> {
		const order = await funded(fromCcy, 12);
		await untilStatus(service, partner, order, 'DONE', PATIENCE_MILLISECONDS);
		return order;
	}

	/** A transaction row, written by hand. */
	async function forge(order: CreatedOrder, { kind, asset, sweepAsset, to, amount }: Forged): Promise<string> {
		const id = crypto.randomUUID();
		await service.sql('DROP INDEX IF EXISTS transactions_one_sweep');
		await service.sql(
			`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index, sweep_asset, state, planned_at, next_attempt_at)
			 SELECT ?2, ?3, 'Ethereum', ?4, ?5, ?6, 0, pay_in_address, pay_in_index, ?7, 'planned', 0, ?8 FROM orders WHERE id = ?1`,
			order.id,
			id,
			kind,
			asset,
			to,
			amount,
			sweepAsset,
			NEVER,
		);
		return id;
	}

	/** `amount`: most that may leave the address, as far as it holds the coin. */
	const sweepOf = (order: CreatedOrder, asset: string, amount = toBaseUnits('0.1', 18)) =>
		forge(order, { kind: 'sweep', asset, sweepAsset: asset, to: hot, amount: amount.toString() });

	const gasFor = (order: CreatedOrder, amount: string, to = order.from.address) =>
		forge(order, { kind: 'gas', asset: 'ETH', sweepAsset: 'USDTERC20', to, amount });

	/** Calls the signer as the API Worker would. */
	const sign = (...ids: string[]): Promise<Outcome[]> => signOn('Ethereum', ...ids);

	async function signOn(network: string, ...ids: string[]): Promise<Outcome[]> {
		const vault = service.object<{
			sign(network: string, ids: readonly string[], remembered: Remembered): Promise<Answer<Outcome[]>>;
		}>('VAULT', 'vault');
		return (await vault.sign(network, ids, { entries: 0, nextIndex: 0 })).answer;
	}

	/**
	 * A refund of an invented deposit to the order's address. Its seal is valid, so only the check on the chain can
	 * refuse it.
	 */
	async function forgeRefund(order: CreatedOrder, txId: string, position: string, amount: bigint): Promise<string> {
		const id = crypto.randomUUID();
		await service.sql('DROP INDEX IF EXISTS transactions_one_at_a_time');
		await service.sql(
			`INSERT OR REPLACE INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, payout_id, first_seen_at, last_seen_at)
			 VALUES ('Ethereum', ?1, ?2, ?3, ?4, 'ETH', ?5, 'final', ?6, 0, 0)`,
			txId,
			position,
			order.id,
			order.from.address,
			amount.toString(),
			id,
		);
		await service.sql(
			`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at, settlement_seal)
			 SELECT ?2, id, 'refund', 'Ethereum', 'ETH', refund_address, ?3, 0, 'planned', 0, ?4, '' FROM orders WHERE id = ?1`,
			order.id,
			id,
			amount.toString(),
			NEVER,
		);
		await sealSettlementAnew(service, id);
		return id;
	}

	/** The id of each transaction once, and the kind of each refusal. */
	const signedOf = (outcomes: readonly Outcome[]) => [
		...new Set(outcomes.map((each) => each.signed?.txId ?? each.refused?.kind)),
	];

	/** What a sweep of the order's deposit would bring and cost. */
	async function quoteOf(order: CreatedOrder): Promise<SweepQuote> {
		const chain = evmChain(networkNamed('Ethereum'), { urls: [anvil.url], chain: 'regtest' }, hot);
		const [quote] = (await chain.sweeping?.quote([{ address: order.from.address, asset: 'USDTERC20' }])) ?? [];
		if (!quote) throw new Error('no quote');
		return quote;
	}

	const balanceOf = async (address: string): Promise<bigint> =>
		BigInt(String(await anvil.rpc('eth_getBalance', address, 'latest')));

	/** The signer has broadcast some of them itself, to learn whether they can still confirm. */
	async function broadcast(...raws: (string | undefined)[]): Promise<void> {
		for (const raw of new Set(raws)) {
			await anvil.rpc('eth_sendRawTransaction', raw).catch((error: unknown) => {
				if (!String(error).includes('already imported')) throw error;
			});
		}
		await anvil.mine(1);
	}

	it('keeps the proof of an unpaid deposit, whatever D1 says about its order', async () => {
		const order = await funded('ETH', 1);
		await service.sql("UPDATE orders SET status = 'EXPIRED' WHERE id = ?", order.id);
		const [outcome] = await sign(await sweepOf(order, 'ETH'));
		expect(outcome).toMatchObject({ refused: { kind: 'deposit-not-paid-yet' } });
	});

	it('sends coins only to the hot wallet, and gas only to an address that lacks it', async () => {
		const order = await paidFor('USDTERC20');
		const outcomes = await sign(
			await forge(order, { kind: 'sweep', asset: 'USDTERC20', sweepAsset: 'USDTERC20', to: ATTACKER, amount: '1' }),
			await gasFor(order, '1', ATTACKER),
			await forge(order, { kind: 'sweep', asset: 'ETH', sweepAsset: 'USDTERC20', to: hot, amount: '1' }),
		);
		expect(outcomes.map(({ refused }) => refused?.kind)).toEqual(['other-recipient', 'other-recipient', 'other-asset']);
		const logged = () => service.logged('signing_refused').filter(({ kind }) => kind === 'other-recipient');
		await eventually('both in the log', async () => logged().length === 2);
	});

	it('signs one gas payment and one sweep per address, however often it is asked and under any id', async () => {
		const order = await paidFor('USDTERC20');
		const before = await balanceOf(hot);
		const [tooMuch] = await sign(await gasFor(order, toBaseUnits('1', 18).toString()));
		expect(tooMuch).toMatchObject({ refused: { kind: 'gas-too-much' } });
		const lacking = String((await quoteOf(order)).gas);
		const gas = await sign(...(await Promise.all([1, 2, 3].map(() => gasFor(order, lacking)))));
		expect(signedOf(gas)).toEqual([expect.stringMatching(/^0x/)]);
		await broadcast(...gas.map(({ signed }) => signed?.raw));

		const sweeps = await sign(...(await Promise.all([1, 2, 3].map(() => sweepOf(order, 'USDTERC20')))));
		expect(signedOf(sweeps)).toEqual([expect.stringMatching(/^0x/)]);
		expect(sweeps[0]?.signed?.amount).toBe(toBaseUnits('300', 6));
		await broadcast(...sweeps.map(({ signed }) => signed?.raw));

		// The remainder is not worth a fee.
		const [again, more] = await sign(await sweepOf(order, 'USDTERC20'), await gasFor(order, lacking));
		expect(again).toMatchObject({ refused: { kind: 'sweep-not-worth-it' } });
		expect(more).toMatchObject({ refused: { kind: 'sweep-not-worth-it' } });
		// The total cost is one transaction fee and the gas that reached the address.
		const spent = before - (await balanceOf(hot));
		expect(spent).toBeLessThan(toBaseUnits('0.001', 18));
	});

	it('returns the same transaction again when the API Worker has forgotten it', async () => {
		const order = await paidFor('ETH');
		const id = await sweepOf(order, 'ETH');
		const [first] = await sign(id);
		expect(first?.signed?.txId).toMatch(/^0x/);
		await broadcast(first?.signed?.raw);
		expect(await sign(id)).toEqual([first]);
		expect(await balanceOf(order.from.address)).toBe(0n);
	});

	it('pays once for one balance, whichever deposits are claimed for it, also on two networks at once', async () => {
		const order = await funded('ETH', 1);
		await service.operator('network/update', { name: 'Litecoin', send: false });
		await anvil.mine(24);
		const payout = await eventually('the payout to be planned', async () => {
			const [row] = await service.sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', order.id);
			return row?.id;
		});
		const { hash } = (await anvil.rpc('eth_getBlockByNumber', 'latest', false)) as { hash: string };
		await anvil.mine(24);
		const refund = await forgeRefund(order, hash, 'balance', toBaseUnits('0.1', 18));
		const [[paid], [sentBack]] = await Promise.all([signOn('Litecoin', payout), sign(refund)]);
		await service.operator('network/update', { name: 'Litecoin', send: true });
		expect([paid?.signed, sentBack?.signed].filter(Boolean)).toHaveLength(1);
		expect([paid?.refused, sentBack?.refused]).toContainEqual({ kind: 'deposits-paid-meanwhile' });
		// Now that one payout is recorded, the balance no longer proves the other deposit.
		const [again] = paid?.signed ? await sign(refund) : await signOn('Litecoin', payout);
		expect(again).toMatchObject({ refused: { kind: 'deposits-not-final' } });
	});

	it('never counts our own gas as a deposit, not even for an order that an attacker has sealed', async () => {
		const order = await paidFor('USDTERC20');
		const lacking = (await quoteOf(order)).gas;
		const [gas] = await sign(await gasFor(order, lacking.toString()));
		await broadcast(gas?.signed?.raw);
		await anvil.mine(12);
		await service.sql("UPDATE orders SET from_asset = 'ETH' WHERE id = ?", order.id);
		await sealOrderAnew(service, order.id);
		const refund = await forgeRefund(order, String(gas?.signed?.txId), 'native', lacking);
		const [outcome] = await sign(refund);
		expect(outcome).toMatchObject({ refused: { kind: 'deposits-not-final' } });
	});

	it('is not swept in many small pieces, each with a fee', async () => {
		const order = await paidFor('ETH');
		const [piece] = await sign(await sweepOf(order, 'ETH', toBaseUnits('0.033', 18)));
		expect(piece).toMatchObject({ refused: { kind: 'sweep-too-small' } });
		const [third] = await sign(await sweepOf(order, 'ETH', toBaseUnits('0.034', 18)));
		expect(third).toMatchObject({ signed: {} });
		expect(third?.signed?.amount).toBeLessThan(toBaseUnits('0.034', 18));
	});

	it('burns nothing for dust', async () => {
		const order = await paidFor('ETH');
		const [swept] = await sign(await sweepOf(order, 'ETH'));
		await broadcast(swept?.signed?.raw);
		const gasPrice = BigInt(String(await anvil.rpc('eth_gasPrice')));
		const dust = `0x${(21_000n * gasPrice * 2n).toString(16)}`;
		await anvil.rpc('eth_sendTransaction', { from: payer, to: order.from.address, value: dust });
		await anvil.mine(1);
		const [outcome] = await sign(await sweepOf(order, 'ETH'));
		expect(outcome).toMatchObject({ refused: { kind: 'sweep-not-worth-it' } });
	});

	describe('that the signer refuses for now', () => {
		const setBalance = ({ from }: CreatedOrder, wei: bigint) =>
			anvil.rpc('anvil_setBalance', from.address, `0x${wei.toString(16)}`);

		beforeAll(async () => {
			await service.sql("DELETE FROM transactions WHERE kind IN ('gas', 'sweep') AND state = 'planned'");
		});

		it('because its fee has risen since it was quoted is signed once it has fallen', async () => {
			const order = await paidFor('ETH');
			const gasPrice = BigInt(String(await anvil.rpc('eth_gasPrice')));
			await setBalance(order, 20n * 21_000n * gasPrice);
			const id = await sweepOf(order, 'ETH');
			let estimates = 0;
			relay.intercept(async ({ method, params }) => {
				if (method === 'eth_estimateGas') estimates++;
				if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest' || estimates < 2) return undefined;
				const head = (await anvil.rpc(method, ...params)) as Record<string, unknown>;
				return { result: { ...head, baseFeePerGas: `0x${(10n * gasPrice).toString(16)}` } };
			});
			expect(await sign(id)).toMatchObject([{ refused: { kind: 'sweep-fee-too-high' } }]);
			relay.intercept(() => undefined);
			const [{ signed } = {}] = await sign(id);
			await broadcast(signed?.raw);
			expect(await balanceOf(order.from.address)).toBe(0n);
		});

		it('is dropped after some refusals and planned again, and the coins arrive', async () => {
			const [piece, dust, much, enough, often] = (await paidAtOnce(
				...(['ETH', 'ETH', 'USDTERC20', 'USDTERC20', 'USDTERC20'] as const),
			)) as [CreatedOrder, CreatedOrder, CreatedOrder, CreatedOrder, CreatedOrder];
			const lacking = (await quoteOf(often)).gas;
			// Gas is used up there three times within a day.
			for (let times = 0; times < 3; times++) {
				const [gas] = await sign(await gasFor(often, lacking.toString()));
				await broadcast(gas?.signed?.raw);
				await anvil.mine(12);
				await setBalance(often, 0n);
			}
			const early = await funded('ETH', 1);
			await setBalance(dust, 1n);
			await setBalance(enough, 2n * lacking);
			await service.sql("DELETE FROM transactions WHERE kind IN ('gas', 'sweep') AND state = 'planned'");
			const refused = {
				'deposit-not-paid-yet': await sweepOf(early, 'ETH'),
				'sweep-too-small': await sweepOf(piece, 'ETH', toBaseUnits('0.033', 18)),
				'sweep-not-worth-it': await sweepOf(dust, 'ETH'),
				'gas-too-much': await gasFor(much, toBaseUnits('1', 18).toString()),
				'gas-not-needed': await gasFor(enough, '1'),
				'gas-too-often': await gasFor(often, lacking.toString()),
			};
			// The next is the fifth refusal of each.
			await service.sql(
				"UPDATE transactions SET attempts = 4, next_attempt_at = 0 WHERE kind IN ('gas', 'sweep') AND state = 'planned'",
			);
			await service.operator('network/update', { name: 'Ethereum', send: true });
			const left = (id: string) => service.sql('SELECT 1 FROM transactions WHERE id = ?', id);
			for (const [kind, id] of Object.entries(refused)) {
				await eventually(`${kind} to be dropped`, async () => (await left(id)).length === 0);
				const told = service.logged('signing_refused').filter(({ payoutId }) => payoutId === id);
				expect(told.map((each) => each['kind'])).toEqual([kind]);
			}
			// The address that was sent gas often enough has some by tomorrow, the other its coins.
			await setBalance(often, 2n * lacking);
			await setBalance(dust, toBaseUnits('0.1', 18));
			const addresses = [early, piece, dust, much, enough, often].map(({ from }) => from.address);
			await eventually(
				'all of it to be swept',
				async () => {
					await service.sql('UPDATE sweep_candidates SET next_attempt_at = 0');
					await anvil.mine(2);
					const held = await Promise.all(
						addresses.map(async (address, i) =>
							i < 3 ? balanceOf(address) : tokenBalance(anvil, 'USDTERC20', address),
						),
					);
					return held.every((amount) => amount === 0n);
				},
				PATIENCE_MILLISECONDS,
			);
		});
	});
});
