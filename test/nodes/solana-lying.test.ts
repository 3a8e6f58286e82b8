/** What lies at an address of ours on Solana, whatever its order asked for. */
import { getAddressEncoder } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import type { AssetId } from '../../src/catalog/assets.ts';
import {
	addressOf,
	COIN,
	chain,
	customer,
	FOREIGN_MINT,
	node,
	solana,
	TOKEN_2022,
	USDC,
	USDT,
	useSolana,
} from '../support/solana.ts';
import { placeTokens, tokenAccountOf, tokensOf } from '../support/solana-wallet.ts';

useSolana();

const bytesOf = (address: string) =>
	getAddressEncoder().encode(address as Parameters<ReturnType<typeof getAddressEncoder>['encode']>[0]);
/** A token account of any mint and program, at any address. */
function tokensAt(
	place: string,
	{ owner, mint, amount }: { readonly owner: string; readonly mint: string; readonly amount: bigint },
	{ program = TOKEN_2022, state = 1 } = {},
): void {
	const data = Buffer.alloc(165);
	data.set(bytesOf(mint), 0);
	data.set(bytesOf(owner), 32);
	data.writeBigUInt64LE(amount, 64);
	data[108] = state;
	node.place(place, { owner: program, lamports: COIN, data });
}

describe('what lies at addresses', () => {
	it('is SOL and each listed token of every one, and zero where nothing is', async () => {
		const [one, other] = [addressOf(solana.newIndex()), addressOf(solana.newIndex())];
		await customer.pay(one, COIN);
		await customer.payTokens(USDC, one, 7n);
		await customer.payTokens(USDT, other, 8n);
		node.advance(2);
		const expected: [AssetId, bigint[]][] = [
			['SOL', [COIN, 0n]],
			['USDTSOL', [0n, 8n]],
			['USDCSOL', [7n, 0n]],
		];
		expect(new Map(await chain.lying?.([one, other]))).toEqual(new Map(expected));
	});

	it('is not what a frozen account holds, which nobody can move', async () => {
		const owner = addressOf(solana.newIndex());
		await placeTokens(node, USDC, owner, 9n);
		expect((await chain.lying?.([owner]))?.get('USDCSOL')).toEqual([9n]);
		const program = node.accountOf(await tokenAccountOf(owner, USDC))?.programAddress;
		tokensAt(
			await tokenAccountOf(owner, USDC),
			{ owner, mint: USDC, amount: 9n },
			{ ...(program && { program }), state: 2 },
		);
		expect(await tokensOf(node, USDC, owner)).toBe(9n);
		expect((await chain.lying?.([owner]))?.get('USDCSOL')).toEqual([0n]);
	});

	it('beside the listed ones is named by mint and account, of both token programs', async () => {
		const [owner, place] = [addressOf(solana.newIndex()), addressOf(solana.newIndex())];
		await placeTokens(node, USDC, owner, 9n);
		await placeTokens(node, FOREIGN_MINT, owner, 10n);
		tokensAt(place, { owner, mint: FOREIGN_MINT, amount: 11n });
		const found = (await chain.unlisted?.(owner)) ?? [];
		expect(found).toEqual([
			{ token: FOREIGN_MINT, account: await tokenAccountOf(owner, FOREIGN_MINT), amount: 10n },
			{ token: FOREIGN_MINT, account: place, amount: 11n },
		]);
	});
});
