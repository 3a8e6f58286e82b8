/** Payments in tokens on EVM networks, on real nodes (anvil): payouts, fee bumps, and what each node is checked for. */
import { describe, expect, it } from 'vitest';
import { type AssetId, nativeAsset } from '../../src/catalog/assets.ts';
import { ChainUnavailable, InsufficientReserve, PaymentImpossible } from '../../src/chains/errors.ts';
import { isFinal } from '../../src/chains/finality.ts';
import type { Payment, SignedTransaction } from '../../src/chains/signing-port.ts';
import { feeOf } from '../support/chain-costs.ts';
import {
	addressOf,
	anvil,
	COIN,
	chain,
	ethereum,
	HOT,
	hexOf,
	relay,
	signer,
	signing,
	startEthereum,
	useEthereum,
} from '../support/ethereum.ts';
import { ENDLESS, REVERTING } from '../support/evm-code.ts';
import { contractOf, DAI, installTokens, USDC, USDT } from '../support/evm-token.ts';
import { textsOf } from '../support/reservations.ts';
import { call, callData, installToken, tokenBalance } from '../support/tokens.ts';

useEthereum(() => installTokens(anvil));

const payment = (asset: AssetId, to: string, amount: bigint): Payment => ({ id: 'payout-1', asset, to, amount });

