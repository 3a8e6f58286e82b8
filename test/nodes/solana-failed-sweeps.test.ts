/**
 * Sweeps on Solana's real virtual machine that a stranger makes fail: they send dust to the address after the sweep was
 * signed. It fails in a block, costs its fee and moves nothing. No dust makes the next one fail.
 */
import { describe, expect, it } from 'vitest';
import { InsufficientReserve } from '../../src/chains/errors.ts';
import {
	addressOf,
	COIN,
	chain,
	customer,
	HOT,
	node,
	signer,
	signing,
	solana,
	TOKEN_RENT,
	USDT,
	useSolana,
	WALLET_RENT,
} from '../support/solana.ts';
import { tokenAccountOf, tokensOf } from '../support/solana-wallet.ts';

useSolana();

const sweep = async (asset: 'SOL' | 'USDTSOL', index: number, afterFailure: boolean) => {
	const signed = await signer.sweep?.({ id: `sweep ${afterFailure}`, asset, index, afterFailure }, signing());
	if (!signed) throw new Error('no sweep');
	return signed;
};

const wireOf = (raw: string): string => raw.slice(raw.indexOf(':') + 1);

/** As a node does that has not seen the dust yet. */
const sendUnseen = ({ raw }: { readonly raw: string }) => node.send(wireOf(raw), { skipPreflight: true });

describe('dust before a block takes the sweep', () => {
	it('of SOL makes the first sweep fail, and not the next one', async () => {
		const index = solana.newIndex();
		const address = addressOf(index);
		await customer.pay(address, COIN);
		const first = await sweep('SOL', index, false);
		await customer.pay(address, 1n);
		const before = solana.lamportsOf(HOT);
		sendUnseen(first);
		expect(await chain.transactionDepth(first.txId)).toMatchObject({
			reverted: true,
			fee: before - solana.lamportsOf(HOT),
		});
		expect(solana.lamportsOf(address)).toBe(COIN + 1n);

		const second = await sweep('SOL', index, true);
		expect(second.amount).toBe(COIN + 1n - WALLET_RENT);
		await customer.pay(address, 1n);
		sendUnseen(second);
		expect(await chain.transactionDepth(second.txId)).toMatchObject({ reverted: false, fee: second.fee });
		expect(solana.lamportsOf(address)).toBe(WALLET_RENT + 1n);
	});

	it('of tokens makes the first sweep fail, and not the next one', async () => {
		const index = solana.newIndex();
		const address = addressOf(index);
		await customer.payTokens(USDT, address, 321n);
		const first = await sweep('USDTSOL', index, false);
		await customer.payTokens(USDT, address, 1n);
		const before = solana.lamportsOf(HOT);
		sendUnseen(first);
		expect(await chain.transactionDepth(first.txId)).toMatchObject({
			reverted: true,
			fee: before - solana.lamportsOf(HOT),
		});
		expect(await tokensOf(node, USDT, address)).toBe(322n);

		const second = await sweep('USDTSOL', index, true);
		expect(second.amount).toBe(322n);
		await customer.payTokens(USDT, address, 1n);
		const held = await chain.balance('USDTSOL');
		sendUnseen(second);
		const fee = second.fee - TOKEN_RENT;
		expect(await chain.transactionDepth(second.txId)).toMatchObject({ reverted: false, fee });
		expect((await chain.balance('USDTSOL')) - held).toBe(322n);
		// The dust stays, and so does the account's rent.
		expect(await tokensOf(node, USDT, address)).toBe(1n);
		expect(node.accountOf(await tokenAccountOf(address, USDT))?.lamports).toBe(TOKEN_RENT);
	});

	it('leaves nothing to sweep where the address has no more than its rent', async () => {
		const index = solana.newIndex();
		await customer.pay(addressOf(index), WALLET_RENT);
		await expect(sweep('SOL', index, true)).rejects.toThrow(InsufficientReserve);
	});
});
