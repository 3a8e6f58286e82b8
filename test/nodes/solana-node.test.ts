/** Solana nodes that are behind, down, of another cluster, or that lie. */
import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { ChainUnavailable } from '../../src/chains/errors.ts';
import type { DepositRef } from '../../src/chains/port.ts';
import { solanaChain } from '../../src/chains/solana/family.ts';
import { solanaSigner } from '../../src/chains/solana/signing.ts';
import { startRelay } from '../support/anvil.ts';
import { feeOf } from '../support/chain-costs.ts';
import {
	COIN,
	chain,
	customer,
	HOT,
	node,
	payment,
	relay,
	SEED,
	SOLANA,
	signer,
	signing,
	solana,
	USDC,
	USDT,
	useSolana,
	watch,
	watching,
} from '../support/solana.ts';
import { startSolanaNode } from '../support/solana-node.ts';
import { SYSTEM_PROGRAM } from '../support/solana-wallet.ts';

useSolana();

describe('a node', () => {
	const chainOn = (urls: readonly string[], which: 'main' | 'regtest') =>
		solanaChain(SOLANA, { urls, chain: which }, HOT);
	const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

	it('of another cluster is unavailable, and the next one is asked', async () => {
		await expect(chainOn([node.url], 'main').scan(null, watching())).rejects.toThrow('genesis');
		const onMain = solanaSigner(SOLANA, { urls: [node.url], chain: 'main' }, SEED);
		await expect(onMain.sign(payment(HOT, 1n), signing())).rejects.toThrow(ChainUnavailable);
		const main = await startSolanaNode({ genesis: GENESIS });
		try {
			await expect(chainOn([main.url], 'regtest').register([])).rejects.toThrow(ChainUnavailable);
			for (const each of [USDT, USDC]) main.placeMint(each, 6, HOT);
			expect((await chainOn([node.url, main.url], 'main').scan(null, watching())).height).toBe(main.slot() - 1);
		} finally {
			await main.stop();
		}
	});

	it('of mainnet whose mints differ from the catalog is unavailable', async () => {
		const main = await startSolanaNode({ genesis: GENESIS });
		try {
			main.placeMint(USDC, 6, HOT);
			await expect(chainOn([main.url], 'main').register([])).rejects.toThrow('USDTSOL');
			main.placeMint(USDT, 9, HOT);
			await expect(chainOn([main.url], 'main').register([])).rejects.toThrow('9 decimals, not the 6 of the catalog');
			main.placeMint(USDT, 6, HOT);
			await chainOn([main.url], 'main').register([]);
		} finally {
			await main.stop();
		}
	});

	it('is checked for genesis, slots, history, mints and the wallet’s coins', async () => {
		const main = await startSolanaNode({ genesis: GENESIS });
		try {
			for (const each of [USDT, USDC]) main.placeMint(each, 6, HOT);
			const found = await chainOn([main.url, node.url], 'main').check();
			expect(found.map(({ ok }) => ok)).toEqual([true, true, true, true, false, false]);
			const details = found.map(({ detail }) => detail);
			for (const part of ['genesis of mainnet', 'since slot 0', '6 decimals', 'holds 0 lamports: fill it'])
				expect(
					details.some((detail) => detail.includes(part)),
					part,
				).toBe(true);
			main.place(HOT, { owner: SYSTEM_PROGRAM, lamports: COIN });
			expect((await chainOn([main.url], 'main').check()).every(({ ok }) => ok)).toBe(true);
		} finally {
			await main.stop();
		}
	});

	it('a little behind the last poll is waited for, and one far behind is unavailable', async () => {
		const address = solana.newAddress();
		await customer.pay(address, COIN);
		const ahead = String(node.slot() + 20);
		expect(await chain.scan(ahead, watching(watch(address)))).toEqual({
			deposits: [],
			cursor: ahead,
			height: node.slot() - 1,
		});
		// Nor is a deposit called dropped that this node may not have seen yet.
		const unseen = { txId: base58.encode(new Uint8Array(64).fill(7)), position: 'native', address, amount: 1n };
		await expect(chain.depths([{ ...unseen, asset: 'SOL' }])).rejects.toThrow(ChainUnavailable);
		await solana.scan(watch(address));
		expect(await chain.depths([{ ...unseen, asset: 'SOL' }])).toEqual([null]);
		await expect(chain.scan(String(node.slot() + 1_000), watching(watch(address)))).rejects.toThrow(ChainUnavailable);
		await expect(chain.scan('nonsense', watching())).rejects.toThrow(TypeError);
	});

	it('that shows a balance without the transactions that made it credits nothing', async () => {
		const address = solana.newAddress();
		const value = [{ lamports: 10n ** 18n, owner: SYSTEM_PROGRAM, data: ['', 'base64'] }];
		const shown = value.map((each) => ({ ...each, lamports: String(each.lamports) }));
		relay.intercept(({ method }) =>
			method === 'getMultipleAccounts' ? { result: { context: { slot: node.slot() }, value: shown } } : undefined,
		);
		expect(await solana.scan(watch(address))).toEqual([]);
	});

	it('that reports a deposit larger than the balance is not believed', async () => {
		const address = solana.newAddress();
		const txId = await customer.pay(address, COIN);
		relay.intercept(({ method }) =>
			method === 'getTransaction'
				? {
						result: {
							slot: 1,
							transaction: { signatures: [txId], message: { accountKeys: [customer.address, address] } },
							meta: { err: null, fee: 0, preBalances: [0, 0], postBalances: [0, '18446744073709551615'] },
						},
					}
				: undefined,
		);
		expect(await solana.scan(watch(address))).toEqual([]);
		relay.intercept(() => undefined);
		expect(await solana.scan(watch(address))).toMatchObject([{ txId, amount: COIN }]);
	});

	const nonsense: Record<string, unknown> = {
		nothing: null,
		text: 'hello',
		list: [],
		'a number': 7,
		'an empty context': { context: {}, value: [] },
		'too few accounts': { context: { slot: 1_000_000 }, value: [] },
		'more than 64 bits': {
			context: { slot: 2_000 },
			value: [{ lamports: '99999999999999999999', owner: SYSTEM_PROGRAM, data: ['', 'base64'] }],
		},
		'a slot that is none': { context: { slot: 2 ** 50 }, value: [null] },
	};
	it.each(Object.keys(nonsense))('that answers %s is unavailable, whatever was asked', async (name) => {
		const address = solana.newAddress();
		const txId = await customer.pay(address, COIN);
		relay.intercept(() => ({ result: nonsense[name] }));
		for (const ask of [
			() => solana.scan(watch(address)),
			() => chain.depths([{ txId, position: 'native', address, asset: 'SOL', amount: 1n }]),
			() => chain.transactionDepth(txId),
			() => chain.holdings('SOL', [address]),
			() => signer.sign(payment(customer.address, 1n), signing()),
		])
			await expect(ask(), name).rejects.toThrow(ChainUnavailable);
	});

	it('that gives another transaction than the one it was asked for is unavailable', async () => {
		const [address, other] = [solana.newAddress(), solana.newAddress()];
		const txId = await customer.pay(address, COIN);
		const wrong = await customer.pay(other, 5n * COIN);
		const { result } = (await (
			await fetch(node.url, {
				method: 'POST',
				body: JSON.stringify({ id: 1, method: 'getTransaction', params: [wrong, { commitment: 'confirmed' }] }),
			})
		).json()) as { result: unknown };
		relay.intercept(({ method }) => (method === 'getTransaction' ? { result } : undefined));
		await expect(solana.scan(watch(address))).rejects.toThrow(ChainUnavailable);
		await expect(chain.transactionDepth(txId)).rejects.toThrow(ChainUnavailable);
	});

	it('that is down is unavailable, for every question', async () => {
		const gone = await startRelay(null);
		await gone.stop();
		const down = chainOn([gone.url], 'regtest');
		const address = solana.newAddress();
		const txId = await customer.pay(address, COIN);
		const ref: DepositRef = { txId, position: 'native', address, asset: 'SOL', amount: 1n };
		const { raw } = await signer.sign(payment(customer.address, 1n), signing());
		const questions = {
			register: () => down.register([]),
			scan: () => down.scan(null, watching()),
			depths: () => down.depths([ref]),
			costsNow: () => feeOf(down, 'USDTSOL'),
			broadcast: () => down.broadcast(raw),
			transactionDepth: () => down.transactionDepth(txId),
			balance: () => down.balance('SOL'),
			holdings: () => down.holdings('USDTSOL', [HOT]),
			quote: async () => down.sweeping?.quote([{ address, asset: 'SOL' }]),
		};
		for (const [name, ask] of Object.entries(questions)) await expect(ask(), name).rejects.toThrow(ChainUnavailable);
		expect((await down.check()).map(({ ok }) => ok)).toEqual([false]);
	});
});
