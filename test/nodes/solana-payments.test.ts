/** Payments on Solana, on its virtual machine (litesvm): payouts, broadcasts and sweeps, and what they cost. */
import { describe, expect, it } from 'vitest';
import {
	BroadcastRejected,
	ChainUnavailable,
	InsufficientReserve,
	MayStillConfirm,
	PaymentImpossible,
} from '../../src/chains/errors.ts';
import type { Payment, SignedTransaction } from '../../src/chains/signing-port.ts';
import { feeOf, houseCostsOf } from '../support/chain-costs.ts';
import {
	addressOf,
	COIN,
	chain,
	customer,
	FINALIZED_AFTER,
	HOT,
	node,
	payment,
	relay,
	signer,
	signing,
	solana,
	TOKEN_2022,
	TOKEN_RENT,
	USDC,
	USDT,
	useSolana,
	WALLET_RENT,
} from '../support/solana.ts';
import { placeTokens, SYSTEM_PROGRAM, solanaWallet, tokenAccountOf, tokensOf } from '../support/solana-wallet.ts';

useSolana();

describe('a payout', () => {
	it('of SOL arrives to the lamport, and costs what it says', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const signed = await signer.sign(payment(to, COIN / 3n), signing());
		const before = await chain.balance('SOL');
		await chain.broadcast(signed.raw);
		expect(solana.lamportsOf(to)).toBe(COIN + COIN / 3n);
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({
			confirmations: 2,
			irreversible: false,
			reverted: false,
			fee: signed.fee,
		});
		expect(before - (await chain.balance('SOL'))).toBe(COIN / 3n + signed.fee);
		solana.finalize();
		expect(await chain.transactionDepth(signed.txId)).toMatchObject({ irreversible: true });
		const estimate = await feeOf(chain, 'SOL');
		expect(estimate.asset).toBe('SOL');
		expect(estimate.amount).toBeGreaterThanOrEqual(signed.fee);
	});

	it('of tokens opens the recipient’s account where there is none, and reports that cost', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const signed = await signer.sign(payment(to, 250_000n, { asset: 'USDTSOL' }), signing());
		const before = solana.lamportsOf(HOT);
		await chain.broadcast(signed.raw);
		expect(await tokensOf(node, USDT, to)).toBe(250_000n);
		expect(await chain.balance('USDTSOL')).toBe(750_000n);
		const depth = await chain.transactionDepth(signed.txId);
		expect(depth?.fee).toBe(before - solana.lamportsOf(HOT));
		expect(depth?.fee).toBe(signed.fee);
		expect(signed.fee).toBeGreaterThan(TOKEN_RENT);
		const estimate = await feeOf(chain, 'USDTSOL');
		expect(estimate.asset).toBe('SOL');
		expect(estimate.amount).toBeGreaterThanOrEqual(signed.fee);

		const again = await signer.sign(payment(to, 1n, { id: 'payout-2', asset: 'USDTSOL' }), signing());
		await chain.broadcast(again.raw);
		expect(await tokensOf(node, USDT, to)).toBe(250_001n);
		// The account exists now, so the rent that was set aside is not needed.
		expect((await chain.transactionDepth(again.txId))?.fee).toBeLessThan(10_000n);
	});

	it('that was sent is found by its recipient, in SOL and in tokens', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const [coins, tokens] = [
			await signer.sign(payment(to, COIN / 7n), signing()),
			await signer.sign(payment(to, 77n, { id: 'payout-2', asset: 'USDTSOL' }), signing()),
		];
		const find = (asset: 'SOL' | 'USDTSOL', since = 0) => signer.look?.paymentsTo?.(asset, [to], since);
		expect(await find('SOL', 1)).toEqual([]);
		for (const { raw } of [coins, tokens]) await chain.broadcast(raw);
		expect(await find('SOL')).toEqual([{ txId: coins.txId, to, amount: COIN / 7n }]);
		expect(await find('USDTSOL')).toEqual([{ txId: tokens.txId, to, amount: 77n }]);
		const paid = (txId: string, asset: 'SOL' | 'USDTSOL', amount: bigint) =>
			signer.hasPaid(txId, { asset, to, amount });
		expect([await paid(coins.txId, 'SOL', COIN / 7n), await paid(coins.txId, 'SOL', 7n)]).toEqual([true, false]);
		expect([await paid(tokens.txId, 'USDTSOL', 77n), await paid(tokens.txId, 'SOL', 77n)]).toEqual([true, false]);
		// Nobody asks for what was paid long before.
		expect(await find('SOL', Date.now() + 3_600_000)).toEqual([]);
	});

	it('opens a token account for a recipient who has no account at all', async () => {
		const to = solana.newAddress();
		const signed = await signer.sign(payment(to, 9n, { asset: 'USDTSOL' }), signing());
		await chain.broadcast(signed.raw);
		expect(await tokensOf(node, USDT, to)).toBe(9n);
	});

	it('and an equal one are two transactions, even with one blockhash; the same one signed twice pays once', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const one = await signer.sign(payment(to, COIN), signing());
		const other = await signer.sign(payment(to, COIN, { id: 'payout-2' }), signing());
		const same = await signer.sign(payment(to, COIN), signing());
		expect(other.txId).not.toBe(one.txId);
		expect(same.txId).toBe(one.txId);
		for (const { raw } of [one, other, same, one]) await chain.broadcast(raw);
		expect(solana.lamportsOf(to)).toBe(3n * COIN);
	});

	it('offers the priority fee that others pay, between a floor and a ceiling', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const fees: bigint[] = [];
		for (const prices of [[], [1n, 2n, 3n, 4n], [0n, 0n, 1_000_000n, 2_000_000n], [1n << 60n]]) {
			node.setRecentPrices(prices);
			fees.push((await signer.sign(payment(to, COIN), signing())).fee - 5_000n);
		}
		// 540 units, at 0.1, 0.1, 2 and 3 333 lamports a unit, rounded up: at the ceiling 600 units cost 0.002 SOL.
		expect(fees).toEqual([54n, 54n, 1_080n, 1_800_000n]);
		const signed = await signer.sign(payment(to, COIN), signing());
		await chain.broadcast(signed.raw);
		expect((await chain.transactionDepth(signed.txId))?.fee).toBe(signed.fee);
	});

	it('asks what others pay for the accounts that it writes, not for any', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		node.setRecentPrices([50_000_000n], to);
		expect((await signer.sign(payment(to, COIN), signing())).fee).toBe(5_000n + 540n * 50n);
		expect(relay.calls.findLast(({ method }) => method === 'getRecentPrioritizationFees')?.params).toEqual([[HOT, to]]);
		const tokens = await signer.sign(payment(to, 1n, { asset: 'USDTSOL' }), signing());
		const asked = relay.calls.findLast(({ method }) => method === 'getRecentPrioritizationFees')?.params[0];
		expect(asked).toEqual([HOT, await tokenAccountOf(to, USDT), await tokenAccountOf(HOT, USDT)]);
		expect(tokens.fee).toBeLessThan(TOKEN_RENT + 2_000_000n);
	});

	it('is refused to a program’s account and to a stolen or frozen token account', async () => {
		const to = solana.newAddress();
		// As large as an account can be: only the part that is needed is read.
		node.place(to, { owner: TOKEN_2022, lamports: COIN, data: new Uint8Array(10 * 1024 * 1024) });
		const refused = signer.sign(payment(to, COIN), signing());
		await expect(refused).rejects.toThrow(PaymentImpossible);
		await expect(signer.sign(payment(to, 1n, { asset: 'USDTSOL' }), signing())).rejects.toThrow('is no wallet');

		const { address: wallet } = await solanaWallet(node, COIN);
		const account = await tokenAccountOf(wallet, USDT);
		for (const [offset, bend] of [
			// Frozen.
			[108, () => 2],
			// Another owner: this byte of the owner changes.
			[32, (byte: number) => byte ^ 0xff],
		] as const) {
			await placeTokens(node, USDT, wallet, 1n);
			const { data, lamports, programAddress } = node.accountOf(account) ?? {};
			const bent = new Uint8Array(data ?? []);
			bent[offset] = bend(bent[offset] ?? 0);
			node.place(account, { owner: programAddress ?? '', lamports: lamports ?? 0n, data: bent });
			const refused = signer.sign(payment(wallet, 1n, { asset: 'USDTSOL' }), signing());
			await expect(refused).rejects.toThrow(PaymentImpossible);
		}
	});

	it('is refused where the recipient’s account could not exist afterwards', async () => {
		const to = solana.newAddress();
		await expect(signer.sign(payment(to, WALLET_RENT - 1n), signing())).rejects.toThrow(PaymentImpossible);
		await chain.broadcast((await signer.sign(payment(to, WALLET_RENT), signing())).raw);
		await chain.broadcast((await signer.sign(payment(to, 1n, { id: 'payout-2' }), signing())).raw);
		expect(solana.lamportsOf(to)).toBe(WALLET_RENT + 1n);
	});

	it('is refused for an invalid payment', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const wrong: Payment[] = [
			...[0n, -1n, 1n << 64n].map((amount) => payment(to, amount)),
			payment('not an address', COIN),
			// The account of a mint's owner's tokens: off the curve.
			payment(await tokenAccountOf(to, USDT), COIN),
			payment(to, COIN, { asset: 'ETH' }),
		];
		for (const each of wrong) await expect(signer.sign(each, signing())).rejects.toThrow(PaymentImpossible);
	});

	it('waits while the wallet lacks the amount, the fee or its own rent', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const { fee } = await signer.sign(payment(to, COIN), signing());
		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: COIN + WALLET_RENT + fee - 1n });
		const short = signer.sign(payment(to, COIN), signing());
		await expect(short).rejects.toThrow(InsufficientReserve);
		await expect(short).rejects.toThrow('are free');
		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: COIN });
		const tokens = payment(to, 1_000_001n, { asset: 'USDTSOL' });
		await expect(signer.sign(tokens, signing())).rejects.toThrow('1000000 are free');
		await expect(signer.sign(payment(to, 1n, { asset: 'USDCSOL' }), signing())).rejects.toThrow(InsufficientReserve);
		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: TOKEN_RENT + WALLET_RENT });
		const unaffordable = payment(to, 1n, { asset: 'USDTSOL' });
		await expect(signer.sign(unaffordable, signing())).rejects.toThrow(InsufficientReserve);
	});

	it('does not count on coins that an earlier one, signed and not yet sent, will take', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const first = await signer.sign(payment(to, 900_000n, { asset: 'USDTSOL' }), signing());
		const second = payment(to, 200_000n, { id: 'payout-2', asset: 'USDTSOL' });
		await expect(signer.sign(second, signing(...first.spends))).rejects.toThrow('100000 are free');
		await chain.broadcast(first.raw);
		await expect(signer.sign(second, signing(...first.spends))).rejects.toThrow('100000 are free');
		await placeTokens(node, USDT, HOT, 200_000n);
		expect((await signer.sign(second, signing(...first.spends))).txId).toMatch(/^\w{80,90}$/);

		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: 3n * COIN });
		const sol = await signer.sign(payment(to, 2n * COIN, { id: 'payout-3' }), signing());
		const more = payment(to, COIN, { id: 'payout-4' });
		await expect(signer.sign(more, signing(...sol.spends))).rejects.toThrow(InsufficientReserve);
		// After its last valid block it can spend nothing any more.
		node.advance(152);
		expect((await signer.sign(more, signing(...sol.spends))).fee).toBeGreaterThan(5_000n);
	});

	it('is refused where the simulation fails', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const account = await tokenAccountOf(HOT, USDT);
		const { data, lamports = 0n, programAddress = '' } = node.accountOf(account) ?? {};
		const frozen = new Uint8Array(data ?? []);
		frozen[108] = 2;
		node.place(account, { owner: programAddress, lamports, data: frozen });
		const refused = signer.sign(payment(to, 1n, { asset: 'USDTSOL' }), signing());
		await expect(refused).rejects.toThrow(PaymentImpossible);
		await expect(refused).rejects.toThrow('Account is frozen');
	});

	it('is sent as it was simulated, and no node sees a sendable transaction before', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const before = relay.calls.length;
		await signer.sign(payment(to, COIN), signing());
		const shown = relay.calls.slice(before).filter(({ method }) => method === 'simulateTransaction');
		expect(shown).toHaveLength(1);
		expect(() => node.send(String(shown[0]?.params[0]))).toThrow('signature');
		expect(solana.calls('sendTransaction')).toBe(0);
	});
});