describe('paying', () => {
	it.each([USDT, DAI] as const)('pays exactly the amount of %s, once, and the network fee in Ether', async (asset) => {
		const to = ethereum.newAddress();
		await ethereum.mint(asset, HOT, 10n ** 9n);
		const [tokens, ether] = [await tokenBalance(anvil, asset, HOT), await ethereum.balanceOf(HOT)];
		expect(await chain.balance(asset)).toBe(tokens);
		const signed = await signer.sign(payment(asset, to, 123_457n), signing());
		await chain.broadcast(signed.raw);
		expect(await chain.balance(asset)).toBe(tokens - 123_457n);
		await ethereum.take(signed);
		expect(await tokenBalance(anvil, asset, to)).toBe(123_457n);
		expect(await tokenBalance(anvil, asset, HOT)).toBe(tokens - 123_457n);
		const paid = ether - (await ethereum.balanceOf(HOT));
		expect(paid > 0n && paid <= signed.fee).toBe(true);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ reverted: false, fee: paid });
		expect(await chain.holdings(asset, [to])).toBe(tokens);
	});

	it('finds a payment that it has sent by recipient and amount, however few blocks a node gives at once', async () => {
		const { timestamp } = (await anvil.rpc('eth_getBlockByNumber', 'latest', false)) as { timestamp: string };
		await ethereum.mint(DAI, HOT, 10n);
		const to = ethereum.newAddress();
		const signed = await signer.sign(payment(DAI, to, 7n), signing());
		await ethereum.take(signed);
		await anvil.mine(100);
		relay.intercept(({ method, params }) => {
			const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string };
			const tooMany = method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 40;
			return tooMany ? { error: { code: -32005, message: 'query returned more than 40 blocks' } } : undefined;
		});
		const find = (asset: AssetId) => signer.look?.paymentsTo?.(asset, [to.toLowerCase()], Number(timestamp) * 1000);
		expect([await find(DAI), await find(USDT)]).toEqual([
			[{ txId: signed.txId, to: to.toLowerCase(), amount: 7n }],
			[],
		]);
		const paid = (asset: AssetId, amount: bigint) => signer.hasPaid(signed.txId, payment(asset, to, amount));
		expect([await paid(DAI, 7n), await paid(DAI, 8n), await paid(USDT, 7n)]).toEqual([true, false, false]);
	});

	it('shares one sequence of nonces with payouts of the coin', async () => {
		await ethereum.mint(DAI, HOT, 100n);
		const [one, other] = [ethereum.newAddress(), ethereum.newAddress()];
		const first = await signer.sign(payment('ETH', one, 1n), signing());
		const second = await signer.sign(payment(DAI, other, 2n), signing(...first.spends, `${one}:nonce:99`));
		const [, nonce] = /^nonce:(\d+)$/.exec(textsOf(first.spends)[0] ?? '') ?? [];
		expect(textsOf(second.spends)[0]).toBe(`nonce:${Number(nonce) + 1}`);
		// In the node's queue it counts for nothing while the one before it is missing.
		await expect(chain.broadcast(second.raw)).rejects.toThrow(/one before it is missing/);
		await ethereum.take(first);
		await chain.broadcast(second.raw);
		expect([await ethereum.balanceOf(one), await tokenBalance(anvil, DAI, other)]).toEqual([1n, 2n]);
	});

	it('does not pay more than the wallet holds of the token, or without the coin for gas', async () => {
		const to = ethereum.newAddress();
		const held = await tokenBalance(anvil, USDC, HOT);
		await expect(signer.sign(payment(USDC, to, held + 1n), signing())).rejects.toThrow(InsufficientReserve);
		await ethereum.mint(USDC, HOT, 5n);
		await anvil.rpc('anvil_setBalance', HOT, hexOf(1_000n));
		await expect(signer.sign(payment(USDC, to, 5n), signing())).rejects.toThrow(InsufficientReserve);
	});

	it('waits while payouts that are signed and not mined leave too little of the token, broadcast or not', async () => {
		const own = await startEthereum();
		try {
			await own.anvil.rpc('anvil_setBalance', HOT, hexOf(COIN));
			await installTokens(own.anvil);
			await own.mint(DAI, HOT, 100n);
			const to = own.newAddress();
			const first = await own.signer.sign(payment(DAI, to, 80n), signing());
			const pay = (amount: bigint) => own.signer.sign(payment(DAI, to, amount), signing(...first.spends));
			await expect(pay(80n)).rejects.toThrow(InsufficientReserve);
			await expect(pay(21n)).rejects.toThrow(InsufficientReserve);
			expect((await pay(20n)).txId).toBeTruthy();
			await own.chain.broadcast(first.raw);
			await expect(pay(80n)).rejects.toThrow(InsufficientReserve);
			// One nonce counts once, whichever version of the payout is mined.
			const bumped = await own.signer.replace?.(first, payment(DAI, to, 80n), signing(...first.spends), false);
			const raise = (bumped?.fee ?? 0n) - first.fee;
			expect(textsOf(bumped?.spends ?? [])).toEqual([...textsOf(first.spends), `until:nonce:0:ETH:0:${raise}`]);
			await own.take(bumped ?? first);
			await expect(pay(80n)).rejects.toThrow(InsufficientReserve);
			expect((await pay(20n)).txId).toBeTruthy();
			await own.mint(DAI, HOT, 60n);
			await own.take(await pay(80n));
			expect(await tokenBalance(own.anvil, DAI, to)).toBe(160n);
		} finally {
			await own.stop();
		}
	});

	it('counts the coin and the highest fee of payouts that are not mined', async () => {
		const own = await startEthereum();
		try {
			await installTokens(own.anvil);
			await own.anvil.rpc('anvil_setBalance', HOT, hexOf(COIN));
			await own.mint(DAI, HOT, 5n);
			const to = own.newAddress();
			const first = await own.signer.sign(payment('ETH', to, COIN / 2n), signing());
			const second = await own.signer.sign(payment(DAI, to, 5n), signing(...first.spends));
			const pay = (amount: bigint) =>
				own.signer.sign(payment('ETH', to, amount), signing(...first.spends, ...second.spends));
			const free = COIN - COIN / 2n - first.fee - second.fee;
			await expect(pay(free - first.fee + 1n)).rejects.toThrow(InsufficientReserve);
			expect((await pay(free - first.fee)).fee).toBe(first.fee);
			// A fee bump that is signed and not broadcast, and another one.
			const bumped = await own.signer.replace?.(first, payment('ETH', to, COIN / 2n), signing(...first.spends), false);
			const again =
				bumped && (await own.signer.replace?.(bumped, payment('ETH', to, COIN / 2n), signing(...bumped.spends), false));
			if (!again) throw new Error('no fee bump');
			const then = (amount: bigint) =>
				own.signer.sign(payment('ETH', to, amount), signing(...again.spends, ...second.spends));
			const raise = again.fee - first.fee;
			await expect(then(free - first.fee - raise + 1n)).rejects.toThrow(InsufficientReserve);
			expect((await then(free - first.fee - raise)).fee).toBe(first.fee);
		} finally {
			await own.stop();
		}
	});

	it('signs after payouts of which a restored journal knows their nonces alone', async () => {
		const own = await startEthereum();
		try {
			await own.anvil.rpc('anvil_setBalance', HOT, hexOf(COIN));
			const signed = await own.signer.sign(payment('ETH', own.newAddress(), COIN / 2n), signing('nonce:0'));
			expect(textsOf(signed.spends)).toEqual(['nonce:1', `until:nonce:1:ETH:${COIN / 2n}:${signed.fee}`]);
		} finally {
			await own.stop();
		}
	});

	it('does not pay the contract itself, the zero address, an amount of zero, or another network', async () => {
		await ethereum.mint(USDC, HOT, 5n);
		const wrong: Partial<Payment>[] = [
			{ to: contractOf(USDC) },
			{ to: contractOf(USDC).toLowerCase() },
			{ to: `0x${'0'.repeat(40)}` },
			{ amount: 0n },
			{ asset: 'USDCPOL' },
		];
		for (const each of wrong)
			await expect(signer.sign({ ...payment(USDC, ethereum.newAddress(), 5n), ...each }, signing())).rejects.toThrow(
				PaymentImpossible,
			);
	});

	it('does not pay what the token refuses, by answer or by reverting', async () => {
		const other = await startEthereum();
		try {
			await other.anvil.rpc('anvil_setBalance', HOT, hexOf(COIN));
			await installToken(other.anvil, DAI, { name: 'RefusingToken' });
			await installToken(other.anvil, USDC);
			for (const asset of [DAI, USDC]) await other.mint(asset, HOT, 5n);
			await call(other.anvil, contractOf(USDC), callData.freeze(HOT, true));
			await other.anvil.mine(1);
			const to = other.newAddress();
			await expect(other.signer.sign(payment(DAI, to, 5n), signing())).rejects.toThrow(/refuses the transfer/);
			await expect(other.signer.sign(payment(USDC, to, 5n), signing())).rejects.toThrow(/reverts/);
			await expect(other.signer.sign(payment(USDC, to, 5n), signing())).rejects.toThrow(PaymentImpossible);
		} finally {
			await other.stop();
		}
	});

	it('estimates the fee in the coin, whether the wallet holds the token or not', async () => {
		const other = await startEthereum();
		try {
			await installToken(other.anvil, DAI);
			const rough = await feeOf(other.chain, DAI);
			const { amount: plain } = await feeOf(other.chain, 'ETH');
			await other.mint(DAI, HOT, 5n);
			const simulated = await feeOf(other.chain, DAI);
			expect([rough.asset, simulated.asset]).toEqual(['ETH', 'ETH']);
			for (const { amount } of [rough, simulated]) expect(amount > plain && amount < 5n * plain).toBe(true);
		} finally {
			await other.stop();
		}
	});

	it('asks the node for the prices of gas once, and seldom for the gas of each asset', async () => {
		const assets = ['ETH', USDT, USDC, DAI] as const;
		// The first question about a token looks at its contract, and at the gas of a transfer.
		for (const asset of assets) await feeOf(chain, asset);
		const before = relay.calls.length;
		const costsOf = await chain.costsNow();
		for (const asset of assets) await costsOf(asset);
		const asked = relay.calls.slice(before).map(({ method }) => method);
		expect(asked.toSorted()).toEqual(['eth_getBlockByNumber', 'eth_maxPriorityFeePerGas']);
	});

	it('asks what it holds of all assets in two calls, and one token that does not answer hides no other', async () => {
		const other = await startEthereum();
		try {
			await installTokens(other.anvil);
			await other.mint(USDC, HOT, 5n);
			await other.mint(DAI, HOT, 7n);
			const assets = [USDT, DAI, 'ETH', USDC] as const;
			const reserves = async () => (await other.chain.reserves?.(assets)) ?? new Map();
			await other.anvil.rpc('anvil_setBalance', HOT, hexOf(COIN));
			const all = [['ETH', COIN] as const, [USDT, 0n] as const, [USDC, 5n] as const];
			expect(await reserves()).toEqual(new Map([...all, [DAI, 7n]]));
			const before = other.relay.calls.length;
			await reserves();
			expect(other.relay.calls.slice(before).map(({ method }) => method)).toEqual(['eth_call', 'eth_call']);
			for (const code of [REVERTING, ENDLESS]) {
				await other.anvil.rpc('anvil_setCode', contractOf(DAI), code);
				expect(await reserves()).toEqual(new Map(all));
			}
			// What is on its way is gone, though no block has it.
			const signed = await other.signer.sign(payment('ETH', other.newAddress(), 9n), signing());
			await other.chain.broadcast(signed.raw);
			const left = (await reserves()).get('ETH');
			expect([left, left < COIN]).toEqual([await other.chain.balance('ETH'), true]);
		} finally {
			await other.stop();
		}
	});
});

