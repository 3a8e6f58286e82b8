/** Sweeps on Tron, on the stand-in for a full node (test/support/tron-stand-in.ts), and what they cost, to the sun. */
import { describe, expect, it } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import { InsufficientReserve } from '../../src/chains/errors.ts';
import { addressOf, chain, HOT, node, signer, signing, TRX, tron, useTron } from '../support/tron.ts';

useTron();

describe('sweeping', () => {
	const quote = async (address: string, asset: AssetId) => {
		const [answer] = (await chain.sweeping?.quote([{ address, asset }])) ?? [];
		if (!answer) throw new Error('no quote');
		return answer;
	};
	const sweep = async (index: number, asset: AssetId) => {
		const signed = await signer.sweep?.({ id: `sweep-${index}`, asset, index }, signing());
		if (!signed) throw new Error('no sweep');
		return signed;
	};

	it('moves all TRX but the fee to the hot wallet', async () => {
		const index = tron.newIndex();
		const address = addressOf(index);
		await tron.mined(() => node.pay(address, 100n * TRX));
		const { amount, fee, gas } = await quote(address, 'TRX');
		const before = await node.balanceOf(HOT);
		const signed = await sweep(index, 'TRX');
		await tron.sent(signed.raw);
		expect([signed.amount, signed.fee, gas]).toEqual([amount, fee, 0n]);
		expect(await node.balanceOf(HOT)).toBe(before + amount);
		expect(await node.balanceOf(address)).toBe(0n);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ fee });
	});

	it('moves all USDT once the hot wallet has sent the gas that lacks', async () => {
		const index = tron.newIndex();
		const address = addressOf(index);
		await tron.mined(() => node.payToken(address, 50n * TRX));
		const first = await quote(address, 'USDTTRC20');
		expect(first.amount).toBe(50n * TRX);
		expect(first.gas > 0n && first.gas < first.fee).toBe(true);
		await expect(sweep(index, 'USDTTRC20')).rejects.toThrow(InsufficientReserve);

		const before = await node.balanceOf(HOT);
		const gas = await signer.sign(tron.payment(address, first.gas), signing());
		await tron.sent(gas.raw);
		const second = await quote(address, 'USDTTRC20');
		expect([second.gas, second.amount]).toEqual([0n, 50n * TRX]);
		const tokens = await node.tokenBalanceOf(HOT);
		const signed = await sweep(index, 'USDTTRC20');
		await tron.sent(signed.raw);
		expect(signed.amount).toBe(50n * TRX);
		expect(await node.tokenBalanceOf(HOT)).toBe(tokens + 50n * TRX);
		expect(await node.tokenBalanceOf(address)).toBe(0n);
		const { fee = 0n } = (await chain.transactionDepth(signed.txId)) ?? {};
		expect(await node.balanceOf(address)).toBe(first.gas - (fee ?? 0n));
		expect(before - (await node.balanceOf(HOT)) + (fee ?? 0n) <= first.fee + first.gas).toBe(true);
	});

	it('moves USDT though energy has become a little dearer since the gas was sent', async () => {
		const index = tron.newIndex();
		const address = addressOf(index);
		await tron.mined(() => node.payToken(address, 50n * TRX));
		const { gas, fee } = await quote(address, 'USDTTRC20');
		await node.setBalance(address, gas);
		const energyAt = (sun: number) =>
			node.intercept(async (path, _body, honest) => {
				if (path !== '/wallet/getchainparameters') return undefined;
				const { chainParameter } = (await honest()) as { chainParameter: { key: string }[] };
				return { chainParameter: [{ key: 'getEnergyFee', value: sun }, ...chainParameter] };
			});
		energyAt(110);
		expect((await quote(address, 'USDTTRC20')).gas).toBe(0n);
		expect((await sweep(index, 'USDTTRC20')).fee).toBe(gas);
		energyAt(130);
		expect((await quote(address, 'USDTTRC20')).gas > 0n).toBe(true);
		await expect(sweep(index, 'USDTTRC20')).rejects.toThrow(InsufficientReserve);
		energyAt(100);
		const signed = await sweep(index, 'USDTTRC20');
		await tron.sent(signed.raw);
		expect(signed.fee <= fee).toBe(true);
		expect(await node.tokenBalanceOf(address)).toBe(0n);
	});

	it('has nothing to move where nothing is, or less than it costs', async () => {
		const index = tron.newIndex();
		const address = await tron.existing(addressOf(index), 100_000n);
		const nothing = { amount: 0n, fee: 0n, gas: 0n };
		expect([await quote(address, 'TRX'), await quote(address, 'USDTTRC20')]).toEqual([nothing, nothing]);
		for (const asset of ['TRX', 'USDTTRC20'] as const)
			await expect(sweep(index, asset)).rejects.toThrow(InsufficientReserve);
	});

	it('counts in holdings what lies at the hot wallet and at every address', async () => {
		const [one, other] = [tron.newAddress(), tron.newAddress()];
		await node.pay(one, 3n * TRX);
		await tron.mined(() => node.payToken(other, 4n));
		const [coins, tokens] = [await chain.balance('TRX'), await chain.balance('USDTTRC20')];
		expect(await chain.holdings('TRX', [one, other])).toBe(coins + 3n * TRX);
		expect(await chain.holdings('USDTTRC20', [one, other])).toBe(tokens + 4n);
		expect((await chain.sweeping?.balances('TRX', [one, other]))?.[0]).toBe(3n * TRX);
		expect(await chain.sweeping?.balances('USDTTRC20', [other, one])).toEqual([4n, 0n]);
	});
});