describe('broadcast', () => {
	it('that comes too late is blocked for the operator, and never becomes a second payment', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const signed = await signer.sign(payment(to, COIN), signing());
		node.advance(151);
		// The blockhash has expired, but no finalized block proves yet that no block took the transaction.
		await expect(chain.broadcast(signed.raw)).rejects.toThrow(ChainUnavailable);
		node.advance(FINALIZED_AFTER);
		await expect(chain.broadcast(signed.raw)).rejects.toThrow(BroadcastRejected);
		expect(solana.lamportsOf(to)).toBe(COIN);
	});

	it('is success where it is on the chain already, no matter how long ago', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const signed = await signer.sign(payment(to, COIN), signing());
		await chain.broadcast(signed.raw);
		await chain.broadcast(signed.raw);
		node.advance(400);
		relay.intercept(({ method }) =>
			method === 'sendTransaction'
				? { error: { code: -32002, message: 'Transaction simulation failed: Blockhash not found' } }
				: undefined,
		);
		await chain.broadcast(signed.raw);
		expect(solana.lamportsOf(to)).toBe(2n * COIN);
	});

	it('is a transient error where the node is busy, and final where the bytes are no transaction', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const { raw } = await signer.sign(payment(to, COIN), signing());
		relay.intercept(({ method }) =>
			method === 'sendTransaction' ? { error: { code: -32005, message: 'Node is behind by 42 slots' } } : undefined,
		);
		await expect(chain.broadcast(raw)).rejects.toThrow(ChainUnavailable);
		relay.intercept(() => undefined);
		const bent = `${raw.slice(0, 60)}${raw[60] === 'A' ? 'B' : 'A'}${raw.slice(61)}`;
		for (const wrong of [bent, '0x00', '12:AAAA', `12:${'A'.repeat(100)}`])
			await expect(chain.broadcast(wrong)).rejects.toThrow(BroadcastRejected);
		await chain.broadcast(raw);
		expect(solana.lamportsOf(to)).toBe(2n * COIN);
	});

	it('of what failed on chain is reported as reverted, with its fee', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const { raw, txId, fee } = await signer.sign(payment(to, COIN), signing());
		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: COIN });
		await expect(chain.broadcast(raw)).rejects.toThrow(ChainUnavailable);
		node.send(raw.slice(raw.indexOf(':') + 1), { skipPreflight: true });
		await chain.broadcast(raw);
		expect(await chain.transactionDepth(txId)).toMatchObject({ reverted: true, fee });
		expect(solana.lamportsOf(to)).toBe(COIN);
	});
});