describe('a fee bump', () => {
	const noncesOf = async () => Number(await anvil.rpc('eth_getTransactionCount', HOT, 'latest'));

	it.each(['ETH', DAI] as const)(
		'%s: the network takes the version with the higher fee, and mines one of the two',
		async (asset) => {
			await ethereum.mint(DAI, HOT, 100n);
			const to = ethereum.newAddress();
			const paid = payment(asset, to, 42n);
			const first = await signer.sign(paid, signing());
			await chain.broadcast(first.raw);
			const second = await signer.replace?.(first, paid, signing(...first.spends), false);
			if (!second) throw new Error('no replacement');
			expect(second.spends.slice(0, first.spends.length)).toEqual(first.spends);
			expect(second.txId).not.toBe(first.txId);
			expect(second.fee >= (first.fee * 9n) / 8n).toBe(true);
			const nonce = await noncesOf();
			await chain.broadcast(second.raw);
			await anvil.mine(1);
			expect(await noncesOf()).toBe(nonce + 1);
			expect(asset === DAI ? await tokenBalance(anvil, DAI, to) : await ethereum.balanceOf(to)).toBe(42n);
			expect(await chain.transactionDepth(second.txId)).toMatchObject({ confirmations: 1, reverted: false });
			expect(await chain.transactionDepth(first.txId)).toBeNull();
			await expect(signer.replace?.(second, paid, signing(), false)).rejects.toThrow(/is taken on the chain/);
		},
	);

	it('uses the gas price of today', async () => {
		const paid = payment('ETH', ethereum.newAddress(), 42n);
		const first = await signer.sign(paid, signing());
		await anvil.rpc('anvil_setNextBlockBaseFeePerGas', hexOf(50n * 10n ** 9n));
		await anvil.mine(1);
		const second = await signer.replace?.(first, paid, signing(), false);
		expect((second?.fee ?? 0n) > 21_000n * 100n * 10n ** 9n).toBe(true);
		await anvil.rpc('anvil_setNextBlockBaseFeePerGas', hexOf(10n ** 9n));
		await anvil.mine(1);
	});

	it('stops at the ceiling', async () => {
		const paid = payment('ETH', ethereum.newAddress(), 42n);
		let last = await signer.sign(paid, signing());
		const bump = async (): Promise<void> => {
			for (let count = 0; count < 60; count += 1) {
				const next = await signer.replace?.(last, paid, signing(), false);
				if (!next) throw new Error('no replacement');
				last = next;
			}
		};
		await expect(bump()).rejects.toThrow('the fee ceiling is reached');
		// 500 gwei for each of 25 200 gas.
		expect(last.fee <= 25_200n * 500n * 10n ** 9n).toBe(true);
		await expect(bump()).rejects.toThrow(PaymentImpossible);
	});

	it('is refused for a payment other than the signed one', async () => {
		await ethereum.mint(DAI, HOT, 100n);
		const to = ethereum.newAddress();
		const first = await signer.sign(payment(DAI, to, 42n), signing());
		const others: Payment[] = [
			payment(DAI, to, 43n),
			payment(DAI, ethereum.newAddress(), 42n),
			payment(USDC, to, 42n),
			payment('ETH', to, 42n),
		];
		for (const other of others)
			await expect(signer.replace?.(first, other, signing(), false)).rejects.toThrow(/is not this payment/);
		const paid = payment(DAI, to, 42n);
		const forged: SignedTransaction[] = [
			{ ...first, spends: [{ kind: 'nonce', account: null, nonce: 9999 }] },
			{ ...first, spends: [] },
			{ ...first, raw: '0x00' },
		];
		for (const each of forged)
			await expect(signer.replace?.(each, paid, signing(), false)).rejects.toThrow(PaymentImpossible);
	});
});

