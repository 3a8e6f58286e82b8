/** Sweeps on real EVM nodes (anvil): a pay-in address is emptied into the payout wallet, accounted to the wei. */
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import { type NetworkName, networkNamed } from '../../src/catalog/networks.ts';
import { evmChain } from '../../src/chains/evm/chain.ts';
import { hotAddress, payInAddress } from '../../src/chains/evm/keys.ts';
import { evmSigner } from '../../src/chains/evm/signer.ts';
import {
	type Chain,
	type ChainSigner,
	InsufficientReserve,
	PaymentImpossible,
	type SigningState,
	type SweepQuote,
} from '../../src/chains/port.ts';
import { type Anvil, type Relay, startAnvil, startRelay, strangers } from '../support/anvil.ts';
import { call, callData, installToken, tokenBalance } from '../support/tokens.ts';

const SEED = mnemonicToSeedSync(`${'abandon '.repeat(11)}about`);
const HOT = hotAddress(SEED);
const COIN = 10n ** 18n;
/** anvil's first account: the customer. */
const CUSTOMER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';

let anvil: Anvil;
let relay: Relay;
let chain: Chain;
let signer: ChainSigner;
let nextIndex = 0;

beforeAll(async () => {
	anvil = await startAnvil({ chainId: 1, slotsInAnEpoch: 1, automine: false });
	relay = await startRelay(anvil.url);
	chain = evmChain(networkNamed('Ethereum'), { urls: [relay.url], hotAddress: HOT });
	signer = evmSigner(networkNamed('Ethereum'), { urls: [anvil.url] }, SEED);
	await installToken(anvil, 'USDTERC20', { name: 'SilentToken' });
	await installToken(anvil, 'DAIERC20');
});

afterAll(async () => {
	await relay?.stop();
	await anvil?.stop();
});

beforeEach(async () => {
	relay.intercept(() => undefined);
	await anvil.rpc('anvil_setBalance', HOT, hexOf(100n * COIN));
});

const hexOf = (value: bigint | number): string => `0x${value.toString(16)}`;

const newIndex = (): number => {
	nextIndex += 1;
	return nextIndex;
};

const addressOf = (index: number): string => payInAddress(SEED, index);

const signing = (...spent: string[]): SigningState => ({ spent: new Set(spent), indexesOf: () => new Map() });

const balanceOf = async (address: string): Promise<bigint> =>
	BigInt(String(await anvil.rpc('eth_getBalance', address, 'latest')));

async function pay(to: string, value: bigint): Promise<void> {
	await anvil.rpc('eth_sendTransaction', { from: CUSTOMER, to, value: hexOf(value) });
	await anvil.mine(1);
}

async function mint(asset: AssetId, to: string, value: bigint): Promise<void> {
	const contract = asset === 'USDTERC20' ? USDT : '0x6B175474E89094C44Da98b954EedeAC495271d0F';
	await call(anvil, contract, callData.mint(to, value));
	await anvil.mine(1);
}

const quoteOf = async (address: string, asset: AssetId): Promise<SweepQuote> => {
	const [quote] = (await chain.sweeping?.quote([{ address, asset }])) ?? [];
	if (!quote) throw new Error('no quote');
	return quote;
};

async function sweep(index: number, asset: AssetId, state = signing()) {
	const signed = await signer.sweep?.({ id: `sweep-${index}`, asset, index }, state);
	if (!signed) throw new Error('no sweep');
	return signed;
}

describe('sweeping the native coin', () => {
	it('moves all but its own cost, to the wei, and leaves nothing', async () => {
		const index = newIndex();
		const address = addressOf(index);
		await pay(address, COIN);
		const quote = await quoteOf(address, 'ETH');
		expect(quote.amount + quote.fee).toBe(COIN);
		expect(quote.gas).toBe(0n);
		const before = await balanceOf(HOT);
		const signed = await sweep(index, 'ETH');
		expect(signed).toMatchObject({ amount: quote.amount, fee: quote.fee, spends: [`${address}:nonce:0`] });
		await chain.broadcast(signed.raw);
		await anvil.mine(1);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ reverted: false, fee: signed.fee });
		expect((await balanceOf(HOT)) - before).toBe(signed.amount);
		expect(await balanceOf(address)).toBe(0n);
	});

	it('has nothing to move where the balance does not pay for it', async () => {
		const index = newIndex();
		expect(await quoteOf(addressOf(index), 'ETH')).toEqual({ amount: 0n, fee: 0n, gas: 0n });
		await expect(sweep(index, 'ETH')).rejects.toThrow(InsufficientReserve);
		await pay(addressOf(index), 1_000n);
		expect(await quoteOf(addressOf(index), 'ETH')).toEqual({ amount: 0n, fee: 0n, gas: 0n });
		await expect(sweep(index, 'ETH')).rejects.toThrow(InsufficientReserve);
	});

	it('takes the next nonce of that address, whatever is signed elsewhere', async () => {
		const index = newIndex();
		const [address, other] = [addressOf(index), addressOf(newIndex())];
		await pay(address, COIN);
		const first = await sweep(index, 'ETH', signing('nonce:7', `${other}:nonce:9`));
		expect(first.spends).toEqual([`${address}:nonce:0`]);
		expect((await sweep(index, 'ETH', signing(...first.spends))).spends).toEqual([`${address}:nonce:1`]);
		await chain.broadcast(first.raw);
		await anvil.mine(1);
		await pay(address, COIN);
		expect((await sweep(index, 'ETH')).spends).toEqual([`${address}:nonce:1`]);
	});
});