describe('a payment that expired', () => {
	const replaced = async (first: SignedTransaction, paid: Payment): Promise<SignedTransaction> => {
		const next = await signer.replace?.(first, paid, signing(...first.spends), false);
		if (!next) throw new Error('no replacing');
		return next;
	};

	it('is signed again once the finalized chain has passed its last block, at a higher price, and arrives once', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const paid = payment(to, COIN);
		const first = await signer.sign(paid, signing());
		// Its blockhash is still valid, then it is not, but the blocks that may hold it are not final.
		for (const slots of [0, 151, FINALIZED_AFTER - 2]) {
			node.advance(slots);
			await expect(replaced(first, paid)).rejects.toThrow(MayStillConfirm);
		}
		node.advance(2);
		const second = await replaced(first, paid);
		expect(second.txId).not.toBe(first.txId);
		expect(second.fee).toBeGreaterThan(first.fee);
		expect(second.spends.slice(0, first.spends.length)).toEqual(first.spends);
		await chain.broadcast(second.raw);
		await expect(chain.broadcast(first.raw)).rejects.toThrow(BroadcastRejected);
		expect(solana.lamportsOf(to)).toBe(2n * COIN);
	});

	it('is not signed again where a block holds it, however old, nor by a node that has forgotten those blocks', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const paid = payment(to, COIN);
		const first = await signer.sign(paid, signing());
		const slot = node.slot();
		await chain.broadcast(first.raw);
		node.advance(5_000);
		await expect(replaced(first, paid)).rejects.toThrow(MayStillConfirm);
		node.prune(slot + 10);
		expect(await chain.transactionDepth(first.txId)).toBeNull();
		await expect(replaced(first, paid)).rejects.toThrow('has kept no block below');
		expect(solana.lamportsOf(to)).toBe(2n * COIN);
	});

	it('is not signed again by a node that keeps no history, or whose answer is not for this transaction', async () => {
		const { address: to } = await solanaWallet(node, COIN);
		const paid = payment(to, COIN);
		const first = await signer.sign(paid, signing());
		node.advance(400);
		const answers: unknown[] = [
			{ error: { code: -32011, message: 'Transaction history is not available from this node' } },
			{ result: { context: { slot: node.slot() }, value: [] } },
		];
		for (const answer of answers) {
			relay.intercept(({ method }) => (method === 'getSignatureStatuses' ? answer : undefined) as never);
			await expect(replaced(first, paid)).rejects.toThrow(ChainUnavailable);
		}
		relay.intercept(() => undefined);
		await expect(replaced({ ...first, raw: 'nonsense' }, paid)).rejects.toThrow(PaymentImpossible);
	});
});