describe('every EVM network', () => {
	it.each([
		['BSC', 'USDTBEP20'],
		['Polygon', 'USDCPOL'],
		['Arbitrum', 'DAIARB'],
		['Optimism', 'USDTOP'],
		['Avalanche', 'USDCAVAX'],
	] as const)('%s: sees a deposit of %s, sweeps it and pays it out', async (name, asset) => {
		const own = await startEthereum(name);
		try {
			await installToken(own.anvil, asset);
			const index = own.newIndex();
			const address = addressOf(index);
			const { cursor } = await own.chain.scan(null, async () => []);
			await own.send(asset, address, 77n);
			const { deposits } = await own.chain.scan(cursor, async () => [{ address, asset, known: [], swept: 0n }]);
			expect(deposits).toMatchObject([{ address, asset, amount: 77n, confirmations: 1 }]);
			await own.anvil.mine(300);
			expect(await own.signer.finalAmount(deposits, (depth) => isFinal(name, depth, null), [])).toBe(77n);

			await own.anvil.rpc('anvil_setBalance', HOT, hexOf(COIN));
			const [quote] = (await own.chain.sweeping?.quote([{ address, asset }])) ?? [];
			await own.pay(address, quote?.gas ?? 0n);
			await own.take(await own.sweep(index, asset));
			const to = own.newAddress();
			await own.take(await own.signer.sign(payment(asset, to, 77n), signing()));
			expect(await tokenBalance(own.anvil, asset, to)).toBe(77n);
			expect(await feeOf(own.chain, asset)).toMatchObject({ asset: nativeAsset(name) });
		} finally {
			await own.stop();
		}
	});
});

