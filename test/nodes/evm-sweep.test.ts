/** Sweeps on real EVM nodes (anvil): a pay-in address is emptied into the hot wallet, accounted to the wei. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { InsufficientReserve, PaymentImpossible } from '../../src/chains/errors.ts';
import type { Chain } from '../../src/chains/port.ts';
import type { SweepQuote } from '../../src/chains/sweeping-port.ts';
import { type Anvil, strangers } from '../support/anvil.ts';
import { addressOf, COIN, type Ethereum, HOT, hexOf, signing, startEthereum } from '../support/ethereum.ts';
import { textsOf } from '../support/reservations.ts';
import { call, callData, installToken, tokenBalance } from '../support/tokens.ts';

let ethereum: Ethereum;
let anvil: Anvil;
let chain: Chain;

beforeAll(async () => {
	ethereum = await startEthereum();
	({ anvil, chain } = ethereum);
	await installToken(anvil, 'USDTERC20', { name: 'SilentToken' });
	await installToken(anvil, 'DAIERC20');
});

afterAll(() => ethereum?.stop());

beforeEach(async () => {
	await anvil.rpc('anvil_setBalance', HOT, hexOf(100n * COIN));
});

const quoteOf = async (address: string, asset: AssetId): Promise<SweepQuote> => {
	const [quote] = (await chain.sweeping?.quote([{ address, asset }])) ?? [];
	if (!quote) throw new Error('no quote');
	return quote;
};

describe('sweeping the native coin', () => {
	it('moves all but its own cost, to the wei, and leaves nothing', async () => {
		const index = ethereum.newIndex();
		const address = addressOf(index);
		await ethereum.pay(address, COIN);
		const quote = await quoteOf(address, 'ETH');
		expect(quote.amount + quote.fee).toBe(COIN);
		expect(quote.gas).toBe(0n);
		const before = await ethereum.balanceOf(HOT);
		const signed = await ethereum.sweep(index, 'ETH');
		expect(signed).toMatchObject({
			amount: quote.amount,
			fee: quote.fee,
			spends: [{ kind: 'nonce', account: address, nonce: 0 }],
		});
		await ethereum.take(signed);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ reverted: false, fee: signed.fee });
		expect((await ethereum.balanceOf(HOT)) - before).toBe(signed.amount);
		expect(await ethereum.balanceOf(address)).toBe(0n);
	});

	it('has nothing to move where the balance does not pay for it', async () => {
		const index = ethereum.newIndex();
		expect(await quoteOf(addressOf(index), 'ETH')).toEqual({ amount: 0n, fee: 0n, gas: 0n });
		await expect(ethereum.sweep(index, 'ETH')).rejects.toThrow(InsufficientReserve);
		await ethereum.pay(addressOf(index), 1_000n);
		expect(await quoteOf(addressOf(index), 'ETH')).toEqual({ amount: 0n, fee: 0n, gas: 0n });
		await expect(ethereum.sweep(index, 'ETH')).rejects.toThrow(InsufficientReserve);
	});

	it('leaves what is above the most that it may take, to the wei', async () => {
		const index = ethereum.newIndex();
		await ethereum.pay(addressOf(index), COIN);
		await ethereum.pay(addressOf(index), 3n);
		const signed = await ethereum.sweep(index, 'ETH', signing(), COIN);
		expect(signed.amount + signed.fee).toBe(COIN);
		await ethereum.take(signed);
		expect(await ethereum.balanceOf(addressOf(index))).toBe(3n);
		await expect(ethereum.sweep(index, 'ETH', signing(), 3n)).rejects.toThrow(InsufficientReserve);
	});

	it('takes the next nonce of that address, whatever is signed elsewhere', async () => {
		const index = ethereum.newIndex();
		const [address, other] = [addressOf(index), addressOf(ethereum.newIndex())];
		await ethereum.pay(address, COIN);
		const first = await ethereum.sweep(index, 'ETH', signing('nonce:7', `${other}:nonce:9`));
		expect(textsOf(first.spends)).toEqual([`${address}:nonce:0`]);
		expect(textsOf((await ethereum.sweep(index, 'ETH', signing(...first.spends))).spends)).toEqual([
			`${address}:nonce:1`,
		]);
		await ethereum.take(first);
		await ethereum.pay(address, COIN);
		expect(textsOf((await ethereum.sweep(index, 'ETH')).spends)).toEqual([`${address}:nonce:1`]);
	});
});

describe('sweeping a token', () => {
	it.each(['USDTERC20', 'DAIERC20'] as const)(
		'%s: what the address lacks in gas is brought, and then all of it moves',
		async (asset) => {
			const index = ethereum.newIndex();
			const address = addressOf(index);
			await ethereum.mint(asset, address, 1_234_567n);
			const quote = await quoteOf(address, asset);
			expect(quote.amount).toBe(1_234_567n);
			expect(quote.gas > 0n && quote.fee > 0n).toBe(true);
			await expect(ethereum.sweep(index, asset)).rejects.toThrow(InsufficientReserve);

			const gas = await ethereum.signer.sign({ id: 'gas', asset: 'ETH', to: address, amount: quote.gas }, signing());
			await ethereum.take(gas);
			expect(await quoteOf(address, asset)).toMatchObject({ amount: 1_234_567n, gas: 0n });

			const before = await tokenBalance(anvil, asset, HOT);
			const signed = await ethereum.sweep(index, asset);
			expect(signed).toMatchObject({ amount: 1_234_567n, spends: [{ kind: 'nonce', account: address, nonce: 0 }] });
			await ethereum.take(signed);
			const depth = await chain.transactionDepth(signed.txId);
			expect(depth).toMatchObject({ reverted: false });
			expect((await tokenBalance(anvil, asset, HOT)) - before).toBe(1_234_567n);
			expect(await tokenBalance(anvil, asset, address)).toBe(0n);
			// What is left of the gas is still the address's, and nothing is unaccounted for.
			expect(await ethereum.balanceOf(address)).toBe(quote.gas - (depth?.fee ?? 0n));
			expect((depth?.fee ?? 0n) + 0n <= quote.fee).toBe(true);
		},
	);

	it('bears gas that has become dearer since it was brought', async () => {
		const index = ethereum.newIndex();
		const address = addressOf(index);
		await ethereum.mint('DAIERC20', address, 5n);
		await anvil.rpc('anvil_setNextBlockBaseFeePerGas', hexOf(10n ** 9n));
		await anvil.mine(1);
		const { gas } = await quoteOf(address, 'DAIERC20');
		await anvil.rpc('anvil_setNextBlockBaseFeePerGas', hexOf(15n * 10n ** 8n));
		await ethereum.pay(address, gas);
		const signed = await ethereum.sweep(index, 'DAIERC20');
		expect(signed.fee <= gas).toBe(true);
		await ethereum.take(signed);
		expect(await tokenBalance(anvil, 'DAIERC20', address)).toBe(0n);
	});

	it('is not signed where the issuer has frozen the address', async () => {
		const index = ethereum.newIndex();
		await ethereum.mint('DAIERC20', addressOf(index), 5n);
		await call(anvil, assetOf('DAIERC20').contract ?? '', callData.freeze(addressOf(index), true));
		await ethereum.pay(addressOf(index), COIN);
		expect(await quoteOf(addressOf(index), 'DAIERC20')).toEqual({ amount: 0n, fee: 0n, gas: 0n });
		await expect(ethereum.sweep(index, 'DAIERC20')).rejects.toThrow(PaymentImpossible);
	});

	it('is unavailable where the contract is not the token that it should be', async () => {
		const [address, index] = [addressOf(1), 1];
		await expect(chain.sweeping?.quote([{ address, asset: 'USDCERC20' }])).rejects.toThrow(/no contract of USDCERC20/);
		await installToken(anvil, 'USDCERC20', { decimals: 18 });
		await expect(ethereum.sweep(index, 'USDCERC20')).rejects.toThrow(/says 18 decimals, not 6/);
	});
});

describe('quotes for many addresses', () => {
	it('answer in order, whatever the asset', async () => {
		const [plain, token, none] = [ethereum.newIndex(), ethereum.newIndex(), ethereum.newIndex()].map(addressOf) as [
			string,
			string,
			string,
		];
		await ethereum.pay(plain, COIN);
		await ethereum.mint('USDTERC20', token, 70n);
		const quotes = await chain.sweeping?.quote([
			{ address: token, asset: 'USDTERC20' },
			{ address: none, asset: 'DAIERC20' },
			{ address: plain, asset: 'ETH' },
			{ address: token, asset: 'DAIERC20' },
		]);
		expect(quotes?.map(({ amount }) => amount)).toEqual([70n, 0n, COIN - (quotes?.[2]?.fee ?? 0n), 0n]);
	});

	it('take few requests for 600 addresses that hold nothing', async () => {
		const targets = strangers(600).map((address) => ({ address, asset: 'USDTERC20' as const }));
		await quoteOf(addressOf(1), 'USDTERC20');
		const before = ethereum.relay.calls.length;
		expect((await chain.sweeping?.quote(targets))?.length).toBe(600);
		expect(ethereum.relay.calls.length - before).toBeLessThan(12);
	});
});

describe('every EVM network', () => {
	it.each([
		['BSC', 'BNB'],
		['Polygon', 'POL'],
		['Arbitrum', 'ETHARB'],
		['Optimism', 'ETHOP'],
		['Avalanche', 'AVAX'],
	] as const)('%s: sweeps its coin, and the balance pays for what it costs at most', async (name, asset) => {
		const own = await startEthereum(name);
		try {
			const index = own.newIndex();
			await own.pay(addressOf(index), COIN);
			const signed = await own.sweep(index, asset);
			expect(signed.amount + signed.fee).toBe(COIN);
			await own.take(signed);
			const fee = (await own.chain.transactionDepth(signed.txId))?.fee ?? -1n;
			expect(fee > 0n && fee <= signed.fee).toBe(true);
			expect(await own.chain.balance(asset)).toBe(signed.amount);
			expect(await own.chain.holdings(asset, [addressOf(index)])).toBe(COIN - fee);
		} finally {
			await own.stop();
		}
	});
});