describe('a sweep', () => {
	it('of SOL takes everything, and the hot wallet pays for it', async () => {
		const index = solana.newIndex();
		const address = addressOf(index);
		await customer.pay(address, COIN + 7n);
		const [quote] = (await chain.sweeping?.quote([{ address, asset: 'SOL' }])) ?? [];
		const signed = await signer.sweep?.({ id: 'sweep-1', asset: 'SOL', index }, signing());
		if (!signed || !quote) throw new Error('no sweep');
		expect(signed.amount).toBe(COIN + 7n);
		expect(quote).toMatchObject({ amount: COIN + 7n, gas: 0n });
		expect(quote.fee).toBeGreaterThanOrEqual(signed.fee);
		expect(await houseCostsOf(chain, 'SOL')).toEqual({ deposit: quote.fee, recipient: 0n });
		const before = solana.lamportsOf(HOT);
		await chain.broadcast(signed.raw);
		expect(node.accountOf(address)).toBeNull();
		expect(solana.lamportsOf(HOT) - before).toBe(signed.amount - signed.fee);
		expect((await chain.transactionDepth(signed.txId))?.fee).toBe(signed.fee);
	});

	it('of tokens takes everything, closes the account and gives its rent to the hot wallet', async () => {
		const index = solana.newIndex();
		const address = addressOf(index);
		await customer.payTokens(USDT, address, 321n);
		const [quote] = (await chain.sweeping?.quote([{ address, asset: 'USDTSOL' }])) ?? [];
		expect(quote).toEqual({ amount: 321n, fee: 0n, gas: 0n });
		const signed = await signer.sweep?.({ id: 'sweep-1', asset: 'USDTSOL', index }, signing());
		if (!signed) throw new Error('no sweep');
		const before = solana.lamportsOf(HOT);
		await chain.broadcast(signed.raw);
		expect(node.accountOf(await tokenAccountOf(address, USDT))).toBeNull();
		expect(await chain.balance('USDTSOL')).toBe(1_000_321n);
		const depth = await chain.transactionDepth(signed.txId);
		expect(depth?.fee).toBe(before - solana.lamportsOf(HOT));
		expect(depth?.fee).toBeLessThan(20_000n - TOKEN_RENT);
	});

	it('of a token that the wallet never held opens the wallet’s account for it', async () => {
		const index = solana.newIndex();
		const address = addressOf(index);
		await customer.payTokens(USDC, address, 321n);
		const [quote] = (await chain.sweeping?.quote([{ address, asset: 'USDCSOL' }])) ?? [];
		expect(quote).toMatchObject({ amount: 321n, gas: 0n });
		expect(quote?.fee).toBeGreaterThan(10_000n);
		const signed = await signer.sweep?.({ id: 'sweep-1', asset: 'USDCSOL', index }, signing());
		if (!signed) throw new Error('no sweep');
		const before = solana.lamportsOf(HOT);
		await chain.broadcast(signed.raw);
		expect(await chain.balance('USDCSOL')).toBe(321n);
		// One account was closed and one opened, so the difference is the fee.
		expect((await chain.transactionDepth(signed.txId))?.fee).toBe(before - solana.lamportsOf(HOT));
		expect(before - solana.lamportsOf(HOT)).toBe(signed.fee - TOKEN_RENT);
	});

	it('of an empty address is quoted as zero and not signed', async () => {
		const index = solana.newIndex();
		const address = addressOf(index);
		const targets = [
			{ address, asset: 'SOL' },
			{ address, asset: 'USDTSOL' },
		] as const;
		expect(await chain.sweeping?.quote(targets)).toEqual([
			{ amount: 0n, fee: 0n, gas: 0n },
			{ amount: 0n, fee: 0n, gas: 0n },
		]);
		expect(await chain.sweeping?.quote([])).toEqual([]);
		await expect(signer.sweep?.({ id: 's', asset: 'SOL', index }, signing())).rejects.toThrow(InsufficientReserve);
	});

	it('waits while the hot wallet cannot pay for it', async () => {
		const index = solana.newIndex();
		await customer.pay(addressOf(index), COIN);
		node.place(HOT, { owner: SYSTEM_PROGRAM, lamports: WALLET_RENT + 100n });
		await expect(signer.sweep?.({ id: 's', asset: 'SOL', index }, signing())).rejects.toThrow(InsufficientReserve);
	});

	it('changes the total holdings by the fees only', async () => {
		const [sol, usdt] = [solana.newIndex(), solana.newIndex()];
		const [solAddress, usdtAddress] = [addressOf(sol), addressOf(usdt)];
		await customer.pay(solAddress, COIN);
		await customer.payTokens(USDT, usdtAddress, 40n);
		const held = async () => [
			await chain.holdings('SOL', [solAddress, solAddress]),
			await chain.holdings('USDTSOL', [usdtAddress]),
		];
		const [solBefore = 0n, usdtBefore] = await held();
		let fees = 0n;
		for (const [index, asset] of [
			[sol, 'SOL'],
			[usdt, 'USDTSOL'],
		] as const) {
			const signed = await signer.sweep?.({ id: `sweep-${asset}`, asset, index }, signing());
			await chain.broadcast(signed?.raw ?? '');
			fees += (await chain.transactionDepth(signed?.txId ?? ''))?.fee ?? 0n;
		}
		expect(await held()).toEqual([solBefore - fees, usdtBefore]);
	});
});