describe('check', () => {
	it('names what each node says of chain, finality, tokens, traces and wallet', async () => {
		// anvil forgets code when it reorganises, as tests above have it do.
		await installTokens(anvil);
		const checks = await chain.check();
		const host = new URL(relay.url).host;
		expect(checks.map(({ what }) => what)).toEqual(
			['chain id', 'finalized block', USDT, USDC, DAI, 'traces', 'wallet'].map((what) => `${host} ${what}`),
		);
		expect(checks.filter(({ ok }) => !ok)).toEqual([]);
		expect(checks[2]?.detail).toBe('USDT, 6 decimals');
		expect(checks[4]?.detail).toBe('DAI, 18 decimals');
	});

	it('says what is wrong, and what it should be', async () => {
		const other = await startEthereum();
		try {
			await installToken(other.anvil, USDT, { symbol: 'USD₮0' });
			await installToken(other.anvil, USDC, { symbol: 'WETH' });
			await installToken(other.anvil, DAI, { decimals: 6 });
			await other.anvil.rpc('anvil_setBalance', HOT, '0x0');
			const details = (await other.chain.check()).filter(({ ok }) => !ok).map(({ detail }) => detail);
			expect(details).toEqual([
				'WETH, 6 decimals: not a symbol of USDC',
				expect.stringMatching(/DAIERC20 .* says 6 decimals, not 18/),
				expect.stringMatching(/^0 ETH at .* nothing can be paid/),
			]);
			await expect(feeOf(other.chain, DAI)).rejects.toThrow(ChainUnavailable);
			other.relay.intercept(({ method }) => (method === 'eth_chainId' ? { result: '0x2' } : undefined));
			const [wrongChain, ...rest] = await other.chain.check();
			expect([wrongChain?.ok, wrongChain?.detail, rest]).toEqual([false, 'the node is on chain 2, not on 1', []]);
		} finally {
			await other.stop();
		}
	});
});