describe('sweeping a token', () => {
	it.each(['USDTERC20', 'DAIERC20'] as const)(
		'%s: what the address lacks in gas is brought, and then all of it moves',
		async (asset) => {
			const index = newIndex();
			const address = addressOf(index);
			await mint(asset, address, 1_234_567n);
			const quote = await quoteOf(address, asset);
			expect(quote.amount).toBe(1_234_567n);
			expect(quote.gas > 0n && quote.fee > 0n).toBe(true);
			await expect(sweep(index, asset)).rejects.toThrow(InsufficientReserve);

			const gas = await signer.sign({ id: 'gas', asset: 'ETH', to: address, amount: quote.gas }, signing());
			await chain.broadcast(gas.raw);
			await anvil.mine(1);
			expect(await quoteOf(address, asset)).toMatchObject({ amount: 1_234_567n, gas: 0n });

			const before = await tokenBalance(anvil, asset, HOT);
			const signed = await sweep(index, asset);
			expect(signed).toMatchObject({ amount: 1_234_567n, spends: [`${address}:nonce:0`] });
			await chain.broadcast(signed.raw);
			await anvil.mine(1);
			const depth = await chain.transactionDepth(signed.txId);
			expect(depth).toMatchObject({ reverted: false });
			expect((await tokenBalance(anvil, asset, HOT)) - before).toBe(1_234_567n);
			expect(await tokenBalance(anvil, asset, address)).toBe(0n);
			// What is left of the gas is still the address's, and nothing is unaccounted for.
			expect(await balanceOf(address)).toBe(quote.gas - (depth?.fee ?? 0n));
			expect((depth?.fee ?? 0n) + 0n <= quote.fee).toBe(true);
		},
	);

	it('bears gas that has become dearer since it was brought', async () => {
		const index = newIndex();
		const address = addressOf(index);
		await mint('DAIERC20', address, 5n);
		await anvil.rpc('anvil_setNextBlockBaseFeePerGas', hexOf(10n ** 9n));
		await anvil.mine(1);
		const { gas } = await quoteOf(address, 'DAIERC20');
		await anvil.rpc('anvil_setNextBlockBaseFeePerGas', hexOf(15n * 10n ** 8n));
		await pay(address, gas);
		const signed = await sweep(index, 'DAIERC20');
		expect(signed.fee <= gas).toBe(true);
		await chain.broadcast(signed.raw);
		await anvil.mine(1);
		expect(await tokenBalance(anvil, 'DAIERC20', address)).toBe(0n);
	});

	it('is not signed where the issuer has frozen the address', async () => {
		const index = newIndex();
		await mint('DAIERC20', addressOf(index), 5n);
		await call(anvil, '0x6B175474E89094C44Da98b954EedeAC495271d0F', callData.freeze(addressOf(index), true));
		await pay(addressOf(index), COIN);
		expect(await quoteOf(addressOf(index), 'DAIERC20')).toEqual({ amount: 0n, fee: 0n, gas: 0n });
		await expect(sweep(index, 'DAIERC20')).rejects.toThrow(PaymentImpossible);
	});

	it('is unavailable where the contract is not the token that it should be', async () => {
		const { address, index } = { address: addressOf(1), index: 1 };
		await expect(chain.sweeping?.quote([{ address, asset: 'USDCERC20' }])).rejects.toThrow(/no contract of USDCERC20/);
		await installToken(anvil, 'USDCERC20', { decimals: 18 });
		await expect(sweep(index, 'USDCERC20')).rejects.toThrow(/says 18 decimals, not 6/);
	});
});

describe('quotes for many addresses', () => {
	it('answer in order, whatever the asset', async () => {
		const [plain, token, none] = [newIndex(), newIndex(), newIndex()].map(addressOf) as [string, string, string];
		await pay(plain, COIN);
		await mint('USDTERC20', token, 70n);
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
		const before = relay.calls.length;
		expect((await chain.sweeping?.quote(targets))?.length).toBe(600);
		expect(relay.calls.length - before).toBeLessThan(12);
	});
});

describe('every EVM network', () => {
	const rows: readonly [NetworkName, AssetId, number][] = [
		['BSC', 'BNB', 56],
		['Polygon', 'POL', 137],
		['Arbitrum', 'ETHARB', 42161],
		['Optimism', 'ETHOP', 10],
		['Avalanche', 'AVAX', 43114],
	];
	/** Stands in for the GasPriceOracle: any call returns 1 000 000. PUSH3, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN. */
	const ORACLE = '0x620f424060005260206000f3';

	it.each(rows)('%s: sweeps its coin, and the balance pays for what it costs at most', async (name, asset, chainId) => {
		const node = await startAnvil({ chainId, automine: false });
		try {
			await node.rpc('anvil_setCode', '0x420000000000000000000000000000000000000F', ORACLE);
			const own = evmChain(networkNamed(name), { urls: [node.url], hotAddress: HOT });
			const keys = evmSigner(networkNamed(name), { urls: [node.url] }, SEED);
			await node.rpc('eth_sendTransaction', { from: CUSTOMER, to: addressOf(1), value: hexOf(COIN) });
			await node.mine(1);
			const signed = await keys.sweep?.({ id: '1', asset, index: 1 }, signing());
			if (!signed) throw new Error('no sweep');
			expect(signed.amount + signed.fee).toBe(COIN);
			await own.broadcast(signed.raw);
			await node.mine(1);
			const fee = (await own.transactionDepth(signed.txId))?.fee ?? -1n;
			expect(fee > 0n && fee <= signed.fee).toBe(true);
			expect(await own.balance(asset)).toBe(signed.amount);
			expect(await own.holdings(asset, [addressOf(1)])).toBe(COIN - fee);
		} finally {
			await node.stop();
		}
	});
});
